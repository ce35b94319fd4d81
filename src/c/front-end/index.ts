/** C and LLVM IR files for the command line. What takes time to load is loaded when it is needed. */

import type { FrontEnd } from '../../program/front-end.ts';
import { cLanguage } from '../language.ts';
import { type CompiledFiles, compileFiles } from './compile-files.ts';
import { cOptions, emittedIr, settingsOf } from './options.ts';
import { type CSettings, settingsForTrace, settingsFromTrace } from './settings.ts';

export const cFrontEnd: FrontEnd<CSettings, CompiledFiles> = {
  language: cLanguage,
  description: 'a C program, made of one or more .c and .ll (LLVM IR) files',
  extensions: ['.c', '.ll'],
  takesSeveralFiles: true,
  standardInput: { name: 'stdin.c', before: '#line 1 "<stdin>"\n', shownAs: '<stdin>' },
  options: cOptions,
  settings: settingsOf,
  compile: compileFiles,
  load: async (settings, compiled, host, knowledge) =>
    (await import('./load.ts')).loadC(settings, compiled, host, knowledge),
  printed: async (settings, compiled, flags, host) => {
    const when = emittedIr(flags);
    return when === undefined ? undefined : (await import('./load.ts')).irOf(settings, compiled, host, when);
  },
  settingsForTrace,
  settingsFromTrace,
  traceSchema: async () => (await import('./schema.ts')).traceSchema,
};
