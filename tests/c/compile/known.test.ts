/** Which clang is taken if nobody asks for one: scripts in a search path stand in for those that are installed. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compileC } from '../../../src/c/compile/compile.ts';
import { BUNDLED_VERSION } from '../../../src/c/compile/flags.ts';
import { knownVersions } from '../../../src/c/compile/known.ts';
import { cFrontEnd } from '../../../src/c/front-end/index.ts';
import type { Host } from '../../../src/program/front-end.ts';
import { folderWith } from '../../cli/heddle.ts';

const [major = 0] = knownVersions;
const bundled = { name: `clang ${BUNDLED_VERSION}`, kind: 'bundled' };

/** Says that it is of this version, in its answers and in its IR, and counts how often it is asked for either. */
function script(version: string, ir: string, ident = version): string {
  return `#!/bin/sh
if [ "$1" = --version ]; then
  echo asked >> "$(dirname "$0")/../asked"
  echo "${version}"
  exit 0
fi
echo compiled >> "$(dirname "$0")/../asked"
${ir}
echo '!0 = !{!"${ident}"}'
`;
}

function folderWithClangs(scripts: Readonly<Record<string, string>>): { cwd: string; asked: () => string } {
  const files = Object.fromEntries(Object.entries(scripts).map(([name, text]) => [`bin/${name}`, text]));
  const cwd = folderWith({ 'main.c': 'int main(void) { return 0; }\n', ...files });
  for (const name of Object.keys(files)) chmodSync(join(cwd, name), 0o755);
  const asked = (): string => (existsSync(join(cwd, 'asked')) ? readFileSync(join(cwd, 'asked'), 'utf8') : '');
  return { cwd, asked };
}

function compile(cwd: string, clang?: string) {
  const settings = { searchPath: `${join(cwd, 'none')}:${join(cwd, 'bin')}`, cacheFolder: join(cwd, 'cache') };
  return compileC(['main.c'], { cwd, ...(clang === undefined ? {} : { clang }) }, settings);
}

test('one of a known version is taken, and asked once for its version', async () => {
  const version = `Debian clang version ${major}.1.2 (x)`;
  const { cwd, asked } = folderWithClangs({
    clang: script('clang version 4.0.0', 'exit 1'),
    [`clang-${major}`]: script(version, 'echo "; IR"'),
  });
  const { modules, compiler } = await compile(cwd);
  expect(compiler).toEqual({ name: `clang ${major}.1.2`, kind: 'installed' });
  expect(modules[0]?.text).toContain('; IR\n');
  expect(asked()).toBe('asked\nasked\ncompiled\n');
  writeFileSync(join(cwd, 'main.c'), 'int main(void) { return 1; }\n');
  await compile(cwd);
  await compile(cwd);
  expect(asked()).toBe('asked\nasked\ncompiled\ncompiled\n');
});

test('others are not, unless they are asked for; nor is one that does not do what it says', async () => {
  const known = `clang version ${major}.1.2`;
  const { cwd, asked } = folderWithClangs({ clang: script('clang version 4.0.0', 'exit 1') });
  expect((await compile(cwd)).compiler).toEqual(bundled);
  const apple = folderWithClangs({ clang: script(`Apple ${known}`, 'exit 1') });
  expect((await compile(apple.cwd)).compiler).toEqual(bundled);
  expect(`${asked()}${apple.asked()}`).toBe('asked\nasked\n');
  for (const text of [script(known, 'exit 1'), script(known, 'echo "; IR"', 'clang version 99.1.2'), 'no program']) {
    const { cwd } = folderWithClangs({ clang: text });
    expect((await compile(cwd)).compiler).toEqual(bundled);
  }
  const asIs = folderWithClangs({ clang: script('clang version 4.0.0', 'echo "; IR"') });
  expect((await compile(asIs.cwd, 'clang')).compiler).toEqual({ name: 'clang 4.0.0', kind: 'installed' });
  expect((await compile(asIs.cwd, 'bundled')).compiler).toEqual(bundled);
});

test('what does not compile is said in the words of the bundled one', async () => {
  const { cwd } = folderWithClangs({ clang: script(`clang version ${major}.1.2`, 'echo no >&2; exit 1') });
  writeFileSync(join(cwd, 'main.c'), 'int main(void) { return x; }\n');
  await expect(compile(cwd)).rejects.toThrow("main.c:1:25: error: use of undeclared identifier 'x'");
});

test('what it emits and is not understood is compiled by the bundled one', async () => {
  const { cwd } = folderWithClangs({
    clang: script(`clang version ${major}.1.2`, "echo 'define i32 @main(i32* %x) {}'"),
  });
  const host: Host = {
    cwd,
    env: { PATH: join(cwd, 'bin'), HEDDLE_CACHE: join(cwd, 'cache') },
    platform: process.platform,
    node: process.execPath,
    library: {},
    useSourceMaps: () => {},
    warn: () => {},
    waiting: () => ({ show: () => {}, end: () => {} }),
  };
  const settings = cFrontEnd.settings(['main.c'], {});
  const compiled = await cFrontEnd.compile(settings, host);
  expect(compiled.compiler).toMatchObject({ kind: 'installed' });
  expect((await cFrontEnd.load(settings, compiled, host, undefined)).compiler).toEqual(bundled);
  expect(await cFrontEnd.printed?.(settings, compiled, { emitIr: 'after' }, host)).toContain('define i32 @main()');
});
