/** The bounds that cut a search, in words: for a new one, add a line to the table. */
import { type Bound, type BoundName, hasCut, isOfSearch } from '../check/bounds.ts';
import type { BoundStep } from '../check/result.ts';
import { listOf } from '../program/list-of.ts';
import type { BoundReport } from './schema.ts';
import { counted, showCount, showTime } from './words.ts';

interface Words {
  readonly title: string;
  /** The option that a user gives for it. */
  readonly option?: string;
  /** How it is called if there is none. */
  readonly given?: (value: number) => string;
  /** What it did: "cut 12 executions". */
  effect(cut: number): string;
  /** Of a bound of the search: "with at most 2 preemptions". */
  readonly within?: (value: number) => string;
  /** What to say if it has nothing to do. */
  readonly idle?: string;
}

function leftOut(cut: number): string {
  return `left out ${counted(cut, 'way to go on', 'ways to go on')}`;
}

/** A limit has no option, and brings its own sentence. */
const words: Readonly<Record<BoundName, Words | undefined>> = {
  preemptions: {
    title: 'the preemption bound',
    option: '--bound',
    effect: leftOut,
    within: (value) => `with at most ${counted(value, 'preemption')}`,
  },
  fairness: {
    title: 'the fair bound',
    option: '--fair-bound',
    effect: leftOut,
    within: (value) => `in which no thread that goes on is ahead by more than ${counted(value, 'yield')}`,
    idle: 'Note: no thread yields, so the fair bound has nothing to do. Leave it out, or let loops that wait yield in each round.',
  },
  unroll: { title: 'the loop bound', option: '--unroll', effect: (cut) => `cut ${counted(cut, 'execution')}` },
  rounds: {
    title: 'the bound on rounds',
    given: (value) => `a bound of ${counted(value, 'round')} for loops that are not known to end`,
    effect: (cut) => `cut ${counted(cut, 'execution')}`,
  },
  limit: undefined,
};

/** "the loop bound (--unroll 4 cut 12 executions) and the limits below": within what there is no error. */
export function extentOf(bounds: readonly Bound[]): string {
  const titles = bounds.filter(hasCut).map((bound) => {
    const title = words[bound.name]?.title;
    return title === undefined ? 'the limits below' : `${title} (${sentenceOf(bound)})`;
  });
  return listOf([...new Set(titles)]);
}

/** What the program itself left out. */
export function limitsIn(bounds: readonly Bound[]): readonly string[] {
  return bounds.filter(({ name }) => name === 'limit').map(sentenceOf);
}

/** Why a search that came to its end does not know: "the search for it was cut off by --unroll 2. To find out: a larger --unroll". */
export function reasonOf(bounds: readonly Bound[]): string {
  const cutting = bounds.filter(hasCut);
  const reasons = cutting.map((bound) => {
    const known = words[bound.name];
    return known === undefined ? sentenceOf(bound) : `the search for it was cut off by ${asGiven(known, bound)}`;
  });
  const larger = cutting.flatMap(({ name }) => words[name]?.option ?? []).map((option) => `a larger ${option}`);
  return `${reasons.join('; ')}${larger.length === 0 ? '' : `. To find out: ${listOf(larger)}`}`;
}

/** Those that cut something. */
export function boundReports(bounds: readonly Bound[]): BoundReport[] {
  return bounds.filter(hasCut).map((bound) => {
    const { name, value, cut } = bound;
    return {
      name,
      ...(value === undefined ? {} : { value }),
      ...(cut === undefined ? {} : { cut }),
      sentence: sentenceOf(bound),
    };
  });
}

/** "--unroll 4 cut 12 executions". */
function sentenceOf(bound: Bound): string {
  const known = words[bound.name];
  if (known === undefined) return bound.sentence ?? '';
  return `${asGiven(known, bound)} ${known.effect(bound.cut ?? 0)}`;
}

/** "--unroll 4". */
function asGiven({ option = '', given }: Words, { value }: Bound): string {
  if (value === undefined) return option;
  return given?.(value) ?? `${option} ${value}`;
}

/** "no error with at most 1 preemption: 1,098 executions, 0.3 s": what is certain after a bound. */
export function boundLine({ name, bound, executions, overBound, pruned, isCut, elapsedMs }: BoundStep): string {
  const beyond = overBound === 0 ? '' : ` and ${showCount(overBound)} beyond`;
  const all = pruned === 0 ? ', and there are no others' : '';
  const within = isCut ? ' and within the other bounds' : '';
  return `no error ${words[name]?.within?.(bound)}${within}: ${counted(executions, 'execution')}${beyond}${all}, ${showTime(elapsedMs)}`;
}

/** That a bound has nothing to do, and what to do about it. */
export function idleNotes(bounds: readonly Bound[]): readonly string[] {
  return bounds.flatMap(({ name, isIdle }) => (isIdle === true ? (words[name]?.idle ?? []) : []));
}

/** What is guaranteed by a search within a bound that found no error there. */
export function guaranteeOf(bounds: readonly Bound[]): string | undefined {
  const cutting = bounds.filter((each) => isOfSearch(each) && hasCut(each));
  if (cutting.length === 0) return undefined;
  const kept = cutting.map(({ name, value = 0 }) => words[name]?.within?.(value) ?? '');
  const others = bounds.some((each) => !isOfSearch(each) && hasCut(each));
  const within = others ? ' and within the other bounds' : '';
  return `Guaranteed: no execution ${listOf(kept)}${within} fails.`;
}
