/** Heddle's own C headers: they stand before those of the compiler, and supply what these leave out. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Where they lie on disk. */
export const headersFolder = fileURLToPath(new URL('./headers/', import.meta.url));

export interface Header {
  readonly name: string;
  readonly content: string;
}

export function ownHeaders(): Header[] {
  return readdirSync(headersFolder)
    .filter((name) => name.endsWith('.h'))
    .sort()
    .map((name) => ({ name, content: readFileSync(`${headersFolder}${name}`, 'utf8') }));
}
