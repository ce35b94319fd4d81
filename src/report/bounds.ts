/** The bounds that cut a search, in words: for a new one, add a line to the table. */
import { type Bound, type BoundName, hasCut } from '../check/bounds.ts';
import { listOf } from '../program/list-of.ts';
import type { BoundReport } from './schema.ts';
import { counted } from './words.ts';

interface Words {
  readonly title: string;
  /** The option that a user gives for it. */
  readonly option: string;
}

/** A limit has no option, and brings its own sentence. */
const words: Readonly<Record<BoundName, Words | undefined>> = {
  unroll: { title: 'the loop bound', option: '--unroll' },
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
  const option = words[bound.name]?.option;
  if (option === undefined) return bound.sentence ?? '';
  return `${asGiven(option, bound)} cut ${counted(bound.cut ?? 0, 'execution')}`;
}

/** "--unroll 4". */
function asGiven(option: string, { value }: Bound): string {
  return value === undefined ? option : `${option} ${value}`;
}
