/**
 * States of a thread of C that are said to have the same future (`CThreadRun.future`) have it: whatever the thread did after one of
 * them it does after the other, given the same results. And a search that knows it finds the same as one that does not.
 */
import { beforeAll, expect, test } from 'vitest';
import { checkSync } from '../../../src/check/check.ts';
import { InputError } from '../../../src/program/input-error.ts';
import { type Operation, type Program, ProgramRefined, type Thread } from '../../../src/program/operation.ts';
import { describeOperation, kindOf } from '../../../src/program/operation-kinds.ts';
import { byTier } from '../../tier.ts';
import { compileAll, everyNth } from './material.ts';

/** Two workers, whose function has the given body, and main, which stores a few values. */
const workers = (body: string, before = ''): string => `
static atomic_int x, y, z;
static int plain[4];
${before}
static void *worker(void *arg) {
${body}
  return NULL;
}
int main(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, worker, (void *)(long)i);
  atomic_store(&x, 7);
  atomic_store(&y, 8);
  for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
  return (atomic_load(&x) ^ atomic_load(&y) ^ atomic_load(&z) ^ plain[0]) == 99;
}
`;

const own = {
  'sums in a loop': workers('  for (int i = 0; i < 2; i++) atomic_store(&x, atomic_load(&x) + atomic_load(&y));'),
  'a value that is used late': workers(`  int a = atomic_load(&x);
  atomic_store(&y, 1);
  atomic_store(&z, atomic_load(&y));
  atomic_store(&z, a);`),
  'a value that decides late': workers(`  int a = atomic_load(&x), b = 0;
  atomic_store(&y, 1);
  for (int i = 0; i < 2; i++) b += atomic_load(&z);
  if (a == 7 && b > 0) atomic_store(&z, 5);
  else atomic_fetch_add(&z, 1);`),
  'values go round': workers(`  int a = 0, b = 1;
  for (int i = 0; i < 3; i++) { int c = atomic_load(&x); atomic_store(&y, a); a = b; b = c; }`),
  'an update of what was read': workers(`  int a = atomic_load(&x);
  int b = atomic_fetch_add(&y, a);
  if (!atomic_compare_exchange_strong(&z, &b, a)) atomic_store(&x, b);
  atomic_exchange(&z, atomic_load(&y));`),
  'expected and desired values': workers(`  int wanted = atomic_load(&x), found = 0;
  atomic_compare_exchange_strong(&z, &found, wanted);
  atomic_compare_exchange_strong(&z, &wanted, found + 3);
  atomic_store(&y, atomic_load(&z));`),
  'a callback of the library': workers(
    '  pthread_once(&once, set);\n  atomic_store(&y, atomic_load(&x));\n  set();',
    `
static pthread_once_t once = PTHREAD_ONCE_INIT;
static __attribute__((noinline)) void set(void) { atomic_store(&z, atomic_load(&x)); atomic_load(&y); }`,
  ),
  'a callback that sorts': workers(
    `  for (int i = 0; i < 3; i++) own[i] = atomic_load(&x) - i;
  qsort(own, 3, sizeof *own, by);
  atomic_store(&z, own[0]);`,
    `
static _Thread_local int own[3];
static int by(const void *a, const void *b) { return (*(const int *)a > *(const int *)b) + atomic_load(&y) - 4; }`,
  ),
  'a function that is called twice': workers(
    `  int a = next(atomic_load(&x));
  atomic_store(&z, next(a));`,
    'static __attribute__((noinline)) int next(int n) { int m = atomic_load(&y); atomic_store(&y, n); return m; }',
  ),
  'a value that is used after a call': workers(
    `  int a = atomic_load(&x);
  wait();
  atomic_store(&z, a);`,
    'static __attribute__((noinline)) void wait(void) { atomic_load(&y); atomic_load(&y); }',
  ),
  'a value that is used after a callback': workers(
    `  int a = atomic_load(&x);
  pthread_once(&once, wait);
  atomic_store(&z, a);`,
    `static pthread_once_t once = PTHREAD_ONCE_INIT;
static void wait(void) { atomic_load(&y); atomic_load(&y); }`,
  ),
  'a value that is used after a callback that searches': workers(
    `  int a = atomic_load(&x);
  bsearch(plain, plain, 3, sizeof *plain, by);
  atomic_store(&z, a);`,
    'static int by(const void *a, const void *b) { (void)a; (void)b; return atomic_load(&y) - 8; }',
  ),
  'memory of its own': workers(`  int kept[3];
  for (int i = 0; i < 3; i++) { kept[i] = atomic_load(&x); atomic_store(&y, i); }
  atomic_store(&z, kept[atomic_load(&y) & 1]);`),
  'a variable of its own that decides': workers(
    `  for (int i = 0; i < 2; i++) { if (atomic_load(&x) == 7) mine++; atomic_store(&y, i); }
  if (mine == 1) atomic_store(&z, 1);`,
    'static _Thread_local int mine;',
  ),
  'what the heap has': workers(`  int *p = atomic_load(&x) == 7 ? malloc(4) : NULL;
  atomic_store(&y, 1);
  atomic_load(&z);
  free(p);`),
  'plain cells by an index that was read': workers(`  int i = atomic_load(&x) & 3;
  plain[i] = 1;
  atomic_store(&y, plain[(i + 1) & 3]);
  atomic_store(&z, i);`),
  'floating point': workers(`  double d = atomic_load(&x) * -0.0;
  atomic_store(&y, 1);
  atomic_store(&z, 1 / d < 0);`),
  'what is joined late': workers('  atomic_store(&x, atomic_load(&x) + 1);\n  atomic_store(&y, atomic_load(&y) + 1);'),
  'what was never set': workers(`  int a;
  if (atomic_load(&x) == 7) a = 1;
  atomic_store(&y, 2);
  if (atomic_load(&z) == 0) atomic_store(&z, a);`),
  'a destructor of its own': workers(
    '  pthread_setspecific(key, arg);\n  if (atomic_load(&x) == 7) pthread_setspecific(key, &plain[1]);\n  atomic_store(&y, 1);\n  atomic_load(&z);',
    `
static pthread_key_t key;
static void last(void *p) { (void)p; atomic_store(&z, atomic_load(&y)); atomic_load(&x); }
__attribute__((constructor)) static void first(void) { atomic_load(&x); pthread_key_create(&key, last); }`,
  ),
};

const sources: Readonly<Record<string, string>> = { ...own, ...everyNth(byTier({ normal: 12, long: 1 })) };

let compiled: ReadonlyMap<string, () => Program>;
beforeAll(async () => {
  compiled = await compileAll(sources);
}, 240_000);

/** The program, whose threads are wrapped; `id` tells threads apart by their spawns and all that led there. */
function wrapped(name: string, wrap: (make: () => Thread, id: string) => Thread): Program {
  const program = (compiled.get(name) as () => Program)();
  const start = program.start.bind(program);
  return Object.assign(program, { start: () => wrap(start, '') });
}

/** One run of one thread: what it was told, and what it asked for. */
interface Run {
  readonly make: () => Thread;
  readonly results: unknown[];
  readonly operations: Operation[];
}

/** By all that must be the same: runs, and where in them. */
type Found = Map<string, { readonly run: Run; readonly at: number }[]>;

const MOST_OF_ONE = 10;

class Noted implements Thread {
  readonly #run: Run;
  readonly #id: string;
  readonly #found: Found;
  readonly #thread: Thread;
  /** What it was told before it asked for the last operation that has no future. */
  #base = '';

  constructor(make: () => Thread, id: string, found: Found) {
    this.#run = { make, results: [], operations: [] };
    this.#id = id;
    this.#found = found;
    this.#thread = make();
  }

  resume(result: unknown): Operation {
    const { results, operations } = this.#run;
    const operation = this.#next(result);
    results.push(result);
    operations.push(operation);
    if (operation.future === undefined || operations.length === 1) this.#base = textOf(results);
    else this.#note(`${this.#id} | ${this.#base} | ${operations.length} | ${operation.future}`, operations.length - 1);
    if (operation.kind !== 'spawn') return { ...operation, future: undefined }; // else there would be but one run of each
    const id = `${this.#id} / ${textOf(results)}`;
    return { ...operation, start: (self) => new Noted(() => operation.start(self), id, this.#found) };
  }

  /** When the program has learned something, what was found before is void, as it is for a search. */
  #next(result: unknown): Operation {
    try {
      return this.#thread.resume(result);
    } catch (error) {
      if (error instanceof ProgramRefined) this.#found.clear();
      throw error;
    }
  }

  #note(key: string, at: number): void {
    const known = this.#found.get(key) ?? [];
    this.#found.set(key, known);
    const isNew = !known.some(({ run }) => textOf(run.results.slice(0, at + 1)) === textOf(this.#run.results));
    // those that went on furthest come of the runs of late executions: some of each are kept
    if (isNew && known.length < MOST_OF_ONE) known.push({ run: this.#run, at });
  }
}

function textOf(results: readonly unknown[]): string {
  return results.map((result) => `${typeof result} ${Object.is(result, -0) ? '-0' : String(result)}`).join(', ');
}

function isSame(a: Operation, b: Operation): boolean {
  const located = (o: Operation): unknown => ('location' in o ? o.location : undefined);
  const ordered = (o: Operation): unknown => ('order' in o ? o.order : undefined);
  if (a.kind !== b.kind || located(a) !== located(b) || ordered(a) !== ordered(b)) return false;
  return a.future === b.future && JSON.stringify(a.position) === JSON.stringify(b.position) && kindOf(a).isSame(a, b);
}

const told = (o: Operation): string => describeOperation(o, { numberOf: () => 0, threads: [] });

/** Goes on from a state of `other` as `run` did from one with the same future; how many operations that took. */
function goOn(run: Run, other: Run, at: number): number {
  const thread = other.make();
  const reached = thread.replay!(other.results, 0, at + 1);
  const first = run.operations[at] as Operation;
  if (first.kind !== 'store' && !isSame(first, reached)) throw new Error(`${told(reached)} instead of ${told(first)}`);
  for (let i = at + 1; i < run.results.length; i++) {
    const operation = thread.resume(run.results[i]);
    const before = run.operations[i] as Operation;
    if (isSame(before, operation)) continue;
    throw new Error(`${told(operation)} instead of ${told(before)}, ${i - at} operations after "${first.future}"`);
  }
  return run.results.length - at - 1;
}

const tried = { pairs: 0, operations: 0 };

test.each(Object.keys(sources))('%s: what has the same future goes on alike', (name) => {
  const found: Found = new Map();
  const program = wrapped(name, (make, id) => new Noted(make, id, found));
  try {
    const maxExecutions = byTier({ normal: name in own ? 3000 : 100, long: name in own ? 10_000 : 500 });
    checkSync(program, { model: 'rc11', keepGoing: true, maxExecutions, maxDepth: 500 });
  } catch (error) {
    if (!(error instanceof InputError)) throw error; // some are refused, some do not end
  }
  for (const same of found.values()) {
    for (const a of same) {
      for (const b of same) {
        if (a === b) continue;
        tried.pairs++;
        tried.operations += goOn(a.run, b.run, a.at);
      }
    }
  }
});

/** Threads whose operations have no future that is known. */
class Without implements Thread {
  readonly #thread: Thread;

  constructor(make: () => Thread) {
    this.#thread = make();
  }

  resume(result: unknown): Operation {
    const operation = { ...this.#thread.resume(result), future: undefined };
    if (operation.kind !== 'spawn') return operation;
    return { ...operation, start: (self) => new Without(() => operation.start(self)) };
  }
}

test.each(Object.keys(sources))('%s: the search finds the same', (name) => {
  const results = [(compiled.get(name) as () => Program)(), wrapped(name, (make) => new Without(make))].map(
    (program) => {
      try {
        const maxExecutions = byTier({ normal: 500, long: 2000 });
        const how = { model: 'rc11', keepGoing: true, maxExecutions, maxDepth: 2000, checkLeaks: true };
        const { verdict, executions, errors, exitStatus, bounds } = checkSync(program, how);
        const shown = errors.map(({ kind, message, location }) => [kind, message, location]);
        return { verdict, executions, shown, exitStatus, bounds };
      } catch (error) {
        if (error instanceof InputError) return error.message;
        throw error;
      }
    },
  );
  expect(results[0]).toEqual(results[1]);
});

test('that was not for nothing', () => {
  expect(tried.pairs).toBeGreaterThan(500);
  expect(tried.operations).toBeGreaterThan(1000);
});
