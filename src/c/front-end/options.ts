/** The options that only C programs have, and what they become. */
import type { Flags, FrontEndOption } from '../../program/front-end.ts';
import { InputError } from '../../program/input-error.ts';
import { uninitialisedChecks, volatileKinds } from '../choices.ts';
import type { CSettings } from './settings.ts';

export const cOptions: readonly FrontEndOption[] = [
  { flags: '-D <name[=value]>', description: 'define a macro', isRepeated: true },
  { flags: '-I <folder>', description: 'look for included files there', isRepeated: true },
  { flags: '-isystem <folder>', description: 'the same, after those of -I', isRepeated: true },
  {
    flags: '-iquote <folder>',
    description: 'the same, only for names in quotes and before those of -I',
    isRepeated: true,
  },
  { flags: '-idirafter <folder>', description: 'the same, after all headers of the system', isRepeated: true },
  {
    flags: '-include <file>',
    description: 'include a file before the first line (as clang: -include FILE)',
    isRepeated: true,
  },
  {
    flags: '-std <standard>',
    description: 'the language: c99, c11, gnu23, … (as clang: -std=c11; default: gnu17)',
  },
  {
    flags: '--cflag <flag>',
    description:
      'a flag of C compilers: -U…, -W…, -O…, -g…, -f…, -m…, -l…, -L…, -pthread and the like, which may be given as they are (what means nothing here has no effect)',
    isRepeated: true,
    words:
      /^-([UlLox].+|[WOgfm].*|M[FTQ].+|w|pthread|pipe|pedantic.*|ansi|static|shared|rdynamic|save-temps.*|no(stdinc|stdlib|startfiles|defaultlibs|libc)|MM?D|MP|c|s|p|pg)$/,
    openWords: /^-([UlLox]|M[FTQ]|X(linker|assembler))$/,
  },
  {
    flags: '--clang <path>',
    description:
      'compile with this clang (15 or later), with the bundled one, or (auto) with an installed one that is known to give the same, and else with the bundled one (default: auto)',
  },
  {
    flags: '--unroll <n>',
    description: "enter a loop's header at most n times; executions beyond that are cut off",
  },
  { flags: '--no-plp', description: 'every round of a loop counts, also one that changes nothing' },
  {
    flags: '--no-await',
    description: 'threads try rounds of loops in vain, instead of waiting for one that gets them on',
  },
  {
    flags: '--nondet <range>',
    description: 'what rand() and __VERIFIER_nondet_int() may give: LEAST..GREATEST (default: 0..1)',
  },
  {
    flags: '--argument <text>',
    description: 'an argument for main; -- after the files, and then arguments, gives several',
    isRepeated: true,
    takesRest: true,
  },
  { flags: '--stdin <file>', description: 'what the program reads from standard input' },
  { flags: '--spurious-wakeups', description: 'condition variables may wake without a signal' },
  { flags: '--spurious-cas', description: 'weak compare-exchanges may fail for no reason' },
  {
    flags: '--volatile <kind>',
    description: 'what a volatile access is: plain, or atomic: relaxed, seq_cst (default: plain)',
  },
  {
    flags: '--check-uninitialised <when>',
    description: 'what was never set is an error when it is used, or (strict) already when it is read (default: used)',
  },
  {
    flags: '--emit-ir [before|after]',
    description: 'print the program in IR, before or after our passes, and do nothing else',
    isOfCheck: true,
  },
];

/** As the command line gives them. */
interface CFlags {
  readonly D?: readonly string[];
  readonly I?: readonly string[];
  readonly isystem?: readonly string[];
  readonly iquote?: readonly string[];
  readonly idirafter?: readonly string[];
  readonly cflag?: readonly string[];
  readonly std?: string;
  readonly include?: readonly string[];
  readonly clang?: string;
  readonly unroll?: string;
  readonly nondet?: string;
  readonly argument?: readonly string[];
  readonly stdin?: string;
  readonly spuriousWakeups?: boolean;
  readonly spuriousCas?: boolean;
  readonly volatile?: string;
  readonly checkUninitialised?: string;
  /** Set by default. */
  readonly plp?: boolean;
  readonly await?: boolean;
  readonly emitIr?: string;
}

export function settingsOf(files: readonly string[], given: Flags): CSettings {
  const flags: CFlags = given;
  return {
    files,
    defines: flags.D ?? [],
    includeFolders: [...(flags.I ?? []), ...(flags.isystem ?? [])],
    includeFiles: flags.include ?? [],
    ...(flags.iquote === undefined ? {} : { quoteFolders: flags.iquote }),
    ...(flags.idirafter === undefined ? {} : { lateFolders: flags.idirafter }),
    ...(flags.cflag === undefined ? {} : { compilerFlags: flags.cflag }),
    ...(flags.std === undefined ? {} : { standard: flags.std }),
    ...(flags.clang === undefined ? {} : { clang: flags.clang }),
    ...(flags.unroll === undefined ? {} : { unroll: unrollFrom(flags.unroll) }),
    ...(flags.plp === false ? { plp: false } : {}),
    ...(flags.await === false ? { await: false } : {}),
    ...(flags.nondet === undefined ? {} : { nondet: rangeFrom(flags.nondet) }),
    ...(flags.argument === undefined ? {} : { arguments: flags.argument }),
    ...(flags.stdin === undefined ? {} : { stdin: flags.stdin }),
    ...(flags.spuriousWakeups === undefined ? {} : { spuriousWakeups: flags.spuriousWakeups }),
    ...(flags.volatile === undefined ? {} : { volatile: oneOf(volatileKinds, '--volatile', flags.volatile) }),
    ...(flags.checkUninitialised === undefined
      ? {}
      : { checkUninitialised: oneOf(uninitialisedChecks, '--check-uninitialised', flags.checkUninitialised) }),
    ...(flags.spuriousCas === undefined ? {} : { spuriousCas: flags.spuriousCas }),
  };
}

/** Undefined: the IR is not asked for. */
export function emittedIr({ emitIr: when }: CFlags): 'before' | 'after' | undefined {
  if (when === undefined || when === 'before' || when === 'after') return when;
  throw new InputError(`--emit-ir prints the program before or after our passes, not ${JSON.stringify(when)}.`);
}

function oneOf<Name extends string>(names: readonly Name[], option: string, given: string): Name {
  const found = names.find((name) => name === given);
  if (found !== undefined) return found;
  throw new InputError(`${option} is one of ${names.join(', ')}, not ${JSON.stringify(given)}.`);
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
