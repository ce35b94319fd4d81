/** With the real compiler, which takes a second to start: as few runs as possible. */
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CompileFlags, compileC } from '../../../src/c/compile/compile.ts';
import { BUNDLED_VERSION, otherFlags, standardOf } from '../../../src/c/compile/flags.ts';
import { parseModule } from '../../../src/c/ir/parser.ts';
import { folderWith } from '../../cli/heddle.ts';

/** Every header that concurrent programs use, and the names that are modelled or refused by name. */
const everyHeader = `
${[
  ...['pthread', 'threads', 'stdatomic', 'stdio', 'stdlib', 'string', 'strings', 'assert', 'unistd', 'sched', 'time'],
  ...['errno', 'stdbool', 'stdint', 'inttypes', 'limits', 'semaphore', 'setjmp', 'math', 'signal', 'ctype', 'stdarg'],
  ...['stddef', 'stdalign', 'stdnoreturn', 'float', 'alloca', 'malloc', 'sys/time', 'sys/types', 'sys/mman', 'heddle'],
]
  .map((name) => `#include <${name}.h>`)
  .join('\n')}
void *uses[] = {
  pthread_create, pthread_join, pthread_detach, pthread_exit, pthread_self, pthread_cancel, pthread_once,
  pthread_mutex_timedlock, pthread_mutex_clocklock, pthread_mutexattr_settype, pthread_mutexattr_setrobust,
  pthread_cond_timedwait, pthread_cond_clockwait, pthread_rwlock_timedwrlock, pthread_rwlock_clockrdlock,
  pthread_barrier_wait, pthread_spin_trylock, pthread_key_create, pthread_attr_setdetachstate, pthread_setschedparam,
  thrd_create, mtx_timedlock, cnd_wait, tss_create, call_once, sem_wait, sem_timedwait, sem_clockwait,
  sched_yield, sched_get_priority_max, usleep, sleep, nanosleep, clock_gettime, clock, getpid, fork, setjmp, longjmp,
  signal, raise, abort, exit, atexit, malloc, realloc, aligned_alloc, posix_memalign, memcpy, strlen, printf, rand,
  __VERIFIER_assume, __VERIFIER_nondet_int, __VERIFIER_atomic_begin,
};
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
pthread_barrier_t barrier;
pthread_spinlock_t spinlock;
jmp_buf environment;
atomic_flag flag = ATOMIC_FLAG_INIT;
`;

const memory = `
#include <stdatomic.h>
#include <stdio.h>
_Atomic int a;
_Thread_local int t;
volatile int v;
int main(int argc, char **argv) {
  atomic_store_explicit(&a, 1, memory_order_release);
  t = a;
  v = 2;
  printf("done\\n");
  char copy[4] = "abc", other[4];
  __builtin_memcpy(other, copy, 4);
  return __builtin_expect(a, 0) + other[0];
}
`;

describe('what is compiled', () => {
  test('keeps atomics, thread-locals, volatile and calls, and every header compiles', async () => {
    const cwd = folderWith({ 'memory.c': memory, 'headers.c': everyHeader });
    const { modules, warnings } = await compileC(['memory.c', 'headers.c'], { cwd });
    expect(warnings).toBe('');
    expect(modules.map(({ name }) => name)).toEqual(['memory.c', 'headers.c']);
    const [text = ''] = modules.map((module) => module.text);
    expect(text).toContain('store atomic i32');
    expect(text).toMatch(/release, align 4/);
    expect(text).toContain('@t = thread_local global i32 0');
    expect(text).toContain('store volatile i32 2, ptr @v');
    expect(text).toMatch(/call i32 \(ptr, \.\.\.\) @printf/);
    expect(text).not.toContain('@puts');
    expect(text).not.toContain('optnone');
    expect(text).toContain('!DILocation(line: ');
    expect(text).toContain('!DIFile(filename: "memory.c", directory: "/")');
  });

  test('keeps the path of a file that lies beside the current folder', async () => {
    const folder = folderWith({
      'here/main.c': 'int main(void) { return 0; }\n',
      'there/x.c': 'int x;\nint f(void) { return x; }\n',
    });
    const file = join(folder, 'there/x.c');
    const { modules } = await compileC([file, '../there/x.c'], { cwd: join(folder, 'here') });
    const paths = modules.map(({ text, name }) => parseModule(text, name).functions.get('f')?.position?.file);
    expect(paths).toEqual([file, '../there/x.c']);
  });

  test('finds included files wherever they lie, and names them as the user would', async () => {
    const folder = folderWith({
      'project/src/main.c': [
        '#include "near.h"',
        '#include "../../beside/far.h"',
        '#include <lib/in-folder.h>',
        '#include "linked/through.h"',
        '#if __has_include("optional.h")',
        '#include "optional.h"',
        '#endif',
        '#define TEXT(x) #x',
        '#define NAME(x) TEXT(x.h)',
        '#include NAME(computed)',
        '#include CONFIG',
        'int main(void) { return NEAR + FAR + IN_FOLDER + THROUGH + AFTER + OPTIONAL + COMPUTED + CONFIGURED + FIRST; }',
      ].join('\n'),
      'project/src/near.h': '#define NEAR 1\n',
      'project/src/optional.h': '#define OPTIONAL 1\n',
      'project/src/computed.h': '#define COMPUTED 1\n',
      'project/config.h': '#define CONFIGURED 1\n',
      'project/first.h': '#define FIRST 1\n',
      'beside/far.h': '#pragma once\n#include "far.h"\n#define FAR 1\nstatic inline int far(int x) { return x; }\n',
      'folder/lib/in-folder.h': '#define IN_FOLDER 1\n',
      'elsewhere/deep/through.h': '#include "../after.h"\n#define THROUGH 1\n',
      'elsewhere/after.h': '#define AFTER 1\nint after(void) { return unknown; }\n',
    });
    symlinkSync(join(folder, 'elsewhere/deep'), join(folder, 'project/src/linked'));
    const flags: CompileFlags = {
      cwd: join(folder, 'project'),
      includeFolders: ['../folder', '.'],
      includeFiles: ['first.h'],
      defines: ['CONFIG="config.h"'],
    };
    const broken = compileC(['src/main.c', `${folder}/project/src/main.c`], flags);
    // `linked` leads elsewhere, so its `..` is not src/: only clang's message shows the text of the path
    const message = (name: string): string =>
      `${name}/linked/../after.h:2:26: error: use of undeclared identifier 'unknown'`;
    await expect(broken).rejects.toThrow(message('src'));
    await expect(broken).rejects.toThrow(message(`${folder}/project/src`));
  });
});

describe('the cache', () => {
  test('saves the run of clang until something changes, and repeats the warnings', async () => {
    const cwd = folderWith({
      'a.c': '#include "a.h"\nint main(void) { int x; if (x = N) return 1; }\n',
      'a.h': '#define N 1\n',
    });
    const cacheFolder = join(cwd, 'cache');
    let runs = 0;
    const settings = { cacheFolder, onCompile: () => runs++ };
    const compile = (defines: string[] = []) => compileC(['a.c'], { cwd, defines }, settings);
    const first = await compile();
    expect(first.warnings).toMatch(/^a\.c:2:\d+: warning: /);
    expect(await compile()).toEqual(first);
    expect(runs).toBe(1);
    writeFileSync(join(cwd, 'a.h'), '#define N 2\n');
    expect((await compile()).modules[0]?.text).not.toBe(first.modules[0]?.text);
    await compile(['M=1']);
    expect(runs).toBe(3);
    writeFileSync(join(cwd, 'a.h'), '#define N 1\n');
    expect(await compile()).toEqual(first);
    expect(runs).toBe(3);
  });

  test('goes by the version of the compiler that is installed', () => {
    const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
    const { dependencies } = JSON.parse(text) as { dependencies: Record<string, string> };
    expect(dependencies['@yowasp/clang']).toBe(BUNDLED_VERSION);
  });
});

/** What compilers of C have taken for decades. */
const sloppy = `
#include <pthread.h>
int x = 255;
void *worker(int *p) { *p = (char)255; return; }
f(a) { return a; }
int main(void) {
  pthread_t t;
  int address = &x;
  char *bytes = &x;
  int *p = address;
  pthread_create(&t, NULL, worker, p);
  pthread_join(t, NULL);
  return undeclared(*bytes) + f(1);
}
int undeclared(int n) { return n; }
`;

describe('what other compilers take', () => {
  test('is taken with a warning, or silently if asked for', async () => {
    const cwd = folderWith({ 'sloppy.c': sloppy });
    const [said, silent] = await Promise.all([
      compileC(['sloppy.c'], { cwd }),
      compileC(['sloppy.c'], { cwd, compilerFlags: ['-Wall', '-w', '-O2', '-funsigned-char', '-march=native'] }),
    ]);
    for (const group of [
      ...['implicit-function-declaration', 'implicit-int', 'int-conversion', 'return-mismatch'],
      ...['incompatible-pointer-types', 'incompatible-function-pointer-types'],
    ])
      expect(said.warnings).toContain(`[-W${group}]`);
    expect(said.warnings).not.toContain('error');
    expect(silent.warnings).toBe('');
    // (char)255
    expect(said.modules[0]!.text).toContain('store i32 -1,');
    expect(silent.modules[0]!.text).toContain('store i32 255,');
  });

  test('of flags only those are passed on that mean something', () => {
    const flags = [
      '-O2',
      '-Wall',
      '-Wno-unused',
      '-Wno-error=x',
      '-fPIC',
      '-funsigned-char',
      '-UX',
      '-m64',
      '-pthread',
    ];
    const cwd = '/';
    expect(otherFlags({ cwd, compilerFlags: flags })).toEqual(['-Wno-unused', '-fno-signed-char', '-UX']);
    expect(standardOf({ cwd, compilerFlags: ['-ansi'] })).toBe('-std=c89');
    expect(() => otherFlags({ cwd, compilerFlags: ['-fopenmp'] })).toThrow('-fopenmp: OpenMP is not supported.');
    expect(otherFlags({ cwd, compilerFlags: ['-xc', '-Wp,-MMD,x.d', '-MFx.d', '-oout'] })).toEqual([]);
    for (const flag of ['-xc++', '-Wp,-DN=1'])
      expect(() => otherFlags({ cwd, compilerFlags: [flag] })).toThrow(`${flag}: `);
  });

  test('folders only for names in quotes, and those after the headers of the system, are looked at in turn', async () => {
    const cwd = folderWith({
      'main.c': '#include <limits.h>\n#include "x.h"\n#include <late.h>\nint sum = X + LATE + CHAR_BIT;\n',
      'quoted/x.h': '#define X 100\n',
      'quoted/limits.h': '#error\n',
      'usual/x.h': '#define X 200\n',
      'late/late.h': '#define LATE 1000\n',
      'late/limits.h': '#error\n',
    });
    const flags = { cwd, quoteFolders: ['quoted'], includeFolders: ['usual'], lateFolders: ['late'] };
    expect((await compileC(['main.c'], flags)).modules[0]!.text).toContain('@sum = global i32 1108');
  });
});

describe('what does not compile', () => {
  test('is said in the words of clang, for each file', async () => {
    const cwd = folderWith({
      'syntax.c': 'int main(void) {\n  return 0\n}\n',
      'include.c': '#include "nowhere.h"\n',
    });
    const message = await compileC(['syntax.c', 'include.c'], { cwd }).catch((error) => error.message);
    expect(message).toContain(
      [
        'syntax.c does not compile:',
        "syntax.c:2:11: error: expected ';' after return statement",
        '    2 |   return 0',
        '      |           ^',
        '      |           ;',
        '1 error generated.',
      ].join('\n'),
    );
    expect(message).toContain("include.c:1:10: fatal error: 'nowhere.h' file not found\n");
  });

  test('is refused at once if it cannot be C', async () => {
    const cwd = folderWith({ 'binary.c': 'int\0main', 'large.c': `${'//\n'.repeat(2 ** 20)}` });
    await expect(compileC(['binary.c'], { cwd })).rejects.toThrow('binary.c is not a text file');
    await expect(compileC(['large.c'], { cwd })).rejects.toThrow('large.c is too large: 3.0 MB');
  });
});
