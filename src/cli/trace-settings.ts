/** The settings of a C program in a trace file: its paths are relative to the folder of the trace there. */
import { existsSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import type { Trace } from '../report/schema.ts';
import { shortFile } from '../report/source.ts';
import type { CSettings } from './job.ts';

type TraceSettings = NonNullable<Trace['options']['c']>;

export function settingsForTrace(settings: CSettings, folder: string): TraceSettings {
  const within = (path: string): string => relative(folder, resolve(path)).split(sep).join('/');
  const { files, defines, includeFolders, includeFiles, clang, knowledge, ...rest } = settings;
  return {
    ...rest,
    files: files.map(within),
    defines: [...defines],
    includeFolders: includeFolders.map(within),
    // those that are not here are found by way of the include folders
    includeFiles: includeFiles.map((file) => (existsSync(file) ? within(file) : file)),
    ...(knowledge === undefined ? {} : { knowledge }),
    ...(clang === undefined ? {} : { clang: /[\\/]/.test(clang) ? resolve(clang) : clang }),
  };
}

export function settingsFromTrace(settings: TraceSettings, folder: string, cwd: string): CSettings {
  const here = (path: string): string => shortFile(resolve(folder, path), cwd);
  return {
    ...settings,
    files: settings.files.map(here),
    includeFolders: settings.includeFolders.map(here),
    includeFiles: settings.includeFiles.map((file) => (existsSync(resolve(folder, file)) ? here(file) : file)),
  };
}
