/** A search that several workers share, is stopped and goes on: exactly what one worker finds (see `SharedSearch`). */
import { describe, expect, test } from 'vitest';
import { lastzero } from '../../bench/programs.ts';
import { check } from '../../src/check/check.ts';
import type { SearchState } from '../../src/check/saved-state.ts';
import { searchStateSchema } from '../../src/check/saved-state-schema.ts';
import type { FromPeer, ToPeer } from '../../src/check/sharing/messages.ts';
import { noPart, partOf } from '../../src/check/sharing/part.ts';
import { PeerSearch } from '../../src/check/sharing/peer.ts';
import { type PeerLink, Peers, type SharedSearch, shareOut } from '../../src/check/sharing/shared-search.ts';
import { type Divisible, type Explorer, hasBound, isDivisible, raiseTo } from '../../src/explore/explorer.ts';
import type { ModelName } from '../../src/models/registry.ts';
import { Behaviours } from '../../src/program/behaviours.ts';
import { nothingExplored } from '../../src/program/execution.ts';
import type { Knowledge } from '../../src/program/knowledge.ts';
import type { Program } from '../../src/program/operation.ts';
import { type KindName, kinds } from '../explore/kit/kinds.ts';
import { type ExplorerUnderTest, equivalencesOf, everyExplorer } from '../explore/kit/laws.ts';
import { Random } from '../random/prng.ts';
import { byTier } from '../tier.ts';

const explorers = everyExplorer.filter(({ claim }) => claim.isDivisible);
const count = byTier({ quick: 5, normal: 40, long: 250 });
/** Larger programs are left out. */
const MOST_STEPS = 6000;
const names: readonly KindName[] = [
  'random programs',
  'bare operations',
  'programs that free objects',
  'programs for weak models',
  'programs that wait',
];

interface Way {
  readonly x: ExplorerUnderTest;
  readonly model: ModelName;
  readonly equivalence: string;
  readonly bound: number | undefined;
  readonly iterate: boolean;
}

function make({ x, model, equivalence, bound, iterate }: Way, program: Program): Explorer & Divisible {
  const limits = { keepGoing: true, maxExecutions: Number.POSITIVE_INFINITY };
  const options = { races: true, livelock: true, checkLeaks: true, ifaa: false, equivalence, bound, iterate };
  const explorer = x.make(new Behaviours(program), model, { ...options, ...limits });
  if (!isDivisible(explorer)) throw new Error('this search cannot be cut');
  return explorer;
}

/** What is to be the same, whoever explores. */
function outcome(explorer: Explorer): unknown {
  const errors = new Map<string, number>();
  for (const { kind, message, threads, round, preemptions = 0 } of explorer.findings) {
    // threads that wait have names that depend on the order in which they are met
    const isStandstill = (kind === 'deadlock' || kind === 'livelock') && round === undefined;
    const error = `${kind} ${isStandstill ? threads.join(' ') : message}`;
    errors.set(error, Math.min(errors.get(error) ?? preemptions, preemptions));
  }
  return {
    counts: { ...explorer.counts, boundBlocked: undefined }, // see `CheckResult.wasCut`
    cut: explorer.cutExecutions,
    errors: [...errors].sort(),
    warnings: explorer.warnings.map((each) => JSON.stringify(each)).sort(),
    status: explorer.exitStatus,
    bounds: hasBound(explorer) ? explorer.bounds : [],
  };
}

interface Worker {
  readonly peer: PeerSearch;
  readonly link: PeerLink;
  readonly to: ToPeer[];
  readonly from: FromPeer[];
}

/** The workers of one process, and the messages between them: what happens next is chosen at random, in every way that can be. */
class Workplace {
  readonly search: SharedSearch;
  readonly #peers = new Peers();
  readonly #random: Random;
  readonly #workers: Worker[] = [];
  given = 0;

  constructor(way: Way, workers: number, newProgram: () => Program, seed: number, before?: SearchState) {
    this.#random = new Random(seed);
    const pace = { run: <T>(slice: (steps: number) => T): T => slice(this.#random.between(1, 12)) };
    for (let i = 1; i < workers; i++) {
      const program = newProgram();
      const to: ToPeer[] = [];
      const from: FromPeer[] = [];
      const post = (message: FromPeer): void => {
        if (message.type === 'given') this.given += message.parts.length;
        from.push(plain(message));
      };
      const peer = new PeerSearch(program, () => make(way, program), post, pace);
      const link = { post: (message: ToPeer) => to.push(plain(message)) };
      this.#workers.push({ peer, link, to, from });
      if (i % 2 === 0) this.#peers.add(link); // the others come late
    }
    const program = newProgram();
    const own = make(way, program);
    if (hasBound(own)) raiseTo(own, before?.bound ?? 0);
    this.search = shareOut(own, program, this.#peers, before, { pauseMs: 0 });
  }

  /** Something happens. Whether the leader has found that all is explored. */
  happens(): boolean {
    const worker = this.#workers[this.#random.between(0, this.#workers.length)];
    if (worker === undefined) return this.search.run(this.#random.between(1, 12)) && this.search.isExhausted;
    if (!this.#peers.links.includes(worker.link)) this.#peers.add(worker.link);
    this.#deliver(worker);
    return false;
  }

  async state(): Promise<SearchState> {
    let isSettled = false;
    const settled = this.search.settle().then((before) => {
      isSettled = true;
      return before;
    });
    while (!isSettled) {
      for (const worker of this.#workers) this.#deliver(worker);
      await Promise.resolve();
    }
    const bound = hasBound(this.search) ? { bound: this.search.bound } : {};
    return { ...(await settled), iterations: [], elapsedMs: 0, ...bound };
  }

  #deliver({ peer, link, to, from }: Worker): void {
    const [toPeer, fromPeer] = [this.#random.pick([true, false]), this.#random.pick([true, false])];
    if (toPeer) for (const message of to.splice(0, 1)) peer.receive(message);
    else peer.runSlice();
    if (fromPeer) for (const message of from.splice(0, 1)) this.#peers.receive(link, message);
  }
}

function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

function wayFor(seed: number): Way {
  const random = new Random(seed);
  const x = random.pick(explorers);
  const equivalence = random.pick(x.claim.visits === 'chosen' ? equivalencesOf(x) : ['co']);
  const hasBounds = 'bound' in x.options;
  const iterate = hasBounds && random.pick([true, false]);
  const bound = hasBounds && !iterate && random.pick([true, false]) ? random.between(0, 2) : undefined;
  return { x, model: random.pick(x.models), equivalence, iterate, bound };
}

describe.each(names)('%s', (kind) => {
  test('with 1, 2, 3, 5 workers, cut at every chance, stopped and resumed', async () => {
    const { make: makeAst, program: programOf, seed: first } = kinds[kind];
    let given = 0;
    for (let seed = first + 300_000, left = count; left > 0; seed++) {
      const ast = makeAst(seed);
      const way = wayFor(seed);
      const alone = make(way, programOf(ast, seed));
      if (!deepenedToTheEnd(alone)) continue;
      left--;
      const expected = outcome(alone);
      for (const workers of [1, 2, 3, 5]) {
        const name = `${seed} ${way.x.name} ${way.model} ${way.equivalence} ${way.bound} ${way.iterate}, ${workers} workers`;
        const random = new Random(seed + workers);
        let place = new Workplace(way, workers, () => programOf(ast, seed), seed + workers);
        for (;;) {
          if (place.happens()) {
            if (!deepened(place.search)) break;
          } else if (random.between(0, 400) === 0) {
            const state = searchStateSchema.parse(plain(await place.state())) as SearchState;
            given += place.given;
            if (random.pick([true, false])) {
              place.search.goOn();
              continue;
            }
            place = new Workplace(way, random.pick([1, 2, 3]), () => programOf(ast, seed), seed + 1, state);
          }
        }
        given += place.given;
        expect(outcome(place.search), name).toEqual(expected);
      }
    }
    expect(given).toBeGreaterThan(0);
  });
});

const MOST_BOUND = 3;

/** Whether there is a larger bound to go on with. */
function deepened(explorer: Explorer): boolean {
  if (!hasBound(explorer) || explorer.bound >= MOST_BOUND) return false;
  const [bound] = explorer.bounds;
  if (bound === undefined || bound.refused === 0) return false;
  explorer.deepen();
  return true;
}

function deepenedToTheEnd(explorer: Explorer): boolean {
  do {
    if (!explorer.run(MOST_STEPS) || !explorer.isExhausted) return false;
  } while (deepened(explorer));
  return true;
}

test('what a part has come to is plain data', () => {
  const { make: makeAst, program: programOf, seed } = kinds['programs that free objects'];
  const program = programOf(makeAst(seed), seed);
  const [x] = explorers as [ExplorerUnderTest];
  const explorer = make({ x, model: 'sc', equivalence: 'co', bound: undefined, iterate: false }, program);
  while (!explorer.run(1000));
  const part = partOf(explorer, program);
  expect(plain(part)).toEqual(part);
});

test('of a search that was stopped, a part of what was left proves nothing, also if it comes to its end', async () => {
  const part = { ...noPart, counts: { ...noPart.counts, complete: 5 } };
  for (const items of [[], [nothingExplored]]) {
    const before = { part, saved: { items, hasErrors: false }, iterations: [], elapsedMs: 0 };
    for (const stoppedBy of ['timeout', 'interrupt'] as const) {
      const result = await check(lastzero(1), {}, { peers: new Peers(), before, stoppedBy });
      expect([result.verdict, result.stoppedBy]).toEqual(['incomplete', stoppedBy]);
      expect(result.executions.complete).toBeGreaterThanOrEqual(5);
    }
  }
});

test('what any worker knows is part of what is written down of their search', async () => {
  const [x] = explorers as [ExplorerUnderTest];
  const way = { x, model: 'sc', equivalence: 'co', bound: undefined, iterate: false } as const;
  let workers = 0;
  const newProgram = (): Program => {
    const known = new Set([`what worker ${++workers} knows`]);
    return Object.assign(lastzero(7), {
      knowledge: () => [...known].sort(),
      learn: (more: Knowledge | undefined) => {
        const size = known.size;
        for (const each of (more ?? []) as string[]) known.add(each);
        return known.size > size ? 'new' : 'known';
      },
    });
  };
  const place = new Workplace(way, 3, newProgram, 1);
  for (let i = 0; i < 200; i++) place.happens();
  const { saved } = await place.state();
  expect(saved.items).not.toEqual([]);
  expect(saved.knowledge).toEqual([1, 2, 3].map((worker) => `what worker ${worker} knows`));
});
