/** Memory orders, from C to operations: none is lost and none is added on the way through clang, IR and passes. */
import { beforeAll, expect, test } from 'vitest';
import type { Operation, Program, Thread } from '../../../src/program/operation.ts';
import { compileForHeddle, runUnderHeddle } from '../random/heddle.ts';

/** What C says, and the operations that come of it. */
const statements: readonly (readonly [c: string, ...operations: string[]])[] = [
  ['atomic_init(&x, 1);', 'store plain'],
  ['atomic_load_explicit(&x, memory_order_relaxed);', 'load relaxed'],
  ['atomic_load_explicit(&x, memory_order_consume);', 'load acquire'],
  ['atomic_load_explicit(&x, memory_order_acquire);', 'load acquire'],
  ['atomic_load_explicit(&x, memory_order_seq_cst);', 'load seq_cst'],
  ['(void)x;', 'load seq_cst'],
  ['atomic_load_explicit(&x, any(memory_order_acquire));', 'load acquire'],
  ['atomic_store_explicit(&x, 2, memory_order_relaxed);', 'store relaxed'],
  ['atomic_store_explicit(&x, 2, memory_order_release);', 'store release'],
  ['x = 2;', 'store seq_cst'],
  ['atomic_store_explicit(&x, 2, any(memory_order_release));', 'store release'],
  ['atomic_fetch_add_explicit(&x, 1, memory_order_relaxed);', 'update relaxed'],
  ['atomic_fetch_or_explicit(&x, 1, memory_order_consume);', 'update acquire'],
  ['atomic_fetch_sub_explicit(&x, 1, memory_order_acquire);', 'update acquire'],
  ['atomic_exchange_explicit(&x, 2, memory_order_release);', 'update release'],
  ['atomic_fetch_xor_explicit(&x, 1, memory_order_acq_rel);', 'update acq_rel'],
  ['x += 1;', 'update seq_cst'],
  ['x *= 3;', 'load seq_cst', 'compare-exchange seq_cst seq_cst'],
  ['exchange(strong, memory_order_seq_cst, memory_order_seq_cst);', 'compare-exchange seq_cst seq_cst'],
  ['exchange(strong, memory_order_release, memory_order_relaxed);', 'compare-exchange release relaxed'],
  ['exchange(weak, memory_order_relaxed, memory_order_acquire);', 'compare-exchange relaxed acquire'],
  ['exchange(weak, memory_order_acq_rel, memory_order_consume);', 'compare-exchange acq_rel acquire'],
  ['exchange(weak, any(memory_order_acq_rel), any(memory_order_relaxed));', 'compare-exchange acq_rel relaxed'],
  ['atomic_thread_fence(memory_order_relaxed);'],
  ['atomic_thread_fence(memory_order_consume);', 'fence acquire'],
  ['atomic_thread_fence(memory_order_acquire);', 'fence acquire'],
  ['atomic_thread_fence(memory_order_release);', 'fence release'],
  ['atomic_thread_fence(memory_order_acq_rel);', 'fence acq_rel'],
  ['atomic_thread_fence(memory_order_seq_cst);', 'fence seq_cst'],
  ['atomic_thread_fence(any(memory_order_relaxed));'],
  ['(atomic_thread_fence)(memory_order_release);', 'fence release'],
  ['(atomic_thread_fence)(memory_order_relaxed);'],
  ['atomic_signal_fence(memory_order_seq_cst);'],
  ['(atomic_signal_fence)(memory_order_seq_cst);'],
  ['__asm__ volatile("" ::: "memory");'],
  ['atomic_flag_test_and_set(&flag);', 'update seq_cst'],
  ['atomic_flag_test_and_set_explicit(&flag, memory_order_acquire);', 'update acquire'],
  ['atomic_flag_clear(&flag);', 'store seq_cst'],
  ['atomic_flag_clear_explicit(&flag, memory_order_release);', 'store release'],
  ['__sync_fetch_and_add(&word, 1);', 'update seq_cst'],
  ['__sync_lock_test_and_set(&word, 1);', 'update seq_cst'],
  ['__sync_lock_release(&word);', 'store release'],
  ['__sync_synchronize();', 'fence seq_cst'],
  ['__sync_bool_compare_and_swap(&word, 0, 1);', 'compare-exchange seq_cst seq_cst'],
  ['__atomic_load_n(&word, __ATOMIC_ACQUIRE);', 'load acquire'],
  ['__atomic_store_n(&word, 1, __ATOMIC_RELAXED);', 'store relaxed'],
  ['__atomic_add_fetch(&word, 1, __ATOMIC_ACQ_REL);', 'update acq_rel'],
  ['word = 1;', 'store plain'],
  ['(void)*&device; device = 1;', 'load plain', 'store plain'],
  ['real += 0.5;', 'load seq_cst', 'compare-exchange seq_cst seq_cst'],
  ['pair = (struct pair){ 1, 2 };', 'store seq_cst'],
  ['pointer = &word;', 'store seq_cst'],
  ['__atomic_load(&word, &word, __ATOMIC_CONSUME);', 'load acquire', 'store plain'],
];

const source = `
#include <stdatomic.h>
struct pair { short a, b; };
atomic_int x;
atomic_flag flag = ATOMIC_FLAG_INIT;
int word;
volatile int device;
_Atomic double real;
_Atomic struct pair pair;
_Atomic(int *) pointer;
int expected;

static memory_order any(memory_order order) { return order; }
#define exchange(how, success, failure) \\
  do { int old = 7; atomic_compare_exchange_##how##_explicit(&x, &old, 1, success, failure); } while (0)

int main(void) {
${statements.map(([c], i) => `  __sync_fetch_and_or(&expected, ${i});\n  ${c}`).join('\n')}
  return 0;
}
`;

let performed: readonly (readonly string[])[];
beforeAll(async () => {
  const [program] = await compileForHeddle([source], []);
  performed = operationsOf((program as () => Program)());
}, 120_000);

/** What comes after each of the marks between the statements. */
function operationsOf(program: Program): string[][] {
  const groups: string[][] = [];
  const recorded = (operation: Operation): Operation => {
    if (operation.kind === 'update' && operation.location.name === 'expected') groups.push([]);
    else if ('order' in operation) groups.at(-1)?.push(inWords(operation));
    return operation;
  };
  const start = (): Thread => {
    const thread = program.start();
    return { resume: (answer) => recorded(thread.resume(answer)) };
  };
  runUnderHeddle({ name: program.name, start });
  return groups;
}

function inWords(operation: Operation & { readonly order: string }): string {
  const failure = operation.kind === 'compare-exchange' ? ` ${operation.failureOrder}` : '';
  return `${operation.kind} ${operation.order}${failure}`;
}

test.each(statements.map(([c, ...operations], i) => [c, operations, i] as const))('%s %o', (_, operations, i) => {
  expect(performed[i]).toEqual(operations);
});
