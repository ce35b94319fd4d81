/** What a program asks the system about itself: processors, users, limits, the order of bytes. */
import type { CallSite, CThread } from '../../runtime.ts';
import { gives, I8, keeps, type Library, type LibraryFunction, plain, sizeOfArgument, steps, uses } from '../define.ts';

const PAGE_SIZE = 4096;
/** How many processors there are makes no difference to what threads can do, only to how many a program starts. */
const PROCESSORS = 2;
const USER = 1000;

function processors(thread: CThread, name: string): number {
  thread.noteLimit?.(`${name} gave ${PROCESSORS} processors only`);
  return PROCESSORS;
}

/** By the numbers of _SC_…, as the WASI headers define them. */
const settings: Readonly<Record<number, (thread: CThread) => number>> = {
  2: () => 100, // _SC_CLK_TCK
  4: () => 1024, // _SC_OPEN_MAX
  30: () => PAGE_SIZE,
  83: (thread) => processors(thread, 'sysconf()'),
  84: (thread) => processors(thread, 'sysconf()'),
  190: () => 64, // _SC_LEVEL1_DCACHE_LINESIZE
};

/** The first processors of a set are in it. */
const affinity = steps(uses, function* (thread: CThread, call: CallSite, _of: number, size: number, set: number) {
  yield* thread.fill(set, 0, sizeOfArgument(size), call);
  yield* thread.store(set, I8, (1 << PROCESSORS) - 1, call);
  return 0;
});

/** Of a value of `bytes` bytes, between the order of the machine and that of the network. */
function swapped(bytes: number): LibraryFunction {
  return plain({ effect: 'harmless' }, (_thread, _call, value: number) => {
    let result = 0;
    for (let i = 0; i < bytes; i++) result = (result << 8) | ((value >> (8 * i)) & 0xff);
    return bytes === 2 ? (result << 16) >> 16 : result;
  });
}

export const system: Library = {
  sysconf: plain((thread, call, name: number) => {
    const setting = settings[name];
    return setting === undefined
      ? thread.refuse(`sysconf(${name}): this setting is not modelled`, call)
      : setting(thread);
  }),
  getpagesize: gives(PAGE_SIZE),
  get_nprocs: plain((thread) => processors(thread, 'get_nprocs()')),
  get_nprocs_conf: plain((thread) => processors(thread, 'get_nprocs_conf()')),

  // which processor a thread runs on makes no difference to what can happen, only to what it is told
  sched_getcpu: plain((thread) => {
    thread.noteLimit?.('sched_getcpu() gave 0 only');
    return 0;
  }),
  sched_setaffinity: gives(0, uses),
  sched_getaffinity: affinity,
  pthread_getaffinity_np: affinity,
  pthread_attr_setaffinity_np: gives(0, uses),
  __sched_cpucount: steps(uses, function* (thread, call, size: number, set: number) {
    let count = 0;
    for (const byte of yield* thread.readBytes(set, sizeOfArgument(size), call)) {
      for (let bits = byte; bits !== 0; bits &= bits - 1) count++;
    }
    return count;
  }),
  mlock: gives(0, keeps),
  munlock: gives(0, keeps),
  mlockall: gives(0),
  munlockall: gives(0),
  setpriority: gives(0),
  getpriority: gives(0),
  nice: gives(0),

  isatty: gives(0),
  getuid: gives(USER),
  geteuid: gives(USER),
  getgid: gives(USER),
  getegid: gives(USER),
  setlocale: plain(uses, (thread, _call, _category: number, _name: number) => thread.literal('C')),

  htonl: swapped(4),
  ntohl: swapped(4),
  htons: swapped(2),
  ntohs: swapped(2),
};
