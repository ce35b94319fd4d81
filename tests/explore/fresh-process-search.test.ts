/** A search that is cut goes on in a process that knows nothing but the program's source and what was saved. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { compileC } from '../../src/c/compile/compile.ts';
import { isDivisible } from '../../src/explore/explorer.ts';
import type { AlgorithmName } from '../../src/explore/registry.ts';
import type { Equivalence, ModelName } from '../../src/models/registry.ts';
import type { Knowledge } from '../../src/program/knowledge.ts';
import { type Program, ProgramRefined, SavedSearchVoid } from '../../src/program/operation.ts';
import { ensureBuilt } from '../cli/heddle.ts';
import { Random } from '../random/prng.ts';
import { byTier } from '../tier.ts';
import { begin, type Continued, type Job, programOf, type Source } from './kit/continued.ts';
import { type Begun, cutAfter, differentLists, load } from './kit/cuts.ts';
import type { KindName } from './kit/kinds.ts';

const randomCount = byTier({ normal: 15, long: 250 });
/** How often each C program is cut in each way. */
const cutsOfEach = byTier({ normal: 1, long: 4 });
/** Programs with more executions are left out. */
const MOST = 700;

const folder = fileURLToPath(new URL('../fixtures', import.meta.url));
const files = ['saved/stack.c', 'saved/realloc.c', 'saved/halves.c', 'saved/spawns.c', 'saved/large.c', 'heap-order.c'];
const sources = new Map<string, Source>();

beforeAll(async () => {
  await ensureBuilt();
  const { modules } = await compileC(files, { cwd: folder });
  for (const [i, { text }] of modules.entries()) {
    const file = files[i] as string;
    sources.set(file, { kind: 'c', file, ir: text });
  }
}, 300_000);

const ways: readonly (readonly [AlgorithmName, ModelName, Equivalence])[] = [
  ['trust', 'sc', 'co'],
  ['trust', 'sc', 'rf'],
  ['trust', 'rc11', 'co'],
  ['trust', 'tso', 'rf'],
  ['dfs', 'sc', 'co'],
];

interface Cut {
  readonly job: Job;
  /** The executions before, and those of the whole search. */
  readonly before: readonly string[];
  readonly whole: readonly string[];
}

/**
 * Two processes that each know nothing of the other, but for the job, visit together what one visits. Where the second learns
 * something, all starts over, with all that there is to know: then nobody learns more.
 */
async function expectTheRest(cuts: readonly Cut[], mayLearn = true): Promise<void> {
  const results = await inFreshProcess(cuts.map(({ job }) => job));
  const again: Cut[] = [];
  for (const [i, { job, before, whole }] of cuts.entries()) {
    const result = results[i] as Continued;
    const { saved: _, source, ...way } = job;
    const name = JSON.stringify({ ...way, ...source, ir: undefined });
    if ('keys' in result) expect(differentLists(whole, [...before, ...result.keys]), name).toBeUndefined();
    else again.push(cut({ ...way, source }, i, result.learned as Knowledge) as Cut);
  }
  if (again.length === 0) return;
  expect(mayLearn, 'all is known').toBe(true);
  await expectTheRest(again, false);
}

/** A search in one piece, and the first part of another; undefined: there are too many executions. */
function cut(search: Omit<Job, 'saved'>, seed: number, learned?: Knowledge): Cut | undefined {
  const random = new Random(seed);
  const searched = programOf(search.source);
  const whole = wholeOf(search, searched);
  if (whole === undefined) return undefined;
  const program = programOf(search.source);
  if (learned !== undefined) for (const known of [learned, searched.knowledge?.('search')]) program.learn?.(known);
  const executions = random.between(0, whole.length);
  const steps = random.between(1, 12);
  return startingOver(() => {
    const begun = begin(search, program);
    const saved = JSON.stringify(cutAfter(begun, executions, steps));
    return { job: { ...search, saved }, before: begun.keys, whole };
  });
}

function wholeOf(search: Omit<Job, 'saved'>, program: Program): readonly string[] | undefined {
  return startingOver(() => {
    const { explorer, keys } = begin(search, program);
    while (keys.length <= MOST && !explorer.run(100));
    return explorer.isExhausted ? keys : undefined;
  });
}

function startingOver<T>(body: () => T): T {
  for (;;) {
    try {
      return body();
    } catch (error) {
      if (!(error instanceof ProgramRefined)) throw error;
    }
  }
}

async function inFreshProcess(jobs: readonly Job[]): Promise<Continued[]> {
  const script = fileURLToPath(new URL('./kit/fresh-process.mjs', import.meta.url));
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stdin.end(JSON.stringify(jobs));
  const code = await new Promise((resolve) => child.on('close', resolve));
  if (code !== 0) throw new Error(`the process that goes on with the searches ended with ${code}`);
  return JSON.parse(output) as Continued[];
}

test(`${randomCount} random programs`, { timeout: 600_000 }, async () => {
  const kinds: KindName[] = [
    'random programs',
    'wide programs',
    'programs with objects as values',
    'programs that free objects',
    'programs that wait',
    'programs for weak models',
  ];
  const cuts: Cut[] = [];
  for (let seed = 95_000_000; cuts.length < randomCount; seed++) {
    const kind = kinds[seed % kinds.length] as KindName;
    const [algorithm, model, equivalence] = new Random(seed).pick(ways);
    const made = cut({ source: { kind, seed }, algorithm, model, equivalence }, seed);
    if (made !== undefined) cuts.push(made);
  }
  await expectTheRest(cuts);
});

test('C programs with heap objects, unions and spawns', { timeout: 600_000 }, async () => {
  const cuts: Cut[] = [];
  for (const file of files) {
    for (const [algorithm, model, equivalence] of ways) {
      for (let i = 0; i < cutsOfEach; i++) {
        const made = cut({ source: sourceOf(file), algorithm, model, equivalence }, cuts.length);
        if (made !== undefined) cuts.push(made);
      }
    }
  }
  expect(cuts.length).toBeGreaterThanOrEqual(20);
  await expectTheRest(cuts);
});

describe('a program that learns', () => {
  const search = { algorithm: 'dfs', model: 'sc', equivalence: 'co' } as const;
  const begun = (program: Program): Begun => begin({ ...search, source: sourceOf('saved/halves.c') }, program);
  const fresh = (): Program => programOf(sourceOf('saved/halves.c'));
  const EARLY = 5;

  function toTheEnd({ explorer, keys }: Begun): readonly string[] {
    while (!explorer.run(1000));
    return keys;
  }

  test('makes void what it has saved before', () => {
    const program = fresh();
    const first = begun(program);
    const saved = cutAfter(first, EARLY, 1);
    expect(() => toTheEnd(first)).toThrow(ProgramRefined);
    const { explorer } = begun(program);
    expect(() => load(explorer, saved)).toThrow(SavedSearchVoid);
  });

  test('saves nothing of a search that it has broken off', () => {
    const { explorer } = begun(fresh());
    expect(() => toTheEnd({ explorer, keys: [] })).toThrow(ProgramRefined);
    expect(() => isDivisible(explorer) && explorer.save()).toThrow('a search that broke off cannot be saved');
  });

  test.each(['knows more', 'knows less'])('and a part of a search by one that %s are void together', (which) => {
    const wise = fresh();
    const whole = startingOver(() => toTheEnd(begun(wise)));
    const ofWise = cutAfter(begun(wise), EARLY, 1);
    const other = fresh();
    const search = begun(other);
    const ofOther = cutAfter(search, EARLY, 1);
    const [program, loaded, saved] = which === 'knows less' ? [other, search, ofWise] : [wise, begun(wise), ofOther];
    expect(() => load(loaded.explorer, saved)).toThrow(SavedSearchVoid);
    // now it knows both, so that it learns no more, and the other may have what is left of its search
    const again = begun(program);
    const left = cutAfter(again, EARLY, 1);
    const third = begun(fresh());
    load(third.explorer, JSON.parse(JSON.stringify(left)));
    expect(differentLists(whole, [...again.keys, ...toTheEnd(third)])).toBeUndefined();
  });

  test('goes on with what fits what it knows already', () => {
    const program = fresh();
    const whole = startingOver(() => toTheEnd(begun(program)));
    const first = begun(program);
    const saved = cutAfter(first, EARLY, 1);
    toTheEnd(begun(program));
    const second = begun(program);
    load(second.explorer, saved);
    expect(differentLists(whole, [...first.keys, ...toTheEnd(second)])).toBeUndefined();
  });
});

const sourceOf = (file: string): Source => sources.get(file) as Source;
