/**
 * <signal.h>. No signal ever arrives, which is told where a program has a handler for one; to send one is refused. So
 * masks have no effect.
 */
import type { Run } from '../../runtime.ts';
import { gives, I8, keeps, type Library, type LibraryFunction, POINTER, plain, steps, uses } from '../define.ts';
import { EINVAL, setErrno } from './errno.ts';

/** sigset_t: a bit for each signal, from 1 on. */
const SET_SIZE = 8;
const IGNORED = 1;

const isSignal = (signal: number): boolean => signal >= 1 && signal <= 8 * SET_SIZE;

/** Reads the byte of a set that has the bit of a signal, and writes it if it has changed. */
function onBit(result: (isIn: boolean) => number, change?: (byte: number, bit: number) => number): LibraryFunction {
  return steps(uses, function* (thread, call, set: number, signal: number) {
    if (!isSignal(signal)) return -1;
    const [at, bit] = [set + ((signal - 1) >> 3), 1 << ((signal - 1) & 7)];
    const byte = (yield* thread.load(at, I8, call)) as number;
    if (change !== undefined) yield* thread.store(at, I8, (change(byte, bit) << 24) >> 24, call);
    return result((byte & bit) !== 0);
  });
}

const filled = (byte: number): LibraryFunction =>
  steps(uses, function* (thread, call, set: number) {
    yield* thread.fill(set, byte, SET_SIZE, call);
    return 0;
  });

/** What the mask was before is said to be empty. */
const mask = steps(uses, function* (thread, call, _how: number, _set: number, old: number): Run<number> {
  if (old !== 0) yield* thread.fill(old, 0, SET_SIZE, call);
  return 0;
});

const ofHandler = (name: string): string => `no signal arrives: handlers given to ${name}() are never called`;

export const signals: Library = {
  signal: plain(keeps, (thread, _call, _signal: number, handler: number) => {
    if (handler !== 0 && handler !== IGNORED) thread.noteLimit?.(ofHandler('signal'));
    return 0;
  }),
  /** struct sigaction: the handler, the mask, flags, a restorer. */
  sigaction: steps(keeps, function* (thread, call, signal: number, action: number, old: number) {
    if (!isSignal(signal)) {
      yield* setErrno(thread, EINVAL, call);
      return -1;
    }
    if (old !== 0) yield* thread.fill(old, 0, 2 * 4 + 4 + SET_SIZE, call);
    if (action === 0) return 0;
    const handler = (yield* thread.load(action, POINTER, call)) as number;
    if (handler !== 0 && handler !== IGNORED) thread.noteLimit?.(ofHandler('sigaction'));
    return 0;
  }),
  sigemptyset: filled(0),
  sigfillset: filled(0xff),
  sigaddset: onBit(
    () => 0,
    (byte, bit) => byte | bit,
  ),
  sigdelset: onBit(
    () => 0,
    (byte, bit) => byte & ~bit,
  ),
  sigismember: onBit((isIn) => (isIn ? 1 : 0)),
  sigprocmask: mask,
  pthread_sigmask: mask,
  siginterrupt: gives(0),
  sigaltstack: gives(0, uses),
};
