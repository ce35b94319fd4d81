/** TypeScript and JavaScript files for the command line. */
import { resolve } from 'node:path';
import type { FrontEnd, ProgramSettings } from '../../program/front-end.ts';
import { relativeTo, shortFile } from '../../program/paths.ts';
import { typescriptLanguage } from '../language.ts';
import { positionOfStack } from '../position.ts';
import type { Bundle } from './bundle.ts';

export const typescriptFrontEnd: FrontEnd<ProgramSettings, Bundle | undefined> = {
  language: typescriptLanguage,
  description: 'the program that a .ts, .mts, .js or .mjs file exports as its default',
  extensions: ['.ts', '.mts', '.js', '.mjs'],
  takesSeveralFiles: false,
  options: [],
  settings: (files) => ({ files }),
  compile: async () => undefined,
  load: async ({ files: [file = ''] }, bundle, host) => (await import('./load.ts')).loadScript(file, host, bundle),
  travelling: {
    isCode: true,
    pack: async ({ files: [file = ''] }, _compiled, host) => (await import('./bundle.ts')).bundleOf(file, host),
  },
  positionOfStray: positionOfStack,
  settingsForTrace: ({ files }, folder) => ({ files: files.map((file) => relativeTo(folder, file)) }),
  settingsFromTrace: ({ files }, folder, cwd) => ({
    files: files.map((file) => shortFile(resolve(folder, file), cwd)),
  }),
  traceSchema: async () => {
    const { z } = await import('zod');
    return z.strictObject({ settings: z.strictObject({ files: z.array(z.string()).length(1) }) });
  },
};
