/** What passes ask of the library: each function says it where it is defined, and nowhere else. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { compileC } from '../../../src/c/compile/compile.ts';
import { ownHeaders } from '../../../src/c/compile/headers.ts';
import { parseModule } from '../../../src/c/ir/parser.ts';
import { captureOf } from '../../../src/c/library/facts.ts';
import { factsOf, findLibraryFunction, libraries } from '../../../src/c/library/index.ts';
import { refused } from '../../../src/c/library/refused.ts';
import { folderWith } from '../../cli/heddle.ts';

const modelled = libraries.filter((library) => library !== refused).flatMap((library) => Object.keys(library));

const headers = [
  ...['pthread', 'threads', 'stdatomic', 'stdio', 'stdlib', 'string', 'strings', 'assert', 'unistd', 'sched', 'time'],
  ...[
    'inttypes',
    'semaphore',
    'math',
    'ctype',
    'malloc',
    'sys/time',
    'heddle',
    'genmc',
    'x86intrin',
    'signal',
    'getopt',
  ],
  ...[
    'err',
    'error',
    'syslog',
    'sys/prctl',
    'sys/sysinfo',
    'sys/mman',
    'sys/resource',
    'locale',
    'arpa/inet',
    'poll',
    'libgen',
  ],
];

/** Of compilers, of other checkers and of other C libraries: no header of ours declares them. */
const undeclared =
  /^(__atomic_|__VERIFIER_(nondet|annotate|disable|enable|faiZNE|lockZNE)_|__CPROVER_|klee_|(pthread_attr_setaffinity_np|__assert|__assert_rtn|memalign|reach_error|roundevenf?)$)/;

describe('facts', () => {
  test('every function says what becomes of each address that it is given', async () => {
    const declared = modelled.filter((name) => !undeclared.test(name));
    const text = `#define _GNU_SOURCE
#define __STDC_WANT_LIB_EXT1__ 1
${headers.map((name) => `#include <${name}.h>`).join('\n')}
void *uses[] = { ${declared.map((name) => `(void *)${name}`).join(', ')} };
`;
    const { modules } = await compileC(['all.c'], { cwd: folderWith({ 'all.c': text }) });
    const { functions } = parseModule(modules[0]!.text, 'all.c');
    const unsaid: string[] = [];
    let addresses = 0;
    for (const name of declared) {
      const { captures } = factsOf(name);
      for (const [i, { type }] of functions.get(name)!.parameters.entries()) {
        if (type.kind !== 'ptr') continue;
        addresses++;
        if (captures === undefined || (typeof captures !== 'string' && captures[i] === undefined))
          unsaid.push(`${name}: argument ${i}`);
      }
    }
    expect(unsaid).toEqual([]);
    expect(addresses).toBeGreaterThan(200); // else nothing was looked at
  });

  test('what our own headers declare is modelled, or refused with a reason', async () => {
    const names = ownHeaders().map(({ name }) => name);
    const text = `#define _GNU_SOURCE\n${names.map((name) => `#include <${name}>`).join('\n')}\n`;
    const declared = ownHeaders().flatMap(({ content }) =>
      [...content.matchAll(/^(?:_Noreturn |const |struct |unsigned )*\w+ (?:long )?\**(\w+)\(/gm)].map(
        ([, name]) => name ?? '',
      ),
    );
    expect(declared.filter((name) => findLibraryFunction(name) === undefined)).toEqual([]);
    expect(declared).toEqual(expect.arrayContaining(['fork', 'epoll_ctl', 'getaddrinfo', 'pthread_exit', '__rdtsc']));
    const { warnings } = await compileC(['all.c'], { cwd: folderWith({ 'all.c': text }) });
    expect(warnings).toBe('');
  });

  test('all that is not known of a function is taken to be the worst', () => {
    for (const name of [
      'nobody_knows_this',
      'llvm.nobody.knows.this',
      'toString',
      '__proto__',
      'pthread_attr_unknown',
    ]) {
      expect(factsOf(name)).toEqual({});
      expect([0, 1, 2].map((i) => captureOf(factsOf(name), i))).toEqual(['kept', 'kept', 'kept']);
    }
    expect(captureOf({ captures: { 1: 'used' } }, 0)).toBe('kept');
  });

  test('of an address', () => {
    const fates = (name: string) => [0, 1, 2, 3].map((i) => captureOf(factsOf(name), i)).join(' ');
    expect(fates('pthread_create')).toBe('used used kept kept');
    expect(fates('pthread_mutex_lock')).toBe('kept kept kept kept');
    expect(fates('strcpy')).toBe('returned used kept kept');
    expect(fates('printf')).toBe('used used used used');
    expect(fates('llvm.memcpy.p0.p0.i32')).toBe('used used used used');
    expect(fates('llvm.threadlocal.address.p0')).toBe('returned kept kept kept');
  });

  /** `hasEffect` does not look whether the program defines a function of that name. */
  test('only intrinsics have no effect at all', () => {
    expect(modelled.filter((name) => factsOf(name).effect === 'none')).toEqual([]);
    expect(factsOf('llvm.umax.i32').effect).toBe('none');
  });

  test('of each role, who has it', () => {
    const having = (role: string) => modelled.filter((name) => factsOf(name).role === role).sort();
    expect(having('starts-thread')).toEqual(['pthread_create', 'thrd_create']);
    expect(having('assumes')).toEqual(['__CPROVER_assume', '__VERIFIER_assume', 'klee_assume']);
    expect(having('allocates')).toEqual(['aligned_alloc', 'calloc', 'malloc', 'memalign', 'realloc', 'reallocarray']);
    for (const [name, role] of [
      ['llvm.lifetime.start.p0', 'marks-lifetime'],
      ['llvm.memcpy.p0.p0.i32', 'copies'],
      ['llvm.memmove.p0.p0.i32', 'copies'],
      ['llvm.memset.p0.i32', 'fills'],
      ['llvm.va_start.p0', 'lists-arguments'],
      ['llvm.threadlocal.address.p0', 'gives-argument'],
    ] as const) {
      expect(factsOf(name).role, name).toBe(role);
    }
  });
});

/** Words that are kinds of instructions, operations and failures as well, or variables. */
const otherWords = new Set([
  ...['abort', 'access', 'error', 'exit', 'free', 'read', 'realloc', 'signal', 'write'],
  ...['fmax', 'fmin', 'index', 'select', 'trunc'],
]);

test('passes and the code generator know no function of the library by name', () => {
  const names = libraries.flatMap((library) => Object.keys(library)).filter((name) => !otherWords.has(name));
  const root = fileURLToPath(new URL('../../../src/c/', import.meta.url));
  const found: string[] = [];
  for (const folder of ['passes', 'run']) {
    for (const file of readdirSync(root + folder, { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts')) continue;
      const code = readFileSync(`${root}${folder}/${file}`, 'utf8').replaceAll(/^\s*(?:\/?\*|\/\/).*$/gm, '');
      // in a string, or one of several in a regular expression
      const words = new Set(code.match(/(?<=['"`/(|^])[\w.\\]+(?=['"`/)|$])/g));
      for (const name of names) if (words.has(name)) found.push(`${file} has ${name}`);
      for (const word of words) if (/^llvm\\?\.\w/.test(word)) found.push(`${file} has ${word}`);
    }
  }
  expect(found).toEqual([]);
});
