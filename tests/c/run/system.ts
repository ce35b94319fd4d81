/** C programs for system.test.ts, as people write them: what they include and call beyond standard C and pthreads. */

const futexes = `
#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
static long futex(atomic_int *word, int operation, int value) {
  return syscall(SYS_futex, word, operation, value, NULL, NULL, 0);
}
`;

/** A mutex with three states: free, held, held and waited for. */
const futexMutex = (afterUnlock: string): string => `${futexes}
static atomic_int state;
static int data;
static void lock(void) {
  int seen = 0;
  if (atomic_compare_exchange_strong(&state, &seen, 1)) return;
  if (seen != 2) seen = atomic_exchange(&state, 2);
  while (seen != 0) {
    futex(&state, FUTEX_WAIT_PRIVATE, 2);
    seen = atomic_exchange(&state, 2);
  }
}
static void unlock(void) {
  if (atomic_fetch_sub(&state, 1) == 1) return;
  atomic_store(&state, 0);
  ${afterUnlock}
}
static void *worker(void *unused) { lock(); data++; unlock(); return NULL; }
int main(void) {
  pthread_t t, u;
  pthread_create(&t, NULL, worker, NULL);
  pthread_create(&u, NULL, worker, NULL);
  pthread_join(t, NULL);
  pthread_join(u, NULL);
  assert(data == 2);
  return 0;
}
`;

const futexEvent = (store: string, wake: string, count = 1): string => `${futexes}
static atomic_int ready;
static int data;
static void *waiter(void *unused) {
  while (atomic_load_explicit(&ready, memory_order_acquire) == 0) {
    long result = futex(&ready, FUTEX_WAIT, 0);
    assert(result == 0 || (result == -1 && errno == EAGAIN));
  }
  assert(data == 1);
  return NULL;
}
int main(void) {
  pthread_t t[${count}];
  for (int i = 0; i < ${count}; i++) pthread_create(&t[i], NULL, waiter, NULL);
  data = 1;
  ${store}
  ${wake}
  for (int i = 0; i < ${count}; i++) pthread_join(t[i], NULL);
  return 0;
}
`;

const recursive = (initialiser: string): string => `
static pthread_mutex_t m = ${initialiser};
static int depth;
static void enter(int n) {
  pthread_mutex_lock(&m);
  depth++;
  if (n > 0) enter(n - 1);
  pthread_mutex_unlock(&m);
}
static void *worker(void *unused) { enter(2); return NULL; }
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, worker, NULL);
  enter(1);
  pthread_join(t, NULL);
  assert(depth == 5);
  return 0;
}
`;

/** As it is written for x86, in the forms that one finds. */
const assembly = `
#define LOCK_PREFIX "lock; "
#define mb() __asm__ __volatile__("mfence" ::: "memory")
static inline int compare_and_swap(int *p, int old, int new) {
  int before;
  __asm__ __volatile__(LOCK_PREFIX "cmpxchgl %1,%2" : "=a"(before) : "r"(new), "m"(*p), "0"(old) : "memory");
  return before;
}
static inline unsigned char compare_and_set(volatile long *p, long old, long new) {
  unsigned char done;
  asm volatile("lock cmpxchgq %3, %1\\n\\tsetz %0" : "=q"(done), "+m"(*p), "+a"(old) : "r"(new) : "cc", "memory");
  return done;
}
static inline _Bool compare_and_set_64(uint64_t *p, uint64_t *old, uint64_t new) {
  _Bool done;
  asm volatile("lock; cmpxchgq %[new],%[p]" : "=@ccz"(done), [p] "+m"(*p), "+a"(*old) : [new] "r"(new) : "memory");
  return done;
}
static inline int compare_through_pointer(int *p, int old, int new) {
  int done;
  asm volatile("lock\\n cmpxchgl %2,(%3)\\n movl $0,%0\\n sete %b0\\n" : "=&r"(done), "+a"(old) : "r"(new), "r"(p) : "memory");
  return done;
}
static inline int fetch_and_add(int *p, int n) {
  __asm__ volatile("lock; xaddl %0, %1" : "+r"(n), "+m"(*p) : : "memory", "cc");
  return n;
}
#define exchange(p, v) ({ __typeof__(*(p)) x_ = (v); __asm__ __volatile__("xchgl %0,%1" \\
    : "=r" (x_) \\
    : "m" (*(p)), "0" (x_) \\
    : "memory"); x_; })
static inline int exchange_byte(unsigned char *p, int v) {
  asm volatile("xchgb %b0, %1" : "+q"(v), "+m"(*p) : : "memory");
  return v;
}
static inline void increment(int *p) { asm volatile("lock incl %0" : "+m"(*p)); }
static inline int decrement_and_test(int *p) {
  unsigned char is_zero;
  asm volatile(LOCK_PREFIX "decl %0; sete %1" : "+m"(*p), "=qm"(is_zero) : : "memory");
  return is_zero != 0;
}
static inline void set_bits(int *p, int bits) { asm volatile("lock; orl %1,%0" : "+m"(*p) : "ir"(bits) : "memory"); }
static inline int load(int *p) { int v; asm volatile("movl %1,%0" : "=r"(v) : "m"(*p) : "memory"); return v; }
static inline void store(int *p, int v) { asm volatile("movl %1,%0" : "=m"(*p) : "r"(v) : "memory"); }
static inline void relax(void) { asm volatile("pause" ::: "memory"); }
`;

/** Two threads that each store and look whether the other has. */
const storeBuffering = (fence: string): string => `${assembly}
static atomic_int x, y;
static int saw[2];
static void *first(void *unused) {
  atomic_store_explicit(&x, 1, memory_order_relaxed);
  ${fence}
  saw[0] = atomic_load_explicit(&y, memory_order_relaxed);
  return NULL;
}
static void *second(void *unused) {
  atomic_store_explicit(&y, 1, memory_order_relaxed);
  ${fence}
  saw[1] = atomic_load_explicit(&x, memory_order_relaxed);
  return NULL;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, NULL, first, NULL);
  pthread_create(&u, NULL, second, NULL);
  pthread_join(t, NULL);
  pthread_join(u, NULL);
  assert(saw[0] || saw[1]);
  return 0;
}
`;

const assemblyLock = (acquire: string, release: string): string => `${assembly}
static int lock, data;
static void *worker(void *unused) {
  ${acquire}
  data++;
  ${release}
  return NULL;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, worker, NULL);
  worker(NULL);
  pthread_join(t, NULL);
  assert(data == 2);
  return 0;
}
`;

export const correct: Readonly<Record<string, string>> = {
  'what-assembly-computes': `
#include <stdint.h>
${assembly}
int main(void) {
  int n = 6;
  long l = 0;
  unsigned char b = 0x81;
  uint64_t big = 5, old = 4;
  assert(compare_and_swap(&n, 6, 7) == 6 && n == 7 && compare_and_swap(&n, 6, 8) == 7 && n == 7);
  assert(compare_and_set(&l, 0, 4) && !compare_and_set(&l, 0, 5) && l == 4);
  assert(!compare_and_set_64(&big, &old, 9) && old == 5);
  assert(compare_and_set_64(&big, &old, 1ull << 40) && big == 1ull << 40);
  assert(compare_through_pointer(&n, 7, 9) == 1 && compare_through_pointer(&n, 7, 9) == 0 && n == 9);
  assert(fetch_and_add(&n, -2) == 9 && n == 7);
  assert(exchange(&n, 2) == 7 && n == 2);
  assert(exchange_byte(&b, 0x12345678) == 0x12345681 && b == 0x78);
  increment(&n);
  assert(n == 3 && !decrement_and_test(&n) && !decrement_and_test(&n) && decrement_and_test(&n));
  set_bits(&n, 5);
  set_bits(&n, n + 2);
  assert(load(&n) == 7);
  store(&n, 1);
  int same = n;
  asm volatile("" : "+r"(same));
  assert(same == 1);
  int all = 0x12345678, part = 0x9990181;
  unsigned char bytes[] = {1, 2, 3, 4};
  asm("movb %b1,%b0" : "+q"(all) : "q"(part));
  assert(all == 0x12345681);
  asm("movw %w1,%w0" : "+r"(all) : "r"(part));
  assert(all == 0x12340181);
  asm("movb $255,%b0" : "+q"(all));
  assert(all == 0x123401ff);
  asm("xorb %b0,%b0" : "+q"(all));
  assert(all == 0x12340100);
  asm("movzx %w1,%0" : "=r"(all) : "r"(part));
  assert(all == 0x181);
  asm("movzbl %b1,%0" : "=r"(all) : "q"(part));
  assert(all == 0x81);
  asm volatile("xchg %b0,(%1)" : "+q"(part) : "r"(bytes) : "memory");
  assert(part == 0x9990101 && bytes[0] == 0x81 && bytes[1] == 2);
  struct { long n; } s = {1}, *p = &s;
  asm volatile("lock incq %0" : "+m"(p->n));
  assert(s.n == 2);
  unsigned char is_zero;
  asm volatile("lock cmpxchgl %3,%1; xorl %%eax,%%eax; sete %0" : "=q"(is_zero), "+m"(n), "+a"(all) : "r"(2) : "memory");
  assert(is_zero && all == 0 && n == 1);
  return 0;
}
`,
  'a-lock-by-xchg': assemblyLock('while (exchange(&lock, 1)) relax();', 'store(&lock, 0);'),
  'a-lock-by-cmpxchg': assemblyLock('while (compare_and_swap(&lock, 0, 1) != 0) relax();', 'exchange(&lock, 0);'),
  'store-buffering-with-mfence': storeBuffering('mb();'),
  'store-buffering-with-a-locked-add': storeBuffering('asm volatile("lock; addl $0,0(%%esp)" ::: "memory", "cc");'),
  'store-buffering-with-dmb': storeBuffering('asm volatile("dmb ish" ::: "memory");'),
  'a-mutex-on-a-futex': futexMutex('futex(&state, FUTEX_WAKE_PRIVATE, 1);'),
  'an-event-on-a-futex': futexEvent(
    'atomic_store_explicit(&ready, 1, memory_order_release);',
    'futex(&ready, FUTEX_WAKE, 1);',
  ),
  'a-futex-wakes-all': futexEvent('ready = 1;', 'futex(&ready, FUTEX_WAKE, 1 << 30);', 2),
  'a-futex-wakes-two-one-by-one': futexEvent(
    'ready = 1;',
    'futex(&ready, FUTEX_WAKE, 1); futex(&ready, FUTEX_WAKE, 1);',
    2,
  ),
  'a-futex-that-nobody-waits-on': `${futexes}
static atomic_int word;
int main(void) {
  assert(futex(&word, FUTEX_WAKE, 1) == 0);
  assert(futex(&word, FUTEX_WAIT, 1) == -1 && errno == EAGAIN);
  assert(syscall(SYS_gettid) == gettid());
  return 0;
}
`,
  'pauses-by-any-header-of-x86': `
#include <mmintrin.h>
#include <pmmintrin.h>
#include <tmmintrin.h>
#include <smmintrin.h>
#include <nmmintrin.h>
#include <wmmintrin.h>
#include <ammintrin.h>
#include <cpuid.h>
int main(void) {
  _mm_pause();
  _mm_mfence();
  return 0;
}
`,
  'a-program-has-its-own-memcpy-s': `
#include <string.h>
static void memcpy_s(char *to, const char *from) { *to = *from; }
int main(void) {
  char a, b = 3;
  memcpy_s(&a, &b);
  assert(a == 3);
  return 0;
}
`,
  'a-recursive-mutex-by-its-initialiser': recursive('PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP'),
  'an-error-checking-mutex-by-its-initialiser': `
#include <errno.h>
static pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
int main(void) {
  assert(pthread_mutex_unlock(&m) == EPERM);
  assert(pthread_mutex_lock(&m) == 0);
  assert(pthread_mutex_lock(&m) == EDEADLK);
  assert(pthread_mutex_unlock(&m) == 0);
  return 0;
}
`,
  'lists-and-queues-of-sys-queue': `
#include <sys/queue.h>
struct item {
  int value;
  TAILQ_ENTRY(item) tail;
  LIST_ENTRY(item) list;
  SLIST_ENTRY(item) stack;
  STAILQ_ENTRY(item) queue;
};
static TAILQ_HEAD(tails, item) tails = TAILQ_HEAD_INITIALIZER(tails);
static LIST_HEAD(lists, item) lists = LIST_HEAD_INITIALIZER(lists);
static SLIST_HEAD(stacks, item) stacks = SLIST_HEAD_INITIALIZER(stacks);
static STAILQ_HEAD(queues, item) queues = STAILQ_HEAD_INITIALIZER(queues);
static void add(int value) {
  struct item *i = malloc(sizeof *i);
  i->value = value;
  TAILQ_INSERT_TAIL(&tails, i, tail);
  LIST_INSERT_HEAD(&lists, i, list);
  SLIST_INSERT_HEAD(&stacks, i, stack);
  STAILQ_INSERT_TAIL(&queues, i, queue);
}
static void check(int tail, int list, int stack, int queue) {
  struct item *i;
  int n = 0;
  TAILQ_FOREACH(i, &tails, tail) n = n * 10 + i->value;
  assert(n == tail);
  int scale = 1;
  n = 0;
  TAILQ_FOREACH_REVERSE(i, &tails, tails, tail) { n += scale * i->value; scale *= 10; }
  assert(n == tail);
  n = 0;
  LIST_FOREACH(i, &lists, list) n = n * 10 + i->value;
  assert(n == list);
  n = 0;
  SLIST_FOREACH(i, &stacks, stack) n = n * 10 + i->value;
  assert(n == stack);
  n = 0;
  STAILQ_FOREACH(i, &queues, queue) n = n * 10 + i->value;
  assert(n == queue);
}
int main(void) {
  add(1), add(2), add(3);
  check(123, 321, 321, 123);
  struct item *second = TAILQ_NEXT(TAILQ_FIRST(&tails), tail), *i, *next;
  TAILQ_REMOVE(&tails, second, tail);
  LIST_REMOVE(second, list);
  SLIST_REMOVE(&stacks, second, item, stack);
  STAILQ_REMOVE(&queues, second, item, queue);
  check(13, 31, 31, 13);
  TAILQ_INSERT_BEFORE(TAILQ_FIRST(&tails), second, tail);
  LIST_INSERT_AFTER(LIST_FIRST(&lists), second, list);
  SLIST_INSERT_AFTER(SLIST_FIRST(&stacks), second, stack);
  STAILQ_INSERT_AFTER(&queues, STAILQ_LAST(&queues, item, queue), second, queue);
  check(213, 321, 321, 132);
  struct item *last = TAILQ_LAST(&tails, tails), *first = LIST_FIRST(&lists);
  TAILQ_REMOVE(&tails, last, tail);
  LIST_REMOVE(first, list);
  SLIST_REMOVE_HEAD(&stacks, stack);
  STAILQ_REMOVE_HEAD(&queues, queue);
  check(21, 21, 21, 32);
  TAILQ_INSERT_AFTER(&tails, second, STAILQ_FIRST(&queues), tail);
  TAILQ_FOREACH_SAFE(i, &tails, tail, next) {
    TAILQ_REMOVE(&tails, i, tail);
    free(i);
  }
  assert(TAILQ_EMPTY(&tails));
  return 0;
}
`,
  'options-are-read': `
#include <getopt.h>
static const struct option longs[] = {{"threads", required_argument, NULL, 't'}, {"verbose", no_argument, NULL, 'v'}, {0}};
static int read_all(int count, char **words) {
  int seen = 0, c;
  optind = 1;
  opterr = 0;
  while ((c = getopt_long(count, words, "t:v", longs, NULL)) != -1)
    seen = seen * 10 + (c == 't' ? atoi(optarg) : c == 'v' ? 9 : 0);
  return seen;
}
int main(int argc, char **argv) {
  assert(getopt(argc, argv, "ab:") == -1 && optind == 1);
  char *good[] = {"p", "-v", "-t5", "-vt", "6", "--threads=7", "--thr", "8", "--verbose", "rest", "-v", NULL};
  assert(read_all(11, good) == 9596789 && optind == 9);
  char *bad[] = {"p", "-x", "--unknown", "--verbose=1", "-t", NULL};
  assert(read_all(5, bad) == 0 && optopt == 't');
  char *end[] = {"p", "-v", "--", "-v", NULL};
  assert(read_all(4, end) == 9 && optind == 3);
  return 0;
}
`,
  'what-servers-and-benchmarks-call': `
#include <arpa/inet.h>
#include <err.h>
#include <libgen.h>
#include <netdb.h>
#include <sched.h>
#include <signal.h>
#include <strings.h>
#include <sys/prctl.h>
#include <syslog.h>
#include <unistd.h>
#include <x86intrin.h>
static atomic_int go;
static int by(const void *a, const void *b, void *sign) { return (*(int *)a - *(int *)b) * *(int *)sign; }
static void *worker(void *unused) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(1, &set);
  assert(CPU_COUNT(&set) == 1 && CPU_ISSET(1, &set));
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
  pthread_setname_np(pthread_self(), "worker");
  prctl(PR_SET_NAME, "worker");
  while (!go) _mm_pause();
  while (!go) __builtin_ia32_pause();
  return NULL;
}
int main(void) {
  sigset_t signals;
  signal(SIGPIPE, SIG_IGN);
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  assert(sigismember(&signals, SIGINT) && !sigismember(&signals, SIGTERM));
  pthread_sigmask(SIG_BLOCK, &signals, NULL);
  assert(ffs(8) == 4 && ffs(0) == 0 && ffsl(1) == 1);
  assert(ntohs(htons(0x1234)) == 0x1234 && htonl(1) == 0x01000000 && htons(0x80) == 0x8000);
  int a[] = {3, 1, 2}, sign = -1, b[3];
  qsort_r(a, 3, sizeof *a, by, &sign);
  assert(a[0] == 3 && a[2] == 1);
  assert(memcpy_s(b, sizeof b, a, sizeof a) == 0 && b[1] == 2);
  char path[] = "/usr/bin/test", name[] = "test";
  assert(strcmp(basename(path), "test") == 0 && basename(name) == name);
  assert(memcpy_s(b, 4, a, sizeof a) != 0 && b[0] == 0 && b[1] == 2);
  openlog("test", LOG_PID, LOG_USER);
  syslog(LOG_INFO, "%d", 1);
  warnx("%d", 2);
  pthread_t t;
  if (pthread_create(&t, NULL, worker, NULL) != 0) err(1, "pthread_create");
  go = 1;
  _mm_mfence();
  pthread_join(t, NULL);
  return 0;
}
`,
  'annotations-of-other-checkers': `
#include <genmc.h>
static atomic_int x;
static void *worker(void *unused) {
  assert(__VERIFIER_tid() == 1);
  atomic_store(&x, 1);
  return NULL;
}
int main(void) {
  pthread_t t;
  assert(__VERIFIER_tid() == 0);
  pthread_create(&t, NULL, worker, NULL);
  __VERIFIER_loop_bound(2);
  __VERIFIER_loop_begin();
  for (;;) {
    __VERIFIER_spin_start();
    int r = atomic_load(&x);
    __VERIFIER_spin_end(r != 0);
    if (r) break;
  }
  int done = 0;
  __VERIFIER_optional(done = 1);
  assert(done);
  pthread_join(t, NULL);
  return 0;
}
`,
};

interface Broken {
  readonly kind: string;
  readonly code: string;
}

export const broken: Readonly<Record<string, Broken>> = {
  'a-lock-by-xchg-without-a-clobber': {
    kind: 'race',
    code: assemblyLock(
      'for (int v = 1; v;) { v = 1; asm volatile("xchgl %0,%1" : "+r"(v), "+m"(lock)); }',
      'store(&lock, 0);',
    ),
  },
  'a-lock-by-cmpxchg-that-forgets-what-it-found': {
    kind: 'race',
    code: assemblyLock(
      `for (unsigned char taken = 0; !taken;) { int free = 0; asm volatile("lock cmpxchgl %3,%1; xorl %%eax,%%eax; sete %0"
        : "=q"(taken), "+m"(lock), "+a"(free) : "r"(1) : "memory", "cc"); }`,
      'store(&lock, 0);',
    ),
  },
  'a-lock-that-is-not-a-lock': {
    kind: 'race',
    code: assemblyLock('while (load(&lock)) relax(); store(&lock, 1);', 'store(&lock, 0);'),
  },
  'a-mutex-on-a-futex-without-waking': { kind: 'deadlock', code: futexMutex('') },
  'an-event-on-a-futex-without-waking': { kind: 'deadlock', code: futexEvent('ready = 1;', '') },
  'an-event-that-wakes-before-it-stores': {
    kind: 'deadlock',
    code: futexEvent('futex(&ready, FUTEX_WAKE, 1);', 'ready = 1;'),
  },
  'an-event-that-wakes-one-of-two': {
    kind: 'deadlock',
    code: futexEvent('ready = 1;', 'futex(&ready, FUTEX_WAKE, 1);', 2),
  },
  'a-futex-hands-nothing-over': {
    kind: 'race',
    code: futexEvent('atomic_store_explicit(&ready, 1, memory_order_relaxed);', 'futex(&ready, FUTEX_WAKE, 1);'),
  },
  'a-mutex-that-is-not-recursive': { kind: 'deadlock', code: recursive('PTHREAD_MUTEX_INITIALIZER') },
  'a-spin-annotation-proves-nothing': {
    kind: 'livelock',
    code: `
#include <dat3m.h>
static atomic_int x;
int main(void) {
  for (;;) {
    __VERIFIER_spin_start();
    int r = atomic_load(&x);
    __VERIFIER_spin_end(r != 0);
    if (r) break;
  }
  return 0;
}
`,
  },
  'a-wait-for-a-time-may-end-too-early': {
    kind: 'assertion',
    code: `
#include <poll.h>
#include <sys/select.h>
#include <time.h>
static atomic_int ready;
static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}
static void *worker(void *unused) { ready = 1; return NULL; }
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, worker, NULL);
  long long deadline = now() + 500;
  while (!ready && now() < deadline) poll(NULL, 0, 10);
  assert(ready);
  pthread_join(t, NULL);
  return 0;
}
`,
  },
};

interface Limited {
  readonly limit: string;
  readonly code: string;
}

/** No proof, and the report says why. */
export const limited: Readonly<Record<string, Limited>> = {
  'a-wait-for-a-time-ends': {
    limit: 'gettimeofday() showed one time of many',
    code: `
#include <sys/select.h>
#include <sys/time.h>
static atomic_int ready, first;
static double now(void) {
  struct timeval t;
  gettimeofday(&t, NULL);
  return t.tv_sec + t.tv_usec / 1e6;
}
static void *worker(void *unused) { ready = 1; return NULL; }
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, worker, NULL);
  double start = now();
  while (!ready && now() - start < 0.5) {
    struct timeval short_time = {0, 1000};
    select(0, NULL, NULL, NULL, &short_time);
  }
  pthread_join(t, NULL);
  return 0;
}
`,
  },
  'time-never-goes-back': {
    limit: 'time() showed one time of many',
    code: `
#include <time.h>
static _Atomic time_t seen;
static void *worker(void *unused) {
  for (int i = 0; i < 3; i++) seen = time(NULL);
  return NULL;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, worker, NULL);
  time_t before = seen;
  assert(time(NULL) >= before);
  pthread_join(t, NULL);
  before = seen;
  assert(before > 0 && time(NULL) >= before);
  return 0;
}
`,
  },
  'the-clock-of-the-processor': {
    limit: '__rdtsc() showed one time of many',
    code: `
static unsigned long long cycles(void) {
  unsigned low, high;
  asm volatile("rdtsc" : "=a"(low), "=d"(high));
  return ((unsigned long long)high << 32) | low;
}
static unsigned long long cycles_at_once(void) {
  unsigned long long both;
  asm volatile("rdtsc" : "=A"(both));
  return both;
}
int main(void) {
  unsigned long long start = cycles();
  while (cycles() - start < 1000000000000ull) {}
  assert(cycles_at_once() >= start + 1000000000000ull);
  return 0;
}
`,
  },
  'a-handler-of-a-signal': {
    limit: 'no signal arrives: handlers given to sigaction() are never called',
    code: `
#include <signal.h>
static volatile sig_atomic_t stop;
static void handle(int signal) { stop = 1; }
int main(void) {
  struct sigaction action = {0};
  action.sa_handler = handle;
  sigemptyset(&action.sa_mask);
  assert(sigaction(SIGINT, &action, NULL) == 0);
  return stop;
}
`,
  },
  'as-many-threads-as-processors': {
    limit: 'sysconf() gave 2 processors only',
    code: `
#include <unistd.h>
int main(void) { assert(sysconf(_SC_NPROCESSORS_ONLN) == 2); return 0; }
`,
  },
};

/** By the words of the message. */
export const refused: Readonly<Record<string, string>> = {
  'inline assembly is not supported: addl $0,0(%esp)': storeBuffering(
    'asm volatile("addl $0,0(%%esp)" ::: "memory", "cc");',
  ),
  'inline assembly is not supported: lock incq %0': `
int main(void) {
  int n = 0;
  asm volatile("lock incq %0" : "+m"(n) : : "memory");
  return n;
}
`,
  'inline assembly is not supported: cpuid': `
int main(void) {
  int leaf = 0, b, c, d;
  if (0) asm volatile("hlt");
  asm volatile("cpuid" : "+a"(leaf), "=b"(b), "=c"(c), "=d"(d));
  return leaf;
}
`,
  '__get_cpuid: the processor is not modelled': `
#include <cpuid.h>
int main(void) { unsigned a, b, c, d; __cpuid(1, a, b, c, d); return a; }
`,
  'syscall(324, …): this system call is not modelled': `
#include <sys/syscall.h>
int main(void) { return syscall(SYS_membarrier, 0, 0); }
`,
  'futex operation 3: only waiting and waking are modelled': `
#include <linux/futex.h>
#include <sys/syscall.h>
static int word;
int main(void) { return syscall(SYS_futex, &word, FUTEX_REQUEUE, 1, NULL, &word, 0); }
`,
  'getaddrinfo: sockets are not modelled': `
#include <netdb.h>
int main(void) { struct addrinfo *list; return getaddrinfo("a", "b", NULL, &list); }
`,
  'poll: files are not modelled': `
#include <poll.h>
int main(void) { struct pollfd file = {0, POLLIN, 0}; return poll(&file, 1, 0); }
`,
  'waitpid: processes are not modelled': `
#include <sys/wait.h>
int main(void) { int status; return waitpid(-1, &status, 0); }
`,
  'epoll_create1: files are not modelled': `
#include <sys/epoll.h>
int main(void) { return epoll_create1(0); }
`,
  'sqrt is called here without a declaration, and gives no int: include its header.': `
int main(void) { return sqrt(2.0); }
`,
};
