/** The options that only some algorithms have (`src/explore/options.ts`): what the user gave → values. */
import { type AlgorithmOption, wordOf } from '../explore/options.ts';
import {
  type AlgorithmName,
  type AlgorithmValues,
  algorithmOptions,
  type DeclaredOption,
} from '../explore/registry.ts';
import { showValue } from '../program/describe.ts';
import { InputError } from '../program/input-error.ts';
import { listOf } from '../program/list-of.ts';
import { oneOf, wholeBetween } from './given.ts';

type Given<Value> = Value extends string ? string : Value;
/** Any name may be given: an unknown one is refused with a message. */
export type GivenAlgorithmOptions = { readonly [Name in keyof AlgorithmValues]: Given<AlgorithmValues[Name]> };

/** The values of the options that the algorithm has; what is given for others is refused. `isNamed`: whether the user has named it. */
export function algorithmValues(
  algorithm: AlgorithmName,
  given: GivenAlgorithmOptions,
  isNamed = true,
): AlgorithmValues {
  const values: Record<string, unknown> = {};
  for (const declared of algorithmOptions) {
    const { name, option, algorithms } = declared;
    const value = given[name];
    if (!algorithms.includes(algorithm)) {
      if (value !== undefined) throw notFor(isNamed ? algorithm : undefined, declared);
    } else if (value !== undefined) values[name] = checkedValue(option, value);
    else if (option.byDefault !== undefined) values[name] = option.byDefault;
  }
  return values;
}

/** The algorithm for what is given, if none is named: the first that has all the options that choose one. */
export function algorithmFor(given: GivenAlgorithmOptions): AlgorithmName {
  const choosing = algorithmOptions.filter(({ name, option }) => option.chooses && given[name] !== undefined);
  const [first] = choosing;
  if (first === undefined) return 'trust';
  const hasAll = (name: AlgorithmName): boolean => choosing.every(({ algorithms }) => algorithms.includes(name));
  return first.algorithms.find(hasAll) ?? (first.algorithms[0] as AlgorithmName);
}

/** `algorithm`: undefined if nobody has named one. */
function notFor(algorithm: AlgorithmName | undefined, { option, algorithms }: DeclaredOption): InputError {
  const what = `${wordOf(option)} is an option of ${listOf(algorithms)}`;
  if (algorithm !== undefined) return new InputError(`${what}, not of ${algorithm}.`);
  return new InputError(
    `${what}: add --algorithm ${algorithms[0]}${algorithms.length === 1 ? '' : ', or another of them'}.`,
  );
}

/** What is given for the option; throws an InputError if it is no value of it. */
export function checkedValue(option: AlgorithmOption, given: unknown): unknown {
  const what = wordOf(option).replace(/^--(no-)?/, '');
  switch (option.kind) {
    case 'flag':
      if (typeof given === 'boolean') return given;
      throw new InputError(`${what} must be true or false, not ${showValue(given)}.`);
    case 'number':
      return wholeBetween(what, option.least, option.most, given as number);
    case 'name':
      return oneOf(what, given as string, Object.keys(option.names));
    case 'text':
      if (typeof given === 'string' && option.pattern.test(given)) return given;
      throw new InputError(`${what} must be ${option.form}, not ${showValue(given)}.`);
  }
}

/** Those that have a value. */
export function settledOptions(values: AlgorithmValues): Record<string, boolean | number | string> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** Those that are not as by default, in words: "equivalence rf", "no-ifaa". */
export function unusualOptions(values: AlgorithmValues): readonly string[] {
  return unusualFlags(values).map((words) => words.replace(/^--/, ''));
}

/** Those that are not as by default, as on the command line: "--equivalence rf", "--no-ifaa". */
export function unusualFlags(values: AlgorithmValues): readonly string[] {
  return algorithmOptions
    .filter(({ name, option }) => values[name] !== undefined && values[name] !== option.byDefault)
    .map(({ name, option }) => (option.kind === 'flag' ? wordOf(option) : `${wordOf(option)} ${values[name]}`));
}
