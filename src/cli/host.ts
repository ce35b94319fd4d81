/** This process, as front ends see it. */
import type { Host } from '../program/front-end.ts';
import { waitingLine } from './progress.ts';

/** As `exports` in package.json has them; in the bundle they share its modules. */
const library = {
  heddle: new URL('../index.js', import.meta.url).href,
  'heddle/c': new URL('../c/index.js', import.meta.url).href,
  'heddle/vitest': new URL('../vitest.js', import.meta.url).href,
};

/** `isQuiet`: nothing is to be shown but the result. */
export function hostOf(isQuiet: boolean): Host {
  return {
    cwd: process.cwd(),
    env: process.env,
    platform: process.platform,
    node: process.execPath,
    library,
    useSourceMaps: () => process.setSourceMapsEnabled(true),
    warn: (text) => {
      if (!isQuiet) process.stderr.write(text);
    },
    waiting: (text) => waitingLine(process.stderr.isTTY && !isQuiet, text),
  };
}
