/** What a worker does with a part of a search that it was sent to: explores it, records that, and publishes what is left. */
import { isDeepStrictEqual } from 'node:util';
import type { CheckOptions } from '../check/options.ts';
import type { Knowledge, Learned } from '../program/knowledge.ts';
import type { Outcome } from './explore-item.ts';
import { type Item, nameOfChild, nameOfFirst, shareOf, split } from './item.ts';
import type { Errand, Errands } from './queue.ts';
import type { ClusterFailure, Known, Store, Taken } from './store.ts';

export interface Task {
  readonly search: string;
  readonly generation: number;
  /** The name of what the program is made of. */
  readonly program: string;
  readonly options: CheckOptions;
  readonly item: Item;
  readonly knowledge: Knowledge | undefined;
  readonly limitMs: number;
}

/** Where a part is explored: a thread, with the program. */
export interface Bench {
  explore(task: Task): Promise<Outcome | { readonly kind: 'failed'; readonly failure: ClusterFailure }>;
  /** The program that was explored last learns this: what that means, and all that it knows by now. */
  learn(
    knowledge: Knowledge | undefined,
  ): Promise<{ readonly learned: Learned; readonly knowledge: Knowledge | undefined }>;
}

export interface Circumstances {
  readonly store: Pick<Store, 'take' | 'record' | 'published' | 'restart' | 'fail'>;
  readonly errands: Pick<Errands, 'publish' | 'waiting'>;
  readonly isCode: boolean;
  /** How many threads all workers have. */
  readonly threads: () => number;
  /** How long a part is explored at most before it is cut. */
  readonly mostMs: number;
}

/** The first part is cut soon, and those that are cut from it later: so there is soon something for everyone. */
const FIRST_MS = 50;
/** By so much less if there may soon be a thread without work, as at the end of a search. */
const SHORTER = 8;
/** So many for each thread are to wait in the queue; then what is left of a part stays one. */
const WAITING_PER_THREAD = 2;
const MOST_CHILDREN = 64;

export async function exploreErrand(errand: Errand, bench: Bench, circumstances: Circumstances): Promise<void> {
  const { search, generation, item: name } = errand;
  const { store } = circumstances;
  const taken = await store.take(search, generation, name);
  // who explored it may have been lost before it could publish what was left
  if (taken.kind === 'known') await publish(errand, taken.children, circumstances);
  if (taken.kind !== 'open') return;
  const { item, program, options, knowledge } = taken;
  const limitMs = await limitFor(item, circumstances);
  const outcome = await bench.explore({ search, generation, program, options, item, knowledge, limitMs });
  switch (outcome.kind) {
    case 'failed':
      return store.fail(search, generation, outcome.failure);
    case 'refined':
      return startOver(errand, { token: taken.token, knowledge: outcome.knowledge }, bench, circumstances);
    case 'explored':
      return record(errand, taken, outcome, bench, circumstances);
  }
}

async function record(
  errand: Errand,
  taken: Extract<Taken, { kind: 'open' }>,
  { part, left, knowledge, deepest, isOver }: Extract<Outcome, { kind: 'explored' }>,
  bench: Bench,
  circumstances: Circumstances,
): Promise<void> {
  const { search, generation, item: name } = errand;
  const { store } = circumstances;
  const wanted = left.items.length === 0 ? 0 : await childrenWanted(circumstances);
  const children = split({ ...left, level: taken.item.level }, wanted);
  const names = children.map((child, i) => nameOfChild(name, i, child));
  const explored = { part, share: shareOf(taken.item), children, deepest, isOver };
  let known: Known = taken;
  let own = knowledge;
  for (;;) {
    const news = isSame(own, known.knowledge) ? undefined : own;
    const answer = await store.record(search, generation, name, explored, { ...known, knowledge: news });
    switch (answer.kind) {
      case 'over':
        return;
      case 'known':
        return publish(errand, answer.children, circumstances);
      case 'recorded':
        return publish(errand, names, circumstances);
      case 'knowledge': {
        known = answer;
        const { learned, knowledge: merged } = await bench.learn(known.knowledge);
        own = merged;
        if (learned === 'void') return startOver(errand, { ...known, knowledge: own }, bench, circumstances);
      }
    }
  }
}

/** What is explored now does not fit together with what this program knows: with all that anybody knows, from the beginning. */
async function startOver(errand: Errand, own: Known, bench: Bench, circumstances: Circumstances): Promise<void> {
  const { search, generation } = errand;
  let known = own;
  for (;;) {
    const answer = await circumstances.store.restart(search, generation, known);
    if (answer.kind === 'recorded') {
      const first = { search, generation: generation + 1, item: nameOfFirst(generation + 1) };
      return circumstances.errands.publish(circumstances.isCode, [first]);
    }
    if (answer.kind !== 'knowledge') return;
    const { knowledge } = await bench.learn(answer.knowledge);
    known = { token: answer.token, knowledge };
  }
}

/** Whether it is published or known to be, the search cannot be stuck here: workers also look after open parts now and then. */
async function publish(
  errand: Errand,
  children: readonly string[],
  { store, errands, isCode }: Circumstances,
): Promise<void> {
  if (children.length === 0) return;
  await errands.publish(
    isCode,
    children.map((item) => ({ ...errand, item })),
  );
  await store.published(errand.search, errand.item);
}

async function limitFor({ level }: Item, { errands, isCode, threads, mostMs }: Circumstances): Promise<number> {
  const isShort = (await errands.waiting(isCode)) < threads();
  return Math.min(isShort ? mostMs / SHORTER : mostMs, FIRST_MS * 2 ** Math.min(level, 20));
}

async function childrenWanted({ errands, isCode, threads }: Circumstances): Promise<number> {
  const missing = WAITING_PER_THREAD * threads() - (await errands.waiting(isCode));
  return Math.max(1, Math.min(MOST_CHILDREN, missing));
}

/** The order in which things were learned means nothing: see `Knowledge`. */
function isSame(a: Knowledge | undefined, b: Knowledge | undefined): boolean {
  return isDeepStrictEqual(sorted(a), sorted(b));
}

function sorted(knowledge: Knowledge | undefined): Knowledge | undefined {
  if (Array.isArray(knowledge)) {
    const texts = knowledge.map((each) => JSON.stringify(sorted(each)));
    return texts.sort();
  }
  if (typeof knowledge !== 'object' || knowledge === null) return knowledge;
  const entries = Object.entries(knowledge).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, value]) => [key, sorted(value) as Knowledge]));
}
