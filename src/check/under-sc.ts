/**
 * Whether errors that were found under another model are possible under sequential consistency too. Often the execution that
 * was found shows that by itself. Otherwise the same error is searched for under SC, for a while: an execution that
 * people can follow step by step is easier to read, and if there is none, that is worth knowing.
 */
import { isBounded } from './bounds.ts';
import { causesOf, leadingTo } from './causes.ts';
import type { CheckError, RecordedExecution, RecordedStep } from './result.ts';
import { keyOf } from './sameness.ts';
import { type Circumstances, searchAgain } from './search-again.ts';

/** The errors with the answer; those that are possible under SC with an execution that is. */
export function judgeUnderSc(errors: readonly CheckError[], circumstances: Circumstances): readonly CheckError[] {
  const open = errors.filter((error) => !isPossibleAsItIs(error));
  const { equivalence = 'co' } = circumstances.options.algorithmOptions;
  const { found, bounds } = searchAgain(open, 'sc', equivalence, circumstances);
  return errors.map((error) => {
    if (!open.includes(error)) return { ...error, underSc: 'possible' };
    const other = found.get(keyOf(error));
    if (other !== undefined) return { ...other, underSc: 'possible' };
    if (bounds === undefined) return { ...error, underSc: 'unknown' };
    return isBounded(bounds) ? { ...error, underSc: 'unknown', scBounds: bounds } : { ...error, underSc: 'impossible' };
  });
}

/**
 * The reads-from equivalence does not say in which order writes come, so that an execution which is not sequentially consistent
 * cannot be told with it. The same errors are searched for with coherence.
 */
export function withCoherence(errors: readonly CheckError[], circumstances: Circumstances): readonly CheckError[] {
  const { model, algorithmOptions } = circumstances.options;
  if (algorithmOptions.equivalence !== 'rf') return errors;
  const open = errors.filter((error) => !isToldInOrder(error));
  const { found } = searchAgain(open, model, 'co', circumstances);
  return errors.map((error) => {
    const other = open.includes(error) ? found.get(keyOf(error)) : undefined;
    return other === undefined ? error : { ...error, ...other };
  });
}

/** Whether the execution is sequentially consistent in the order in which it is told, and ends in the error. */
function isToldInOrder({ kind, execution }: CheckError): boolean {
  if (execution.preemptions === undefined) return false;
  const isStandstill = kind === 'deadlock' || kind === 'livelock';
  return !isStandstill || execution.ends.every(({ state }) => state !== 'ready');
}

/** Whether the execution of the error is sequentially consistent, and an error under SC too. */
function isPossibleAsItIs(error: CheckError): boolean {
  const { kind, racing, execution } = error;
  if (!isToldInOrder(error)) return false;
  if (racing === undefined || kind === 'double-free' || kind === 'abort') return true;
  const [first, second] = racing;
  if (kind === 'use-after-free' && first.op === 'free') return true;
  // what an access that is not performed yet would read, and so be ordered by, is not known
  const isPlain = second.order === 'plain' || second.op.startsWith('store') || second.op === 'free';
  return isPlain && !comesBefore(first, second, execution);
}

/** Under SC, where reads-from between accesses that are not plain orders; `second` is what its thread does next. */
function comesBefore(first: RecordedStep, second: RecordedStep, { steps }: RecordedExecution): boolean {
  const causes = causesOf(steps, (write, read) => isAtomic(write) && isAtomic(read));
  return leadingTo(steps, causes, [second.thread]).has(steps.indexOf(first));
}

function isAtomic({ order, op }: RecordedStep): boolean {
  return order !== 'plain' && op !== 'free';
}
