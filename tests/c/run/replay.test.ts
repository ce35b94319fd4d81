/**
 * A thread that is run again silently (`CThreadRun.replay`) is the same as one that was run step by step: it asks for the same
 * operations from then on, and its own memory is the same. Beside each thread of a search goes a shadow, which is made anew again and
 * again by a replay, and is compared with the thread at every operation.
 */
import { beforeAll, expect, test } from 'vitest';
import type { CThreadRun } from '../../../src/c/run/thread.ts';
import { checkSync } from '../../../src/check/check.ts';
import { InputError } from '../../../src/program/input-error.ts';
import type { Operation, OperationKind, Program, Thread } from '../../../src/program/operation.ts';
import { describeOperation, kindOf } from '../../../src/program/operation-kinds.ts';
import { sliceOf } from '../../../src/program/outcome.ts';
import { byTier } from '../../tier.ts';
import { modes } from '../random/compare.ts';
import { generate, sourceOf } from '../random/generate.ts';
import { compileForHeddle, runUnderHeddle } from '../random/heddle.ts';
import { compileAll, everyNth } from './material.ts';

/** What threads can do that a replay could get wrong. */
const own = {
  'everything at once': `
static _Thread_local int calls;
static atomic_int turn, sum;
static int *_Atomic box;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;
static int twice(int n) { calls++; return n * 2; }
static int thrice(int n) { calls++; return n * 3; }
static int (*const both[])(int) = { twice, thrice };
static int deep(int n) { int here[4] = { n, n, n, n }; return n == 0 ? atomic_load(&turn) : here[n % 4] + deep(n - 1); }
static int added(int n, ...) {
  va_list list;
  va_start(list, n);
  int all = 0;
  while (n-- > 0) all += va_arg(list, int);
  va_end(list);
  return all;
}
static void *worker(void *arg) {
  int kept[8];
  for (int i = 0; i < 8; i++) kept[i] = i * atomic_load(&turn);
  int *p = malloc(sizeof *p);
  *p = both[atomic_fetch_add(&turn, 1) % 2](kept[3]) + calls;
  int *old = atomic_exchange(&box, p);
  if (old != NULL) { atomic_fetch_add(&sum, *old); free(old); }
  pthread_mutex_lock(&m);
  ready++;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
  int expected = deep(3);
  if (!atomic_compare_exchange_strong(&sum, &expected, added(3, kept[1], calls, 7))) printf("%d %d\\n", expected, kept[7]);
  if (expected == 5) pthread_exit(arg);
  atomic_store(&turn, added(2, expected, calls) & 3);
  return arg;
}
int main(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, worker, &t[i]);
  pthread_mutex_lock(&m);
  while (ready < 2) pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
  for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
  free(atomic_load(&box));
  assert(atomic_load(&sum) != 9);
  return 0;
}
`,
  'a word and its bytes': `
static union { int word; unsigned char bytes[4]; } u;
static atomic_int go;
static void *worker(void *arg) {
  (void)arg;
  int seen = 0;
  for (int i = 0; i < 3; i++) {
    u.word = atomic_load(&go) + i;
    u.bytes[1]++;
    seen += u.word;
    atomic_store(&go, seen & 1);
  }
  return NULL;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, worker, NULL);
  for (int i = 0; i < 3; i++) atomic_store(&go, i + 1);
  pthread_join(t, NULL);
  return u.word < 0;
}
`,
};

const sources: Readonly<Record<string, string>> = { ...own, ...everyNth(byTier({ normal: 6, long: 1 })) };

class Differs extends Error {}

/** How often threads were replayed, how many operations were skipped, and which kinds were met after that. */
const seen = { replays: 0, skipped: 0, kinds: new Set<OperationKind>() };

let random = 1;
function chance(outOf: number): boolean {
  random = (Math.imul(random, 1103515245) + 12345) & 0x7fffffff;
  return (random >> 8) % outOf === 0;
}

class Shadowed implements Thread {
  readonly #make: () => Thread;
  readonly #thread: Thread;
  #shadow: Thread | undefined;
  readonly #results: unknown[] = [];

  constructor(make: () => Thread) {
    this.#make = make;
    this.#thread = make();
  }

  resume(result: unknown): Operation {
    this.#results.push(result);
    const operation = this.#thread.resume(result);
    const again = this.#resumeShadow(result);
    if (again !== undefined) this.#compare(operation, again);
    if (operation.kind !== 'spawn') return operation;
    return { ...operation, start: (self) => new Shadowed(() => operation.start(self)) };
  }

  #resumeShadow(result: unknown): Operation | undefined {
    const { length } = this.#results;
    if (!chance(length < 100 ? 3 : length)) return this.#shadow?.resume(result);
    this.#shadow = this.#make();
    const cut = chance(2) ? (random >> 4) % length : 0;
    if (cut > 0) this.#shadow.replay?.(this.#results, 0, cut);
    seen.replays++;
    seen.skipped += length - 1;
    return this.#shadow.replay?.(this.#results, cut, length);
  }

  #compare(operation: Operation, again: Operation): void {
    seen.kinds.add(operation.kind);
    const names = { numberOf: () => 0, threads: [] };
    const told = (o: Operation) => `${describeOperation(o, names)} at ${JSON.stringify(o.position)}`;
    if (!isSame(operation, again)) throw new Differs(`${told(operation)} is ${told(again)} after a replay`);
    const [one, other] = [stateOf(this.#thread as CThreadRun), stateOf(this.#shadow as CThreadRun)];
    if (one !== other) throw new Differs(`before ${told(operation)}: ${one} is ${other} after a replay`);
  }
}

function isSame(a: Operation, b: Operation): boolean {
  const fields = (o: Operation) => [o.kind, ...['location', 'order', 'unread', 'commutes'].map((key) => at(o, key))];
  return (
    fields(a).every((field, i) => Object.is(field, fields(b)[i])) &&
    sliceOf(a) === sliceOf(b) &&
    JSON.stringify(a.position) === JSON.stringify(b.position) &&
    kindOf(a).isSame(a, b)
  );
}

function at(operation: Operation, key: string): unknown {
  return (operation as unknown as Record<string, unknown>)[key];
}

/** All that a thread keeps for itself and that can be seen from here. */
function stateOf({ performed, made, memory, notes, left }: CThreadRun): string {
  const { data, state } = memory.snapshot() ?? {};
  const noted = [...notes].map(([name, note]) => [name, note instanceof Map || note instanceof Set ? [...note] : note]);
  const held = [performed, made, memory.height, data?.toString(), state?.toString(), left];
  return JSON.stringify([...held, noted], (_, part) => (typeof part === 'bigint' ? `${part}n` : part));
}

function shadowed(program: Program): Program {
  const start = program.start.bind(program);
  return Object.assign(program, { start: () => new Shadowed(start) });
}

let compiled: ReadonlyMap<string, () => Program>;
beforeAll(async () => {
  compiled = await compileAll(sources);
}, 240_000);

test.each(Object.keys(sources))('%s', (name) => {
  for (const model of ['sc', 'rc11']) {
    try {
      checkSync(shadowed((compiled.get(name) as () => Program)()), {
        model,
        keepGoing: true,
        maxExecutions: byTier({ normal: 20, long: 500 }),
        maxDepth: 2000,
      });
    } catch (error) {
      if (!(error instanceof InputError)) throw error; // some are refused, some do not end
    }
  }
});

test('random programs', { timeout: 240_000 }, async () => {
  const seeds = Array.from({ length: byTier({ normal: 1, long: 20 }) }, (_, i) => 300 + i);
  for (const defines of modes) {
    const all = await compileForHeddle(
      seeds.map((seed) => sourceOf([generate(seed, 0)])),
      defines,
    );
    for (const program of all) {
      const { output, end } = runUnderHeddle(program());
      expect(runUnderHeddle(shadowed(program()))).toMatchObject({ output, end });
    }
  }
});

test('much was replayed, and all kinds of operations came after that', () => {
  expect(seen.replays).toBeGreaterThan(3000);
  expect(seen.skipped).toBeGreaterThan(30_000);
  const usual: OperationKind[] = ['load', 'store', 'store-part', 'update', 'compare-exchange', 'await-load', 'lock'];
  usual.push('unlock', 'spawn', 'join', 'block', 'allocate', 'free', 'print', 'end', 'fail');
  const seldom: OperationKind[] = [
    'await-update',
    'await-compare-exchange',
    'fence',
    'trylock',
    'yield',
    'choose',
    'exit',
  ];
  const kinds = byTier({ normal: usual, long: [...usual, ...seldom] });
  expect(kinds.filter((kind) => !seen.kinds.has(kind))).toEqual([]);
});
