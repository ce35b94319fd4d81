/**
 * pthread_once: who comes first runs the function. Who comes meanwhile waits until it has returned, which is the same as
 * coming later.
 */
import { type Done, KEEP } from '../../../program/operation.ts';
import type { CallSite, CThread, Run } from '../../runtime.ts';
import { keeps, type Library, steps } from '../define.ts';
import { live, sleep, syncObject } from './sync.ts';

const RUNNING = 1;
const DONE = 2;

export function* once(thread: CThread, control: number, callee: number, call: CallSite): Run<number> {
  const location = yield* syncObject(thread, control, 'once', call);
  const isNew = (value: unknown): boolean => live(value, 'pthread_once_t', call) === 0;
  const apply = (value: unknown): unknown => (isNew(value) ? RUNNING : KEEP);
  const name = (): string => location.name ?? 'once';
  const words = (done: Done | undefined): string => {
    if (done === undefined) return `waits until ${name()} is done`;
    return done.isWritten ? `is the first at ${name()}` : `finds ${name()} done`;
  };
  const before = yield sleep(location, 'once', (value) => value !== RUNNING, apply, call, words);
  if (isNew(before)) {
    yield* thread.call(callee, [], call);
    const ends = (): string => `${name()} is done`;
    yield { kind: 'store', location, value: DONE, order: 'release', position: call.position, words: ends };
  }
  return 0;
}

export const pthreadOnce: Library = {
  pthread_once: steps(keeps, (thread, call, control: number, callee: number) => once(thread, control, callee, call)),
};
