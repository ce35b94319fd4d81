/** The loop of a search as the build has translated it: what is in it, that tests run it, and that it leaves nothing behind. */
import { expect, test } from 'vitest';
import { buildHot } from '../../scripts/hot/build.mjs';
import { check } from '../../src/check/check.ts';
import { hotLoopOf } from '../../src/explore/graphs/hot-loop.ts';
import { Graph } from '../../src/graph/graph.ts';
import { atomic, program, spawn } from '../../src/index.ts';
import { SequentialConsistency } from '../../src/models/sc.ts';
import { wasm } from '../../src/program/web-assembly.ts';

/**
 * What stays JavaScript is called where something is new, fails, waits or ends otherwise than all others. If a method is listed by that
 * test that was not, hot code has come to call what cannot be translated: write it so that it can, or wall off what is rare.
 */
const rare = [
  'Behaviours:#extend',
  'Behaviours:#extendOnly',
  'Behaviours:#startThread',
  'Behaviours:heldUp',
  'Behaviours:initialValue',
  'Behaviours:wouldBlock',
  'Behaviours:writes',
  'Clashes:#dropDeferred',
  'Clashes:#foundFree',
  'Clashes:#foundRace',
  'Clashes:#lookForEarlyUses',
  'Clashes:#lookForJoins',
  'Clashes:#lookForUses',
  'Clashes:#lookWhileWaiting',
  'ClockRows:#widen',
  'Ends:#isRerunNext',
  'Ends:#lookAtFollowed',
  'Exclusions:#undoChanges',
  'Exclusions:add',
  'Exclusions:allows',
  'Exclusions:areMaximal',
  'Exclusions:deleteFrom',
  'FailedPositions:#grow',
  'Findings:#countAlike',
  'Graph:#growThreads',
  'HappensBeforeClocks:#messagesTo',
  'Linearisation:find',
  'LocationTable:allocatorOf',
  'Preemptions:#forgetBlocks',
  'Preemptions:#isLock',
  'Preemptions:#wouldBlock',
  'PreemptionBound:#countBlocked',
  'PreemptionBound:#countRefused',
  'ProgramGraph:#growInits',
  'ProgramGraph:allocationOf',
  'ProgramGraph:choose',
  'ProgramGraph:isOrdered',
  'ProgramGraph:rebuild',
  'PscSearch:#saturate',
  'PscSearch:#search',
  'PscSearch:#startLocation',
  'QuickSearch:#areStrong',
  'ReleaseAcquireSearch:#lastAmong',
  'ReleaseAcquireSearch:#limitLast',
  'TruSt:#endsOtherwise',
  'TruSt:#failed',
  'TruSt:#keep',
  'TruSt:#lookAtComplete',
  'TruSt:#lookForRerun',
  'TruSt:#nextItem',
  'TruSt:#sortThreads',
];

const models = ['sc', 'tso', 'pso', 'ra', 'rc11'];

const stores = program(function* () {
  const x = atomic(0);
  for (let i = 1; i < 4; i++) {
    yield* spawn(function* () {
      yield* x.store(i);
    });
  }
});

test('all that a search does all the time is translated', () => {
  const { calls } = buildHot();
  expect([...calls.keys()]).toEqual([...models, ...models.map((model) => `${model}-rf`), 'buster-sc']);
  const all = new Set([...calls.values()].flat().map((call) => call.replace(/^[^:]*:/, '')));
  expect([...all].filter((call) => !call.includes(':grow ')).sort()).toEqual([...rare].sort());
});

test('tests run what is translated, but for models that others derive', () => {
  class Other extends SequentialConsistency {}
  const nameOf = (model: object): unknown => (model as { hotModel?: string }).hotModel;
  expect(nameOf(new SequentialConsistency(new Graph()))).toBe('sc');
  expect(nameOf(new Other(new Graph()))).toBe(undefined);
  expect(hotLoopOf({}, new Other(new Graph()), '')).toBe(undefined);
});

test('a search begins with JavaScript and goes on with it', async () => {
  const { Instance } = wasm;
  const counted = wasm as { Instance: unknown };
  let instances = 0;
  counted.Instance = new Proxy(Instance, {
    construct: (target, args) => {
      instances++;
      return Reflect.construct(target, args) as object;
    },
  });
  try {
    for (const model of models) await check(stores, { model });
    expect(instances).toBe(5);
    for (const model of models) await check(stores, { model, equivalence: 'rf' });
    expect(instances).toBe(10);
    await check(stores, { algorithm: 'buster', bound: 1 });
    expect(instances).toBe(11);
    await check(stores, { algorithm: 'optimal' });
    expect(instances).toBe(11);
  } finally {
    counted.Instance = Instance;
  }
});

test('where there is no memory to be had, the search goes on in JavaScript', async () => {
  const { Memory } = wasm;
  const scarce = wasm as { Memory: unknown };
  scarce.Memory = class {
    constructor() {
      throw new RangeError('could not allocate memory');
    }
  };
  try {
    const result = await check(stores, {});
    expect(result.executions.complete).toBe(6);
  } finally {
    scarce.Memory = Memory;
  }
});
