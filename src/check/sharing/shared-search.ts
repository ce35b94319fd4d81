/**
 * A search that several workers explore together, as an explorer: the worker that leads it explores as well, hands out what is left
 * to those that have nothing to do, and puts together what all of them came to ([TruSt], section 6.2: the tree can be cut anywhere).
 * Also a search that was stopped and goes on: what it came to before is one more part.
 *
 * Each execution is explored by one worker, so counts are those of one. What a worker has come to it says whenever it runs out of work
 * or is to stand still; until then the leader knows what it last heard.
 *
 * When the program learns something, in whatever worker, all start over (`ProgramRefined`, which whoever runs the search handles).
 * Two workers may also have learned what does not fit together without either of them noticing: so each says what it knows when it
 * runs out of work, and the search is not over before the leader has taken that in.
 */
import {
  type Bounded,
  type Counts,
  type Divisible,
  type Explorer,
  type Finding,
  hasBound,
  type SearchBound,
  type Warning,
} from '../../explore/explorer.ts';
import type { Behaviours } from '../../program/behaviours.ts';
import type { SavedSearch, WorkItem } from '../../program/execution.ts';
import { EndlessThread, InputError } from '../../program/input-error.ts';
import type { Knowledge } from '../../program/knowledge.ts';
import { type Program, ProgramRefined } from '../../program/operation.ts';
import { giveFrom } from './give.ts';
import type { FromPeer, PeerFailure, ToPeer } from './messages.ts';
import { noPart, type Part, partOf, together } from './part.ts';

/** The way to one of the other workers. */
export interface PeerLink {
  post(message: ToPeer): void;
}

/** The other workers. They outlive a search that starts over. */
export class Peers {
  readonly links: PeerLink[] = [];
  #generation = 0;
  #search: SharedSearch | undefined;

  /** Another one is there: what it says goes to `receive`. */
  add(link: PeerLink): void {
    this.links.push(link);
    this.#search?.join(link);
  }

  receive(link: PeerLink, message: FromPeer): void {
    if (message.generation === this.#generation) this.#search?.receive(link, message);
  }

  /** From now on they explore this. Returns the number of its generation. */
  lead(search: SharedSearch): number {
    this.#search = search;
    return ++this.#generation;
  }
}

interface Member {
  readonly link: PeerLink;
  state: 'idle' | 'busy' | 'paused';
  /** How often it was told what to explore. */
  orders: number;
  /** Whether it was asked for work, and has not answered. */
  isAsked: boolean;
  /** Whether it had nothing to give when it was last asked. */
  hasNothing: boolean;
  part: Part;
  left: number;
  /** What it knew when it ran out of work, if that is not taken in. */
  knowledge: Knowledge | undefined;
  keepsRefused: boolean;
  /** What was left when it was told to stand still. */
  saved: SavedSearch | undefined;
}

/** Of a search that was stopped: what it came to, and what was left. */
export interface Before {
  readonly part: Part;
  readonly saved: SavedSearch;
}

type DivisibleExplorer = Explorer & Divisible;

/** For tests and measurements. */
export interface Timing {
  /** The least time between two cuts; 0: at every chance. */
  readonly pauseMs?: number;
  /** The clock of the leader, in milliseconds. */
  readonly now?: () => number;
}

const PAUSE_MS = 10;
/** The time between two cuts, as a multiple of what one takes. */
const PAUSE_FACTOR = 10;

export class SharedSearch implements Explorer {
  protected readonly own: DivisibleExplorer;
  protected readonly members = new Map<PeerLink, Member>();
  readonly #program: Program;
  readonly #generation: number;
  #before: Part;
  /** Parts that nobody explores yet. */
  #pool: SavedSearch[] = [];
  #isOver = false;
  /** Whether another worker has hardly any memory left. */
  isMemoryShort = false;
  #isSettled = false;
  #trouble: Error | undefined;
  #wake: (() => void) | undefined;
  /** This worker's search is not cut before. */
  #nextCutMs = 0;
  readonly #pauseMs: number;
  readonly #now: () => number;

  constructor(
    own: DivisibleExplorer,
    program: Program,
    peers: Peers,
    before?: Before,
    { pauseMs = PAUSE_MS, now = () => performance.now() }: Timing = {},
  ) {
    this.#pauseMs = pauseMs;
    this.#now = now;
    this.own = own;
    this.#program = program;
    this.#before = before?.part ?? noPart;
    if (before !== undefined) own.load(before.saved);
    this.#generation = peers.lead(this);
    for (const link of peers.links) this.join(link);
  }

  // ---------------------------------------------------------------------------------------------------- as an explorer

  get behaviours(): Behaviours {
    return this.own.behaviours;
  }

  /** The part of the search that this worker explores. */
  get led(): Explorer {
    return this.own;
  }

  get counts(): Counts {
    return this.whole.counts;
  }

  get findings(): readonly Finding[] {
    return this.whole.findings;
  }

  get warnings(): readonly Warning[] {
    return this.whole.warnings;
  }

  get cutExecutions(): number {
    return this.whole.cut;
  }

  get exitStatus(): number | undefined {
    const { status } = this.whole;
    return status === 0 ? undefined : status;
  }

  get saidElsewhere(): Pick<Part, 'assumptions' | 'limits'> {
    return this.whole;
  }

  protected get whole(): Part {
    const others = [...this.members.values()].map(({ part }) => part);
    return together([this.#before, partOf(this.own, this.#program), ...others]);
  }

  get isExhausted(): boolean {
    if (!this.own.isExhausted || this.#pool.length > 0 || this.#trouble !== undefined || this.#isOver) return false;
    for (const { state, knowledge } of this.members.values()) {
      if (state !== 'idle' || knowledge !== undefined) return false;
    }
    return true;
  }

  /** How many explore it. */
  get workers(): number {
    return this.members.size + 1;
  }

  /** Whether several have explored it, or one at several times. */
  get wasCut(): boolean {
    return this.members.size > 0 || this.hasBefore;
  }

  progress(): number {
    let left = 1 - this.own.progress();
    for (const member of this.members.values()) left += member.left;
    for (const { items } of this.#pool) left += shareOf(items);
    return Math.max(0, 1 - left);
  }

  run(steps: number): boolean {
    this.#raise();
    const isOver = !this.own.isExhausted && this.own.run(steps) && !this.own.isExhausted;
    this.#isOver ||= isOver;
    if (this.#isOver) this.#tellAll({ type: 'stop' });
    else if (this.members.size > 0 || this.#pool.length > 0) {
      this.#share();
      this.#takeInKnowledge();
    }
    return this.#isOver || this.isExhausted;
  }

  /** While others explore all that is left. */
  rest(): Promise<void> | undefined {
    const isIdle = this.own.isExhausted && this.#pool.length === 0 && this.#trouble === undefined && !this.#isOver;
    if (!isIdle || this.isExhausted) return undefined;
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  // ------------------------------------------------------------------------------------------------------ standing still

  /**
   * All workers stand still: what they came to, what is left, and all that any of them knows of the program, since what they came to
   * relies on that. Until `goOn` nothing is explored; who stops the search here need not call it.
   */
  async settle(): Promise<Before> {
    this.#isSettled = true;
    for (const member of this.members.values()) member.saved = undefined;
    this.#tellAll({ type: 'pause' });
    while (this.#trouble === undefined && ![...this.members.values()].every(({ saved }) => saved !== undefined)) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#raise();
    for (const { saved } of this.members.values()) this.#learn(saved?.knowledge);
    const own = this.own.save();
    const saved = [own, ...this.#pool, ...[...this.members.values()].map((member) => member.saved as SavedSearch)];
    return {
      part: this.whole,
      saved: {
        ...own,
        items: saved.flatMap(({ items }) => items),
        hasErrors: saved.some(({ hasErrors }) => hasErrors),
      },
    };
  }

  goOn(): void {
    this.#isSettled = false;
    this.#tellAll({ type: 'go on' });
    for (const member of this.members.values()) {
      if (member.state === 'paused') member.state = (member.saved?.items.length ?? 0) > 0 ? 'busy' : 'idle';
      member.saved = undefined;
    }
  }

  // ------------------------------------------------------------------------------------------------------- other workers

  join(link: PeerLink): void {
    const member: Member = {
      link,
      state: 'idle',
      orders: 0,
      isAsked: false,
      hasNothing: false,
      part: noPart,
      left: 0,
      knowledge: undefined,
      keepsRefused: true,
      saved: undefined,
    };
    this.members.set(link, member);
    this.#tell(member, {
      type: 'begin',
      knowledge: this.#program.knowledge?.('search'),
      bound: hasBound(this.own) ? this.own.bound : undefined,
    });
    if (this.#isSettled) this.#tell(member, { type: 'pause' });
  }

  receive(link: PeerLink, message: FromPeer): void {
    const member = this.members.get(link);
    if (member === undefined) return;
    this.#hear(member, message);
    this.#wake?.();
    this.#wake = undefined;
  }

  #hear(member: Member, message: FromPeer): void {
    switch (message.type) {
      case 'ready':
        break;
      case 'progress':
        member.part = message.part;
        member.left = message.left;
        this.#program.openLoops?.heardOf(message.deepest);
        break;
      case 'given':
        member.isAsked = false;
        member.hasNothing = message.parts.length === 0;
        this.#pool.push(...message.parts);
        break;
      case 'idle':
        if (message.orders !== member.orders) break; // there is more for it to do
        member.state = 'idle';
        member.part = message.part;
        member.left = 0;
        member.knowledge = message.knowledge;
        member.keepsRefused = message.keepsRefused;
        break;
      case 'over':
        member.state = 'idle';
        member.part = message.part;
        this.#isOver = true;
        break;
      case 'paused':
        member.state = 'paused';
        member.part = message.part;
        member.saved = message.saved;
        member.left = shareOf(message.saved.items);
        break;
      case 'refined':
        this.#program.learn?.(message.knowledge);
        this.#trouble = new ProgramRefined();
        break;
      case 'failed':
        this.#trouble = errorOf(message.failure);
        break;
      case 'short of memory':
        this.isMemoryShort = true;
        break;
    }
  }

  #raise(): void {
    if (this.#trouble !== undefined) throw this.#trouble;
  }

  /** Whoever has nothing to do gets something. */
  #share(): void {
    if (this.own.isExhausted) {
      const saved = this.#pool.pop();
      if (saved !== undefined) this.own.load(saved);
    }
    let hungry = this.own.isExhausted ? 1 : 0;
    for (const member of this.members.values()) {
      if (member.state !== 'idle') continue;
      const saved = this.#pool.pop();
      if (saved === undefined) hungry++;
      else this.#give(member, saved);
    }
    if (hungry > 0) this.#askForWork(hungry);
  }

  /** To cut a search takes some time, after which it is to go on for much longer. */
  #mayCut(): boolean {
    return this.own.isExhausted || this.#now() >= this.#nextCutMs;
  }

  /** Some of what this worker has to explore. */
  #cut(count: number): readonly SavedSearch[] {
    const start = this.#now();
    const given = giveFrom(this.own, count);
    if (given.length > 0) this.own.run(1); // it finds its way back
    const end = this.#now();
    this.#nextCutMs = this.#pauseMs === 0 ? 0 : end + this.#pauseMs + PAUSE_FACTOR * (end - start);
    return given;
  }

  #give(member: Member, saved: SavedSearch): void {
    member.state = 'busy';
    member.hasNothing = false;
    member.left = shareOf(saved.items);
    // what it knew is taken in before: else it would be forgotten here
    this.#takeIn(member);
    member.orders++;
    this.#tell(member, { type: 'work', saved });
  }

  /** So many have nothing to do. Asks itself first, then those with the most left; who has nothing to give is asked again last. */
  #askForWork(hungry: number): void {
    let wanted = hungry;
    if (!this.own.isExhausted && this.#mayCut()) {
      const parts = this.#cut(wanted);
      wanted -= parts.length;
      this.#pool.push(...parts);
      for (const member of this.members.values()) {
        const part = member.state === 'idle' ? this.#pool.pop() : undefined;
        if (part !== undefined) this.#give(member, part);
      }
    }
    const givers: Member[] = [];
    for (const member of this.members.values()) {
      if (member.isAsked) wanted--;
      else if (member.state === 'busy') givers.push(member);
    }
    givers.sort((a, b) => Number(a.hasNothing) - Number(b.hasNothing) || b.left - a.left);
    const count = Math.max(1, Math.ceil(wanted / Math.max(1, givers.length)));
    for (const member of givers.slice(0, Math.max(0, wanted))) {
      member.isAsked = true;
      this.#tell(member, { type: 'give', count });
    }
  }

  /** At the end: what those know that have run out of work. */
  #takeInKnowledge(): void {
    if (!this.own.isExhausted) return;
    for (const member of this.members.values()) if (member.state === 'idle') this.#takeIn(member);
  }

  #takeIn(member: Member): void {
    const { knowledge } = member;
    member.knowledge = undefined;
    this.#learn(knowledge);
  }

  /** Throws if what was explored there and here does not fit together. */
  #learn(knowledge: Knowledge | undefined): void {
    if (knowledge === undefined) return;
    const saved = this.own.save();
    this.own.load({ ...saved, knowledge });
  }

  #tell(member: Member, message: WithoutGeneration<ToPeer>): void {
    member.link.post({ ...message, generation: this.#generation } as ToPeer);
  }

  #tellAll(message: WithoutGeneration<ToPeer>): void {
    for (const member of this.members.values()) this.#tell(member, message);
  }

  /** Everything will be explored again. */
  protected forgetBefore(): void {
    this.#before = noPart;
  }

  protected tellAll(message: WithoutGeneration<ToPeer>): void {
    this.#tellAll(message);
  }

  protected get hasBefore(): boolean {
    return this.#before !== noPart;
  }
}

type WithoutGeneration<Message> = Message extends unknown ? Omit<Message, 'generation'> : never;

/** With a bound that may rise. */
export class SharedBoundedSearch extends SharedSearch implements Bounded {
  declare protected readonly own: DivisibleExplorer & Bounded;

  get bound(): number {
    return this.own.bound;
  }

  get bounds(): readonly SearchBound[] {
    const { refused, isIdle } = this.whole;
    return this.own.bounds.map((bound, i) => ({
      ...bound,
      refused: refused[i] ?? 0,
      ...(bound.isIdle === undefined ? {} : { isIdle: isIdle[i] ?? true }),
    }));
  }

  get keepsRefused(): boolean {
    return !this.hasBefore && this.own.keepsRefused && [...this.members.values()].every((each) => each.keepsRefused);
  }

  deepen(afresh = false): void {
    const isAfresh = afresh || !this.keepsRefused;
    this.own.deepen(isAfresh);
    for (const member of this.members.values()) {
      if (isAfresh) member.part = noPart;
      member.state = 'busy';
      member.orders++;
    }
    if (isAfresh) this.forgetBefore();
    this.tellAll({ type: 'deepen', afresh: isAfresh });
  }
}

/** `before`: what was explored of it before it was stopped. */
export function shareOut(
  own: DivisibleExplorer,
  program: Program,
  peers: Peers,
  before?: Before,
  timing?: Timing,
): SharedSearch {
  const Shared = hasBound(own) ? SharedBoundedSearch : SharedSearch;
  return new Shared(own, program, peers, before, timing);
}

function shareOf(items: readonly WorkItem[]): number {
  return items.reduce((sum, { share }) => sum + share, 0);
}

function errorOf({ kind, message, position }: PeerFailure): Error {
  switch (kind) {
    case 'endless':
      return new EndlessThread(message, position);
    case 'input':
      return new InputError(message, position);
    case 'internal':
      return Object.assign(new Error('a worker failed'), { stack: message });
  }
}
