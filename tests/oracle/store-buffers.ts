/**
 * TSO and PSO as machines with store buffers: the second opinion on their axioms. Every step of a thread and every write that leaves
 * a buffer is a step of the machine, and all orders of them are tried.
 */
import { initialValue } from './candidates.ts';
import { coKey } from './classes.ts';
import type { ProgramAst, Statement } from './language.ts';
import type { Observed } from './observed.ts';
import {
  afterEffect,
  effectOf,
  handleOf,
  newThread,
  nextOf,
  outcomeOf,
  readBy,
  returnsOf,
  type ThreadState,
  waitsOn,
} from './threads.ts';

/** A write that has not reached memory yet, or a fence between such writes. */
type Entry =
  | {
      readonly kind: 'write';
      readonly id: string;
      readonly location: string;
      readonly value: number;
      readonly isRelease: boolean;
    }
  | { readonly kind: 'fence' };

interface Core {
  readonly thread: ThreadState;
  /** The oldest first. */
  readonly buffer: readonly Entry[];
  /** The buffer must be empty before the next step. */
  readonly mustDrain: boolean;
}

interface Cell {
  readonly value: number;
  readonly writer: string;
}

interface Machine {
  readonly cores: readonly Core[];
  readonly memory: ReadonlyMap<string, Cell>;
  readonly coherence: Readonly<Record<string, readonly string[]>>;
  readonly steps: Observed['steps'];
  /** The locations that some step acted on. */
  readonly touched: ReadonlySet<string>;
}

export type BufferModel = 'tso' | 'pso';

/** The keys (`coKey`) of all executions. */
export function bufferedExecutions(program: ProgramAst, model: BufferModel, limit: number): Set<string> | 'too large' {
  const found = new Set<string>();
  const seen = new Set<string>();
  const start: Core = { thread: newThread('0', program.main, []), buffer: [], mustDrain: false };
  const stack: Machine[] = [{ cores: [start], memory: new Map(), coherence: {}, steps: [], touched: new Set() }];
  for (let machine = stack.pop(); machine !== undefined; machine = stack.pop()) {
    const key = keyOf(machine);
    if (seen.has(key)) continue;
    seen.add(key);
    if (seen.size > limit) return 'too large';
    const next = successors(program, machine, model);
    if (next.length === 0) found.add(coKey(observedOf(program, machine)));
    stack.push(...next);
  }
  return found;
}

/** The steps determine what the threads are doing. */
function keyOf({ steps, coherence, cores }: Machine): string {
  const taken = steps.map(({ id, readsFrom, choice }) => `${id} ${readsFrom} ${choice}`).sort();
  return JSON.stringify([taken, Object.entries(coherence).sort(), cores.map(({ buffer }) => buffer)]);
}

function observedOf(program: ProgramAst, { cores, memory, coherence, steps, touched }: Machine): Observed {
  const threads = cores.map(({ thread }) => thread);
  const last = [...touched].map((name) => [name, memory.get(name)?.value ?? initialValue(program, name)]);
  return {
    outcome: outcomeOf(threads),
    steps,
    coherence,
    returns: returnsOf(threads),
    memory: Object.fromEntries(last) as Record<string, number>,
  };
}

function successors(program: ProgramAst, machine: Machine, model: BufferModel): Machine[] {
  return machine.cores.flatMap((core) => {
    const flushed = core.buffer.filter((entry) => canLeave(core.buffer, entry, model));
    return [...flushed.map((entry) => afterFlush(machine, core, entry)), ...afterStep(program, machine, core)];
  });
}

/** TSO: the oldest write. PSO: the oldest of its location, if no fence is before it; if it is a release, the oldest of all. */
function canLeave(buffer: readonly Entry[], entry: Entry, model: BufferModel): boolean {
  const earlier = buffer.slice(0, buffer.indexOf(entry));
  if (model === 'tso' || entry.kind === 'fence' || entry.isRelease) return earlier.length === 0;
  return earlier.every((other) => other.kind === 'write' && other.location !== entry.location);
}

function afterFlush(machine: Machine, core: Core, entry: Entry): Machine {
  const flushed = { ...core, buffer: core.buffer.filter((each) => each !== entry) };
  const moved = { ...machine, cores: machine.cores.map((each) => (each === core ? flushed : each)) };
  return entry.kind === 'fence' ? moved : withWrite(moved, entry.location, entry.value, entry.id);
}

function withWrite(machine: Machine, location: string, value: number, writer: string): Machine {
  const memory = new Map(machine.memory).set(location, { value, writer });
  const coherence = { ...machine.coherence, [location]: [...(machine.coherence[location] ?? []), writer] };
  return { ...machine, memory, coherence };
}

/** What comes before these has left the buffer, and they act on memory. */
function isFullFence(next: Statement): boolean {
  switch (next.kind) {
    case 'exchange':
    case 'fetchAdd':
    case 'compareExchange':
    case 'awaitUpdate':
    case 'lock':
    case 'tryLock':
    case 'unlock':
    case 'spawn':
    case 'join':
      return true;
    case 'fence':
      return (next.order ?? 'seq_cst') === 'seq_cst';
    default:
      return false;
  }
}

/** What a thread sees in a location: its own latest write that is still in the buffer, or memory. */
function seenBy(program: ProgramAst, { memory }: Machine, { buffer }: Core, location: string): Cell {
  const own = buffer.findLast((entry) => entry.kind === 'write' && entry.location === location);
  if (own?.kind === 'write') return { value: own.value, writer: own.id };
  return memory.get(location) ?? { value: initialValue(program, location), writer: 'init' };
}

function afterStep(program: ProgramAst, machine: Machine, core: Core): Machine[] {
  const { thread, buffer } = core;
  if (thread.status !== 'running') return [];
  const next = nextOf(thread);
  if (buffer.length > 0 && (core.mustDrain || isFullFence(next))) return [];
  if (next.kind === 'join') {
    const path = handleOf(thread, next.slot);
    const child = machine.cores.find((each) => each.thread.path === path);
    if (child?.thread.status !== 'ended' || child.buffer.length > 0) return [];
    return [stepped(machine, core, child.thread.result, undefined)];
  }
  const location = readBy(next);
  if (location !== undefined) {
    const { value, writer } = seenBy(program, machine, core, location);
    return waitsOn(next, value) ? [] : [stepped(machine, core, value, writer)];
  }
  const choices = next.kind === 'choose' ? next.count : 1;
  return Array.from({ length: choices }, (_, choice) => stepped(machine, core, choice, undefined));
}

function stepped(machine: Machine, core: Core, given: number, readsFrom: string | undefined): Machine {
  const { thread } = core;
  const next = nextOf(thread);
  const effect = effectOf(thread, given);
  const { label, location, order, writes, choice } = effect;
  const id = `${thread.path}:${thread.stepsTaken}`;
  const isRelease = order === 'release' || order === 'acq_rel' || order === 'seq_cst';

  const buffer = [...core.buffer];
  const isBuffered = writes !== undefined && location !== undefined && !isFullFence(next);
  if (isBuffered) buffer.push({ kind: 'write', id, location, value: writes, isRelease });
  if (next.kind === 'fence' && isRelease && buffer.length > 0) buffer.push({ kind: 'fence' });

  const moved: Core = {
    thread: afterEffect(thread, effect),
    buffer,
    mustDrain: next.kind === 'store' && order === 'seq_cst',
  };
  const cores = machine.cores.map((each) => (each === core ? moved : each));
  if (effect.spawns !== undefined) cores.push({ thread: effect.spawns.thread, buffer: [], mustDrain: false });
  const after: Machine = {
    ...machine,
    cores,
    steps: [...machine.steps, { id, label, readsFrom, choice }],
    touched: location === undefined ? machine.touched : new Set([...machine.touched, location]),
  };
  if (writes === undefined || location === undefined || isBuffered) return after;
  return withWrite(after, location, writes, id);
}
