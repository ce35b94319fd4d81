/**
 * What functions of the C library and intrinsics do with the addresses that they are given. Only what is listed here is
 * known not to keep an address; `analyseEscape` takes all others to hand it to another thread.
 */

/** What becomes of an address that is passed as an argument. */
export type Capture =
  /** Read or written through during the call, and forgotten. */
  | 'used'
  /** So, and the result may be derived from it. */
  | 'returned'
  /** May be kept. */
  | 'kept';

interface Rule {
  readonly used?: readonly number[] | 'all';
  readonly returned?: readonly number[];
}

const all: Rule = { used: 'all' };
const first: Rule = { used: [0] };
const firstTwo: Rule = { used: [0, 1] };
const second: Rule = { used: [1] };
/** Copies to the first argument and returns it. */
const copying: Rule = { returned: [0], used: [1] };
/** Returns a place in the first argument. */
const finding: Rule = { returned: [0], used: [1] };

const rules: Readonly<Record<string, Rule>> = {
  // Threads. The argument of the start function is the new thread's.
  pthread_create: firstTwo,
  pthread_join: second,
  thrd_create: first,
  thrd_join: second,
  thrd_sleep: firstTwo,
  nanosleep: firstTwo,
  pthread_setcancelstate: second,
  pthread_setcanceltype: second,
  pthread_mutex_init: second,
  pthread_cond_init: second,
  pthread_rwlock_init: second,
  pthread_barrier_init: second,
  pthread_key_create: first,
  tss_create: first,
  pthread_mutex_timedlock: second,
  pthread_mutex_clocklock: { used: [2] },
  pthread_cond_timedwait: { used: [2] },
  pthread_rwlock_timedrdlock: second,
  pthread_rwlock_timedwrlock: second,
  mtx_timedlock: second,
  cnd_timedwait: { used: [2] },
  sem_timedwait: second,
  sem_getvalue: second,
  pthread_getschedparam: all,
  pthread_setschedparam: all,
  pthread_setname_np: second,
  pthread_getname_np: second,
  pthread_getattr_np: second,
  // Attributes: private to who sets them up.
  pthread_attr_: all,
  pthread_mutexattr_: all,
  pthread_condattr_: all,
  pthread_rwlockattr_: all,
  pthread_barrierattr_: all,

  // Output.
  printf: all,
  fprintf: all,
  dprintf: all,
  sprintf: all,
  snprintf: all,
  vprintf: all,
  vfprintf: all,
  vsprintf: all,
  vsnprintf: all,
  puts: all,
  fputs: all,
  fwrite: all,
  perror: all,
  write: second,
  __assert_fail: all,
  __assert: all,
  __assert_rtn: all,
  __assert_func: all,

  // Strings and bytes.
  strlen: all,
  strnlen: all,
  strcmp: all,
  strncmp: all,
  strcasecmp: all,
  strncasecmp: all,
  strcoll: all,
  strspn: all,
  strcspn: all,
  memcmp: all,
  bcmp: all,
  bzero: all,
  bcopy: all,
  strdup: all,
  strndup: all,
  memcpy: copying,
  memmove: copying,
  mempcpy: copying,
  memccpy: copying,
  memset: { returned: [0] },
  strcpy: copying,
  strncpy: copying,
  stpcpy: copying,
  stpncpy: copying,
  strcat: copying,
  strncat: copying,
  strlcpy: all,
  strlcat: all,
  strchr: finding,
  strrchr: finding,
  strchrnul: finding,
  strstr: finding,
  strpbrk: finding,
  memchr: finding,
  memrchr: finding,
  rawmemchr: finding,
  atoi: all,
  atol: all,
  atoll: all,
  atof: all,

  // Numbers and time.
  frexp: second,
  frexpf: second,
  modf: second,
  modff: second,
  time: all,
  clock_gettime: second,
  clock_getres: second,
  gettimeofday: firstTwo,
  timespec_get: first,

  // Atomics of sizes that are no single instruction: on an object of one thread they are plain.
  __atomic_load: all,
  __atomic_store: all,
  __atomic_exchange: all,
  __atomic_compare_exchange: all,
  __atomic_is_lock_free: all,

  'llvm.memcpy.': firstTwo,
  'llvm.memmove.': firstTwo,
  'llvm.memset.': first,
  'llvm.lifetime.': all,
  'llvm.va_': all,
  'llvm.stackrestore': all,
  'llvm.prefetch': all,
  'llvm.objectsize.': all,
  'llvm.is.constant.': all,
  'llvm.assume': all,
  'llvm.dbg.': all,
  'llvm.invariant.': all,
  'llvm.threadlocal.address': { returned: [0] },
  'llvm.launder.invariant.group': { returned: [0] },
  'llvm.strip.invariant.group': { returned: [0] },
  'llvm.ptr.annotation.': { returned: [0], used: [1, 2, 4] },
  'llvm.expect.': { returned: [0] },
  'llvm.ptrmask.': { returned: [0] },
  'llvm.ssa.copy': { returned: [0] },
};

/** Names that end so stand for all functions that begin so. */
const prefixes = Object.keys(rules).filter((name) => name.startsWith('llvm.') || name.endsWith('attr_'));

function ruleFor(name: string): Rule | undefined {
  if (Object.hasOwn(rules, name)) return rules[name];
  const prefix = prefixes.find((candidate) => name.startsWith(candidate));
  return prefix === undefined ? undefined : rules[prefix];
}

/** What a function that the program does not define does with an address passed as argument number `index`. */
export function captureOf(name: string, index: number): Capture {
  const rule = ruleFor(name);
  if (rule === undefined) return 'kept';
  if (rule.returned?.includes(index) === true) return 'returned';
  return rule.used === 'all' || rule.used?.includes(index) === true ? 'used' : 'kept';
}
