/** How a program ends, and what it has registered for that. */
import { MAIN } from '../../../program/identity.ts';
import type { Location } from '../../../program/location.ts';
import type { CallSite, CThread, Run } from '../../runtime.ts';
import { keeps, type Library, plain, steps } from '../define.ts';
import { change } from '../threads/sync.ts';

/** The handlers of atexit in the order in which they were registered, for all threads: whoever calls exit runs them. */
function handlersOf(thread: CThread): Location {
  return thread.globalLocation('atexit', '');
}

function* runHandlers(thread: CThread, call: CallSite): Run<void> {
  const handlers = (yield {
    kind: 'load',
    location: handlersOf(thread),
    order: 'acquire',
    position: call.position,
  }) as string;
  const callees = handlers === '' ? [] : handlers.split(',').map(Number);
  for (const callee of callees.reverse()) yield* thread.call(callee, [], call);
}

/** As exit(). */
export function* exitWith(thread: CThread, status: number, call: CallSite): Run<never> {
  yield* runHandlers(thread, call);
  return yield* thread.exitProgram(status, call);
}

const endsAtOnce = steps((thread, call, status: number) => thread.exitProgram(status, call));

export const exit: Library = {
  abort: plain((thread, call) => thread.fail('abort', 'abort() is called', call)),
  exit: steps((thread, call, status: number) => exitWith(thread, status, call)),
  _exit: endsAtOnce,
  _Exit: endsAtOnce,
  quick_exit: endsAtOnce,
  /** When main returns, which is as exit(), it is main itself that knows of handlers. */
  atexit: steps(keeps, function* (thread, call, handler: number) {
    if (thread.self !== MAIN) thread.refuse('atexit in another thread than main', call);
    const append = (old: unknown): unknown => (old === '' ? `${handler}` : `${old},${handler}`);
    yield change(handlersOf(thread), 'atexit', handler, append, 'acq_rel', call);
    if (!thread.notes.has('handles exit')) {
      thread.notes.set('handles exit', true);
      thread.atThreadEnd(function* () {
        if (!thread.notes.has('exits')) yield* runHandlers(thread, call);
      });
    }
    return 0;
  }),
};
