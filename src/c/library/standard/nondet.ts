/** Values that are not determined: one of a range, which is an option. */
import type { CallSite, CThread, Run } from '../../runtime.ts';
import { integer } from '../define.ts';

/**
 * A value of an integer type, as `bits` bits. Unless the option's range has all values of the type, that is a limit, which
 * `name` tells about.
 */
export function* anyInteger(
  thread: CThread,
  name: string,
  bits: number,
  least: bigint,
  greatest: bigint,
  call: CallSite,
): Run<number | bigint> {
  const { nondet } = thread.options;
  const clamp = (value: bigint): bigint => (value < least ? least : value > greatest ? greatest : value);
  const from = clamp(BigInt(nondet.least));
  const to = clamp(BigInt(nondet.greatest));
  if (from !== least || to !== greatest) {
    thread.noteLimit?.(`${name}() gave ${from === to ? from : `${from}..${to}`} only (--nondet)`);
  }
  const count = Number(to - from) + 1;
  const chosen = count === 1 ? 0 : yield* thread.choose(count, call);
  return integer(from + BigInt(chosen), bits);
}
