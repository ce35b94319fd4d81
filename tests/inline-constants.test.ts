/** What scripts/inline-constants.mjs does to a build: names become numbers, and all means what it did. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'heddle-constants-'));
afterAll(() => rmSync(folder, { recursive: true }));
const script = fileURLToPath(new URL('../scripts/inline-constants.mjs', import.meta.url));

/** The module, which imports constants, as it was and as the script makes it. */
async function build(name: string, code: string) {
  const constants =
    "export const NOTHING = -1;\nexport const Colour = { RED: 0, BLUE: 17 };\nexport const words = 'x';\n";
  for (const kind of ['src', 'before', 'after']) mkdirSync(join(folder, name, kind), { recursive: true });
  const write = (kind: string, file: string, text: string) => writeFileSync(join(folder, name, kind, file), text);
  write('src', 'constants.ts', constants.replace('};', '} as const;'));
  write('src', 'passed-on.ts', "export { Colour } from './constants.ts';\n");
  write('src', 'module.ts', code.replaceAll('.js', '.ts'));
  for (const kind of ['before', 'after']) {
    write(kind, 'constants.js', constants);
    write(kind, 'passed-on.js', "export { Colour } from './constants.js';\n");
    write(kind, 'module.js', code);
    write(kind, 'package.json', '{ "type": "module" }');
  }
  execFileSync(process.execPath, [script, join(folder, name, 'after'), join(folder, name, 'src')]);
  const load = async (kind: string): Promise<{ default: unknown }> =>
    (await import(/* @vite-ignore */ pathToFileURL(join(folder, name, kind, 'module.js')).href)) as {
      default: unknown;
    };
  const text = readFileSync(join(folder, name, 'after', 'module.js'), 'utf8');
  return { before: (await load('before')).default, after: (await load('after')).default, text };
}

const imports = "import { NOTHING, words } from './constants.js';\nimport { Colour } from './passed-on.js';\n";

test('names of numbers become numbers, of the same width', async () => {
  const code = `${imports}const OWN = 5;\nexport default [NOTHING, Colour.BLUE + OWN, words, [1][Colour.RED]];\n`;
  const { before, after, text } = await build('plain', code);
  expect(after).toEqual(before);
  expect(text).toContain('[-1     , 17          + 5  , words, [1][0         ]]');
  expect(text.length).toBe(code.length);
});

test.each([
  ['a name that is declared once more inside', '((NOTHING) => NOTHING)(3)', 'NOTHING) => NOTHING'],
  ['a key of that name', '[{ NOTHING: 2 }.NOTHING, { Colour }.Colour]', '{ NOTHING: 2 }.NOTHING, { Colour }.Colour'],
  ['a key that the table does not have', '[Colour.GREEN, Colour?.RED]', 'Colour.GREEN'],
  ['a number after a sign', '[1 -NOTHING, -NOTHING]', '1 -NOTHING, -NOTHING'],
])('left alone: %s', async (name, expression, kept) => {
  const { before, after, text } = await build(name.replaceAll(' ', '-'), `${imports}export default ${expression};\n`);
  expect(after).toEqual(before);
  expect(text).toContain(kept);
});
