/**
 * All interleavings of a program under sequential consistency, by plain depth-first search over states that are never
 * changed, only copied.
 *
 * A step is one operation of one thread, together with the local computation after it, up to the next operation. Ifs,
 * asserts, assumes that hold and returns are local. An assume that does not hold is a step, `block`, after which its
 * thread never moves again.
 */
import { holds, objectOf, type ProgramAst, type Statement, type Value } from './language.ts';
import type { Observed, ObservedStep, Outcome } from './observed.ts';

export interface Step extends ObservedStep {
  /** The PATH of the thread whose step it is. */
  readonly path: string;
  readonly location?: string | undefined;
  readonly writes: boolean;
  readonly isPlain: boolean;
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
  /** Switches away from a thread that could have gone on. */
  readonly preemptions: number;
  /** The locations that threads wait for in the end. */
  readonly awaited: readonly string[];
  readonly observed: Observed;
}

interface ThreadState {
  readonly path: string;
  /** What is left to do. While the thread is running, the first statement is its next step. */
  readonly todo: readonly Statement[];
  readonly registers: readonly number[];
  /** The PATH of the thread in each handle slot. */
  readonly handles: readonly string[];
  readonly held: readonly string[];
  readonly stepsTaken: number;
  readonly spawned: number;
  readonly status: 'running' | 'ended' | 'failed' | 'stopped' | 'exited';
  readonly result: number;
  /** `kind message`, if it failed. */
  readonly failure: string;
}

interface Cell {
  readonly value: number;
  readonly writer: string;
}

interface State {
  readonly threads: readonly ThreadState[];
  readonly memory: ReadonlyMap<string, Cell>;
  readonly steps: readonly Step[];
  readonly preemptions: number;
}

/** Something that is still being made, so that nobody else has seen it yet. */
export type Fresh<T> = { -readonly [K in keyof T]: T[K] };

const FREE = 0;
const HELD = 1;

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
  return { threads: [main], memory, steps: [], preemptions: 0 };
}

function newThread(path: string, body: readonly Statement[], handles: readonly string[]): ThreadState {
  const thread: Fresh<ThreadState> = {
    path,
    todo: body,
    registers: [],
    handles,
    held: [],
    stepsTaken: 0,
    spawned: 0,
    status: 'running',
    result: 0,
    failure: '',
  };
  runLocalComputation(thread);
  return thread;
}

/** Field by field, which is a good deal faster than a spread. */
function copyOf(thread: ThreadState): Fresh<ThreadState> {
  return {
    path: thread.path,
    todo: thread.todo,
    registers: thread.registers,
    handles: thread.handles,
    held: thread.held,
    stepsTaken: thread.stepsTaken,
    spawned: thread.spawned,
    status: thread.status,
    result: thread.result,
    failure: thread.failure,
  };
}

/** Runs a thread that nobody else has seen yet up to its next step, its end or its failure. */
function runLocalComputation(thread: Fresh<ThreadState>): void {
  for (;;) {
    const statement = thread.todo[0];
    if (statement === undefined) {
      thread.status = 'ended';
      return;
    } else if (statement.kind === 'return') {
      thread.status = 'ended';
      thread.result = registerOf(thread, statement.register);
      return;
    } else if (statement.kind === 'exit') {
      thread.status = 'exited';
      return;
    } else if (statement.kind === 'if') {
      const isEqual = registerOf(thread, statement.register) === statement.equals;
      thread.todo = [...(isEqual ? statement.whenEqual : statement.otherwise), ...thread.todo.slice(1)];
    } else if (statement.kind === 'assert') {
      if (registerOf(thread, statement.register) === statement.not) {
        thread.status = 'failed';
        thread.failure = `assertion assert ${statement.id}`;
        return;
      }
      thread.todo = thread.todo.slice(1);
    } else if (statement.kind === 'assume' && holds(statement.condition, registerOf(thread, statement.register))) {
      thread.todo = thread.todo.slice(1);
    } else if (statement.kind === 'unlock' && !thread.held.includes(statement.mutex)) {
      thread.status = 'failed';
      thread.failure = `lock-misuse unlock ${statement.mutex}`;
      return;
    } else {
      return;
    }
  }
}

function registerOf(thread: ThreadState, register: number): number {
  return thread.registers[register] ?? 0;
}

function evaluate(thread: ThreadState, value: Value): number {
  return (value.register === undefined ? 0 : registerOf(thread, value.register)) + value.constant;
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

function handleOf(thread: ThreadState, slot: number): string {
  const path = thread.handles[slot];
  if (path === undefined || path === '') throw new Error(`thread ${thread.path} joins the empty slot ${slot}`);
  return path;
}

function isEnabled(state: State, thread: ThreadState): boolean {
  const next = thread.todo[0];
  if (thread.status !== 'running' || next === undefined) return false;
  if (next.kind === 'lock') return cellOf(state, next.mutex).value === FREE;
  if (next.kind === 'awaitUntil' || next.kind === 'awaitUpdate')
    return holds(next.condition, cellOf(state, next.location).value);
  if (next.kind === 'join') return threadOf(state, handleOf(thread, next.slot)).status === 'ended';
  return true;
}

/** The states after each step that can be taken now. */
function successors(state: State): State[] {
  const next: State[] = [];
  for (const thread of state.threads) {
    if (!isEnabled(state, thread)) continue;
    const statement = thread.todo[0];
    const choices = statement?.kind === 'choose' ? statement.count : 1;
    for (let choice = 0; choice < choices; choice += 1) next.push(afterStep(state, thread, choice));
  }
  return next;
}

/** What a step does: to its thread, to memory, and what is recorded of it. */
interface Effect {
  readonly label: string;
  readonly location?: string;
  readonly reads?: boolean;
  /** The value written to the location. */
  readonly writes?: number;
  readonly choice?: number;
  readonly result?: { readonly register: number; readonly value: number };
  readonly acquires?: string;
  readonly releases?: string;
  readonly spawns?: { readonly slot: number; readonly thread: ThreadState };
  readonly joins?: string;
  readonly stops?: boolean;
  readonly isPlain?: boolean;
  readonly allocates?: string;
  readonly frees?: string;
}

function effectOf(state: State, thread: ThreadState, choice: number): Effect {
  const statement = thread.todo[0];
  if (statement === undefined) throw new Error(`thread ${thread.path} has nothing to do`);
  switch (statement.kind) {
    case 'load':
    case 'plainLoad': {
      const { location, register } = statement;
      const { value } = cellOf(state, location);
      const isPlain = statement.kind === 'plainLoad';
      return { label: `load ${location}`, location, reads: true, isPlain, result: { register, value } };
    }
    case 'store':
    case 'plainStore': {
      const { location } = statement;
      const isPlain = statement.kind === 'plainStore';
      return { label: `store ${location}`, location, isPlain, writes: evaluate(thread, statement.value) };
    }
    case 'exchange': {
      const { location, register } = statement;
      const old = cellOf(state, location).value;
      const written = evaluate(thread, statement.value);
      return {
        label: `exchange ${location}`,
        location,
        reads: true,
        writes: written,
        result: { register, value: old },
      };
    }
    case 'fetchAdd': {
      const { location, register, add } = statement;
      const old = cellOf(state, location).value;
      return {
        label: `fetchAdd ${location}`,
        location,
        reads: true,
        writes: old + add,
        result: { register, value: old },
      };
    }
    case 'compareExchange': {
      const { location, register, expected, desired } = statement;
      const old = cellOf(state, location).value;
      const read = {
        label: `compare-exchange ${location}`,
        location,
        reads: true,
        result: { register, value: old },
      };
      return old === expected ? { ...read, writes: desired } : read;
    }
    case 'awaitUntil': {
      const { location, register } = statement;
      const { value } = cellOf(state, location);
      return { label: `await-load ${location}`, location, reads: true, result: { register, value } };
    }
    case 'awaitUpdate': {
      const { location, register, keep, add } = statement;
      const { value } = cellOf(state, location);
      const read = { label: `await-update ${location}`, location, reads: true, result: { register, value } };
      return keep !== undefined && holds(keep, value) ? read : { ...read, writes: value + add };
    }
    case 'allocate':
      return { label: `allocate ${statement.object}`, allocates: statement.object };
    case 'free': {
      const { object } = statement;
      return { label: `free ${object}`, location: object, writes: 1, frees: object };
    }
    case 'lock': {
      const { mutex } = statement;
      return { label: `lock ${mutex}`, location: mutex, reads: true, writes: HELD, acquires: mutex };
    }
    case 'unlock': {
      const { mutex } = statement;
      return { label: `unlock ${mutex}`, location: mutex, writes: FREE, releases: mutex };
    }
    case 'tryLock': {
      const { mutex, register } = statement;
      const read = { label: `trylock ${mutex}`, location: mutex, reads: true };
      if (cellOf(state, mutex).value === HELD) return { ...read, result: { register, value: 0 } };
      return { ...read, writes: HELD, acquires: mutex, result: { register, value: 1 } };
    }
    case 'spawn': {
      const path = `${thread.path}.${thread.spawned}`;
      const child = newThread(path, statement.body, thread.handles);
      return { label: `spawn ${path}`, spawns: { slot: statement.slot, thread: child } };
    }
    case 'join': {
      const path = handleOf(thread, statement.slot);
      const value = threadOf(state, path).result;
      return { label: `join ${path}`, joins: path, result: { register: statement.register, value } };
    }
    case 'choose':
      return { label: 'choose', choice, result: { register: statement.register, value: choice } };
    case 'fence':
      return { label: 'fence' };
    case 'yield':
      return { label: 'yield' };
    case 'assume':
      return { label: 'block', stops: true };
    case 'if':
    case 'assert':
    case 'return':
    case 'exit':
      throw new Error(`${statement.kind} is local, not a step`);
  }
}

function afterStep(state: State, thread: ThreadState, choice: number): State {
  const effect = effectOf(state, thread, choice);
  const { label, location, spawns, joins } = effect;
  const id = `${thread.path}:${thread.stepsTaken}`;

  const step: Step = {
    id,
    path: thread.path,
    label,
    location,
    readsFrom: effect.reads === true && location !== undefined ? cellOf(state, location).writer : undefined,
    writes: effect.writes !== undefined,
    isPlain: effect.isPlain === true,
    allocates: effect.allocates,
    frees: effect.frees,
    choice: effect.choice,
    spawns: spawns?.thread.path,
    joins,
  };

  const moved = copyOf(thread);
  moved.todo = thread.todo.slice(1);
  moved.stepsTaken += 1;
  if (effect.result !== undefined) {
    moved.registers = replaced(thread.registers, effect.result.register, effect.result.value, 0);
  }
  if (effect.acquires !== undefined) moved.held = [...thread.held, effect.acquires];
  if (effect.releases !== undefined) moved.held = thread.held.filter((mutex) => mutex !== effect.releases);
  if (spawns !== undefined) {
    moved.handles = replaced(thread.handles, spawns.slot, spawns.thread.path, '');
    moved.spawned += 1;
  }
  if (effect.stops === true) moved.status = 'stopped';
  else runLocalComputation(moved);

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

/** A copy of `list` with `value` at `index`; places that were beyond its end hold `filler`. */
function replaced<T>(list: readonly T[], index: number, value: T, filler: T): T[] {
  const copy = [...list];
  while (copy.length <= index) copy.push(filler);
  copy[index] = value;
  return copy;
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
  const returns: Record<string, number> = {};
  const failures: string[] = [];
  for (const thread of state.threads) {
    if (thread.status === 'ended') returns[thread.path] = thread.result;
    if (thread.status === 'failed') failures.push(`${thread.failure} ${thread.path}`);
  }
  const { steps, preemptions } = state;
  const schedule = steps.map(({ path, choice }) => (choice === undefined ? path : `${path}=${choice}`));
  const observed: Observed = { outcome: outcomeOf(state), steps, coherence, returns, memory };
  const awaited = state.threads.flatMap((thread) => (thread.status === 'running' ? awaitedBy(thread.todo[0]) : []));
  return { schedule, steps, failures, preemptions, awaited, observed };
}

function awaitedBy(next: Statement | undefined): string[] {
  if (next?.kind === 'lock') return [next.mutex];
  return next?.kind === 'awaitUntil' || next?.kind === 'awaitUpdate' ? [next.location] : [];
}

function outcomeOf({ threads }: State): Outcome {
  if (threads.some((thread) => thread.status === 'failed')) return 'failed';
  if (threads.some((thread) => thread.status === 'exited')) return 'complete';
  if (threads.every((thread) => thread.status === 'ended')) return 'complete';
  if (threads.some((thread) => thread.status === 'stopped')) return 'blocked';
  if (threads.some((thread) => thread.status === 'running' && spins(thread.todo[0]))) return 'livelock';
  return 'deadlock';
}

function spins(next: Statement | undefined): boolean {
  return next?.kind === 'awaitUntil' || (next?.kind === 'awaitUpdate' && !next.sleeps);
}

/**
 * The data races, as `race LOCATION`: two steps of different threads on one location, one of them a write, one of them plain,
 * which happens-before does not order. Happens-before is the transitive closure of program order, spawn before the first step
 * of the child, the last step of a thread before a join of it (if it has no steps: its spawn), and reads-from between steps that
 * are not plain.
 */
export function racesOf(steps: readonly Step[]): Set<string> {
  const races = new Set<string>();
  const before = happensBefore(steps);
  steps.forEach((second, secondIndex) => {
    const { location } = second;
    if (location === undefined) return;
    steps.slice(0, secondIndex).forEach((first, firstIndex) => {
      if (!first.isPlain && !second.isPlain) return;
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
    for (const location of awaited)
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

/** For each step, all the steps that happen before it. Every edge points forward in the interleaving. */
function happensBefore(steps: readonly Step[]): ReadonlySet<number>[] {
  const before: Set<number>[] = [];
  for (const [index, step] of steps.entries()) {
    const earlier = steps.slice(0, index);
    /** The last step of the thread so far, or the step that spawned it. */
    const latestOf = (path: string) => earlier.findLastIndex((each) => each.path === path || each.spawns === path);
    const direct = [latestOf(step.path)];
    if (step.joins !== undefined) direct.push(latestOf(step.joins));
    const writer = earlier.findIndex((each) => each.id === step.readsFrom);
    if (!step.isPlain && earlier[writer]?.isPlain === false) direct.push(writer);
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
