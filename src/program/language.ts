/**
 * What is to be said in the words of the language that a program is written in, and what is usual in it. A front end gives
 * one such value with its programs; nobody else knows which languages there are. Plain data: a result carries it.
 */
import type { FailureKind } from './operation.ts';

export interface Language {
  readonly name: string;
  /** The memory model that a program is checked under unless another is asked for. */
  readonly model: string;
  /** What usually helps, by kind of error, where the words of the language matter; else reports have words of their own. */
  readonly hints: Readonly<Partial<Record<FailureKind, string>>>;
  /** What to do about a thread that goes on performing operations. */
  readonly endlessThread: string;
  /** What to do about a thread that runs on without performing any. */
  readonly silentThread: string;
  /** Why a thread may not be deterministic. Undefined: no thread of this language can be so, and Heddle is wrong. */
  readonly chance: string | undefined;
  /** What makes an object that must be freed: "malloc 8 bytes". */
  readonly allocation: string;
  /** What columns of positions in its source count: bytes of UTF-8, or UTF-16 code units. */
  readonly columns: 'bytes' | 'units';
  /** What a thread returns that returns nothing, so that a join need not show it. */
  readonly nothing: unknown;
}

/** Of programs that do not say what they are written in. */
export const bareLanguage: Language = {
  name: 'operations',
  model: 'sc',
  hints: {},
  endlessThread: 'A loop that waits for another thread must say what it waits for, or have a bound.',
  silentThread: 'Between two operations a thread must come to an end.',
  chance: 'The usual causes: chance, the clock, or what threads share without an operation that says so.',
  allocation: 'allocate',
  columns: 'units',
  nothing: undefined,
};
