/** C11 <threads.h>: the same objects as those of pthreads, with other names and results. */
import { I32, keeps, keepsFirst, type Library, plain, steps, tries } from '../define.ts';
import {
  broadcastCondition,
  destroyCondition,
  initCondition,
  signalCondition,
  timedWaitCondition,
  waitCondition,
} from './condition-variable.ts';
import { createKey, deleteKey, exitThread, getSpecific, setSpecific } from './keys.ts';
import {
  destroyMutex,
  initMutex,
  lockMutex,
  NORMAL,
  RECURSIVE,
  timedLockMutex,
  tryMutex,
  unlockMutex,
} from './mutex.ts';
import { once } from './once.ts';
import { createThread, detachThread, joinThread } from './thread.ts';

const SUCCESS = 0;
const BUSY = 1;
const ERROR = 2;
const TIMED_OUT = 4;

/** mtx_recursive is a bit, which mtx_timed may go with. */
const MTX_RECURSIVE = 1;

export const threads: Library = {
  thrd_create: steps(
    { captures: { 0: 'used', 1: 'kept', 2: 'kept' }, role: 'starts-thread' },
    (thread, call, result: number, callee: number, argument: number) =>
      createThread(thread, result, callee, argument, call),
  ),
  thrd_join: steps(keepsFirst, function* (thread, call, identity: number, result: number) {
    const joined = yield* joinThread(thread, identity, call);
    if (joined === undefined) return ERROR;
    if (result !== 0) yield* thread.store(result, I32, joined.value, call);
    return SUCCESS;
  }),
  thrd_detach: plain(keeps, (thread, call, identity: number) => detachThread(thread, identity, call)),
  thrd_exit: steps((thread, call, value: number) => exitThread(thread, value, call)),
  thrd_current: plain({ effect: 'harmless' }, (thread) => thread.self),
  thrd_equal: plain({ captures: 'kept', effect: 'harmless' }, (_thread, _call, a: number, b: number) =>
    a === b ? 1 : 0,
  ),
  thrd_yield: steps({ effect: 'harmless', ignoresArguments: true }, function* (_thread, call) {
    yield { kind: 'yield', position: call.position };
    return undefined;
  }),
  thrd_sleep: steps(
    { captures: 'used', effect: 'harmless', ignoresArguments: true },
    function* (_thread, call, _duration: number, _remaining: number) {
      yield { kind: 'yield', position: call.position };
      return 0;
    },
  ),

  mtx_init: steps(keeps, (thread, call, mutex: number, kind: number) =>
    initMutex(thread, mutex, (kind & MTX_RECURSIVE) === 0 ? NORMAL : RECURSIVE, call),
  ),
  mtx_destroy: steps(keeps, function* (thread, call, mutex: number) {
    yield* destroyMutex(thread, mutex, call);
    return undefined;
  }),
  mtx_lock: steps(keeps, (thread, call, mutex: number) => lockMutex(thread, mutex, call)),
  mtx_trylock: steps(tries, (thread, call, mutex: number) => tryMutex(thread, mutex, BUSY, call)),
  mtx_timedlock: steps(keepsFirst, function* (thread, call, mutex: number, _until: number) {
    return (yield* timedLockMutex(thread, mutex, call)) === 0 ? SUCCESS : TIMED_OUT;
  }),
  mtx_unlock: steps(keeps, (thread, call, mutex: number) => unlockMutex(thread, mutex, call)),

  cnd_init: steps(keeps, (thread, call, condition: number) => initCondition(thread, condition, call)),
  cnd_destroy: steps(keeps, function* (thread, call, condition: number) {
    yield* destroyCondition(thread, condition, call);
    return undefined;
  }),
  cnd_signal: steps(keeps, (thread, call, condition: number) => signalCondition(thread, condition, call)),
  cnd_broadcast: steps(keeps, (thread, call, condition: number) => broadcastCondition(thread, condition, call)),
  cnd_wait: steps(keeps, (thread, call, condition: number, mutex: number) =>
    waitCondition(thread, condition, mutex, call),
  ),
  cnd_timedwait: steps(
    { captures: { 0: 'kept', 1: 'kept', 2: 'used' } },
    function* (thread, call, condition: number, mutex: number, _until: number) {
      return (yield* timedWaitCondition(thread, condition, mutex, call)) === 0 ? SUCCESS : TIMED_OUT;
    },
  ),

  call_once: steps(keeps, function* (thread, call, flag: number, callee: number) {
    yield* once(thread, flag, callee, call);
    return undefined;
  }),

  tss_create: steps({ captures: { 0: 'used', 1: 'kept' } }, (thread, call, result: number, destructor: number) =>
    createKey(thread, result, destructor, call),
  ),
  tss_delete: steps(function* (thread, call, key: number) {
    yield* deleteKey(thread, key, call);
    return undefined;
  }),
  tss_set: plain(keeps, (thread, call, key: number, value: number) =>
    setSpecific(thread, key, value, call) === 0 ? SUCCESS : ERROR,
  ),
  tss_get: plain((thread, _call, key: number) => getSpecific(thread, key)),
};
