/** Programs with loops that wait, but not so that it can be seen of a single round: each with what is found in it. */

export interface RoundProgram {
  readonly code: string;
  /** The kind of the error; undefined: there is none. */
  readonly error?: string;
  /** There is one only under these models. */
  readonly models?: readonly string[];
  /** Every round counts, so the search needs a bound. */
  readonly unroll?: number;
}

const start = `
static atomic_int flag;
static int data, ready;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static sem_t sem;
`;

const both = `
int main(void) {
  pthread_t t[2];
  sem_init(&sem, 0, 0);
  pthread_create(&t[0], NULL, waiter, NULL);
  pthread_create(&t[1], NULL, setter, NULL);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
  return 0;
}`;

const of = (setter: string, waiter: string, before = ''): string => `${start}${before}
static void *setter(void *arg) { ${setter} return NULL; }
static void *waiter(void *arg) { ${waiter} return NULL; }
${both}`;

/** A thread that polls under m, and two observers. */
const observed = (first: string, second: string, main: string): string => `
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER, q = PTHREAD_MUTEX_INITIALIZER;
static int ready;
static atomic_int state;
static void *waiter(void *arg) {
  for (;;) {
    pthread_mutex_lock(&m);
    int r = ready;
    pthread_mutex_unlock(&m);
    if (r) return NULL;
  }
}
static void *first(void *arg) { ${first} return NULL; }
static void *second(void *arg) { ${second} return NULL; }
int main(void) {
  pthread_t a, b, c;
  ${main}
  return 0;
}`;

const creates =
  'pthread_create(&a, NULL, waiter, NULL); pthread_create(&b, NULL, first, NULL); pthread_create(&c, NULL, second, NULL);';
const joins = 'pthread_join(a, NULL); pthread_join(b, NULL); pthread_join(c, NULL);';
/** The waiter has left the round that it was in, and is in another one. */
const isInAnother = 'pthread_mutex_lock(&m); pthread_mutex_unlock(&m); if (pthread_mutex_trylock(&m) != 0) assert(0);';

const sets = 'data = 1; flag = 1;';
const setsTooEarly = 'flag = 1; data = 1;';
const neverSets = 'data = 1; flag = 2;';

const after = ' assert(data == 1);';
const looks = ' assert(data >= 0);';

/** A way to wait for flag to become 1: right, with a race, and without end. */
const threeOf = (name: string, waiter: string, before = ''): Record<string, RoundProgram> => ({
  [name]: { code: of(sets, waiter + after, before) },
  [`${name}, set too early`]: { code: of(setsTooEarly, waiter + looks, before), error: 'race' },
  [`${name}, never set`]: { code: of(neverSets, waiter + after, before), error: 'livelock' },
});

const publishes = 'pthread_mutex_lock(&m); ready = 1; pthread_mutex_unlock(&m);';
const publishesBare = 'ready = 1;';
const publishesNot = 'pthread_mutex_lock(&m); ready = 2; pthread_mutex_unlock(&m);';

/** A way to wait for ready to become 1 under the mutex m. */
const threeUnderLock = (name: string, waiter: string, before = ''): Record<string, RoundProgram> => ({
  [name]: { code: of(publishes, waiter, before) },
  [`${name}, set without the lock`]: { code: of(publishesBare, waiter, before), error: 'race' },
  [`${name}, never set`]: { code: of(publishesNot, waiter, before), error: 'livelock' },
});

const avoids = (first: string, second: string, then = 'data++;'): string =>
  `for (;;) {
    pthread_mutex_lock(&${first});
    if (pthread_mutex_trylock(&${second}) == 0) break;
    pthread_mutex_unlock(&${first});
    sched_yield();
  }
  ${then}
  pthread_mutex_unlock(&${second});
  pthread_mutex_unlock(&${first});`;

/** A ring of two slots with cached indices, of which each is written by one of the threads alone. */
const ring = (pushes: number, pops: number, publish: string): string => `
struct ring { atomic_uint head, tail; unsigned cachedHead, cachedTail; int slots[2]; };
static struct ring q;
static int push(struct ring *r, int value) {
  unsigned tail = atomic_load_explicit(&r->tail, memory_order_relaxed);
  if (tail - r->cachedHead == 2) {
    r->cachedHead = atomic_load_explicit(&r->head, memory_order_acquire);
    if (tail - r->cachedHead == 2) return 0;
  }
  ${publish}
  return 1;
}
static int pop(struct ring *r, int *value) {
  unsigned head = atomic_load_explicit(&r->head, memory_order_relaxed);
  if (head == r->cachedTail) {
    r->cachedTail = atomic_load_explicit(&r->tail, memory_order_acquire);
    if (head == r->cachedTail) return 0;
  }
  *value = r->slots[head % 2];
  atomic_store_explicit(&r->head, head + 1, memory_order_release);
  return 1;
}
static void *producer(void *arg) {
  for (int i = 0; i < ${pushes}; i++) while (!push(&q, i)) {}
  return NULL;
}
static void *consumer(void *arg) {
  for (int i = 0; i < ${pops}; i++) { int value; while (!pop(&q, &value)) {} assert(value == i); }
  return NULL;
}
int main(void) {
  pthread_t t[2];
  q.cachedHead = q.cachedTail = 0;
  pthread_create(&t[0], NULL, producer, NULL);
  pthread_create(&t[1], NULL, consumer, NULL);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
  assert(q.cachedTail == ${pops});
  return 0;
}`;

const writes = 'r->slots[tail % 2] = value;';
const moves = (order: string): string => `atomic_store_explicit(&r->tail, tail + 1, memory_order_${order});`;

/** The last value seen, kept in memory. */
const last = 'static atomic_int last;';

interface OwnLock {
  readonly globals: string;
  readonly lock: string;
  readonly unlock: string;
  /** How the waiter takes it, if that is another way. */
  readonly look?: string;
  readonly init?: string;
}

/** Locks that are no mutexes. */
const ownLocks: Readonly<Record<string, OwnLock>> = {
  'a read-write lock': {
    globals: 'static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;',
    lock: 'pthread_rwlock_wrlock(&l);',
    look: 'pthread_rwlock_rdlock(&l);',
    unlock: 'pthread_rwlock_unlock(&l);',
  },
  'a semaphore': {
    globals: 'static sem_t l;',
    lock: 'sem_wait(&l);',
    unlock: 'sem_post(&l);',
    init: 'sem_init(&l, 0, 1);',
  },
  'a spin lock': {
    globals: 'static pthread_spinlock_t l;',
    lock: 'pthread_spin_lock(&l);',
    unlock: 'pthread_spin_unlock(&l);',
    init: 'pthread_spin_init(&l, 0);',
  },
  'a test-and-set lock': {
    globals: 'static atomic_flag l = ATOMIC_FLAG_INIT;',
    lock: 'while (atomic_flag_test_and_set_explicit(&l, memory_order_acquire)) {}',
    unlock: 'atomic_flag_clear_explicit(&l, memory_order_release);',
  },
  'a compare-exchange lock': {
    globals: 'static atomic_int l = 5;',
    lock: 'for (int free = 5; !atomic_compare_exchange_strong(&l, &free, 7); free = 5) sched_yield();',
    unlock: 'l = 5;',
  },
};

const pollsUnder = ({ lock, look = lock, unlock }: OwnLock): string =>
  `for (;;) { ${look} int r = ready; ${unlock} if (r == 1) break; usleep(1); }`;

/** The same with a way to start. */
const withOwn = ({ globals, init = '' }: OwnLock, setter: string, waiter: string, before = ''): string =>
  of(setter, waiter, globals + before).replace('sem_init(&sem, 0, 0);', init);

const underOwnLocks = (): Record<string, RoundProgram> => {
  const programs: Record<string, RoundProgram> = {};
  for (const [name, own] of Object.entries(ownLocks)) {
    const { lock, unlock } = own;
    const polls = pollsUnder(own);
    programs[`polling under ${name}`] = { code: withOwn(own, `${lock} ready = 1; ${unlock}`, polls) };
    programs[`polling under ${name}, set without it`] = { code: withOwn(own, 'ready = 1;', polls), error: 'race' };
    programs[`polling under ${name}, never set`] = {
      code: withOwn(own, `${lock} ready = 2; ${unlock}`, polls),
      error: 'livelock',
    };
  }
  return programs;
};

const testAndSet = ownLocks['a test-and-set lock'] as OwnLock;
const exchanges: OwnLock = {
  globals: 'static atomic_int l;',
  lock: 'while (atomic_exchange(&l, 1)) {}',
  unlock: 'l = 0;',
};
const pollsUntilSet = (own: OwnLock): string =>
  `int r; for (;;) { ${own.lock} r = ready; ${own.unlock} if (r) break; }`;

/** A test-and-set lock of three threads: `backsOff` is what one does before it tries again. */
const locks = (backsOff: string, before = ''): string => `
static atomic_int held;
static int count;
${before}
static void *worker(void *arg) {
  unsigned d = 1;
  while (atomic_exchange(&held, 1)) { ${backsOff} }
  count++;
  held = 0;
  return NULL;
}
int main(void) {
  pthread_t t[3];
  for (int i = 0; i < 3; i++) pthread_create(&t[i], NULL, worker, NULL);
  for (int i = 0; i < 3; i++) pthread_join(t[i], NULL);
  assert(count == 3);
  return 0;
}`;

export const backOffs: Readonly<Record<string, string>> = {
  none: locks(''),
  'a delay that doubles up to a limit': locks('for (int i = 0; i < (int)d; i++) {} if (d < 64) d *= 2;'),
  'a volatile delay in a function': locks(
    'delay(d); if (d < 64) d *= 2;',
    'static void delay(unsigned n) { for (volatile unsigned i = 0; i < n; i++) {} }',
  ),
  'a delay of pauses, through two functions': locks(
    'backOff(&d);',
    `static void relax(void) { __asm__ __volatile__("pause" ::: "memory"); }
    static void spin(unsigned n) { while (n--) relax(); }
    static void backOff(unsigned *d) { spin(*d); *d = *d * 2 > 64 ? 64 : *d * 2; }`,
  ),
  'a yield after each hundred rounds': locks('if (++d == 100) { d = 0; sched_yield(); }'),
  'a sleep that chance says': locks('usleep(rand() % 10);'),
  'a sleep that doubles up to a limit': locks('usleep(d); d = d >= 1000 ? 1000 : d * 2;'),
};

/**
 * A thread that takes a lock and gives it back until it is told to stop, with that memory order. If it releases nothing, who takes the lock next sees
 * nothing of what others did under it before.
 */
export const givesBack = (order: string): string => `static atomic_flag l = ATOMIC_FLAG_INIT;
    static atomic_int stop, done;
    static int data;
    static void *waiter(void *arg) {
      while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
        while (atomic_flag_test_and_set_explicit(&l, memory_order_acquire)) {}
        atomic_flag_clear_explicit(&l, memory_order_${order});
      }
      return NULL;
    }
    static void *setter(void *arg) {
      ${testAndSet.lock} data = 1; atomic_store_explicit(&done, 1, memory_order_relaxed); ${testAndSet.unlock}
      return NULL;
    }
    int main(void) {
      pthread_t t[2];
      pthread_create(&t[0], NULL, waiter, NULL);
      pthread_create(&t[1], NULL, setter, NULL);
      ${testAndSet.lock}
      if (atomic_load_explicit(&done, memory_order_relaxed)) assert(data == 1);
      ${testAndSet.unlock}
      atomic_store_explicit(&stop, 1, memory_order_relaxed);
      pthread_join(t[0], NULL);
      pthread_join(t[1], NULL);
      return 0;
    }`;

export const rounds: Readonly<Record<string, RoundProgram>> = {
  ...threeOf('entered after a first look', 'int v = flag; if (v != 1) { while (v != 1) v = flag; }'),
  ...threeOf('a pause of a fixed length', 'while (flag != 1) for (int i = 0; i < 3; i++) sched_yield();'),
  ...threeOf('a volatile delay', 'while (flag != 1) for (volatile int i = 0; i < 20; i++) {}'),
  ...threeOf(
    'a delay in a function',
    'while (flag != 1) delay(4);',
    'static void delay(int n) { volatile int k = 0; while (k < n) k++; }',
  ),
  ...threeOf('a counter that resets', 'int n = 0; while (flag != 1) if (++n == 3) { n = 0; sched_yield(); }'),
  ...threeOf('a counter that saturates', 'int n = 0; while (flag != 1) if (n < 3) n++; else usleep(1);'),
  ...threeOf(
    'doubling up to a limit',
    'int n = 1; while (flag != 1) { delay(n); if (n < 8) n *= 2; }',
    'static void delay(int n) { for (volatile int k = 0; k < n; k++) {} }',
  ),
  ...threeOf('a sleep that doubles', 'unsigned us = 1; while (flag != 1) { usleep(us); us *= 2; }'),
  ...threeOf(
    'a nap that doubles',
    'struct timespec t = { 0, 1 }; while (flag != 1) { nanosleep(&t, NULL); t.tv_nsec *= 2; }',
  ),
  ...threeOf('the last value seen', 'int o, last = 0; while ((o = flag) != 1) last = o; assert(last != 1);'),
  ...threeOf(
    'a compare-exchange that fails',
    'int n = 0, e = 1; while (!atomic_compare_exchange_strong(&flag, &e, 3)) { e = 1; n ^= 1; }',
  ),

  ...threeOf('a message in each round', 'while (flag != 1) { printf("not yet\\n"); sleep(1); }'),
  ...threeUnderLock(
    'polling under a lock',
    'for (;;) { pthread_mutex_lock(&m); int r = ready; pthread_mutex_unlock(&m); if (r == 1) break; usleep(1000); }',
  ),
  ...threeUnderLock(
    'polling with the lock held at the header',
    'pthread_mutex_lock(&m); while (ready != 1) { pthread_mutex_unlock(&m); usleep(1); pthread_mutex_lock(&m); } pthread_mutex_unlock(&m);',
  ),
  ...threeUnderLock(
    'polling under a lock through a function',
    'while (!look()) usleep(1);',
    'static int look(void) { pthread_mutex_lock(&m); int r = ready == 1; pthread_mutex_unlock(&m); return r; }',
  ),
  ...threeUnderLock(
    'polling under two locks',
    `for (;;) {
      pthread_mutex_lock(&other); pthread_mutex_lock(&m);
      int r = ready;
      pthread_mutex_unlock(&m); pthread_mutex_unlock(&other);
      if (r == 1) break;
    }`,
  ),
  ...threeUnderLock(
    'polling with trylock',
    'for (;;) { if (pthread_mutex_trylock(&m) == 0) { int r = ready; pthread_mutex_unlock(&m); if (r == 1) break; } usleep(1); }',
  ),
  'polling under a lock that the other never gives back': {
    code: of(
      'pthread_mutex_lock(&m); ready = 1;',
      'for (;;) { pthread_mutex_lock(&m); int r = ready; pthread_mutex_unlock(&m); if (r) break; usleep(1); }',
    ),
    error: 'deadlock',
  },
  sem_trywait: { code: of('data = 1; sem_post(&sem);', `while (sem_trywait(&sem) != 0) usleep(1);${after}`) },
  'sem_trywait, posted too early': {
    code: of('sem_post(&sem); data = 1;', `while (sem_trywait(&sem) != 0) usleep(1);${looks}`),
    error: 'race',
  },
  'sem_trywait, never posted': {
    code: of('data = 1;', 'while (sem_trywait(&sem) != 0) usleep(1);'),
    error: 'livelock',
  },
  'two locks, against deadlock': { code: of(avoids('m', 'other'), avoids('other', 'm')) },
  'two locks, with goto': {
    code: of(
      avoids('m', 'other'),
      `again:
      pthread_mutex_lock(&other);
      if (pthread_mutex_trylock(&m) != 0) { pthread_mutex_unlock(&other); usleep(1); goto again; }
      data++;
      pthread_mutex_unlock(&m); pthread_mutex_unlock(&other);`,
    ),
  },
  'two locks, one written without': {
    code: of(avoids('m', 'other', ''), `data++; ${avoids('other', 'm', 'data++;')}`),
  },
  'two locks, against deadlock, and a race': {
    code: of(avoids('m', 'other'), `data++; ${avoids('other', 'm', '')}`),
    error: 'race',
  },
  'two locks, and one is not given back': {
    code: of(
      avoids('m', 'other'),
      `for (;;) { pthread_mutex_lock(&other); if (pthread_mutex_trylock(&m) == 0) break; sched_yield(); }
      data++; pthread_mutex_unlock(&m); pthread_mutex_unlock(&other);`,
    ),
    error: 'livelock',
  },

  'a ring with cached indices': { code: ring(3, 3, `${writes} ${moves('release')}`) },
  'a ring with cached indices, published too early': {
    code: ring(3, 3, `${moves('release')} ${writes}`),
    error: 'race',
  },
  'a ring with cached indices, from which nobody takes': {
    code: ring(3, 0, `${writes} ${moves('release')}`),
    error: 'livelock',
  },
  'the last value in memory': { code: of('flag = 2; flag = 1;', 'int o; while ((o = flag) != 1) last = o;', last) },
  'the last value in memory, never set': {
    code: of('flag = 3; flag = 2;', 'int o; while ((o = flag) != 1) last = o;', last),
    error: 'livelock',
  },
  'the last value in memory, without atomics': {
    code: of('data = 1;', 'int o; while ((o = data) != 1) last = o;', last),
    error: 'race',
  },
  'the last value in memory, and another waits for it': {
    code: of('flag = 2; while (last != 2) {} flag = 1;', 'int o; while ((o = flag) != 1) last = o;', last),
  },
  'the last value in memory, and another waits for one that does not come': {
    code: of('flag = 2; while (last != 1) {} flag = 1;', 'int o; while ((o = flag) != 1) last = o;', last),
    error: 'livelock',
  },

  // What others see of a round must not be left out.
  'the last value in memory is seen, and that decides': {
    code: of(
      'flag = 2; flag = last == 2 ? 3 : 1;',
      'int o; while ((o = flag) == 0 || o == 2) last = o; assert(o != 3);',
      last,
    ),
    error: 'assertion',
  },
  'values between are seen in three rounds, and that decides': {
    code: of(
      'for (int i = 0; i < 3; i++) { while (last != 1) {} while (last != 0) {} } flag = 3;',
      'int o; do { last = 1; o = flag; last = 0; } while (o == 0); assert(o != 3);',
      last,
    ),
    error: 'assertion',
    unroll: 5,
  },
  'a thread overwrites three times what another has written, and that decides': {
    code: of(
      'for (int i = 0; i < 3; i++) { last = 7; if (last != 0) return NULL; } flag = 3;',
      'int o; do { if (last == 7) return NULL; last = 0; } while ((o = flag) == 0); assert(o != 3);',
      last,
    ),
    error: 'assertion',
    unroll: 5,
  },
  'a mutex is seen held, and that decides': {
    code: of(
      `int wasBusy = pthread_mutex_trylock(&m) != 0;
      if (wasBusy) pthread_mutex_lock(&m);
      ready = wasBusy ? 2 : 1;
      pthread_mutex_unlock(&m);`,
      `int r;
      for (;;) { pthread_mutex_lock(&m); r = ready; pthread_mutex_unlock(&m); if (r) break; }
      assert(r == 1);`,
    ),
    error: 'assertion',
  },
  'a mutex is seen held twice, and that decides': {
    code: of(
      `int n = 0;
      for (int i = 0; i < 2; i++) if (pthread_mutex_trylock(&m) != 0) n++; else pthread_mutex_unlock(&m);
      pthread_mutex_lock(&m); ready = 1 + n; pthread_mutex_unlock(&m);`,
      `int r;
      for (;;) { pthread_mutex_lock(&m); r = ready; pthread_mutex_unlock(&m); if (r) break; sched_yield(); }
      assert(r < 3);`,
    ),
    error: 'assertion',
  },
  'the number of rounds decides': {
    code: of(sets, `int n = 0; while (flag != 1) if (n < 3) n++; assert(n < 3);`),
    error: 'assertion',
  },
  'the last value decides': {
    code: of('flag = 5; flag = 1;', 'int o, last = 0; while ((o = flag) != 1) last = o; assert(last != 5);'),
    error: 'assertion',
  },
  'an access in a round races with what comes of the loop, and nothing orders the two': {
    code: of(
      `atomic_store_explicit(&flag, 1, memory_order_relaxed);
      if (atomic_load_explicit(&seen, memory_order_relaxed)) data = 1;`,
      `while (!atomic_load_explicit(&flag, memory_order_relaxed)) if (data == 7) break;
      atomic_store_explicit(&seen, 1, memory_order_relaxed);`,
      'static atomic_int seen;',
    ),
    error: 'race',
    models: ['ra', 'rc11'],
  },
  'the same with a counter': {
    code: of(
      `atomic_store_explicit(&flag, 1, memory_order_relaxed);
      if (atomic_load_explicit(&seen, memory_order_relaxed)) data = 1;`,
      `int n = 0;
      while (!atomic_load_explicit(&flag, memory_order_relaxed)) { if (data == 7) break; if (n < 2) n++; }
      atomic_store_explicit(&seen, 1, memory_order_relaxed);`,
      'static atomic_int seen;',
    ),
    error: 'race',
    models: ['ra', 'rc11'],
  },
  'the same, and the last round makes the access, too': {
    code: of(
      `atomic_store_explicit(&flag, 1, memory_order_relaxed);
      if (atomic_load_explicit(&seen, memory_order_relaxed)) data = 1;`,
      `for (;;) { int d = data; if (atomic_load_explicit(&flag, memory_order_relaxed) || d == 7) break; }
      atomic_store_explicit(&seen, 1, memory_order_relaxed);`,
      'static atomic_int seen;',
    ),
    error: 'race',
    models: ['ra', 'rc11'],
  },
  'a mutex is seen held by a thread that then gives back another one': {
    code: observed(
      `pthread_mutex_lock(&n); state = 1;
      if (pthread_mutex_trylock(&m) != 0) pthread_mutex_unlock(&n);
      pthread_mutex_lock(&q);`,
      `while (state == 0) sched_yield();
      pthread_mutex_lock(&n); ${isInAnother}`,
      `pthread_mutex_lock(&q); ${creates}`,
    ),
    error: 'assertion',
  },
  'a mutex is seen held in a round that is seen itself': {
    code: observed(
      `pthread_mutex_lock(&n);
      while (pthread_mutex_trylock(&m) != 0) { pthread_mutex_unlock(&n); pthread_mutex_lock(&n); }
      state = 1;
      pthread_mutex_unlock(&m); pthread_mutex_unlock(&n);`,
      `if (pthread_mutex_trylock(&n) == 0) pthread_mutex_unlock(&n);
      else {
        pthread_mutex_lock(&n);
        if (state == 0) { ${isInAnother} pthread_mutex_unlock(&m); }
        pthread_mutex_unlock(&n);
      }
      pthread_mutex_lock(&m); ready = 1; pthread_mutex_unlock(&m);`,
      `${creates} ${joins}`,
    ),
    error: 'assertion',
  },
  ...underOwnLocks(),
  'a lock of its own is seen held, and that decides': {
    code: withOwn(
      exchanges,
      `int wasBusy = atomic_exchange(&l, 1);
      if (wasBusy) while (atomic_exchange(&l, 1)) {}
      ready = wasBusy ? 2 : 1;
      l = 0;`,
      `${pollsUntilSet(exchanges)} assert(r == 1);`,
    ),
    error: 'assertion',
  },
  'a lock of its own is seen held twice by loads, and that decides': {
    code: withOwn(
      exchanges,
      `int n = 0;
      if (l) { n++; while (l) {} if (l) n++; }
      ${exchanges.lock} ready = 1 + n; l = 0;`,
      `${pollsUntilSet(exchanges)} assert(r < 3);`,
    ),
    error: 'assertion',
  },
  'a semaphore is found taken, and that decides': {
    code: withOwn(
      ownLocks['a semaphore'] as OwnLock,
      `int wasBusy = sem_trywait(&l) != 0;
      if (wasBusy) sem_wait(&l);
      ready = wasBusy ? 2 : 1;
      sem_post(&l);`,
      `${pollsUntilSet(ownLocks['a semaphore'] as OwnLock)} assert(r == 1);`,
    ),
    error: 'assertion',
  },
  'a lock of its own is given back by who does not have it': {
    code: withOwn(exchanges, `l = 0; ${exchanges.lock} ready = 1; ${exchanges.unlock}`, pollsUntilSet(exchanges)),
    error: 'race',
  },
  'a lock of its own is set by who does not take it, while three rounds have it, and that decides': {
    code: withOwn(
      exchanges,
      'for (int i = 0; i < 3; i++) { l = 1; __VERIFIER_assume(l == 0); } flag = 3;',
      'int r; do { if (atomic_exchange(&l, 1) == 0) l = 0; r = flag; } while (!r); assert(r != 3);',
      'extern void __VERIFIER_assume(int);',
    ),
    error: 'assertion',
  },
  'a semaphore has one more, and two are inside': {
    code: withOwn(
      ownLocks['a semaphore'] as OwnLock,
      'sem_post(&l); sem_wait(&l); ready = 1; sem_post(&l);',
      pollsUntilSet(ownLocks['a semaphore'] as OwnLock),
    ),
    error: 'race',
  },
  'a counter in a static variable that starts over': {
    code: of(sets, `static int n; while (!flag) if (++n == 3) n = 0; assert(data == 1 && n < 3);`),
  },
  'a counter in a static variable that starts over, for ever': {
    code: of('data = 1;', `static int n; while (!flag) if (++n == 3) n = 0;`),
    error: 'livelock',
  },
  'a look before polling under a lock': {
    code: of(
      'pthread_mutex_lock(&m); ready = 1; pthread_mutex_unlock(&m);',
      `while (!flag) { pthread_mutex_lock(&m); int r = ready; pthread_mutex_unlock(&m); if (r) break; }`,
    ),
  },
};
