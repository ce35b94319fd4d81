/** Random programs of two threads whose atomic accesses to eight bytes have different sizes, and what they can do, by hand. */
import { Random } from '../passes/generator.ts';

interface Access {
  readonly op: 'load' | 'store' | 'add' | 'exchange' | 'cas';
  readonly offset: number;
  /** In bytes. */
  readonly size: number;
  readonly expected: bigint;
  readonly value: bigint;
}

export interface MixedProgram {
  readonly code: string;
  /** By line of `code`: what the program fails at if it comes to it; the last line is that of any other result. */
  readonly outcomeLines: readonly number[];
  readonly otherLine: number;
}

const ACCESSES = 3;

function randomAccess(random: Random): Access {
  const size = random.pick([1, 1, 2, 4, 8]);
  return {
    op: random.pick(['load', 'store', 'store', 'add', 'exchange', 'cas']),
    offset: size * random.below(8 / size),
    size,
    expected: BigInt(random.below(2)),
    value: BigInt(random.below(255) + 1),
  };
}

/** The bytes after an access, and what it gives. */
function perform(memory: bigint, { op, offset, size, expected, value }: Access): [memory: bigint, result: bigint] {
  const shift = BigInt(offset * 8);
  const bits = size * 8;
  const old = BigInt.asUintN(bits, memory >> shift);
  const put = (part: bigint): bigint => memory - (old << shift) + (BigInt.asUintN(bits, part) << shift);
  switch (op) {
    case 'load':
      return [memory, old];
    case 'store':
      return [put(value), 0n];
    case 'add':
      return [put(old + value), old];
    case 'exchange':
      return [put(value), old];
    case 'cas':
      return old === expected ? [put(value), 1n] : [memory, 0n];
  }
}

/** What is left in memory and what the accesses gave, as text, for every interleaving. */
function outcomesOf(threads: readonly (readonly Access[])[]): Set<string> {
  const found = new Set<string>();
  const go = (memory: bigint, done: readonly (readonly bigint[])[]): void => {
    let isOver = true;
    for (const [t, accesses] of threads.entries()) {
      const access = accesses[done[t]!.length];
      if (access === undefined) continue;
      isOver = false;
      const [after, result] = perform(memory, access);
      go(after, done.with(t, [...done[t]!, result]));
    }
    if (isOver) found.add([memory, ...done.flat()].join(' '));
  };
  go(
    0n,
    threads.map(() => []),
  );
  return found;
}

function statement({ op, offset, size, expected, value }: Access, result: string): string {
  const pointer = `(uint${size * 8}_t *)(bytes + ${offset})`;
  switch (op) {
    case 'load':
      return `${result} = __atomic_load_n(${pointer}, __ATOMIC_RELAXED);`;
    case 'store':
      return `__atomic_store_n(${pointer}, ${value}, __ATOMIC_RELEASE);`;
    case 'add':
      return `${result} = __atomic_fetch_add(${pointer}, ${value}, __ATOMIC_SEQ_CST);`;
    case 'exchange':
      return `${result} = __atomic_exchange_n(${pointer}, ${value}, __ATOMIC_ACQ_REL);`;
    case 'cas':
      return `{ uint${size * 8}_t e = ${expected}; ${result} = __atomic_compare_exchange_n(${pointer}, &e, ${value}, 0, 5, 5); }`;
  }
}

export function mixedProgram(seed: number): MixedProgram {
  const random = new Random(seed);
  const threads = [0, 1].map(() => Array.from({ length: ACCESSES }, () => randomAccess(random)));
  const outcomes = [...outcomesOf(threads)].map((text) => text.split(' '));
  const lines = [
    '#include <stdint.h>',
    '_Alignas(8) static unsigned char bytes[8];',
    `static uint64_t r[${2 * ACCESSES}];`,
    ...threads.map(
      (accesses, t) =>
        `static void *f${t}(void *a) { ${accesses.map((access, i) => statement(access, `r[${t * ACCESSES + i}]`)).join(' ')} return a; }`,
    ),
    'int main(void) {',
    '  pthread_t t; pthread_create(&t, NULL, f1, NULL); f0(NULL); pthread_join(t, NULL);',
    '  uint64_t m = __atomic_load_n((uint64_t *)bytes, __ATOMIC_SEQ_CST);',
  ];
  const outcomeLines = outcomes.map(([memory, ...results], i) => {
    const conditions = [`m == ${memory}u`, ...results.map((result, j) => `r[${j}] == ${result}u`)];
    return lines.push(`  if (${conditions.join(' && ')}) assert(0 && "outcome ${i}");`);
  });
  const otherLine = lines.push('  assert(0 && "another outcome");');
  return { code: [...lines, '}', ''].join('\n'), outcomeLines, otherLine };
}
