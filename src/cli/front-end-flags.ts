/** The options that only programs of one language have, on the command line: all of it follows from the table of front ends. */
import { extname } from 'node:path';
import { type Command, Option } from 'commander';
import { frontEnds } from '../front-ends.ts';
import type { Flags, FrontEnd, FrontEndOption } from '../program/front-end.ts';
import { InputError } from '../program/input-error.ts';
import { STANDARD_INPUT } from './standard-input.ts';

const all: readonly FrontEnd[] = Object.values(frontEnds);

export function addFrontEndOptions(command: Command, isCheck: boolean): Command {
  for (const { language, options } of all) {
    const some = options.filter(({ isOfCheck = false }) => isCheck || !isOfCheck);
    if (some.length > 0) command.optionsGroup(`Options for ${language.name} programs:`);
    for (const option of some) command.addOption(commanderOption(option));
  }
  return command;
}

function commanderOption({ flags, description, isRepeated }: FrontEndOption): Option {
  const option = new Option(withTwoDashes(flags), description);
  if (isRepeated === true) option.argParser((value: string, before: readonly string[] = []) => [...before, value]);
  return option;
}

/** Throws an InputError if an option is given that only programs of another language have. */
export function refuseOthers(frontEnd: FrontEnd, file: string, flags: Flags): void {
  for (const { language, extensions, options } of all.filter((other) => other !== frontEnd)) {
    const given = options.find((option) => isGiven(option, flags));
    if (given === undefined) continue;
    throw new InputError(
      `${wordOf(given)} is an option for ${language.name} programs (${extensions.join(', ')}), and ${file} is none.`,
    );
  }
}

/** Commander sets what `--no-x` switches off to true by itself. */
function isGiven(option: FrontEndOption, flags: Flags): boolean {
  const known = commanderOption(option);
  const value = flags[known.attributeName()];
  return known.negate ? value === false : value !== undefined;
}

/**
 * Spells options as commander takes them: those with one dash and several letters, words
 * that stand for one, and those whose value may be left out.
 */
export function normaliseArguments(args: readonly string[]): string[] {
  const options = all.flatMap((frontEnd) => frontEnd.options);
  const standingFor = (word: string): FrontEndOption | undefined => options.find(({ words }) => words?.test(word));
  const isLong = (word: string): boolean =>
    options.some((option) => wordOf(option) === word.replace(/=.*$/, '') && /^-\w{2}/.test(word));
  const result: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const [word, next] = [args[i] as string, args[i + 1] ?? ''];
    if (word === '--') return [...result, ...restOf(args.slice(0, i), args.slice(i + 1))];
    const values = valuesOf(options.find((option) => wordOf(option) === word));
    const meant = isLong(word) ? undefined : standingFor(word);
    const open = options.find(({ openWords }) => openWords?.test(word));
    if (open !== undefined) {
      result.push(`${wordOf(open)}=${word}${next}`);
      i++;
    } else if (meant !== undefined) result.push(`${wordOf(meant)}=${word}`);
    else if (values === undefined) result.push(isLong(word) ? `-${word}` : word);
    else if (values.includes(next)) {
      result.push(`${word}=${next}`);
      i++;
    } else result.push(`${word}=${values.at(-1)}`);
  }
  return result;
}

/** What follows `--`: values of an option, if files of a language that has one for them stand before; else it is files. */
function restOf(before: readonly string[], rest: readonly string[]): string[] {
  const isFileOf = ({ extensions, standardInput }: FrontEnd): boolean =>
    before.some((word) =>
      word === STANDARD_INPUT ? standardInput !== undefined : extensions.includes(extname(word).toLowerCase()),
    );
  const option = all.find(isFileOf)?.options.find(({ takesRest }) => takesRest === true);
  return option === undefined ? ['--', ...rest] : rest.map((value) => `${wordOf(option)}=${value}`);
}

/** Of `--x [a|b]`: a, b. */
function valuesOf(option: FrontEndOption | undefined): readonly string[] | undefined {
  return /\[([\w|]+)\]$/.exec(option?.flags ?? '')?.[1]?.split('|');
}

/** As a user writes it: `-std`. */
function wordOf({ flags }: FrontEndOption): string {
  return flags.replace(/ .*$/, '');
}

function withTwoDashes(flags: string): string {
  return /^-\w{2}/.test(flags) ? `-${flags}` : flags;
}
