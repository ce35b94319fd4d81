/** The options of a check, from whatever the user wrote; what cannot be done is refused here, with the reason. */
import { type AlgorithmEntry, type AlgorithmName, type AlgorithmValues, algorithms } from '../explore/registry.ts';
import { type ModelName, models } from '../models/registry.ts';
import { InputError } from '../program/input-error.ts';
import { bareLanguage, type Language } from '../program/language.ts';
import { algorithmFor, algorithmValues, type GivenAlgorithmOptions } from './algorithm-options.ts';
import { atLeast, oneOf, wholeAtLeast } from './given.ts';

/** Those that only some algorithms have are declared with them: `src/explore/registry.ts`. */
export interface CheckOptions extends GivenAlgorithmOptions {
  /** The memory model. Default: that of the program's language, or else the first one that the algorithm supports. */
  readonly model?: string;
  /** The algorithm. Default: trust, or the one for the options given (buster for a bound, bpor for a fair one). */
  readonly algorithm?: string;
  /** Go on after an error and report every distinct one. */
  readonly keepGoing?: boolean;
  /** Look for data races. Default: true. */
  readonly races?: boolean;
  /** Whether an await that nothing can satisfy is an error (default) or counts as blocked. */
  readonly livelock?: boolean;
  /** Whether memory that nobody frees is an error, or (default) a warning. */
  readonly checkLeaks?: boolean;
  /** Whether to find out if an error of another model is possible under sequential consistency. Default: true. */
  readonly underSc?: boolean;
  /** Stop after so many executions: verdict incomplete. */
  readonly maxExecutions?: number;
  /** Stop after so many seconds: verdict incomplete. */
  readonly timeout?: number;
  /** Operations of one thread in one execution after which it is taken not to end. Default: 3,000,000, or a million if no
   * execution ends within 5 seconds; with a timeout, what there is time for. */
  readonly maxDepth?: number;
}

export interface ResolvedOptions {
  readonly model: ModelName;
  readonly algorithm: AlgorithmName;
  /** Of the options that only some algorithms have, those of this one. */
  readonly algorithmOptions: AlgorithmValues;
  readonly keepGoing: boolean;
  readonly races: boolean;
  readonly livelock: boolean;
  readonly checkLeaks: boolean;
  readonly underSc: boolean;
  readonly maxExecutions: number;
  readonly timeoutMs: number;
  /** Undefined: see `Patience`. */
  readonly maxDepth: number | undefined;
}

/** `language`: what the program is written in. */
export function resolveOptions(options: CheckOptions, language: Language = bareLanguage): ResolvedOptions {
  const algorithm = oneOf('algorithm', options.algorithm ?? algorithmFor(options), keysOf(algorithms));
  const entry: AlgorithmEntry = algorithms[algorithm];
  const model = oneOf('model', options.model ?? defaultModel(entry, language), keysOf(models));
  if (!entry.models.includes(model)) {
    const others = keysOf(algorithms).filter((a) => (algorithms[a] as AlgorithmEntry).models.includes(model));
    throw new InputError(
      `the algorithm ${algorithm} does not support the model ${model}; ` +
        `${algorithm} supports ${entry.models.join(', ')}, and ${model} is supported by ${others.join(', ')}` +
        `${entry.whyModels === undefined ? '' : ` (${entry.whyModels})`}.`,
    );
  }
  return {
    model,
    algorithm,
    algorithmOptions: algorithmValues(algorithm, options, options.algorithm !== undefined),
    keepGoing: options.keepGoing ?? false,
    races: options.races ?? true,
    livelock: options.livelock ?? true,
    checkLeaks: options.checkLeaks ?? false,
    underSc: options.underSc ?? true,
    maxExecutions: mostExecutions(options.maxExecutions),
    timeoutMs: options.timeout === undefined ? Number.POSITIVE_INFINITY : atLeast('timeout', 0, options.timeout) * 1000,
    maxDepth: options.maxDepth === undefined ? undefined : wholeAtLeast('maxDepth', 1, options.maxDepth),
  };
}

/** Not every algorithm supports the model of the language; then it is the first that the algorithm supports. */
function defaultModel({ models: supported }: AlgorithmEntry, { model }: Language): string {
  return supported.find((name) => name === model) ?? (supported[0] as ModelName);
}

function mostExecutions(given = Number.POSITIVE_INFINITY): number {
  return given === Number.POSITIVE_INFINITY ? given : wholeAtLeast('max-executions', 1, given);
}

function keysOf<T extends object>(table: T): readonly (keyof T & string)[] {
  return Object.keys(table) as (keyof T & string)[];
}
