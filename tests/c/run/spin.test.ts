/** Spin loops in C, without any bound: pure iterations are stopped, and reads wait for what ends the loop. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileC } from '../../../src/c/compile/compile.ts';
import { parseModule } from '../../../src/c/ir/parser.ts';
import { type CProgram, type CProgramOptions, cProgram } from '../../../src/c/program.ts';
import { checkSync } from '../../../src/check/check.ts';
import type { CheckOptions } from '../../../src/check/options.ts';
import { startingOver } from '../../../src/check/starting-over.ts';
import type { ExploreOptions, Finding } from '../../../src/explore/explorer.ts';
import { type AlgorithmEntry, type AlgorithmName, algorithms } from '../../../src/explore/registry.ts';
import { DepthFirstSearch } from '../../../src/explore/schedules/dfs.ts';
import { Behaviours, Step } from '../../../src/program/behaviours.ts';
import { NONE } from '../../../src/program/columns.ts';
import type { Ending } from '../../../src/program/ending.ts';
import type { Operation } from '../../../src/program/operation.ts';
import { isAssumed, loopOf } from '../../../src/program/outcome.ts';
import { models } from '../../conformance/rows.ts';
import { assuming, calling, endless, racing, type SpinProgram, several, spinning, stopped } from './spin-programs.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-spin-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const header = `#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#line 1
`;
const codeOf = (programs: Readonly<Record<string, SpinProgram>>): Record<string, string> =>
  Object.fromEntries(Object.entries(programs).map(([name, { code }]) => [name, code]));
const sources: Readonly<Record<string, string>> = {
  ...codeOf(spinning),
  ...codeOf(several),
  ...endless,
  ...calling,
  ...racing,
  ...stopped,
  ...assuming,
};
const texts = new Map<string, string>();

beforeAll(async () => {
  const names = Object.keys(sources);
  for (const name of names) writeFileSync(join(folder, `${name}.c`), header + sources[name]);
  const { modules } = await compileC(
    names.map((name) => `${name}.c`),
    { cwd: folder },
  );
  for (const [i, { text }] of modules.entries()) texts.set(names[i] as string, text);
}, 120_000);

function program(name: string, options: Partial<CProgramOptions> = {}): CProgram {
  return cProgram([parseModule(texts.get(name) as string, `${name}.c`)], { name, plp: true, await: true, ...options });
}

const settings: ExploreOptions = {
  keepGoing: true,
  races: true,
  livelock: true,
  checkLeaks: false,
  maxExecutions: 10_000,
};

interface Explored {
  readonly complete: number;
  readonly outcomes: ReadonlySet<Ending>;
  readonly findings: readonly Finding[];
}

function explore(from: CProgram, algorithm: AlgorithmName = 'optimal'): Explored {
  return startingOver(() => exploreOnce(from, algorithm));
}

function exploreOnce(from: CProgram, algorithm: AlgorithmName): Explored {
  const behaviours = new Behaviours(from);
  const outcomes = new Set<Ending>();
  const entry: AlgorithmEntry = algorithms[algorithm];
  const onExecution = (outcome: Ending): unknown => outcomes.add(outcome);
  const options = { ...settings, equivalence: 'co', ifaa: false, bound: 1000, iterate: false, onExecution };
  const explorer = entry.make(behaviours, 'sc', options);
  while (!explorer.run(10_000));
  return { complete: explorer.counts.complete, outcomes, findings: explorer.findings };
}

describe('spin loops without a bound', () => {
  test.each(Object.entries(spinning))('%s', (name, { complete }) => {
    const found = explore(program(name));
    expect(found.findings).toEqual([]);
    expect(found.outcomes).toEqual(new Set(['complete']));
    expect(found.complete).toBe(complete);
  });

  test.each(Object.entries(spinning))('%s, by TruSt', (name, { complete }) => {
    const found = explore(program(name), 'trust');
    expect([found.findings, found.complete]).toEqual([[], complete]);
  });

  test.each(Object.entries(spinning))('%s has as many complete executions with assumes only', (name, { complete }) => {
    expect(explore(program(name, { await: false })).complete).toBe(complete);
  });
});

test.each(Object.entries(several))('%s: what is complete does not depend on awaits', (name, { complete }) => {
  expect(explore(program(name)).complete).toBe(complete);
  expect(explore(program(name), 'trust').complete).toBe(complete);
  expect(explore(program(name, { await: false })).complete).toBe(complete);
});

interface Wait {
  readonly operation: Operation;
  /** How many operations the thread has performed before. */
  readonly depth: number;
}

/** Where threads are stopped at the end of executions. */
function waitsOf(from: CProgram): Wait[] {
  const behaviours = new Behaviours(from);
  const waits: Wait[] = [];
  const search: DepthFirstSearch = new DepthFirstSearch(behaviours, {
    ...settings,
    onExecution: () => {
      const { interleaving } = search;
      for (const t of behaviours.threads.keys()) {
        const s = interleaving.stateOf(t);
        if (s === NONE || behaviours.step[s] === Step.END || behaviours.step[s] === Step.JOIN) continue;
        // a thread that is stopped has asked for that in its last state
        const at = behaviours.step[s] === Step.STUCK ? interleaving.before[interleaving.lastOf(t)]! : s;
        waits.push({ operation: behaviours.operation(at), depth: behaviours.depth[at]! });
      }
    },
  });
  while (!search.run(10_000));
  return waits;
}

const everyWay: readonly CheckOptions[] = [
  ...['optimal', 'source', 'dpor', 'dfs'].map((algorithm) => ({ algorithm, model: 'sc' })),
  ...models.flatMap((model) => [
    { model, equivalence: 'co' },
    { model, equivalence: 'rf' },
  ]),
];

/** Which errors are found in which line, in every way. */
function errorsOf(name: string): [string, readonly string[]][] {
  return everyWay.flatMap((how) =>
    [{}, { await: false }].map((options): [string, readonly string[]] => {
      const { errors } = checkSync(program(name, options), { ...how, keepGoing: true, underSc: false });
      const found = errors.map(({ kind, location }) => `${kind} in line ${location?.line}`);
      return [JSON.stringify({ ...how, ...options }), [...new Set(found)]];
    }),
  );
}

describe('waits that never end', () => {
  test.each(Object.entries(endless))('%s is a livelock, in its loop', (name, code) => {
    const line = code.split('\n').findIndex((text) => text.includes('// here')) + 1;
    for (const [how, found] of errorsOf(name)) expect(found, how).toEqual([`livelock in line ${line}`]);
  });

  test.each(Object.keys({ ...spinning, ...several }))('%s is none', (name) => {
    for (const [how, found] of errorsOf(name)) expect(found, how).toEqual([]);
  });

  test.each(Object.keys(assuming))('%s: an assume of the program is still one', (name) => {
    const waits = waitsOf(program(name));
    expect(waits.length).toBeGreaterThan(0);
    for (const { operation } of waits) expect(isAssumed(operation)).toBe(true);
    for (const { operation } of waitsOf(program(name, { await: false }))) expect(operation.kind).toBe('block');
  });

  test.each(Object.keys({ ...calling, ...stopped }))('%s: an assertion can fail', (name) => {
    for (const model of models)
      expect(checkSync(program(name), { model, underSc: false }).errors.map(({ kind }) => kind)).toEqual(['assertion']);
  });

  test.each(Object.entries(racing))('%s: a race, and both sides are told', (name, code) => {
    const lineWith = (mark: string): number => code.split('\n').findIndex((text) => text.includes(`// ${mark}`)) + 1;
    for (const how of everyWay) {
      const [error] = checkSync(program(name), { ...how, underSc: false }).errors;
      expect(error?.kind, JSON.stringify(how)).toBe('race');
      const lines = error?.racing?.map(({ source }) => source?.line);
      expect(new Set(lines), JSON.stringify(how)).toEqual(new Set([lineWith('one'), lineWith('other')]));
    }
  });

  test('the reads of an iteration are known', () => {
    const lengths = (options: Partial<CProgramOptions>): Set<number> =>
      new Set(
        waitsOf(program('afterOthers', options)).map(({ operation, depth }) => depth - loopOf(operation)!.since(7)),
      );
    expect(lengths({ await: false })).toEqual(new Set([2]));
    expect(lengths({})).toEqual(new Set([1])); // the second one is waited for
  });
});

describe('loops are reported', () => {
  test('with their lines, and what stood in the way', () => {
    const loops = program('ttas2').loops();
    const shown = loops.map(({ functionName, position, outcome, why }) => [functionName, position?.line, outcome, why]);
    expect(shown).toEqual([
      ['acquire', 4, 'partly pure', 'it goes round an inner loop (line 5); it updates lock (line 6)'],
      ['acquire', 5, 'pure', ''],
      ['main', 18, 'not pure', 'the variable i may change (line 18)'],
      ['main', 19, 'not pure', 'the variable i may change (line 19)'],
    ]);
  });

  test('or not at all, if iterations are not to be stopped', () => {
    expect(program('ttas2', { plp: false }).loops()).toEqual([]);
  });
});
