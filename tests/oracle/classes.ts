/**
 * The equivalence classes of a program's executions. The keys are strings, equal exactly for equivalent executions;
 * they are functions of `Observed` alone, so an explorer's executions can be keyed in the same way.
 */
import {
  forEachInterleaving,
  type Interleaving,
  leaksOf,
  misusesInOrder,
  misusesOf,
  racesOf,
} from './interleavings.ts';
import type { ProgramAst } from './language.ts';
import type { Observed, Outcome } from './observed.ts';
import type { Fresh } from './threads.ts';
import { valuesKey } from './values.ts';

/** Mazurkiewicz classes: every step, what it read from, the choices, the outcome, and coherence. */
export function coKey(observed: Observed): string {
  return `${rfKey(observed)}\n${coherenceKey(observed)}`;
}

/** Reads-from classes: the same without coherence. */
export function rfKey(observed: Observed): string {
  return `${observed.outcome}\n${stepsKey(observed)}`;
}

function stepsKey(observed: Observed): string {
  const lines: string[] = [];
  for (const { id, label, readsFrom, choice } of observed.steps) {
    let line = `${id} ${label}`;
    if (readsFrom !== undefined) line += ` <- ${readsFrom}`;
    if (choice !== undefined) line += ` = ${choice}`;
    lines.push(line);
  }
  return lines.sort().join('\n');
}

function coherenceKey(observed: Observed): string {
  const lines: string[] = [];
  for (const location of Object.keys(observed.coherence).sort()) {
    const writers = observed.coherence[location] ?? [];
    if (writers.length > 0) lines.push(`${location}: ${writers.join(' ')}`);
  }
  return lines.join('\n');
}

/** How an execution ended: its outcome, what the threads returned, and memory. */
export function finalStateKey(observed: Observed): string {
  return `${returnsKey(observed)} memory ${recordKey(observed.memory)}`;
}

/** The same without memory, which a reads-from class does not determine. */
export function returnsKey(observed: Observed): string {
  return `${observed.outcome} returns ${recordKey(observed.returns)}`;
}

function recordKey(record: Readonly<Record<string, number>>): string {
  const parts = Object.keys(record)
    .sort()
    .map((name) => `${name}=${record[name]}`);
  return `{${parts.join(' ')}}`;
}

export interface ClassInfo {
  /** Some interleaving of the class, one with the fewest preemptions. */
  readonly example: Interleaving;
  readonly outcome: Outcome;
  readonly interleavings: number;
  /** The least number of preemptions of any of its interleavings. */
  readonly preemptions: number;
  readonly failures: readonly string[];
  readonly races: ReadonlySet<string>;
  readonly misuses: ReadonlySet<string>;
  readonly leaks: ReadonlySet<string>;
}

export interface RfClassInfo {
  readonly outcome: Outcome;
  readonly interleavings: number;
  readonly preemptions: number;
  /** The keys of the co-classes that it is made of. */
  readonly coKeys: readonly string[];
  readonly failures: readonly string[];
  readonly races: ReadonlySet<string>;
}

export interface Oracle {
  readonly interleavings: number;
  /** The schedules as strings: their entries, with a space between. */
  readonly schedules: ReadonlySet<string>;
  readonly coClasses: ReadonlyMap<string, ClassInfo>;
  readonly rfClasses: ReadonlyMap<string, RfClassInfo>;
  /** All of `finalStateKey` and of `returnsKey`. */
  readonly finalStates: ReadonlySet<string>;
  readonly returnStates: ReadonlySet<string>;
  readonly outcomes: ReadonlySet<Outcome>;
  /** `kind message PATH`. */
  readonly failures: ReadonlySet<string>;
  /** `race LOCATION`. */
  readonly races: ReadonlySet<string>;
  /** `use-after-free LOCATION`, `double-free OBJECT`. */
  readonly misuses: ReadonlySet<string>;
  /** Those that some interleaving shows in the order of its steps. */
  readonly misusesInOrder: ReadonlySet<string>;
  /** `leak OBJECT`. */
  readonly leaks: ReadonlySet<string>;
  /** All of `valuesKey` of the complete executions. */
  readonly valueVectors: ReadonlySet<string>;
}

export function oracle(program: ProgramAst, limits: { readonly maxInterleavings: number }): Oracle | 'too large' {
  const schedules = new Set<string>();
  const coClasses = new Map<string, Fresh<ClassInfo>>();
  const inOrder = new Set<string>();
  let interleavings = 0;

  const extent = forEachInterleaving(program, limits.maxInterleavings, (interleaving) => {
    interleavings += 1;
    schedules.add(interleaving.schedule.join(' '));
    for (const misuse of misusesInOrder(program, interleaving)) inOrder.add(misuse);
    const key = coKey(interleaving.observed);
    const known = coClasses.get(key);
    if (known === undefined) coClasses.set(key, newClass(program, interleaving));
    else extend(known, interleaving);
  });
  if (extent === 'too large') return extent;
  if (schedules.size !== interleavings) throw new Error('two interleavings have the same schedule');
  checkOutcomesAreDetermined(coClasses.values());

  const rfClasses = new Map<string, RfClassInfo>();
  for (const [key, info] of coClasses) {
    const rf = rfKey(info.example.observed);
    rfClasses.set(rf, withCoClass(rfClasses.get(rf), key, info));
  }

  const classes = [...coClasses.values()];
  return {
    interleavings,
    schedules,
    coClasses,
    rfClasses,
    finalStates: new Set(classes.map((info) => finalStateKey(info.example.observed))),
    returnStates: new Set(classes.map((info) => returnsKey(info.example.observed))),
    outcomes: new Set(classes.map((info) => info.outcome)),
    failures: new Set(classes.flatMap((info) => info.failures)),
    races: new Set(classes.flatMap((info) => [...info.races])),
    misuses: new Set(classes.flatMap((info) => [...info.misuses])),
    misusesInOrder: inOrder,
    leaks: new Set(classes.flatMap((info) => [...info.leaks])),
    valueVectors: new Set(
      classes.filter(({ outcome }) => outcome === 'complete').map(({ example }) => valuesKey(example)),
    ),
  };
}

function newClass(program: ProgramAst, example: Interleaving): Fresh<ClassInfo> {
  return {
    example,
    outcome: example.observed.outcome,
    interleavings: 1,
    preemptions: example.preemptions,
    failures: example.failures,
    // Happens-before is made of steps and reads-from alone, so one interleaving of the class is as good as another.
    races: racesOf(example),
    misuses: misusesOf(program, example),
    leaks: leaksOf(example),
  };
}

function extend(info: Fresh<ClassInfo>, interleaving: Interleaving): void {
  checkSameEnd(info.example, interleaving);
  info.interleavings += 1;
  if (interleaving.preemptions >= info.preemptions) return;
  info.example = interleaving;
  info.preemptions = interleaving.preemptions;
}

/** Equivalent interleavings end alike: the same returns, memory and failures. */
function checkSameEnd(one: Interleaving, other: Interleaving): void {
  const same =
    equalRecords(one.observed.returns, other.observed.returns) &&
    equalRecords(one.observed.memory, other.observed.memory) &&
    one.failures.length === other.failures.length &&
    one.failures.every((failure) => other.failures.includes(failure));
  if (!same) throw new Error(`equivalent interleavings end differently:\n${one.schedule}\n${other.schedule}`);
}

function equalRecords(one: Readonly<Record<string, number>>, other: Readonly<Record<string, number>>): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

/** The outcome is part of the keys; steps, reads-from and coherence must determine it all the same. */
function checkOutcomesAreDetermined(classes: Iterable<ClassInfo>): void {
  const seen = new Map<string, Interleaving>();
  for (const { example } of classes) {
    const key = `${stepsKey(example.observed)}\n${coherenceKey(example.observed)}`;
    const other = seen.get(key);
    if (other !== undefined) {
      throw new Error(`the same execution with two outcomes:\n${example.schedule}\n${other.schedule}`);
    }
    seen.set(key, example);
  }
}

function withCoClass(known: RfClassInfo | undefined, coKeyOfClass: string, info: ClassInfo): RfClassInfo {
  const { outcome, interleavings, preemptions, failures, races } = info;
  if (known === undefined) return { outcome, interleavings, preemptions, failures, races, coKeys: [coKeyOfClass] };
  return {
    ...known,
    interleavings: known.interleavings + interleavings,
    preemptions: Math.min(known.preemptions, preemptions),
    coKeys: [...known.coKeys, coKeyOfClass],
  };
}
