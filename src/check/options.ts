/** The options of a check, from whatever the user wrote; what cannot be done is refused here, with the reason. */
import { type AlgorithmEntry, type AlgorithmName, algorithms } from '../explore/registry.ts';
import { type Equivalence, type ModelName, models } from '../models/registry.ts';
import { showValue } from '../program/describe.ts';
import { InputError } from '../program/input-error.ts';
import { nearest } from './nearest.ts';

export interface CheckOptions {
  /** The memory model. Default: rc11 for C and sc for TypeScript, or the only one that the algorithm supports. */
  readonly model?: string;
  /** The algorithm. Default: trust. */
  readonly algorithm?: string;
  /** For trust: count execution graphs with coherence (co, the default) or reads-from classes (rf). */
  readonly equivalence?: string;
  /** Go on after an error and report every distinct one. */
  readonly keepGoing?: boolean;
  /** Look for data races. Default: true. */
  readonly races?: boolean;
  /** Whether an await that nothing can satisfy is an error (default) or counts as blocked. */
  readonly livelock?: boolean;
  /** Whether memory that nobody frees is an error, or (default) a warning. */
  readonly checkLeaks?: boolean;
  /** Whether updates that commute and whose results nobody uses are independent (default); for optimal, source and dpor. */
  readonly ifaa?: boolean;
  /** Whether to find out if an error of another model is possible under sequential consistency. Default: true. */
  readonly underSc?: boolean;
  /** Stop after so many executions: verdict incomplete. */
  readonly maxExecutions?: number;
  /** Stop after so many seconds: verdict incomplete. */
  readonly timeout?: number;
  /** Operations of one thread in one execution after which it is taken not to end. Default: 100,000. */
  readonly maxDepth?: number;
}

export interface ResolvedOptions {
  readonly model: ModelName;
  readonly algorithm: AlgorithmName;
  readonly equivalence: Equivalence;
  /** Whether the algorithm has more than one equivalence to choose from. */
  readonly hasEquivalence: boolean;
  readonly keepGoing: boolean;
  readonly races: boolean;
  readonly livelock: boolean;
  readonly checkLeaks: boolean;
  readonly ifaa: boolean;
  readonly underSc: boolean;
  readonly maxExecutions: number;
  readonly timeoutMs: number;
  readonly maxDepth: number;
}

/** The memory model of each language: the one that a program gets unless another is asked for. */
export const defaultModels = { c: 'rc11', typescript: 'sc' } as const satisfies Record<string, ModelName>;

/** `language`: what the program is written in. */
export function resolveOptions(
  options: CheckOptions,
  language: keyof typeof defaultModels = 'typescript',
): ResolvedOptions {
  const algorithm = oneOf('algorithm', options.algorithm ?? 'trust', keysOf(algorithms));
  const entry: AlgorithmEntry = algorithms[algorithm];
  const model = oneOf('model', options.model ?? defaultModel(entry, language), keysOf(models));
  if (!entry.models.includes(model)) {
    const others = keysOf(algorithms).filter((a) => (algorithms[a] as AlgorithmEntry).models.includes(model));
    throw new InputError(
      `the algorithm ${algorithm} does not support the model ${model}; ` +
        `${algorithm} supports ${entry.models.join(', ')}, and ${model} is supported by ${others.join(', ')}.`,
    );
  }
  if (options.equivalence !== undefined && entry.equivalences.length === 0) {
    throw new InputError(`the algorithm ${algorithm} has no choice of equivalence; leave out --equivalence.`);
  }
  const equivalences: readonly Equivalence[] = entry.equivalences.length === 0 ? ['co'] : entry.equivalences;
  return {
    model,
    algorithm,
    equivalence: oneOf('equivalence', options.equivalence ?? 'co', equivalences),
    hasEquivalence: entry.equivalences.length > 0,
    keepGoing: options.keepGoing ?? false,
    races: options.races ?? true,
    livelock: options.livelock ?? true,
    checkLeaks: options.checkLeaks ?? false,
    ifaa: options.ifaa ?? true,
    underSc: options.underSc ?? true,
    maxExecutions: whole('max-executions', options.maxExecutions),
    timeoutMs: atLeast('timeout', 0, options.timeout) * 1000,
    maxDepth: options.maxDepth === undefined ? 100_000 : whole('maxDepth', options.maxDepth),
  };
}

/** Not every algorithm supports the model of the language; then it is the first that the algorithm supports. */
function defaultModel({ models: supported }: AlgorithmEntry, language: keyof typeof defaultModels): ModelName {
  const model = defaultModels[language];
  return supported.includes(model) ? model : (supported[0] as ModelName);
}

/** Names that later versions will know. */
const planned = ['buster', 'bpor', 'vc'];

function oneOf<T extends string>(what: string, value: string, known: readonly T[]): T {
  const found = known.find((k) => k === value);
  if (found !== undefined) return found;
  if (planned.includes(value)) {
    throw new InputError(`the ${what} ${value} is not available in this version; there is ${known.join(', ')}.`);
  }
  const near = nearest(value, known);
  const hint = near === undefined ? '' : ` Did you mean ${near}?`;
  throw new InputError(`unknown ${what} ${showValue(value)}; there is ${known.join(', ')}.${hint}`);
}

function atLeast(what: string, least: number, value: number | undefined): number {
  if (value === undefined) return Number.POSITIVE_INFINITY;
  if (typeof value === 'number' && value >= least) return value;
  throw new InputError(`${what} must be a number from ${least}, not ${showValue(value)}.`);
}

function whole(what: string, value: number | undefined): number {
  if (value === undefined || value === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
  if (Number.isInteger(value) && value >= 1) return value;
  throw new InputError(`${what} must be a whole number from 1, not ${showValue(value)}.`);
}

function keysOf<T extends object>(table: T): readonly (keyof T & string)[] {
  return Object.keys(table) as (keyof T & string)[];
}
