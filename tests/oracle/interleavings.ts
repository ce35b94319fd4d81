/**
 * All interleavings of a program under sequential consistency, by plain depth-first search over states that are never
 * changed, only copied. What a step is, says threads.ts.
 */
import { bytesOf, objectOf, type ProgramAst, type Statement } from './language.ts';
import type { Observed, ObservedStep } from './observed.ts';
import {
  afterEffect,
  awaitedBy,
  effectOf,
  FREE,
  failuresOf,
  handleOf,
  newThread,
  nextOf,
  outcomeOf,
  readBy,
  returnsOf,
  rewrites,
  type ThreadState,
  waitsOn,
} from './threads.ts';

export interface Step extends ObservedStep {
  /** The PATH of the thread whose step it is. */
  readonly path: string;
  readonly location?: string | undefined;
  /** What it read, for a step that reads memory. */
  readonly value?: number | undefined;
  readonly writes: boolean;
  /** The bytes of its location that it accesses, a bit for each. */
  readonly bytes: number;
  /** Whether it is a store to a part, which reads only to keep the rest. */
  readonly merges: boolean;
  readonly isPlain: boolean;
  /** Whether it has written before, while it waited. */
  readonly rewrites: boolean;
  /** See `Effect`. */
  readonly commutes: boolean;
  readonly allocates?: string | undefined;
  readonly frees?: string | undefined;
  /** PATH of the thread that this step starts, or waits for. */
  readonly spawns?: string | undefined;
  readonly joins?: string | undefined;
}

export interface Interleaving {
  /** Whose step came next: `PATH`, or `PATH=VALUE` for a choose. */
  readonly schedule: readonly string[];
  /** The steps in the order in which they happened. */
  readonly steps: readonly Step[];
  /** `kind message PATH`, for example `assertion assert 3 0.1` or `lock-misuse unlock m 0`. */
  readonly failures: readonly string[];
  /** By step: the PATHs of the threads that could have taken it. */
  readonly enabled: readonly (readonly string[])[];
  /** Switches away from a thread that could have gone on. */
  readonly preemptions: number;
  /** Who waits for which location in the end. */
  readonly awaited: readonly Awaited[];
  readonly observed: Observed;
}

export interface Awaited {
  readonly path: string;
  readonly location: string;
  readonly bytes: number;
  readonly rewrites: boolean;
}

interface Cell {
  readonly value: number;
  readonly writer: string;
}

interface State {
  readonly threads: readonly ThreadState[];
  readonly memory: ReadonlyMap<string, Cell>;
  readonly steps: readonly Step[];
  /** By step, as in `Interleaving`. */
  readonly enabled: readonly (readonly string[])[];
  readonly preemptions: number;
}

/** Calls `visit` with every interleaving; gives up, and says so, when there are more than `limit`. */
export function forEachInterleaving(
  program: ProgramAst,
  limit: number,
  visit: (interleaving: Interleaving) => void,
): 'all' | 'too large' {
  let count = 0;

  function search(state: State): 'all' | 'too large' {
    const next = successors(state);
    if (next.length === 0) {
      count += 1;
      if (count > limit) return 'too large';
      visit(finished(state));
    }
    for (const successor of next) if (search(successor) === 'too large') return 'too large';
    return 'all';
  }

  return search(initialState(program));
}

export function allInterleavings(program: ProgramAst, limit: number): readonly Interleaving[] | 'too large' {
  const found: Interleaving[] = [];
  const extent = forEachInterleaving(program, limit, (interleaving) => found.push(interleaving));
  return extent === 'all' ? found : extent;
}

function initialState(program: ProgramAst): State {
  const memory = new Map<string, Cell>();
  for (const [name, value] of Object.entries(program.atomics)) memory.set(name, { value, writer: 'init' });
  for (const [name, value] of Object.entries(program.shared)) memory.set(name, { value, writer: 'init' });
  for (const name of program.mutexes) memory.set(name, { value: FREE, writer: 'init' });
  for (const name of Object.keys(program.objects ?? {})) memory.set(name, { value: 0, writer: 'init' });
  const main = newThread('0', program.main, []);
  return { threads: [main], memory, steps: [], enabled: [], preemptions: 0 };
}

function cellOf(state: State, location: string): Cell {
  const cell = state.memory.get(location);
  if (cell === undefined) throw new Error(`no location ${location}`);
  return cell;
}

function threadOf(state: State, path: string): ThreadState {
  const thread = state.threads.find((each) => each.path === path);
  if (thread === undefined) throw new Error(`no thread ${path}`);
  return thread;
}

function isEnabled(state: State, thread: ThreadState): boolean {
  if (thread.status !== 'running') return false;
  const next = nextOf(thread);
  if (next.kind === 'join') return threadOf(state, handleOf(thread, next.slot)).status === 'ended';
  const location = readBy(next);
  return location === undefined || !waitsOn(next, cellOf(state, location).value);
}

/** The states after each step that can be taken now. */
function successors(state: State): State[] {
  const next: State[] = [];
  const able = state.threads.filter((thread) => isEnabled(state, thread));
  const enabled = [...state.enabled, able.map(({ path }) => path)];
  for (const thread of able) {
    const statement = thread.todo[0];
    const choices = statement?.kind === 'choose' ? statement.count : 1;
    for (let choice = 0; choice < choices; choice += 1) next.push({ ...afterStep(state, thread, choice), enabled });
  }
  return next;
}

/** What the next step of a thread is given: see `effectOf`. */
function givenTo(state: State, thread: ThreadState, next: Statement, choice: number): number {
  if (next.kind === 'join') return threadOf(state, handleOf(thread, next.slot)).result;
  const location = readBy(next);
  return location === undefined ? choice : cellOf(state, location).value;
}

function afterStep(state: State, thread: ThreadState, choice: number): Omit<State, 'enabled'> {
  const given = givenTo(state, thread, nextOf(thread), choice);
  const effect = effectOf(thread, given);
  const { label, location, spawns, joins } = effect;
  const id = `${thread.path}:${thread.stepsTaken}`;

  const step: Step = {
    id,
    path: thread.path,
    label,
    location,
    readsFrom: effect.reads === true && location !== undefined ? cellOf(state, location).writer : undefined,
    value: effect.reads === true ? given : undefined,
    writes: effect.writes !== undefined,
    bytes: bytesOf(nextOf(thread)),
    merges: label.startsWith('store-part'),
    isPlain: effect.order === 'plain' && effect.frees === undefined,
    rewrites: rewrites(nextOf(thread)),
    commutes: effect.commutes === true,
    allocates: effect.allocates,
    frees: effect.frees,
    choice: effect.choice,
    spawns: spawns?.thread.path,
    joins,
  };

  const moved = afterEffect(thread, effect);
  const threads = state.threads.map((each) => (each === thread ? moved : each));
  if (spawns !== undefined) threads.push(spawns.thread);

  let { memory } = state;
  if (effect.writes !== undefined && location !== undefined) {
    memory = new Map(memory).set(location, { value: effect.writes, writer: id });
  }

  const last = state.steps.at(-1)?.path;
  const preempts = last !== undefined && last !== thread.path && isEnabled(state, threadOf(state, last));

  const preemptions = state.preemptions + (preempts ? 1 : 0);
  return { threads, memory, steps: [...state.steps, step], preemptions };
}

function finished(state: State): Interleaving {
  const coherence: Record<string, string[]> = {};
  const memory: Record<string, number> = {};
  for (const { id, location, writes } of state.steps) {
    if (location === undefined) continue;
    memory[location] = cellOf(state, location).value;
    if (!writes) continue;
    coherence[location] ??= [];
    coherence[location].push(id);
  }
  const { steps, enabled, preemptions } = state;
  const schedule = steps.map(({ path, choice }) => (choice === undefined ? path : `${path}=${choice}`));
  const { threads } = state;
  const observed: Observed = { outcome: outcomeOf(threads), steps, coherence, returns: returnsOf(threads), memory };
  const awaited = threads.flatMap((thread) => {
    const location = awaitedBy(thread);
    const [next] = thread.todo;
    return location === undefined || next === undefined
      ? []
      : [{ path: thread.path, location, bytes: bytesOf(next), rewrites: rewrites(next) }];
  });
  return { schedule, steps, enabled, failures: failuresOf(threads), preemptions, awaited, observed };
}

/**
 * The data races, as `race LOCATION`: two steps of different threads on one location, one of them a write, one of them plain,
 * which happens-before does not order; and if they are to parts of it, to a common one. Happens-before is the transitive closure of
 * program order, spawn before the first step of the child, the last step of a thread before a join of it (if it has no steps: its
 * spawn), and reads-from between steps that are not plain: from those that have written the bytes.
 *
 * A thread that comes to an await looks at the location from then on, again and again, and what it reads on the way orders
 * nothing. So the await, performed or not, races with each plain write that does not happen before its thread comes to it,
 * unless it happens before the write. If it `rewrites`, the same goes for each plain read.
 */
export function racesOf({ steps, awaited }: Pick<Interleaving, 'steps' | 'awaited'>): Set<string> {
  const races = new Set<string>();
  const before = happensBefore(steps);
  const look = ({ path, location, bytes, rewrites }: Awaited, awaitIndex: number) => {
    const arrival = latestOf(steps.slice(0, awaitIndex), path);
    steps.forEach((other, o) => {
      if (other.location !== location || !other.isPlain || other.path === path || !(other.writes || rewrites)) return;
      if ((other.bytes & bytes) === 0) return;
      const isBefore = o === arrival || before[arrival]?.has(o) === true;
      if (!isBefore && before[o]?.has(awaitIndex) !== true) races.add(`race ${location}`);
    });
  };
  for (const each of awaited) look(each, steps.length);
  for (const [index, { label, path, location, bytes, rewrites }] of steps.entries())
    if (label.startsWith('await-') && location !== undefined) look({ path, location, bytes, rewrites }, index);
  steps.forEach((second, secondIndex) => {
    const { location } = second;
    if (location === undefined) return;
    steps.slice(0, secondIndex).forEach((first, firstIndex) => {
      if ((!first.isPlain && !second.isPlain) || (first.bytes & second.bytes) === 0) return;
      const conflict = first.location === location && first.path !== second.path && (first.writes || second.writes);
      if (conflict && before[secondIndex]?.has(firstIndex) !== true) races.add(`race ${location}`);
    });
  });
  return races;
}

/**
 * What is done wrong to objects. `use-after-free LOCATION`: a step accesses a part of an object and does not happen before a
 * step that frees it; or a thread waits for the location in the end, for it would look once more. `double-free OBJECT`.
 */
export function misusesOf(program: ProgramAst, { steps, awaited }: Interleaving): Set<string> {
  const misuses = new Set<string>();
  const before = happensBefore(steps);
  steps.forEach(({ frees }, free) => {
    if (frees === undefined) return;
    steps.forEach((step, index) => {
      if (step.frees === frees && index !== free) misuses.add(`double-free ${frees}`);
      const isPart = step.location !== undefined && objectOf(program, step.location) === frees;
      if (isPart && before[free]?.has(index) !== true) misuses.add(`use-after-free ${step.location}`);
    });
    for (const { location } of awaited)
      if (objectOf(program, location) === frees) misuses.add(`use-after-free ${location}`);
  });
  return misuses;
}

/**
 * Those of `misusesOf` that this very interleaving shows: an access comes after the free, or a thread waits for what was freed in the
 * end.
 */
export function misusesInOrder(program: ProgramAst, { steps, awaited }: Interleaving): Set<string> {
  const misuses = new Set<string>();
  steps.forEach(({ frees }, free) => {
    if (frees === undefined) return;
    for (const step of steps.slice(free + 1)) {
      if (step.frees === frees) misuses.add(`double-free ${frees}`);
      if (step.location !== undefined && objectOf(program, step.location) === frees) {
        misuses.add(`use-after-free ${step.location}`);
      }
    }
    for (const { location } of awaited)
      if (objectOf(program, location) === frees) misuses.add(`use-after-free ${location}`);
  });
  return misuses;
}

/** The objects that were allocated and not freed, if the interleaving is complete. */
export function leaksOf({ steps, observed }: Interleaving): Set<string> {
  if (observed.outcome !== 'complete') return new Set();
  const freed = new Set(steps.map(({ frees }) => frees));
  const allocated = steps.flatMap(({ allocates }) => (allocates === undefined ? [] : [allocates]));
  return new Set(allocated.filter((object) => !freed.has(object)).map((object) => `leak ${object}`));
}

/** The last step of the thread so far, or the step that spawned it; -1 if there is none. */
function latestOf(steps: readonly Step[], path: string): number {
  return steps.findLastIndex((each) => each.path === path || each.spawns === path);
}

/** For each step, all the steps that happen before it. Every edge points forward in the interleaving. */
/** The steps that have written what a step reads, byte by byte. */
function sourcesOf({ readsFrom, location, bytes, merges }: Step, earlier: readonly Step[]): number[] {
  if (readsFrom === undefined || merges) return [];
  return [0b01, 0b10]
    .filter((byte) => (bytes & byte) !== 0)
    .map((byte) =>
      earlier.findLastIndex((each) => each.writes && each.location === location && (each.bytes & byte) !== 0),
    );
}

function happensBefore(steps: readonly Step[]): ReadonlySet<number>[] {
  const before: Set<number>[] = [];
  for (const [index, step] of steps.entries()) {
    const earlier = steps.slice(0, index);
    const direct = [latestOf(earlier, step.path)];
    if (step.joins !== undefined) direct.push(latestOf(earlier, step.joins));
    for (const writer of step.isPlain ? [] : sourcesOf(step, earlier)) {
      if (earlier[writer]?.isPlain === false) direct.push(writer);
    }
    const all = new Set<number>();
    for (const predecessor of direct) {
      if (predecessor < 0) continue;
      all.add(predecessor);
      for (const each of before[predecessor] ?? []) all.add(each);
    }
    before.push(all);
  }
  return before;
}
