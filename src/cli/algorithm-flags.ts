/** The options that only some algorithms have, on the command line: all of it follows from their declarations. */
import { type Command, Option } from 'commander';
import { algorithmValues, type GivenAlgorithmOptions } from '../check/algorithm-options.ts';
import { type AlgorithmOption, comparedValues, type Flag, wordOf } from '../explore/options.ts';
import { type AlgorithmName, algorithmOptions } from '../explore/registry.ts';
import { listOf } from '../program/list-of.ts';
import { numberFrom } from './flags.ts';

/** As commander gives them. */
export type AlgorithmFlags = { readonly [Name in keyof GivenAlgorithmOptions]: string | boolean };

export function addAlgorithmOptions(command: Command): Command {
  command.optionsGroup('Options for some algorithms:');
  for (const { option, algorithms } of algorithmOptions) {
    command.addOption(new Option(option.flags, `for ${listOf(algorithms)}: ${option.summary}${valuesOf(option)}`));
  }
  return command;
}

/** What can be given, and what it is otherwise. */
export function valuesOf(option: AlgorithmOption): string {
  if (option.kind === 'flag') return '';
  const what = rangeOf(option);
  return option.byDefault === undefined ? what : `${what} (default: ${option.byDefault})`;
}

function rangeOf(option: Exclude<AlgorithmOption, Flag>): string {
  switch (option.kind) {
    case 'name':
      return `, ${listOf(Object.keys(option.names), 'or')}`;
    case 'number':
      return `, from ${option.least}`;
    case 'text':
      return `, ${option.form}`;
  }
}

/** Only what the user wrote: commander sets a flag `--no-x` itself to its default. */
export function givenAlgorithmOptions(flags: AlgorithmFlags): GivenAlgorithmOptions {
  const given = algorithmOptions.flatMap(({ name, option }) => {
    const value = flags[name];
    if (value === undefined || (option.kind === 'flag' && value === option.byDefault)) return [];
    return [[name, option.kind === 'number' ? numberFrom(wordOf(option), String(value)) : value] as const];
  });
  return Object.fromEntries(given);
}

/** Of what is given for several algorithms, what this one knows; what none of them knows is refused. */
export function givenFor(
  algorithm: AlgorithmName,
  given: GivenAlgorithmOptions,
  others: readonly AlgorithmName[],
): GivenAlgorithmOptions {
  const known = algorithmOptions.filter(
    ({ algorithms }) => algorithms.includes(algorithm) || !algorithms.some((name) => others.includes(name)),
  );
  return Object.fromEntries(known.flatMap(({ name }) => (given[name] === undefined ? [] : [[name, given[name]]])));
}

/** What is given, with each value of the options of the algorithm that `compare` tries. */
export function variantsOf(algorithm: AlgorithmName, given: GivenAlgorithmOptions): readonly GivenAlgorithmOptions[] {
  algorithmValues(algorithm, given); // refused before anything is run
  const tried = algorithmOptions.filter(({ name, algorithms }) => algorithms.includes(algorithm) && !(name in given));
  return tried.reduce(
    (variants, { name, option }) => {
      const values = comparedValues(option);
      return values === undefined
        ? variants
        : variants.flatMap((variant) => values.map((value) => ({ ...variant, [name]: value })));
    },
    [given],
  );
}
