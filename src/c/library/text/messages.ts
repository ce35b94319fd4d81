/** <err.h>, <error.h> and <syslog.h>: what is said is printed. */
import type { CallSite, CThread, CValue, Run } from '../../runtime.ts';
import { gives, type Library, type LibraryFunction, steps, textOf, uses } from '../define.ts';
import { errorMessage, getErrno } from '../standard/errno.ts';
import { exitWith } from '../standard/exit.ts';
import { type Arguments, CallArguments, format, ListArguments } from './format.ts';

/** `message: reason`; without a message the reason alone. */
function* say(
  thread: CThread,
  pointer: number,
  args: Arguments,
  reason: string | undefined,
  call: CallSite,
): Run<void> {
  const message = pointer === 0 ? [] : [textOf(yield* format(thread, call, pointer, args))];
  yield* thread.print(`${[...message, ...(reason === undefined ? [] : [reason])].join(': ')}\n`, call);
}

type MakeArguments = (thread: CThread, call: CallSite, rest: CValue[]) => Arguments;

const given: MakeArguments = (thread, call, rest) => new CallArguments(thread, call, rest);
const listed: MakeArguments = (thread, call, [list]) => new ListArguments(thread, call, list as number);

function* reasonOf(thread: CThread, isGiven: boolean, call: CallSite): Run<string | undefined> {
  return isGiven ? errorMessage(yield* getErrno(thread, call)) : undefined;
}

function warning(hasReason: boolean, make: MakeArguments): LibraryFunction {
  return steps(uses, function* (thread, call, pointer: number, ...rest) {
    yield* say(thread, pointer, make(thread, call, rest), yield* reasonOf(thread, hasReason, call), call);
    return undefined;
  });
}

function failure(hasReason: boolean, make: MakeArguments): LibraryFunction {
  return steps(uses, function* (thread, call, status: number, pointer: number, ...rest) {
    yield* say(thread, pointer, make(thread, call, rest), yield* reasonOf(thread, hasReason, call), call);
    return yield* exitWith(thread, status, call);
  });
}

function log(make: MakeArguments): LibraryFunction {
  return steps(uses, function* (thread, call, _priority: number, pointer: number, ...rest) {
    yield* say(thread, pointer, make(thread, call, rest), undefined, call);
    return undefined;
  });
}

export const messages: Library = {
  warn: warning(true, given),
  vwarn: warning(true, listed),
  warnx: warning(false, given),
  vwarnx: warning(false, listed),
  err: failure(true, given),
  verr: failure(true, listed),
  errx: failure(false, given),
  verrx: failure(false, listed),
  error: steps(uses, function* (thread, call, status: number, number: number, pointer: number, ...rest) {
    yield* say(thread, pointer, given(thread, call, rest), number === 0 ? undefined : errorMessage(number), call);
    return status === 0 ? undefined : yield* exitWith(thread, status, call);
  }),
  syslog: log(given),
  vsyslog: log(listed),
  openlog: gives(undefined, uses),
  closelog: gives(undefined),
  setlogmask: gives(0xff),
};
