/** All that tells one C program from another; in a trace file its paths are relative to the folder of the trace. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ProgramSettings } from '../../program/front-end.ts';
import { relativeTo, shortFile } from '../../program/paths.ts';
import type { UninitialisedCheck, VolatileKind } from '../choices.ts';

export interface CSettings extends ProgramSettings {
  readonly defines: readonly string[];
  readonly includeFolders: readonly string[];
  readonly includeFiles: readonly string[];
  readonly quoteFolders?: readonly string[] | undefined;
  readonly lateFolders?: readonly string[] | undefined;
  readonly compilerFlags?: readonly string[] | undefined;
  readonly standard?: string | undefined;
  /** See `CompileFlags`. */
  readonly clang?: string | undefined;
  readonly unroll?: number | undefined;
  readonly plp?: boolean | undefined;
  readonly await?: boolean | undefined;
  readonly nondet?: { readonly least: number; readonly greatest: number } | undefined;
  readonly spuriousWakeups?: boolean | undefined;
  readonly volatile?: VolatileKind | undefined;
  readonly checkUninitialised?: UninitialisedCheck | undefined;
  readonly arguments?: readonly string[] | undefined;
  /** The file that the program reads as standard input. */
  readonly stdin?: string | undefined;
  readonly spuriousCas?: boolean | undefined;
}

export function settingsForTrace(settings: CSettings, folder: string): CSettings {
  const within = (path: string): string => relativeTo(folder, path);
  const { quoteFolders, lateFolders, clang, stdin } = settings;
  return {
    ...settings,
    files: settings.files.map(within),
    includeFolders: settings.includeFolders.map(within),
    // those that are not here are found by way of the include folders
    includeFiles: settings.includeFiles.map((file) => (existsSync(file) ? within(file) : file)),
    ...(quoteFolders === undefined ? {} : { quoteFolders: quoteFolders.map(within) }),
    ...(lateFolders === undefined ? {} : { lateFolders: lateFolders.map(within) }),
    ...(stdin === undefined ? {} : { stdin: within(stdin) }),
    ...(clang === undefined ? {} : { clang: /[\\/]/.test(clang) ? resolve(clang) : clang }),
  };
}

export function settingsFromTrace(settings: CSettings, folder: string, cwd: string): CSettings {
  const here = (path: string): string => shortFile(resolve(folder, path), cwd);
  const { quoteFolders, lateFolders, stdin } = settings;
  return {
    ...settings,
    files: settings.files.map(here),
    includeFolders: settings.includeFolders.map(here),
    includeFiles: settings.includeFiles.map((file) => (existsSync(resolve(folder, file)) ? here(file) : file)),
    ...(quoteFolders === undefined ? {} : { quoteFolders: quoteFolders.map(here) }),
    ...(lateFolders === undefined ? {} : { lateFolders: lateFolders.map(here) }),
    ...(stdin === undefined ? {} : { stdin: here(stdin) }),
  };
}
