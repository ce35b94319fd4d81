/** Heddle as a library. */

export type { Bound } from './check/bounds.ts';
export { check, checkSync, type Progress, type Watcher } from './check/check.ts';
export type { CheckOptions } from './check/options.ts';
export type {
  CheckError,
  CheckResult,
  RecordedEnd,
  RecordedExecution,
  RecordedStep,
  RecordedThread,
  Verdict,
} from './check/result.ts';
export type { Counts, Warning } from './explore/explorer.ts';
export { InputError } from './program/input-error.ts';
export type { FailureKind, MemoryOrder, Program, SourcePosition } from './program/operation.ts';
export type { Action, Request, ThreadBody } from './typescript/action.ts';
export {
  type Atomic,
  assert,
  assume,
  atomic,
  awaitUntil,
  choose,
  fence,
  type LoadOrder,
  type Mutex,
  mutex,
  program,
  type Shared,
  type StoreOrder,
  shared,
  spawn,
  type ThreadHandle,
  type UpdateOrder,
  yieldNow,
} from './typescript/api.ts';
