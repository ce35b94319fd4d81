/** This process, as front ends see it. */
import type { Host } from '../program/front-end.ts';
import { waitingLine } from './progress.ts';

/** `isQuiet`: nothing is to be shown but the result. */
export function hostOf(isQuiet: boolean): Host {
  return {
    cwd: process.cwd(),
    env: process.env,
    platform: process.platform,
    node: process.execPath,
    useSourceMaps: () => process.setSourceMapsEnabled(true),
    warn: (text) => {
      if (!isQuiet) process.stderr.write(text);
    },
    waiting: (text) => waitingLine(process.stderr.isTTY && !isQuiet, text),
  };
}
