/**
 * The slow twin of the memory models: all candidate executions of a program, filtered by the axioms of each model. The classes
 * have the keys of classes.ts.
 */
import { axioms, executionOf, graphOf, type ModelName, modelNames } from './axioms.ts';
import { type Candidate, type Event, forEachCandidate, INIT, initialValue } from './candidates.ts';
import { coKey, finalStateKey, returnsKey, rfKey } from './classes.ts';
import { type Coherence, coherencesOf } from './coherence.ts';
import type { Awaited } from './interleavings.ts';
import { bytesOf, objectOf, type ProgramAst } from './language.ts';
import type { Observed, ObservedStep, Outcome } from './observed.ts';
import { type EventSet, has, type Relation } from './relations.ts';
import { awaitedBy, failuresOf, nextOf, outcomeOf, returnsOf, rewrites, waitsOn } from './threads.ts';

/** What a program does under a model. The strings are those of `Oracle`. */
export interface ModelTruth {
  /** The keys of its executions, and of their reads-from classes. */
  readonly co: Set<string>;
  readonly rf: Set<string>;
  readonly finalStates: Set<string>;
  readonly returnStates: Set<string>;
  readonly outcomes: Set<Outcome>;
  readonly failures: Set<string>;
  readonly races: Set<string>;
  readonly misuses: Set<string>;
  readonly leaks: Set<string>;
}

export type AxiomaticTruth = Readonly<Record<ModelName, ModelTruth>>;

export interface Limits {
  /** The most steps that the search for candidates may take, and the most executions that the axioms are asked about. */
  readonly maxSteps: number;
}

export function axiomatic(program: ProgramAst, limits: Limits): AxiomaticTruth | 'too large' {
  const truth = Object.fromEntries(modelNames.map((name) => [name, nothing()])) as Record<ModelName, ModelTruth>;
  let executions = 0;
  const extent = forEachCandidate(program, limits.maxSteps, (candidate) => {
    const coherences = coherencesOf(candidate).filter((coherence) => isStuckForGood(program, candidate, coherence));
    executions += coherences.length;
    if (coherences.length > 0 && executions <= limits.maxSteps) judge(program, candidate, coherences, truth);
  });
  return extent === 'too large' || executions > limits.maxSteps ? 'too large' : truth;
}

function nothing(): ModelTruth {
  return {
    co: new Set(),
    rf: new Set(),
    finalStates: new Set(),
    returnStates: new Set(),
    outcomes: new Set(),
    failures: new Set(),
    races: new Set(),
    misuses: new Set(),
    leaks: new Set(),
  };
}

/** Memory settles in the end: what a thread waits for is not the last write of its location. */
function isStuckForGood(program: ProgramAst, candidate: Candidate, coherence: Coherence): boolean {
  return candidate.stuck.every(({ thread }) => {
    const location = awaitedBy(thread) as string;
    return waitsOn(nextOf(thread), lastValue(program, candidate, coherence, location));
  });
}

function lastValue(program: ProgramAst, { events }: Candidate, coherence: Coherence, location: string): number {
  const last = coherence.get(location)?.at(-1);
  return (last === undefined ? undefined : events[last]?.writes) ?? initialValue(program, location);
}

/** Asks every model about every execution of a candidate. */
function judge(
  program: ProgramAst,
  candidate: Candidate,
  coherences: readonly Coherence[],
  truth: Record<ModelName, ModelTruth>,
): void {
  const g = graphOf(candidate);
  const rest = { ...unchanging(candidate), coherence: {}, memory: {} };
  const classKey = rfKey(rest);
  for (const coherence of coherences) {
    const x = executionOf(g, coherence);
    const allowing = modelNames.filter((name) => axioms[name].isConsistent(x));
    if (allowing.length === 0) continue;
    const observed: Observed = { ...rest, ...coherenceAndMemory(program, candidate, coherence) };
    const key = coKey(observed);
    const finalState = finalStateKey(observed);
    for (const name of allowing) {
      const { co, rf, finalStates } = truth[name];
      if (co.has(key)) throw new Error(`an execution came up twice:\n${key}`);
      co.add(key);
      finalStates.add(finalState);
      if (rf.has(classKey)) continue;
      rf.add(classKey);
      const hb = axioms[name].happensBefore(g);
      addClass(program, candidate, hb, observed, truth[name]);
      // elsewhere a pointer is not passed on without an order
      if (name === 'ra' || name === 'rc11')
        for (const race of earlyUses(program, candidate, hb)) truth[name].races.add(race);
    }
  }
}

/** What all executions of a reads-from class have in common. */
function addClass(program: ProgramAst, candidate: Candidate, hb: Relation, observed: Observed, into: ModelTruth): void {
  into.returnStates.add(returnsKey(observed));
  into.outcomes.add(observed.outcome);
  for (const failure of failuresOf(candidate.threads)) into.failures.add(failure);
  for (const race of racesOf(candidate, hb)) into.races.add(race);
  for (const misuse of misusesOf(program, candidate, hb)) into.misuses.add(misuse);
  if (observed.outcome === 'complete') for (const leak of leaksOf(candidate)) into.leaks.add(leak);
}

function unchanging({ events, threads }: Candidate): Pick<Observed, 'outcome' | 'steps' | 'returns'> {
  const steps = events.map(({ id, label, readsFrom, choice }): ObservedStep => {
    const writer = readsFrom === undefined || readsFrom === INIT ? 'init' : events[readsFrom]?.id;
    return { id, label, readsFrom: readsFrom === undefined ? undefined : writer, choice };
  });
  return { outcome: outcomeOf(threads), steps, returns: returnsOf(threads) };
}

function coherenceAndMemory(
  program: ProgramAst,
  candidate: Candidate,
  coherence: Coherence,
): Pick<Observed, 'coherence' | 'memory'> {
  const orders: Record<string, string[]> = {};
  const memory: Record<string, number> = {};
  for (const [location, order] of coherence) {
    orders[location] = order.map((e) => candidate.events[e]?.id as string);
    memory[location] = lastValue(program, candidate, coherence, location);
  }
  return { coherence: orders, memory };
}

/**
 * `race LOCATION`: two accesses of different threads, one of them a write, one of them plain, which nothing orders. See the
 * function of this name in interleavings.ts for awaits.
 */
function racesOf({ events, stuck }: Candidate, hb: Relation): Set<string> {
  const races = new Set<string>();
  const isPlain = ({ order, frees }: Event) => order === 'plain' && frees === undefined;
  const looks = (
    wait: Omit<Awaited, 'location'> & { readonly bytes: number },
    location: string | undefined,
    before: EventSet,
    after: EventSet,
  ) => {
    events.forEach((other, o) => {
      const isThere = other.location === location && (other.bytes & wait.bytes) !== 0;
      const conflict = (other.writes !== undefined || wait.rewrites) && isPlain(other) && isThere;
      const isBefore = has(before, o) || (hb[o]! & before) !== 0;
      if (conflict && other.path !== wait.path && !isBefore && !has(after, o)) races.add(`race ${location}`);
    });
  };
  for (const { thread, before } of stuck)
    looks(
      { path: thread.path, rewrites: rewrites(thread.todo[0]), bytes: bytesOf(nextOf(thread)) },
      awaitedBy(thread),
      before,
      0,
    );
  events.forEach((event, e) => {
    if (event.kind === 'awaitUntil' || event.kind === 'awaitUpdate') looks(event, event.location, event.before, hb[e]!);
  });
  events.forEach((first, a) => {
    events.slice(0, a).forEach((second, b) => {
      if (first.location === undefined || first.location !== second.location || first.path === second.path) return;
      const conflict = (first.writes ?? second.writes) !== undefined && (first.bytes & second.bytes) !== 0;
      const isOrdered = has(hb[a]!, b) || has(hb[b]!, a);
      if (conflict && (isPlain(first) || isPlain(second)) && !isOrdered) races.add(`race ${first.location}`);
    });
  });
  return races;
}

/**
 * `race LOCATION`: an access to an object, and its allocation by another thread, which nothing orders. A wait is judged as
 * in `racesOf`: from when its thread comes to it. `race OBJECT`: the same for its free.
 */
function earlyUses(program: ProgramAst, { events, stuck }: Candidate, hb: Relation): Set<string> {
  const races = new Set<string>();
  events.forEach(({ kind, label, path: allocator }, allocation) => {
    if (kind !== 'allocate') return;
    const object = label.replace('allocate ', '');
    const isOf = (location: string | undefined) =>
      location !== undefined && (location === object || objectOf(program, location) === object);
    const isBefore = (before: EventSet) => has(before, allocation) || (hb[allocation]! & before) !== 0;
    events.forEach(({ path, location, kind: access, before }, e) => {
      if (path === allocator || !isOf(location) || has(hb[e]!, allocation)) return;
      const waits = access === 'awaitUntil' || access === 'awaitUpdate' || access === 'lock';
      if (!(waits ? isBefore(before) : has(hb[allocation]!, e))) races.add(`race ${location}`);
    });
    for (const { thread, before } of stuck) {
      const location = awaitedBy(thread);
      if (thread.path !== allocator && isOf(location) && !isBefore(before)) races.add(`race ${location}`);
    }
  });
  return races;
}

/** See the function of this name in interleavings.ts. */
function misusesOf(program: ProgramAst, { events, stuck }: Candidate, hb: Relation): Set<string> {
  const misuses = new Set<string>();
  events.forEach(({ frees }, free) => {
    if (frees === undefined) return;
    events.forEach(({ frees: other, location }, e) => {
      if (other === frees && e !== free) misuses.add(`double-free ${frees}`);
      const isPart = location !== undefined && objectOf(program, location) === frees;
      if (isPart && !has(hb[e]!, free)) misuses.add(`use-after-free ${location}`);
    });
    for (const { thread } of stuck) {
      const location = awaitedBy(thread) as string;
      if (objectOf(program, location) === frees) misuses.add(`use-after-free ${location}`);
    }
  });
  return misuses;
}

function leaksOf({ events }: Candidate): string[] {
  const freed = new Set(events.map(({ frees }) => frees));
  const allocated = events.filter(({ kind }) => kind === 'allocate').map(({ label }) => label.replace('allocate ', ''));
  return allocated.filter((object) => !freed.has(object)).map((object) => `leak ${object}`);
}
