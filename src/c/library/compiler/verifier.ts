/**
 * Assertions, and the functions through which programs speak to a checker.
 *
 * __VERIFIER_atomic_begin and _end lock and unlock one mutex for the whole program: the sections between them exclude each
 * other, but not accesses outside of such sections.
 */
import { MAIN } from '../../../program/identity.ts';
import type { CallSite, CThread, Run } from '../../runtime.ts';
import { gives, keeps, type Library, type LibraryFunction, plain, steps, textOf, uses } from '../define.ts';
import type { Facts } from '../facts.ts';
import { atomicSection } from '../inserted.ts';
import { anyInteger } from '../standard/nondet.ts';

function* assertionFailed(thread: CThread, expression: number, call: CallSite): Run<never> {
  const text = textOf(yield* thread.readString(expression, call));
  return thread.fail('assertion', `assert(${text})`, call);
}

function reached(name: string): LibraryFunction {
  return plain((thread, call) => thread.fail('assertion', `${name}() is reached`, call));
}

const assume = steps({ role: 'assumes' }, function* (thread, call, condition: number | bigint) {
  if (Number(condition) === 0) yield* thread.block(call);
  return undefined;
});

const chooses: Facts = { effect: 'harmless' };

function nondet(name: string, bits: number, isSigned: boolean): LibraryFunction {
  const values = 1n << BigInt(bits);
  const least = isSigned ? -values / 2n : 0n;
  return steps(chooses, (thread, call) => anyInteger(thread, name, bits, least, least + values - 1n, call));
}

const nondetTypes: readonly (readonly [name: string, bits: number, isSigned: boolean])[] = [
  ['char', 8, true],
  ['uchar', 8, false],
  ['unsigned_char', 8, false],
  ['u8', 8, false],
  ['short', 16, true],
  ['ushort', 16, false],
  ['u16', 16, false],
  ['int', 32, true],
  ['uint', 32, false],
  ['unsigned', 32, false],
  ['unsigned_int', 32, false],
  ['u32', 32, false],
  ['long', 32, true],
  ['ulong', 32, false],
  ['size_t', 32, false],
  ['longlong', 64, true],
  ['ulonglong', 64, false],
  ['loff_t', 64, true],
];

function nondetFunctions(): Library {
  const functions: Record<string, LibraryFunction> = {};
  for (const [type, bits, isSigned] of nondetTypes) {
    const name = `__VERIFIER_nondet_${type}`;
    functions[name] = nondet(name, bits, isSigned);
  }
  for (const type of ['bool', '_Bool']) {
    functions[`__VERIFIER_nondet_${type}`] = steps(chooses, (thread, call) => thread.choose(2, call));
  }
  for (const type of ['float', 'double', 'pointer', 'pchar', 'pthread_t']) {
    const name = `__VERIFIER_nondet_${type}`;
    functions[name] = plain(chooses, (thread, call) =>
      thread.refuse(`${name} has too many values to try: choose among some of your own`, call),
    );
  }
  return functions;
}

/** In steps like any mutex, so that sections do not depend on each other's insides. */
function section(kind: 'lock' | 'unlock'): LibraryFunction {
  return steps(function* (thread, call) {
    const location = thread.globalLocation('__VERIFIER_atomic', 0);
    yield { kind, location, position: call.position };
    return undefined;
  });
}

/** They help other checkers, and mean nothing to the program: what they promise of a loop is found out or not needed. */
const annotations = [
  'loop_begin',
  'loop_bound',
  'spin_start',
  'spin_end',
  'faiZNE_spin_end',
  'lockZNE_spin_end',
  'annotate_begin',
  'annotate_end',
  'disable_irq',
  'enable_irq',
].map((name) => [`__VERIFIER_${name}`, gives(undefined, { effect: 'harmless' })] as const);

export const verifier: Library = {
  ...Object.fromEntries(annotations),
  /** Whether to run what GenMC may leave out, because it makes no difference. */
  __VERIFIER_opt_begin: gives(1, { effect: 'harmless' }),
  /** Main is 0. */
  __VERIFIER_tid: plain({ effect: 'harmless' }, (thread) => thread.self - MAIN),
  __CPROVER_assume: assume,
  __CPROVER_assert: plain(uses, (thread, call, condition: number | bigint, _text: number) => {
    if (Number(condition) === 0) thread.fail('assertion', '__CPROVER_assert failed', call);
    return undefined;
  }),
  __CPROVER_atomic_begin: section('lock'),
  __CPROVER_atomic_end: section('unlock'),
  __assert_fail: steps(uses, (thread, call, expression: number, _file: number, _line: number, _function: number) =>
    assertionFailed(thread, expression, call),
  ),
  __assert_rtn: steps(uses, (thread, call, _function: number, _file: number, _line: number, expression: number) =>
    assertionFailed(thread, expression, call),
  ),
  __assert: steps(uses, (thread, call, expression: number, _file: number, _line: number) =>
    assertionFailed(thread, expression, call),
  ),
  __VERIFIER_assert: plain((thread, call, condition: number | bigint) => {
    if (Number(condition) === 0) thread.fail('assertion', '__VERIFIER_assert failed', call);
    return undefined;
  }),
  __VERIFIER_error: reached('__VERIFIER_error'),
  reach_error: reached('reach_error'),
  __VERIFIER_assume: assume,
  klee_assume: assume,
  klee_int: nondet('klee_int', 32, true),
  klee_range: steps(keeps, function* (thread, call, least: number, end: number, _name: number) {
    if (end <= least) yield* thread.block(call);
    return least + (yield* thread.choose(end - least, call));
  }),
  ...nondetFunctions(),
  [atomicSection.begin]: section('lock'),
  [atomicSection.end]: section('unlock'),
};
