/**
 * A front end as the command line sees it: files and options → settings → what compiling makes of them → a program. To add
 * one, add its folder and a line to the table (`src/front-ends.ts`).
 */
import type { ZodType } from 'zod';
import type { Knowledge } from './knowledge.ts';
import type { Language } from './language.ts';
import type { Program, SourcePosition } from './operation.ts';

/** All that tells one program of a language from another: its files and the options that change what it does. Plain data. */
export interface ProgramSettings {
  /** As they were given. */
  readonly files: readonly string[];
}

/** What a user wrote on the command line, by the names of the options in camel case, without `no`. */
export type Flags = Readonly<Record<string, unknown>>;

/** An option that only programs of one language have. */
export interface FrontEndOption {
  /**
   * `-D <name[=value]>`, `--no-plp`. One dash with several letters stands for two as well. A value in brackets, as in
   * `--emit-ir [before|after]`, may be left out, and is the last of them then.
   */
  readonly flags: string;
  readonly description: string;
  /** Words that may stand alone for this option, and are its value as a whole: `-O2`. */
  readonly words?: RegExp;
  /** Such words that the next word belongs to, and is joined with: `-MF x.d`. */
  readonly openWords?: RegExp;
  /** Whether it may be given several times. */
  readonly isRepeated?: boolean;
  /** Whether what follows `--`, after files of this language, are its values: one each. */
  readonly takesRest?: boolean;
  /** Only `heddle check` has it. */
  readonly isOfCheck?: boolean;
}

/** What a front end may ask of the process, which only the command touches. */
export interface Host {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  /** The running Node. */
  readonly node: string;
  /** The addresses of what programs import from the running Heddle, by name: `heddle`. */
  readonly library: Readonly<Record<string, string>>;
  /** Makes positions in stack traces those of the sources. */
  useSourceMaps(): void;
  /** Shows text to the user, unless only the result is wanted. */
  warn(text: string): void;
  /** Says what takes a moment, from `show` to `end`. */
  waiting(text: string): { show(): void; end(): void };
}

/** What a trace file keeps of a program. */
export interface Traced<Settings extends ProgramSettings = ProgramSettings> {
  readonly settings: Settings;
  /** What a search has learned about the program; absent if that is nothing. */
  readonly knowledge?: Knowledge | undefined;
}

export interface FrontEnd<Settings extends ProgramSettings = ProgramSettings, Compiled = unknown> {
  readonly language: Language;
  /** The programs that it takes, for help: "a C program, made of …". */
  readonly description: string;
  /** The endings of its files, in small letters. */
  readonly extensions: readonly string[];
  /** Whether several files can be one program. */
  readonly takesSeveralFiles: boolean;
  /** If it takes programs from standard input: the file that they are put into, the text before them there, and its name for users. */
  readonly standardInput?: { readonly name: string; readonly before: string; readonly shownAs: string };
  readonly options: readonly FrontEndOption[];
  settings(files: readonly string[], flags: Flags): Settings;
  /** Once for all searches, and before any of them; the files exist. What it gives is plain data. */
  compile(settings: Settings, host: Host): Promise<Compiled>;
  /** In the thread that searches. `knowledge`: what an earlier search has learned (`Program.knowledge`). */
  load(settings: Settings, compiled: Compiled, host: Host, knowledge: Knowledge | undefined): Promise<Program>;
  /** What the flags ask to be printed instead of a check. */
  printed?(settings: Settings, compiled: Compiled, flags: Flags, host: Host): Promise<string | undefined>;
  /** Where in the program an exception stems from that no thread of it threw, given its stack; undefined: nowhere. */
  positionOfStray?(stack: string | undefined): SourcePosition | undefined;
  /** The settings as a trace file keeps them, with paths as seen from its folder. */
  settingsForTrace(settings: Settings, folder: string): Settings;
  settingsFromTrace(settings: Settings, folder: string, cwd: string): Settings;
  /** Of what `settingsForTrace` and `Program.knowledge` give. */
  traceSchema(): Promise<ZodType<Traced<Settings>>>;
}
