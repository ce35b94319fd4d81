/** `--clang PATH`: a script stands in for clang, writes down its arguments and prints IR. */
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { compileC } from '../../../src/c/compile/compile.ts';
import { folderWith } from '../../cli/heddle.ts';

function fakeClang(script: string): string {
  const cwd = folderWith({ 'main.c': 'int main(void) { return 0; }\n', 'bin/clang-99': `#!/bin/sh\n${script}\n` });
  chmodSync(join(cwd, 'bin/clang-99'), 0o755);
  return cwd;
}

const printing = `if [ "$1" = --version ]; then exit 1; fi
for arg in "$@"; do echo "$arg" >> arguments; done
echo 'main.c:1:1: warning: odd' >&2
echo '; ModuleID'`;

test('is asked for the same IR, with the headers of Heddle and of its C library', async () => {
  const cwd = fakeClang(printing);
  const cacheFolder = join(cwd, 'cache');
  const flags = { cwd, clang: 'bin/clang-99', defines: ['N=1', 'S="a b"'], includeFolders: ['../x'], standard: 'c99' };
  const result = await compileC(['main.c'], flags, { cacheFolder });
  expect(result).toEqual({
    modules: [{ name: 'main.c', text: '; ModuleID\n' }],
    warnings: 'main.c:1:1: warning: odd\n',
    compiler: { name: 'bin/clang-99', kind: 'installed' },
  });
  const args = readFileSync(join(cwd, 'arguments'), 'utf8').trimEnd().split('\n');
  expect(args.join(' ')).toMatch(
    /^-cc1 -triple wasm32-unknown-wasip1 -emit-llvm -disable-free -O0 -disable-O0-optnone /,
  );
  expect(args.join(' ')).toContain('-std=c99 -D N=1 -D S="a b" -I ../x -o - -x c main.c');
  const folders = args.filter((_, i) => args[i - 1] === '-internal-isystem');
  const [own = '', compiler = '', library = ''] = folders;
  expect(readdirSync(own)).toContain('heddle.h');
  expect(args[args.indexOf('-resource-dir') + 1]).toBe(join(compiler, '..'));
  for (const header of ['stddef.h', 'stdarg.h']) expect(existsSync(join(compiler, header))).toBe(true);
  for (const header of ['pthread.h', 'stdio.h', 'bits/alltypes.h'])
    expect(existsSync(join(library, header))).toBe(true);
  expect(readFileSync(join(library, 'features.h'), 'utf8')).toMatch(/^#ifndef\s+_FEATURES_H[\s\S]*#endif\s*$/);

  // the second time from the cache, and from another clang not
  expect(await compileC(['main.c'], flags, { cacheFolder })).toEqual(result);
  expect(readFileSync(join(cwd, 'arguments'), 'utf8').trimEnd().split('\n')).toEqual(args);
  writeFileSync(join(cwd, 'bin/clang-99'), '#!/bin/sh\necho other');
  expect((await compileC(['main.c'], flags, { cacheFolder })).modules[0]?.text).toBe('other\n');
});

test('sees assembly for other processors as the bundled one does', async () => {
  const cwd = fakeClang(`for arg in "$@"; do
  if [ "$before" = -ivfsoverlay ]; then cat "$arg" "$(dirname "$arg")/0.c" > seen; fi
  before=$arg
done
echo '; ModuleID'`);
  writeFileSync(join(cwd, 'main.c'), 'int f(int x) { asm("neg %0" : "+a"(x)); return x; }\n');
  await compileC(['main.c'], { cwd, clang: 'bin/clang-99' });
  const seen = readFileSync(join(cwd, 'seen'), 'utf8');
  expect(seen).toContain(`"name":${JSON.stringify(join(cwd, 'main.c'))}`);
  expect(seen).toContain('asm("neg %0" "\\n#registers a" : "+r"(x))');
});

test('is found in the search path, and needs no cache', async () => {
  const cwd = fakeClang(printing);
  const path = process.env['PATH'] ?? '';
  process.env['PATH'] = `${join(cwd, 'bin')}:${path}`;
  try {
    const { modules } = await compileC(['main.c'], { cwd, clang: 'clang-99' });
    expect(modules[0]?.text).toBe('; ModuleID\n');
  } finally {
    process.env['PATH'] = path;
  }
});

test('whatever goes wrong is said', async () => {
  const compile = (script: string, clang = 'bin/clang-99') => compileC(['main.c'], { cwd: fakeClang(script), clang });
  await expect(compile('', 'bin/clang-98')).rejects.toThrow(
    'cannot run bin/clang-98 (--clang): there is no such program.',
  );
  await expect(compile('', 'bin')).rejects.toThrow('cannot run bin (--clang): ');
  await expect(compile('exit 0')).rejects.toThrow('bin/clang-99 (--clang) printed no LLVM IR.');
  await expect(compile('kill -9 $$')).rejects.toThrow('bin/clang-99 (--clang) was ended by SIGKILL.');
  await expect(compile("echo 'main.c:1:2: error: no' >&2; exit 1")).rejects.toThrow(
    'main.c does not compile:\nmain.c:1:2: error: no',
  );
});
