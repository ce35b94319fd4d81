/** Heddle's own C headers: they stand before those of the compiler, and supply what these leave out. */
import { readdirSync, readFileSync } from 'node:fs';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where they lie on disk. */
export const headersFolder = fileURLToPath(new URL('./headers/', import.meta.url));

export interface Header {
  /** As programs include it: `sys/queue.h`. */
  readonly name: string;
  readonly content: string;
}

export function ownHeaders(): Header[] {
  return readdirSync(headersFolder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.h'))
    .map((name) => name.split(sep).join('/'))
    .sort()
    .map((name) => ({ name, content: readFileSync(`${headersFolder}${name}`, 'utf8') }));
}
