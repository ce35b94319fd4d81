/**
 * All candidate executions of a program, whatever the memory model: the threads run, and every read takes the value of any write
 * of its location, except that it must not depend on itself (po ∪ rf is acyclic). Coherence is left open.
 *
 * The search runs the leftmost thread that can go on. A read takes a write that is there already, or is put off and takes one that
 * comes later; so every candidate comes up once. A wait (await, lock) that is put off for good is stuck.
 */
import { bytesOf, type ProgramAst, partOf, type Statement, type UpdateOrder } from './language.ts';
import { type EventSet, mostEvents } from './relations.ts';
import {
  afterEffect,
  awaitedBy,
  effectOf,
  FREE,
  handleOf,
  newThread,
  nextOf,
  readBy,
  rewrites,
  type ThreadState,
  waitsOn,
} from './threads.ts';

/** In place of an event: the initial value of a location. */
export const INIT = -1;

/** One step. An update is one event that reads and writes. */
export interface Event {
  readonly id: string;
  /** The PATH of its thread. */
  readonly path: string;
  readonly kind: Statement['kind'];
  readonly label: string;
  readonly location: string | undefined;
  readonly order: UpdateOrder | 'plain' | undefined;
  /** The event that it reads from, or INIT, if it reads. */
  readonly readsFrom: number | undefined;
  /** The value written, if it writes. */
  readonly writes: number | undefined;
  /** The bytes of the location that it is about. */
  readonly bytes: number;
  /** Whether it is a store to a part, which reads only to keep the rest. */
  readonly merges: boolean;
  readonly choice: number | undefined;
  readonly frees: string | undefined;
  readonly rewrites: boolean;
  /** The events before it in (po ∪ spawn ∪ join)+. */
  readonly before: EventSet;
}

export interface Candidate {
  readonly events: readonly Event[];
  /** The threads in the end. */
  readonly threads: readonly ThreadState[];
  /** Those of them that wait for a value, and what comes before the wait in (po ∪ spawn ∪ join)+. */
  readonly stuck: readonly { readonly thread: ThreadState; readonly before: EventSet }[];
}

interface Running {
  readonly thread: ThreadState;
  /** What comes before its next event in (po ∪ spawn ∪ join)+. */
  readonly before: EventSet;
  /** Its next step, a read, is put off: it takes a write that is not there yet. */
  readonly isPutOff: boolean;
  /** The write that a read which was put off takes. */
  readonly source: number | undefined;
}

export function initialValue(program: ProgramAst, location: string): number {
  return program.atomics[location] ?? program.shared[location] ?? FREE;
}

/** Calls `visit` with every candidate; gives up, and says so, after `limit` steps of the search or if there are too many events. */
export function forEachCandidate(
  program: ProgramAst,
  limit: number,
  visit: (candidate: Candidate) => void,
): 'all' | 'too large' {
  const search = new CandidateSearch(program, limit, visit);
  search.run();
  return search.isTooLarge ? 'too large' : 'all';
}

class CandidateSearch {
  readonly #program: ProgramAst;
  readonly #limit: number;
  readonly #visit: (candidate: Candidate) => void;
  readonly #events: Event[] = [];
  #steps = 0;
  isTooLarge = false;

  constructor(program: ProgramAst, limit: number, visit: (candidate: Candidate) => void) {
    this.#program = program;
    this.#limit = limit;
    this.#visit = visit;
  }

  run(): void {
    this.#search([started(newThread('0', this.#program.main, []), 0)]);
  }

  #search(threads: readonly Running[]): void {
    this.#steps += 1;
    if (this.#steps > this.#limit || this.#events.length > mostEvents) this.isTooLarge = true;
    if (this.isTooLarge || isInVain(threads)) return;
    const at = threads.findIndex((each) => isReady(threads, each));
    if (at < 0) {
      this.#finish(threads);
      return;
    }
    const running = threads[at] as Running;
    const next = nextOf(running.thread);
    const location = readBy(next);
    if (running.source !== undefined) {
      this.#step(threads, at, this.#valueOf(running.source, location), running.source);
    } else if (location !== undefined) {
      this.#read(threads, at, next, location);
    } else if (next.kind === 'join') {
      this.#step(threads, at, joined(threads, running.thread, next).thread.result, undefined);
    } else {
      const choices = next.kind === 'choose' ? next.count : 1;
      for (let choice = 0; choice < choices; choice++) this.#step(threads, at, choice, undefined);
    }
  }

  #read(threads: readonly Running[], at: number, next: Statement, location: string): void {
    for (let source = INIT; source < this.#events.length; source++) {
      if (source !== INIT && !this.#writesTo(source, location)) continue;
      const value = this.#valueOf(source, location);
      if (!waitsOn(next, value)) this.#step(threads, at, value, source);
    }
    this.#search(threads.map((each, index) => (index === at ? { ...each, isPutOff: true } : each)));
  }

  #writesTo(event: number, location: string): boolean {
    const { writes, location: written } = this.#events[event] as Event;
    return writes !== undefined && written === location;
  }

  #valueOf(source: number, location: string | undefined): number {
    const value =
      source === INIT ? initialValue(this.#program, location as string) : (this.#events[source] as Event).writes;
    if (value === undefined) throw new Error('reads from an event that does not write');
    return value;
  }

  /** The next step of a thread: see `effectOf` for what is given. */
  #step(threads: readonly Running[], at: number, given: number, source: number | undefined): void {
    const running = threads[at] as Running;
    const { thread } = running;
    const next = nextOf(thread);
    const effect = effectOf(thread, given);
    const event = this.#events.length;
    let { before } = running;
    if (next.kind === 'join') before |= joined(threads, thread, next).before;
    // Nothing comes between an update and what it reads from: no two updates read from one write.
    const isTaken = (other: Event) => other.writes !== undefined && other.readsFrom === source;
    const { location } = effect;
    if (effect.writes !== undefined && source !== undefined) {
      if (this.#events.some((other) => isTaken(other) && other.location === location)) return;
    }
    this.#events.push({
      id: `${thread.path}:${thread.stepsTaken}`,
      path: thread.path,
      kind: next.kind,
      label: effect.label,
      location,
      order: effect.order,
      readsFrom: source,
      writes: effect.writes,
      bytes: bytesOf(next),
      merges: partOf(next) !== undefined && (next.kind === 'store' || next.kind === 'plainStore'),
      choice: effect.choice,
      frees: effect.frees,
      rewrites: rewrites(next),
      before,
    });
    const after = before | (1 << event);
    const moved = threads.map((each, index) => (index === at ? started(afterEffect(thread, effect), after) : each));
    if (effect.spawns !== undefined) moved.push(started(effect.spawns.thread, after));
    if (effect.writes !== undefined) this.#offer(moved, 0, event);
    else this.#search(moved);
    this.#events.pop();
  }

  /** Each thread from `from` on that put off a read of this location may take the new write, or not. */
  #offer(threads: readonly Running[], from: number, write: number): void {
    const { location, writes } = this.#events[write] as Event;
    const at = threads.findIndex((each, index) => index >= from && isWaitingFor(each, location));
    if (at < 0) {
      this.#search(threads);
      return;
    }
    this.#offer(threads, at + 1, write);
    const running = threads[at] as Running;
    if (waitsOn(nextOf(running.thread), writes as number)) return;
    const taker: Running = { ...running, isPutOff: false, source: write };
    this.#offer(
      threads.map((each, index) => (index === at ? taker : each)),
      at + 1,
      write,
    );
  }

  #finish(running: readonly Running[]): void {
    const stuck = running.filter((each) => each.isPutOff);
    // A read that does not wait can always go on.
    if (stuck.some(({ thread }) => awaitedBy(thread) === undefined)) return;
    this.#visit({ events: [...this.#events], threads: running.map(({ thread }) => thread), stuck });
  }
}

function started(thread: ThreadState, before: EventSet): Running {
  return { thread, before, isPutOff: false, source: undefined };
}

function joined(threads: readonly Running[], thread: ThreadState, join: Statement & { readonly kind: 'join' }) {
  const path = handleOf(thread, join.slot);
  const found = threads.find((each) => each.thread.path === path);
  if (found === undefined) throw new Error(`no thread ${path}`);
  return found;
}

function isReady(threads: readonly Running[], { thread, isPutOff }: Running): boolean {
  if (thread.status !== 'running' || isPutOff) return false;
  const next = nextOf(thread);
  return next.kind !== 'join' || joined(threads, thread, next).thread.status === 'ended';
}

function isWaitingFor({ thread, isPutOff }: Running, location: string | undefined): boolean {
  return isPutOff && readBy(nextOf(thread)) === location;
}

/** Whether some read that was put off, and cannot stay so, has no write left that it could take. */
function isInVain(threads: readonly Running[]): boolean {
  return threads.some((each) => {
    if (!each.isPutOff || awaitedBy(each.thread) !== undefined) return false;
    const location = readBy(nextOf(each.thread)) as string;
    return !threads.some((other) => other !== each && canStillWrite(other.thread, location));
  });
}

function canStillWrite({ status, todo }: ThreadState, location: string): boolean {
  return status === 'running' && todo.some((statement) => writtenBy(statement).has(location));
}

const written = new WeakMap<Statement, ReadonlySet<string>>();

/** The locations that a statement may write. */
function writtenBy(statement: Statement): ReadonlySet<string> {
  const known = written.get(statement);
  if (known !== undefined) return known;
  const found = new Set(locationsWrittenBy(statement));
  written.set(statement, found);
  return found;
}

function locationsWrittenBy(statement: Statement): readonly string[] {
  const inside = (body: readonly Statement[]) => body.flatMap((each) => [...writtenBy(each)]);
  if (statement.kind === 'spawn') return inside(statement.body);
  if (statement.kind === 'if') return inside([...statement.whenEqual, ...statement.otherwise]);
  if ('location' in statement) return [statement.location];
  return 'mutex' in statement ? [statement.mutex] : [];
}
