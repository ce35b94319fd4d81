/** Programs with spin loops, and how many executions they have once their pure iterations are gone. */

export interface SpinProgram {
  readonly code: string;
  /** Of optimal, under sequential consistency, without the independence of additions. */
  readonly complete: number;
  readonly why: string;
}

const twoThreads = (one: string, other = one): string => `
int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], NULL, ${one}, NULL);
  pthread_create(&t[1], NULL, ${other}, NULL);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
  return 0;
}`;

const threads = (count: number): string => `
int main(void) {
  pthread_t t[${count}];
  for (int i = 0; i < ${count}; i++) pthread_create(&t[i], NULL, worker, NULL);
  for (int i = 0; i < ${count}; i++) pthread_join(t[i], NULL);
  assert(counter == ${count});
  return 0;
}`;

/** A lock around a counter. */
const locked = (lock: string, count = 2): string => `int counter;
${lock}
void *worker(void *arg) {
  acquire();
  counter++;
  release();
  return NULL;
}
${threads(count)}`;

const ttas = `atomic_int lock;
void acquire(void) {
  do {
    while (atomic_load(&lock) != 0) ;
  } while (atomic_exchange(&lock, 1) != 0);
}
void release(void) { atomic_store(&lock, 0); }`;

/** What it returns says what was last seen before. */
const awaitEqual = `static unsigned await_eq(atomic_uint *p, unsigned v) {
  unsigned ret = v, o;
  while ((o = atomic_load(p)) != v) ret = o; // here
  return ret;
}
static int await_both(atomic_uint *p, atomic_uint *q, unsigned v) { return await_eq(p, v) + await_eq(q, v); }
`;

export const spinning: Readonly<Record<string, SpinProgram>> = {
  ignoredResult: {
    code: `atomic_uint a, b;
${awaitEqual}
void *p(void *arg) { await_eq(&a, 2); await_both(&a, &b, 2); return NULL; }
void *q(void *arg) { atomic_store(&a, 1); atomic_store(&a, 2); atomic_store(&b, 2); return NULL; }
${twoThreads('p', 'q')}`,
    complete: 1,
    why: 'each load reads the only value that it waits for',
  },
  fig1: {
    code: `int x[3] = {3, 2, 1};
atomic_int y;
void order(int i) { if (x[i] > x[i + 1]) { int a = x[i]; x[i] = x[i + 1]; x[i + 1] = a; } }
void *p(void *arg) {
  order(0);
  atomic_store(&y, 1);
  int b;
  do b = atomic_load(&y); while (b != 2);
  order(0);
  return NULL;
}
void *q(void *arg) {
  int a;
  do a = atomic_load(&y); while (a != 1);
  order(1);
  atomic_store(&y, 2);
  return NULL;
}
int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], NULL, p, NULL);
  pthread_create(&t[1], NULL, q, NULL);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
  assert(x[0] == 1 && x[1] == 2 && x[2] == 3);
  return 0;
}`,
    complete: 1,
    why: '[Await], Fig. 1: each waits for the other',
  },
  fig2: {
    code: `atomic_int x, y;
void *p(void *arg) {
  int a;
  do a = atomic_load(&x); while (a != 1);
  return NULL;
}
void *q(void *arg) { atomic_store(&x, 1); return NULL; }
${twoThreads('p', 'q')}`,
    complete: 1,
    why: '[Await], Fig. 2 (c)',
  },
  ttas2: {
    code: locked(ttas),
    complete: 4,
    why: '(2!)²: the order of the sections, and whether the loser read before',
  },
  ttas3: { code: locked(ttas, 3), complete: 36, why: '[Await], Table I: (3!)²' },
  outParameter: {
    code: `atomic_int x;
int get(int *value) { *value = atomic_load(&x); return *value != 0; }
void *p(void *arg) {
  int value;
  while (!get(&value)) ;
  assert(value == 5);
  return NULL;
}
void *q(void *arg) { atomic_store(&x, 5); return NULL; }
${twoThreads('p', 'q')}`,
    complete: 1,
    why: 'it waits for a value, and what it got before is gone',
  },
  bitLock: {
    code: `atomic_uint bits = 6;
void take(void) { while (atomic_fetch_or(&bits, 8) & 8) ; }
void *p(void *arg) { take(); atomic_fetch_and(&bits, ~8u); return NULL; }
${twoThreads('p', 'p')}`,
    complete: 2,
    why: 'one takes the bit first; setting it again changes nothing',
  },
  clearedBit: {
    code: `atomic_uint bits = 1;
void *p(void *arg) { while (!(atomic_fetch_and(&bits, ~4u) & 4)) ; return NULL; }
void *q(void *arg) { atomic_fetch_or(&bits, 4); return NULL; }
${twoThreads('p', 'q')}`,
    complete: 1,
    why: 'it waits for the bit',
  },
  testAndSet: {
    code: locked(`atomic_flag lock = ATOMIC_FLAG_INIT;
void acquire(void) { while (atomic_flag_test_and_set(&lock)) sched_yield(); }
void release(void) { atomic_flag_clear(&lock); }`),
    complete: 2,
    why: 'the order of the sections',
  },
  expectedSetAgain: {
    code: locked(`atomic_int lock;
void acquire(void) {
  int e = 0;
  while (!atomic_compare_exchange_strong(&lock, &e, 1)) e = 0;
}
void release(void) { atomic_store(&lock, 0); }`),
    complete: 2,
    why: 'the order of the sections',
  },
  throughFunctions: {
    code: locked(`atomic_int lock;
static int cas(atomic_int *l, int from, int to) { return atomic_compare_exchange_strong(l, &from, to); }
static int trylock(void) { return cas(&lock, 0, 1); }
static void relax(void) { sched_yield(); }
void acquire(void) { while (!trylock()) relax(); }
void release(void) { atomic_store(&lock, 0); }`),
    complete: 2,
    why: 'the order of the sections',
  },
  testAndCompareExchange: {
    code: locked(`atomic_int lock;
void acquire(void) {
  for (;;) {
    int e = 0;
    if (atomic_load(&lock) == 0 && atomic_compare_exchange_strong(&lock, &e, 1)) break;
  }
}
void release(void) { atomic_store(&lock, 0); }`),
    complete: 4,
    why: 'as ttas2',
  },
  ticket: {
    code: locked(`atomic_int next, serving;
void acquire(void) {
  int mine = atomic_fetch_add(&next, 1);
  while (atomic_load(&serving) != mine) ;
}
void release(void) { atomic_fetch_add(&serving, 1); }`),
    complete: 2,
    why: 'the order of the tickets',
  },
  continues: {
    code: `atomic_int x;
int got;
void *p(void *arg) {
  while (1) {
    int e = atomic_load(&x);
    if (!e) continue;
    got = e;
    break;
  }
  return NULL;
}
void *q(void *arg) { atomic_store(&x, 1); return NULL; }
${twoThreads('p', 'q')}`,
    complete: 1,
    why: 'the wait ends in one way',
  },
  readsTwice: {
    code: `atomic_int x;
void *p(void *arg) {
  int a = atomic_load(&x);
  while (a == 0) a = atomic_load(&x);
  return NULL;
}
void *q(void *arg) { atomic_store(&x, 1); return NULL; }
${twoThreads('p', 'q')}`,
    complete: 1,
    why: 'as fig2, after rotation',
  },
  flagVariable: {
    code: `atomic_int x;
void *p(void *arg) {
  int done = 0;
  while (!done) {
    if (atomic_load(&x) == 1) done = 1;
  }
  return NULL;
}
void *q(void *arg) { atomic_store(&x, 1); return NULL; }
${twoThreads('p', 'q')}`,
    complete: 1,
    why: 'as fig2: the way that leaves the flag alone is pure',
  },
  countsRounds: {
    code: `atomic_int x;
int handled;
void *p(void *arg) {
  int last = 0;
  while (last < 2) {
    int now = atomic_load(&x);
    if (now == last) continue;
    last = now;
    handled++;
  }
  return NULL;
}
void *q(void *arg) { atomic_store(&x, 1); atomic_store(&x, 2); return NULL; }
${twoThreads('p', 'q')}`,
    complete: 2,
    why: 'it sees 1 and 2, or only 2',
  },
  pointers: {
    code: `struct node { atomic_int ready; int value; };
struct node n;
static int read(struct node *at) {
  while (!atomic_load_explicit(&at->ready, memory_order_acquire)) ;
  return at->value;
}
void *p(void *arg) { assert(read(&n) == 7); return NULL; }
void *q(void *arg) {
  n.value = 7;
  atomic_store_explicit(&n.ready, 1, memory_order_release);
  return NULL;
}
${twoThreads('p', 'q')}`,
    complete: 1,
    why: 'the read waits for the write',
  },
};

/**
 * Loops of which some iterations are pure because of several reads: a wait in the middle may be one that another iteration
 * would not come to, so that some executions are blocked.
 */
/** A loop that counts its rounds, and what main does meanwhile and afterwards. */
const countingRounds = (variable: string, before: string, after = ''): string => `atomic_int stop;
${variable}
void bump(void) { work++; } // one
void *p(void *arg) {
  while (!atomic_load(&stop)) // here
    bump();
  return NULL;
}
void *q(void *arg) {
  ${before}
  return NULL;
}
int main(void) {
  pthread_t t[2];
  pthread_create(&t[0], NULL, p, NULL);
  pthread_create(&t[1], NULL, q, NULL);
  pthread_join(t[0], NULL);
  pthread_join(t[1], NULL);
  ${after}
  return 0;
}
`;

export const several: Readonly<Record<string, SpinProgram>> = {
  unreadPlain: {
    code: countingRounds('static long work;', 'atomic_store(&stop, 1);'),
    complete: 1,
    why: 'the rounds before the store are left out, and the store is read',
  },
  unreadAtomic: {
    code: countingRounds('static atomic_long work;', 'work++; atomic_store(&stop, 1);'),
    complete: 1,
    why: 'the same',
  },
  seqlock: {
    code: `atomic_int seq, x, y;
void *reader(void *arg) {
  int s, a, b;
  do {
    while ((s = atomic_load(&seq)) & 1) ;
    a = atomic_load(&x);
    b = atomic_load(&y);
  } while (atomic_load(&seq) != s);
  assert(a == b);
  return NULL;
}
void *writer(void *arg) {
  atomic_store(&seq, 1);
  atomic_store(&x, 1);
  atomic_store(&y, 1);
  atomic_store(&seq, 2);
  return NULL;
}
${twoThreads('reader', 'writer')}`,
    complete: 2,
    why: 'all reads before the writes, or after them',
  },
  eitherOf: {
    code: `atomic_int x, y;
void *p(void *arg) {
  while (!atomic_load(&x) && !atomic_load(&y)) ;
  return NULL;
}
void *q(void *arg) { atomic_store(&x, 1); return NULL; }
${twoThreads('p', 'q')}`,
    complete: 1,
    why: 'x ends the wait; who read x before waits for y, in vain',
  },
};

/** Spin loops that never end: the line of the loop has the comment `// here`. */
export const endless: Readonly<Record<string, string>> = {
  unreadPlainNever: countingRounds('static long work;', 'atomic_store(&stop, 0);'),
  unreadAtomicNever: countingRounds('static atomic_long work;', 'work++;'),
  ignoredResultNever: `atomic_uint a;
${awaitEqual}
void *p(void *arg) { await_eq(&a, 3); return NULL; }
void *q(void *arg) { atomic_store(&a, 1); atomic_store(&a, 2); return NULL; }
${twoThreads('p', 'q')}`,
  wrongValue: `atomic_int x;
void *p(void *arg) {
  while (atomic_load(&x) != 2) // here
    ;
  return NULL;
}
void *q(void *arg) { atomic_store(&x, 1); return NULL; }
${twoThreads('p', 'q')}`,
  lockLeak: `atomic_int lock;
void *p(void *arg) {
  while (atomic_exchange(&lock, 1)) // here
    ;
  return NULL;
}
${twoThreads('p')}`,
  eitherOfNone: `atomic_int x, y, z;
void *p(void *arg) {
  while (!atomic_load(&x) && !atomic_load(&y)) // here
    ;
  return NULL;
}
void *q(void *arg) { atomic_store(&z, 1); return NULL; }
${twoThreads('p', 'q')}`,
  seqlockLeftOdd: `atomic_int seq, x;
void *reader(void *arg) {
  int s, a;
  do {
    while ((s = atomic_load(&seq)) & 1) // here
      ;
    a = atomic_load(&x);
  } while (atomic_load(&seq) != s);
  return NULL;
}
void *writer(void *arg) {
  atomic_store(&seq, 1);
  atomic_store(&x, 1);
  return NULL;
}
${twoThreads('reader', 'writer')}`,
  afterOthers: `atomic_int x, y, z;
void *p(void *arg) {
  atomic_store(&z, 1);
  atomic_load(&z);
  for (;;) { // here
    int a = atomic_load(&x);
    int b = atomic_load(&y);
    if (a == b) break;
  }
  return NULL;
}
void *q(void *arg) { atomic_load(&z); atomic_store(&x, 1); atomic_store(&y, 2); return NULL; }
${twoThreads('p', 'q')}`,
  bothOrNone: `atomic_int x, y;
void *p(void *arg) {
  for (;;) { // here
    int a = atomic_load(&x);
    int b = atomic_load(&y);
    if (a == b) break;
  }
  return NULL;
}
void *q(void *arg) { atomic_store(&x, 1); atomic_store(&y, 2); return NULL; }
${twoThreads('p', 'q')}`,
  nothingToWaitFor: `void *p(void *arg) {
  for (;;) // here
    sched_yield();
}
void *q(void *arg) { return NULL; }
${twoThreads('p', 'q')}`,
};

/** Loops that call functions of the program: an assertion can fail there, whatever the functions are called. */
export const calling: Readonly<Record<string, string>> = {
  countedRounds: countingRounds('static atomic_long work;', 'atomic_store(&stop, 1);', 'assert(work != 2);'),
  usedResult: `atomic_uint a;
${awaitEqual}
void *q(void *arg) { atomic_store(&a, 1); atomic_store(&a, 2); assert(await_eq(&a, 3) != 2); return NULL; }
void *r(void *arg) { await_eq(&a, 2); atomic_store(&a, 3); return NULL; }
${twoThreads('q', 'r')}`,
  ownSleep: `atomic_int x, naps;
unsigned sleep(unsigned n) { assert(++naps < 2); return n; }
void *p(void *arg) { while (!atomic_load(&x)) sleep(1); return NULL; }
void *q(void *arg) { atomic_store(&x, 1); return NULL; }
${twoThreads('p', 'q')}`,
  ownAlias: `atomic_int x, naps;
int nap(void) { assert(++naps < 2); return 0; }
int sched_yield(void) __attribute__((alias("nap")));
void *p(void *arg) { while (!atomic_load(&x)) sched_yield(); return NULL; }
void *q(void *arg) { atomic_store(&x, 1); return NULL; }
${twoThreads('p', 'q')}`,
  ownTrylock: `atomic_int x, tries;
int pthread_mutex_trylock(pthread_mutex_t *m) { assert(++tries < 2); return atomic_load(&x) == 0; }
pthread_mutex_t m;
void *p(void *arg) { while (pthread_mutex_trylock(&m)) ; return NULL; }
void *q(void *arg) { atomic_store(&x, 1); return NULL; }
${twoThreads('p', 'q')}`,
};

/** What races with a loop that waits: the lines with `// one` and `// other` do. */
export const racing: Readonly<Record<string, string>> = {
  unreadRacing: countingRounds('static long work;', 'work = 5; // other\n  atomic_store(&stop, 1);'),
  plainFlag: `int ready;
void *p(void *arg) {
  while (!ready) // one
    ;
  return NULL;
}
void *q(void *arg) {
  ready = 1; // other
  return NULL;
}
${twoThreads('p', 'q')}`,
  plainFlagNeverSet: `int ready;
void *p(void *arg) {
  while (ready != 2) // one
    ;
  return NULL;
}
void *q(void *arg) {
  ready = 1; // other
  return NULL;
}
${twoThreads('p', 'q')}`,
  plainReadOfLock: `int lock = 1;
void *p(void *arg) {
  while (__atomic_exchange_n(&lock, 1, __ATOMIC_SEQ_CST)) // one
    ;
  return NULL;
}
void *q(void *arg) {
  int v = lock; // other
  __atomic_store_n(&lock, 0, __ATOMIC_SEQ_CST);
  return NULL;
}
${twoThreads('p', 'q')}`,
};

/** What an update has written before an assume of the program stops its thread can be seen. */
export const stopped: Readonly<Record<string, string>> = {
  exchange: `atomic_int x = 2;
void __VERIFIER_assume(int);
void *p(void *arg) { __VERIFIER_assume(atomic_exchange(&x, 1) == 0); return NULL; }
void *q(void *arg) { assert(atomic_load(&x) != 1); return NULL; }
${twoThreads('p', 'q')}`,
  fetchAdd: `atomic_int x = 2;
void __VERIFIER_assume(int);
void *p(void *arg) { __VERIFIER_assume(atomic_fetch_add(&x, 1) == 0); return NULL; }
void *q(void *arg) { assert(atomic_load(&x) != 3); return NULL; }
${twoThreads('p', 'q')}`,
  compareExchange: `atomic_int x = 2;
void __VERIFIER_assume(int);
void *p(void *arg) {
  int old = 2;
  atomic_compare_exchange_strong(&x, &old, 7);
  __VERIFIER_assume(old == 0);
  return NULL;
}
void *q(void *arg) { assert(atomic_load(&x) != 7); return NULL; }
${twoThreads('p', 'q')}`,
};

/** Assumes of the program: what they stop is blocked, and no error. */
export const assuming: Readonly<Record<string, string>> = {
  never: `atomic_int x;
void __VERIFIER_assume(int);
void *p(void *arg) { __VERIFIER_assume(atomic_load(&x) == 2); return NULL; }
void *q(void *arg) { atomic_store(&x, 1); return NULL; }
${twoThreads('p', 'q')}`,
};
