/** The bounds that cut a search, in words: for a new one, add a line to the table. */
import { type Bound, type BoundName, hasCut } from '../check/bounds.ts';
import type { BoundStep } from '../check/result.ts';
import { listOf } from '../program/list-of.ts';
import type { BoundReport } from './schema.ts';
import { counted, showTime } from './words.ts';

interface Words {
  readonly title: string;
  /** The option that a user gives for it. */
  readonly option: string;
  /** What it did: "cut 12 executions". */
  effect(cut: number): string;
}

/** A limit has no option, and brings its own sentence. */
const words: Readonly<Record<BoundName, Words | undefined>> = {
  preemptions: {
    title: 'the preemption bound',
    option: '--bound',
    effect: (cut) => `left out ${counted(cut, 'way to go on', 'ways to go on')}`,
  },
  unroll: { title: 'the loop bound', option: '--unroll', effect: (cut) => `cut ${counted(cut, 'execution')}` },
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
    const option = words[bound.name]?.option;
    return option === undefined ? sentenceOf(bound) : `the search for it was cut off by ${asGiven(option, bound)}`;
  });
  const larger = cutting.flatMap(({ name }) => words[name] ?? []).map(({ option }) => `a larger ${option}`);
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
  return `${asGiven(known.option, bound)} ${known.effect(bound.cut ?? 0)}`;
}

/** "--unroll 4". */
function asGiven(option: string, { value }: Bound): string {
  return value === undefined ? option : `${option} ${value}`;
}

/** "no error with at most 1 preemption: 1,098 executions, 0.3 s": what is certain after a bound. */
export function boundLine({ bound, executions, overBound, pruned, isCut, elapsedMs }: BoundStep): string {
  const beyond = overBound === 0 ? '' : ` and ${overBound.toLocaleString('en-US')} beyond`;
  const all = pruned === 0 ? ', and there are no others' : '';
  const within = isCut ? ' and within the other bounds' : '';
  return `no error with at most ${counted(bound, 'preemption')}${within}: ${counted(executions, 'execution')}${beyond}${all}, ${showTime(elapsedMs)}`;
}

/** What is guaranteed by a search within a bound on preemptions that found no error there. */
export function guaranteeOf(bounds: readonly Bound[]): string | undefined {
  const bound = bounds.find((each) => each.name === 'preemptions' && hasCut(each));
  if (bound === undefined) return undefined;
  const others = bounds.some((each) => each.name !== 'preemptions' && hasCut(each));
  const within = others ? ' and within the other bounds' : '';
  return `Guaranteed: no execution with at most ${counted(bound.value ?? 0, 'preemption')}${within} fails.`;
}
