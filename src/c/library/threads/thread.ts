/** Threads. The pthread_t of a thread is its identity (src/program/identity.ts); 0 is nobody's. */
import { isChildOfMain, MAIN } from '../../../program/identity.ts';
import type { CallSite, CThread, CValue, Run } from '../../runtime.ts';
import { gives, I8, I32, keeps, keepsFirst, type Library, POINTER, plain, steps, uses } from '../define.ts';
import { EDEADLK } from '../standard/errno.ts';
import { exitThread } from './keys.ts';
import { noteOf } from './sync.ts';

/** Starts a thread and stores its pthread_t, which the thread itself may not rely on: POSIX does not say in which order. */
export function* createThread(
  thread: CThread,
  result: number,
  callee: number,
  argument: CValue,
  call: CallSite,
): Run<number> {
  yield* thread.store(result, POINTER, yield* startThread(thread, callee, argument, call), call);
  return 0;
}

/** The pthread_t of a new thread. */
export function* startThread(thread: CThread, callee: number, argument: CValue, call: CallSite): Run<number> {
  const created = yield* thread.spawn(callee, [argument], call);
  createdBy(thread).add(created);
  return created;
}

/** Waits for a thread; what it returned, or undefined if it is this thread itself. */
export function* joinThread(
  thread: CThread,
  identity: number,
  call: CallSite,
): Run<{ readonly value: CValue } | undefined> {
  if (identity === thread.self) return undefined;
  giveUp(thread, identity, 'joins', call);
  return { value: (yield { kind: 'join', thread: identity, isOnce: true, position: call.position }) as CValue };
}

/** A thread is joined or detached, and that once. What other threads did with it is not known here: two joins find each other. */
function giveUp(thread: CThread, identity: number, does: string, call: CallSite): void {
  if (!mayBeThread(thread, identity)) thread.fail('abort', `the thread ${does} ${identity}, which is no thread`, call);
  const before = noteOf(thread, 'threads given up', () => new Map<number, string>());
  const how = before.get(identity);
  if (how !== undefined) thread.fail('abort', `the thread ${does} a thread that it has ${how} before`, call);
  before.set(identity, does === 'joins' ? 'joined' : 'detached');
}

function createdBy(thread: CThread): Set<number> {
  return noteOf(thread, 'threads created', () => new Set<number>());
}

/** As far as this thread can know: main knows its children. What else was created by others, or will be, is not known here. */
function mayBeThread(thread: CThread, identity: number): boolean {
  if (thread.self === MAIN && isChildOfMain(identity)) return createdBy(thread).has(identity);
  return identity > 0;
}

export function detachThread(thread: CThread, identity: number, call: CallSite): number {
  giveUp(thread, identity, 'detaches', call);
  return 0;
}

/** Attributes change nothing that can be seen here, but what is set can be asked for: each in a word of its own. */
const attributes: Readonly<Record<string, { readonly word: number; readonly initial: number }>> = {
  detachstate: { word: 0, initial: 0 },
  stacksize: { word: 1, initial: 131072 },
  guardsize: { word: 2, initial: 8192 },
  scope: { word: 3, initial: 0 },
  schedpolicy: { word: 4, initial: 0 },
  inheritsched: { word: 5, initial: 0 },
};

const schedulingPriority = 6;
const PR_SET_NAME = 15;

function attributeFunctions(): Library {
  const functions: Record<string, Library[string]> = {};
  for (const [name, { word }] of Object.entries(attributes)) {
    functions[`pthread_attr_set${name}`] = steps(uses, function* (thread, call, attribute: number, value: number) {
      yield* thread.store(attribute + 4 * word, I32, value, call);
      return 0;
    });
    functions[`pthread_attr_get${name}`] = steps(uses, function* (thread, call, attribute: number, result: number) {
      yield* thread.store(result, I32, yield* thread.load(attribute + 4 * word, I32, call), call);
      return 0;
    });
  }
  return functions;
}

export const pthreadThread: Library = {
  pthread_create: steps(
    { captures: { 0: 'used', 1: 'used', 2: 'kept', 3: 'kept' }, role: 'starts-thread' },
    (thread, call, result: number, _attributes: number, callee: number, argument: number) =>
      createThread(thread, result, callee, argument, call),
  ),
  pthread_join: steps(keepsFirst, function* (thread, call, identity: number, result: number) {
    const joined = yield* joinThread(thread, identity, call);
    if (joined === undefined) return EDEADLK;
    if (result !== 0) yield* thread.store(result, POINTER, joined.value, call);
    return 0;
  }),
  pthread_detach: plain(keeps, (thread, call, identity: number) => detachThread(thread, identity, call)),
  pthread_exit: steps(keeps, (thread, call, value: number) => exitThread(thread, value, call)),
  pthread_self: plain({ effect: 'harmless' }, (thread) => thread.self),
  pthread_equal: plain({ captures: 'kept', effect: 'harmless' }, (_thread, _call, a: number, b: number) =>
    a === b ? 1 : 0,
  ),

  ...attributeFunctions(),
  pthread_attr_init: steps(uses, function* (thread, call, attribute: number) {
    for (const { word, initial } of Object.values(attributes)) {
      yield* thread.store(attribute + 4 * word, I32, initial, call);
    }
    yield* thread.store(attribute + 4 * schedulingPriority, I32, 0, call);
    return 0;
  }),
  pthread_attr_destroy: gives(0, uses),
  pthread_attr_setstack: gives(0, uses),
  pthread_attr_setschedparam: steps(uses, function* (thread, call, attribute: number, parameters: number) {
    yield* thread.store(attribute + 4 * schedulingPriority, I32, yield* thread.load(parameters, I32, call), call);
    return 0;
  }),
  pthread_attr_getschedparam: steps(uses, function* (thread, call, attribute: number, parameters: number) {
    yield* thread.store(parameters, I32, yield* thread.load(attribute + 4 * schedulingPriority, I32, call), call);
    return 0;
  }),

  // names, priorities and processors make no difference to what can happen
  pthread_setname_np: gives(0, keepsFirst),
  pthread_getname_np: steps(keepsFirst, function* (thread, call, _of: number, target: number) {
    yield* thread.store(target, I8, 0, call);
    return 0;
  }),
  prctl: plain({ captures: 'used' }, (thread, call, option: number) =>
    option === PR_SET_NAME ? 0 : thread.refuse(`prctl(${option}, …): only PR_SET_NAME is modelled`, call),
  ),
  pthread_setschedparam: gives(0, uses),
  pthread_setschedprio: gives(0, keeps),
  pthread_setconcurrency: gives(0),
  pthread_getconcurrency: gives(0),
  pthread_setaffinity_np: gives(0, keeps),
  pthread_getschedparam: steps(uses, function* (thread, call, _identity: number, policy: number, parameters: number) {
    yield* thread.store(policy, I32, 0, call);
    yield* thread.store(parameters, I32, 0, call);
    return 0;
  }),
  sched_get_priority_min: gives(0),
  sched_get_priority_max: gives(0),
  sched_getscheduler: gives(0),
  sched_setscheduler: gives(0, keeps),
  sched_setparam: gives(0, keeps),
  getpid: gives(1),
  getppid: gives(1),
  gettid: plain((thread) => thread.self),
  // nobody is ever cancelled: pthread_cancel is refused
  pthread_setcancelstate: cancelSetting('cancel state'),
  pthread_setcanceltype: cancelSetting('cancel type'),
  pthread_testcancel: gives(undefined),
};

function cancelSetting(name: string) {
  return steps({ captures: { 1: 'used' } }, function* (thread, call, value: number, old: number) {
    const before = (thread.notes.get(name) ?? 0) as number;
    thread.notes.set(name, value);
    if (old !== 0) yield* thread.store(old, I32, before, call);
    return 0;
  });
}
