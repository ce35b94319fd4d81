/**
 * Options that only some algorithms have. Each is declared with its algorithms, in the registry; the command line, help, JSON,
 * `list` and the refusal of options for other algorithms follow from the declaration.
 */

/** Off or on: `--no-x` for what is on by default, `--x` for what is off. */
export interface Flag {
  readonly kind: 'flag';
  /** As on the command line. Its name in the library is the same word in camel case, without `no`. */
  readonly flags: string;
  readonly summary: string;
  readonly byDefault: boolean;
  /** Whether `heddle compare` tries both. */
  readonly isCompared: boolean;
  /** Whether the first algorithm that has the option is taken if it is given and no algorithm is named. */
  readonly chooses: boolean;
}

export interface WholeNumber<Default extends number | undefined = number | undefined> {
  readonly kind: 'number';
  /** `--x <k>` */
  readonly flags: string;
  readonly summary: string;
  readonly byDefault: Default;
  readonly least: number;
  readonly most: number;
  readonly chooses: boolean;
}

export interface OneOf<Name extends string = string> {
  readonly kind: 'name';
  /** `--x <name>` */
  readonly flags: string;
  readonly summary: string;
  readonly byDefault: Name;
  /** The heading of the names in `heddle list`, and what each means. */
  readonly title: string;
  readonly names: Readonly<Record<Name, string>>;
  /** Whether `heddle compare` tries every name. */
  readonly isCompared: boolean;
  readonly chooses: boolean;
}

/** Words of a given form. */
export interface Text {
  readonly kind: 'text';
  /** `--x <what>` */
  readonly flags: string;
  readonly summary: string;
  readonly byDefault: string;
  readonly pattern: RegExp;
  /** What matches, in words: "a path of spawns such as 0.1". */
  readonly form: string;
  /** Whether it is the path of a thread, which there must be then. */
  readonly isThread: boolean;
  readonly chooses: boolean;
}

export type AlgorithmOption = Flag | WholeNumber | OneOf | Text;
/** By their names in the library. */
export type AlgorithmOptions = Readonly<Record<string, AlgorithmOption>>;

type ValueOf<O> =
  O extends OneOf<infer Name>
    ? Name
    : O extends WholeNumber<infer Default>
      ? number | Default
      : O extends Text
        ? string
        : boolean;
export type ValuesOf<Options> = { readonly [Name in keyof Options]: ValueOf<Options[Name]> };

export function flag(flags: string, summary: string, { isCompared = false, chooses = false } = {}): Flag {
  return { kind: 'flag', flags, summary, byDefault: flags.startsWith('--no-'), isCompared, chooses };
}

export function wholeNumber<Default extends number | undefined>(
  flags: string,
  summary: string,
  rest: Pick<WholeNumber<Default>, 'least' | 'byDefault'> & Partial<WholeNumber<Default>>,
): WholeNumber<Default> {
  return { most: Number.MAX_SAFE_INTEGER, chooses: false, ...rest, kind: 'number', flags, summary };
}

export function text(
  flags: string,
  summary: string,
  rest: Pick<Text, 'byDefault' | 'pattern' | 'form' | 'isThread'>,
): Text {
  return { ...rest, kind: 'text', flags, summary, chooses: false };
}

/** The first name is the default. */
export function oneOf<Name extends string>(
  flags: string,
  summary: string,
  title: string,
  names: Readonly<Record<Name, string>>,
  { isCompared = false, chooses = false } = {},
): OneOf<Name> {
  const [byDefault] = Object.keys(names) as [Name];
  return { kind: 'name', flags, summary, byDefault, title, names, isCompared, chooses };
}

/** `--equivalence`, `--no-ifaa`: without what stands for the value. */
export function wordOf({ flags }: AlgorithmOption): string {
  return flags.replace(/ .*$/, '');
}

/** The values that `heddle compare` tries, the default first; undefined: it tries none. */
export function comparedValues(option: AlgorithmOption): readonly (string | boolean)[] | undefined {
  if (option.kind === 'flag' && option.isCompared) return [option.byDefault, !option.byDefault];
  return option.kind === 'name' && option.isCompared ? Object.keys(option.names) : undefined;
}
