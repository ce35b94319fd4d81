/** The options that commands share, and what they become. */
import { type Command, Option } from 'commander';
import type { CheckOptions } from '../check/options.ts';
import { frontEnds } from '../front-ends.ts';
import type { Flags } from '../program/front-end.ts';
import { InputError } from '../program/input-error.ts';
import type { AlgorithmFlags } from './algorithm-flags.ts';

/** Those of the front ends are among them, too: only these know them by name. */
interface SearchFlags extends Flags, AlgorithmFlags {
  readonly model?: string;
  readonly races: boolean;
  readonly livelock: boolean;
  readonly checkLeaks?: boolean;
  readonly keepGoing?: boolean;
  readonly maxExecutions?: string;
  readonly timeout?: string;
  readonly json?: boolean;
}

export interface CheckFlags extends SearchFlags {
  readonly algorithm?: string;
  readonly trace?: string;
  readonly dot?: string;
  readonly workers?: string;
  readonly checkpoint?: string;
}

/** Of `heddle resume`: what may be otherwise than before. */
export interface ResumeFlags extends ResultFlags {
  readonly maxExecutions?: string;
  readonly timeout?: string;
  readonly workers?: string;
  readonly checkpoint?: string;
}

/** What becomes of a result. */
export interface ResultFlags {
  readonly json?: boolean;
  readonly trace?: string;
  readonly dot?: string;
}

export interface CompareFlags extends SearchFlags {
  readonly algorithms?: string;
  /** Compare memory models, not algorithms. */
  readonly models?: boolean;
  readonly csv?: string;
  readonly plot?: string;
}

export interface ReplayFlags {
  readonly json?: boolean;
  readonly step?: boolean;
}

/** "rc11 for C, sc for TypeScript": what a program is checked under unless another model is asked for. */
export function usualModels(): string {
  return Object.values(frontEnds)
    .map(({ language }) => `${language.model} for ${language.name}`)
    .join(', ');
}

export function modelOption(byDefault: string): Option {
  return new Option('--model <name>', `the memory model: see heddle list (default: ${byDefault})`);
}

export function addSearchOptions(command: Command): Command {
  command
    .option('--no-races', 'do not look for data races')
    .option('--no-livelock', 'a wait that nothing will end is no error but counts as blocked')
    .option('--check-leaks', 'memory that is never freed is an error, not a warning')
    .option('--keep-going', 'go on after an error and report every different one')
    .addOption(maxExecutionsOption())
    .addOption(timeoutOption())
    .addOption(jsonOption());
  for (const [flags, what] of notYet) {
    const option = new Option(flags).hideHelp();
    command.addOption(option).on(`option:${option.name()}`, () => {
      throw new InputError(`${what} not available yet in this version.`);
    });
  }
  return command;
}

const notYet = [['--report <file>', '--report is']] as const;

const maxExecutionsOption = (): Option =>
  new Option('--max-executions <n>', 'stop after n executions (verdict: incomplete)');
const timeoutOption = (): Option =>
  new Option('--timeout <seconds>', 'stop after so many seconds (verdict: incomplete)');
const jsonOption = (): Option => new Option('--json', 'print one JSON object and nothing else');

/** How a search is run, and what becomes of its result: for `check` and `resume`. */
export function addRunOptions(command: Command): Command {
  return command
    .option('--workers <n>', 'explore with n threads (default: auto, all cores if it takes longer than a second)')
    .option('--checkpoint <file>', 'write here every few seconds how far the search is, for heddle resume')
    .option('--trace <file>', 'write the failing execution here, for heddle replay')
    .option('--dot <file>', 'write the failing execution here, as a graph for Graphviz');
}

/** The limits of a search, for `resume`. */
export function addLimitOptions(command: Command): Command {
  return command.addOption(maxExecutionsOption()).addOption(timeoutOption()).addOption(jsonOption());
}

export function searchOptions(flags: SearchFlags): CheckOptions {
  const { model, races, livelock, keepGoing } = flags;
  return {
    races,
    livelock,
    keepGoing: keepGoing ?? false,
    ...(flags.checkLeaks === undefined ? {} : { checkLeaks: flags.checkLeaks }),
    ...(model === undefined ? {} : { model }),
    ...limitsOf(flags),
  };
}

export function limitsOf(
  flags: Pick<SearchFlags, 'maxExecutions' | 'timeout'>,
): Pick<CheckOptions, 'maxExecutions' | 'timeout'> {
  return {
    ...(flags.maxExecutions === undefined
      ? {}
      : { maxExecutions: numberFrom('--max-executions', flags.maxExecutions) }),
    ...(flags.timeout === undefined ? {} : { timeout: numberFrom('--timeout', flags.timeout) }),
  };
}

export function numberFrom(option: string, text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && Number.isFinite(number)) return number;
  throw new InputError(`${option} needs a number, not ${JSON.stringify(text)}.`);
}
