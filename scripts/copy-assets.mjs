/** After a build: copies what the C front end needs besides TypeScript, its headers and the script of the compiler's process. */
import { cpSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const [, , output = `${root}dist`] = process.argv;
for (const name of ['headers', 'compiler.mjs']) {
  cpSync(`${root}src/c/compile/${name}`, `${output}/c/compile/${name}`, { recursive: true });
}
