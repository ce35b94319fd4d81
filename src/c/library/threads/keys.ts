/**
 * Thread-specific data. Keys are numbered from 1 for the whole program; each key has a location that holds its destructor.
 * The values themselves are the thread's own business. So are the handlers of pthread_cleanup_push. None of this
 * synchronises threads: the program itself must see to it that a key is known before it is used.
 */
import { MAIN } from '../../../program/identity.ts';
import type { Location } from '../../../program/location.ts';
import type { Done } from '../../../program/operation.ts';
import type { CallSite, CThread, Run } from '../../runtime.ts';
import { I32, keeps, type Library, plain, steps } from '../define.ts';
import { EINVAL } from '../standard/errno.ts';
import { change, noteOf } from './sync.ts';

/** PTHREAD_DESTRUCTOR_ITERATIONS */
const MOST_ROUNDS = 4;
/** In place of a destructor. */
const NONE = 0;

function destructorOf(thread: CThread, key: number): Location {
  return thread.globalLocation(`destructor of key ${key}`, NONE);
}

function valuesOf(thread: CThread): Map<number, number> {
  return noteOf(thread, 'thread-specific data', () => new Map<number, number>());
}

export function* createKey(thread: CThread, result: number, destructor: number, call: CallSite): Run<number> {
  const keys = thread.globalLocation('number of keys', 0);
  const next = (old: unknown): number => (old as number) + 1;
  const created = (done: Done | undefined): string => `create key ${next(done?.answer ?? 0)}`;
  const before = (yield change(keys, 'key-create', 0, next, 'relaxed', call, created)) as number;
  const key = before + 1;
  if (destructor !== 0) {
    const location = destructorOf(thread, key);
    const words = (): string => `set the destructor of key ${key}`;
    yield { kind: 'store', location, value: destructor, order: 'relaxed', position: call.position, words };
  }
  yield* thread.store(result, I32, key, call);
  return 0;
}

export function* deleteKey(thread: CThread, key: number, call: CallSite): Run<number> {
  const location = destructorOf(thread, key);
  const words = (): string => `delete key ${key}`;
  yield { kind: 'store', location, value: NONE, order: 'relaxed', position: call.position, words };
  valuesOf(thread).delete(key);
  return 0;
}

export function setSpecific(thread: CThread, key: number, value: number, call: CallSite): number {
  if (key <= 0) return EINVAL;
  if (value !== 0 && !thread.notes.has('destroys data')) {
    thread.notes.set('destroys data', true);
    thread.atThreadEnd(() => destroyData(thread, call));
  }
  valuesOf(thread).set(key, value);
  return 0;
}

export function getSpecific(thread: CThread, key: number): number {
  return valuesOf(thread).get(key) ?? 0;
}

/** When a thread ends; not when main returns, because that is exit(). */
function* destroyData(thread: CThread, call: CallSite): Run<void> {
  if (thread.self === MAIN && !thread.notes.has('exits')) return;
  const values = valuesOf(thread);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const set = [...values].filter(([, value]) => value !== 0).sort(([a], [b]) => a - b);
    if (set.length === 0) return;
    for (const [key, value] of set) {
      const location = destructorOf(thread, key);
      const destructor = (yield { kind: 'load', location, order: 'relaxed', position: call.position }) as number;
      values.set(key, 0);
      if (destructor !== NONE) yield* thread.call(destructor, [value], call);
    }
  }
}

interface CleanUp {
  readonly callee: number;
  readonly argument: number;
}

function cleanUpsOf(thread: CThread): CleanUp[] {
  return noteOf(thread, 'clean-up handlers', () => []);
}

/** Ends the thread: the handlers run first, the latest one first, then the destructors. */
export function* exitThread(thread: CThread, value: number, call: CallSite): Run<never> {
  thread.notes.set('exits', true);
  const handlers = cleanUpsOf(thread);
  for (let handler = handlers.pop(); handler !== undefined; handler = handlers.pop()) {
    yield* thread.call(handler.callee, [handler.argument], call);
  }
  return yield* thread.endThread(value, call);
}

export const pthreadKeys: Library = {
  pthread_key_create: steps(
    { captures: { 0: 'used', 1: 'kept' } },
    (thread, call, result: number, destructor: number) => createKey(thread, result, destructor, call),
  ),
  pthread_key_delete: steps((thread, call, key: number) => deleteKey(thread, key, call)),
  pthread_setspecific: plain(keeps, (thread, call, key: number, value: number) =>
    setSpecific(thread, key, value, call),
  ),
  pthread_getspecific: plain((thread, _call, key: number) => getSpecific(thread, key)),

  _pthread_cleanup_push: plain(keeps, (thread, _call, _record: number, callee: number, argument: number) => {
    cleanUpsOf(thread).push({ callee, argument });
    return undefined;
  }),
  _pthread_cleanup_pop: steps(keeps, function* (thread, call, _record: number, runs: number) {
    const handler = cleanUpsOf(thread).pop();
    if (handler !== undefined && runs !== 0) yield* thread.call(handler.callee, [handler.argument], call);
    return undefined;
  }),
};
