/** Paths for files and for readers. */
import { relative, resolve, sep } from 'node:path';

/** As seen from `folder`, with / between the parts, for files that travel. */
export function relativeTo(folder: string, file: string): string {
  return relative(folder, resolve(file)).split(sep).join('/');
}

/** The file as seen from `cwd`; as it is if it lies outside. */
export function shortFile(file: string, cwd: string): string {
  const path = relative(cwd, file);
  return path === '' || path.startsWith('..') ? file : path;
}
