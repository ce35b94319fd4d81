/** The options that only C programs have, and what they become. */
import { type Command, Option } from 'commander';
import { InputError } from '../program/input-error.ts';
import type { CSettings } from './job.ts';

/** As commander gives them. */
export interface CFlags {
  readonly D?: readonly string[];
  readonly I?: readonly string[];
  readonly std?: string;
  readonly include?: readonly string[];
  readonly clang?: string;
  readonly unroll?: string;
  readonly nondet?: string;
  readonly spuriousWakeups?: boolean;
  /** Set by default. */
  readonly plp?: boolean;
  readonly await?: boolean;
  readonly emitIr?: string;
}

export function addCOptions(command: Command): Command {
  return command
    .optionsGroup('Options for C programs:')
    .addOption(several('-D <name[=value]>', 'define a macro'))
    .addOption(several('-I <folder>', 'look for included files there'))
    .addOption(several('--include <file>', 'include a file before the first line (as clang: -include FILE)'))
    .option('--std <standard>', 'the language: c99, c11, gnu23, … (as clang: -std=c11; default: gnu17)')
    .option('--clang <path>', 'compile with this clang (15 or later) instead of the bundled one')
    .option('--unroll <n>', "enter a loop's header at most n times; executions beyond that are cut off")
    .option('--no-plp', 'every round of a loop counts, also one that changes nothing')
    .option('--no-await', 'threads try rounds of loops in vain, instead of waiting for one that gets them on')
    .option('--check-leaks', 'memory that is never freed is an error, not a warning')
    .option('--nondet <range>', 'what rand() and __VERIFIER_nondet_int() may give: LEAST..GREATEST (default: 0..1)')
    .option('--spurious-wakeups', 'condition variables may wake without a signal');
}

function several(flags: string, description: string): Option {
  return new Option(flags, description).argParser((value: string, before: readonly string[] = []) => [
    ...before,
    value,
  ]);
}

/** What clang takes with one dash, and an optional value that is not a file. */
export function normaliseArguments(args: readonly string[]): string[] {
  const result: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const [word, next] = [args[i] as string, args[i + 1]];
    if (word === '--') return [...result, ...args.slice(i)];
    if (word === '-std' || word === '-include') result.push(`-${word}`);
    else if (word.startsWith('-std=')) result.push(`-${word}`);
    else if (word === '--emit-ir') {
      const isNamed = next === 'before' || next === 'after';
      result.push(`--emit-ir=${isNamed ? next : 'after'}`);
      if (isNamed) i++;
    } else result.push(word);
  }
  return result;
}

/** Undefined for a program in TypeScript, which takes none of these options. */
export function settingsOf(files: readonly string[], flags: CFlags): CSettings | undefined {
  const kinds = files.map((file) => /\.(c|ll)$/i.test(file));
  if (!kinds.includes(true)) {
    refuseFor(files[0] as string, flags);
    if (files.length > 1)
      throw new InputError(`one program at a time, not ${files.join(' and ')}; several files can only be .c and .ll.`);
    return undefined;
  }
  const other = files[kinds.indexOf(false)];
  if (other !== undefined)
    throw new InputError(
      `${other} cannot be checked together with ${files[kinds.indexOf(true)]}: several files can only be .c and .ll.`,
    );
  return {
    files,
    defines: flags.D ?? [],
    includeFolders: flags.I ?? [],
    includeFiles: flags.include ?? [],
    ...(flags.std === undefined ? {} : { standard: flags.std }),
    ...(flags.clang === undefined ? {} : { clang: flags.clang }),
    ...(flags.unroll === undefined ? {} : { unroll: unrollFrom(flags.unroll) }),
    ...(flags.plp === false ? { plp: false } : {}),
    ...(flags.await === false ? { await: false } : {}),
    ...(flags.nondet === undefined ? {} : { nondet: rangeFrom(flags.nondet) }),
    ...(flags.spuriousWakeups === undefined ? {} : { spuriousWakeups: flags.spuriousWakeups }),
  };
}

const given: Readonly<Record<string, (flags: CFlags) => boolean>> = {
  '-D': ({ D }) => D !== undefined,
  '-I': ({ I }) => I !== undefined,
  '-std': ({ std }) => std !== undefined,
  '-include': ({ include }) => include !== undefined,
  '--clang': ({ clang }) => clang !== undefined,
  '--unroll': ({ unroll }) => unroll !== undefined,
  '--no-plp': ({ plp }) => plp === false,
  '--no-await': (flags) => flags.await === false,
  '--nondet': ({ nondet }) => nondet !== undefined,
  '--spurious-wakeups': ({ spuriousWakeups }) => spuriousWakeups !== undefined,
  '--emit-ir': ({ emitIr }) => emitIr !== undefined,
};

function refuseFor(file: string, flags: CFlags): void {
  for (const [name, isGiven] of Object.entries(given)) {
    if (isGiven(flags)) throw new InputError(`${name} is an option for C programs (.c, .ll), and ${file} is none.`);
  }
}

function unrollFrom(text: string): number {
  const n = Number(text);
  if (Number.isInteger(n) && n >= 1) return n;
  throw new InputError(`--unroll needs a whole number from 1, not ${JSON.stringify(text)}.`);
}

function rangeFrom(text: string): { least: number; greatest: number } {
  const match = /^(-?\d+)\.\.(-?\d+)$/.exec(text.trim());
  const [least, greatest] = [Number(match?.[1]), Number(match?.[2])];
  const isInt = (n: number): boolean => Number.isInteger(n) && Math.abs(n) <= 2 ** 31;
  if (isInt(least) && isInt(greatest) && least <= greatest) return { least, greatest };
  throw new InputError(
    `--nondet needs a range of whole numbers LEAST..GREATEST, such as 0..3, not ${JSON.stringify(text)}.`,
  );
}
