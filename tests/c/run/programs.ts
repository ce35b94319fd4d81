/** C programs for programs.test.ts. Headers are included before; `// here` marks where an error is expected. */
import type { FailureKind } from '../../../src/program/operation.ts';

const oneThread = (body: string, before = ''): string => `${before}
static void *worker(void *arg) {
${body}
  return NULL;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, worker, NULL);
  pthread_join(t, NULL);
  return 0;
}
`;

export const correct: Readonly<Record<string, string>> = {
  'a-join-of-oneself': `
#include <errno.h>
#include <threads.h>
static void *worker(void *unused) {
  assert(pthread_join(pthread_self(), NULL) == EDEADLK);
  return NULL;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, worker, NULL);
  assert(pthread_join(pthread_self(), NULL) == EDEADLK);
  assert(thrd_join(thrd_current(), NULL) == thrd_error);
  pthread_join(t, NULL);
  return 0;
}
`,
  'a-join-by-another-than-the-creator': `
static pthread_t first;
static void *nothing(void *unused) { return NULL; }
static void *joins(void *unused) { pthread_join(first, NULL); return NULL; }
int main(void) {
  pthread_t t;
  pthread_create(&first, NULL, nothing, NULL);
  pthread_create(&t, NULL, joins, NULL);
  pthread_join(t, NULL);
  return 0;
}
`,
  'locking-again-what-is-not-normal': `
#include <errno.h>
static pthread_mutex_t m;
int main(void) {
  struct timespec *never = NULL;
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&m, &attributes);
  pthread_mutex_lock(&m);
  assert(pthread_mutex_lock(&m) == EDEADLK);
  assert(pthread_mutex_timedlock(&m, never) == EDEADLK);
  assert(pthread_mutex_trylock(&m) == EBUSY);
  pthread_mutex_unlock(&m);
  pthread_mutex_destroy(&m);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&m, &attributes);
  pthread_mutex_lock(&m);
  assert(pthread_mutex_lock(&m) == 0);
  assert(pthread_mutex_trylock(&m) == 0);
  for (int i = 0; i < 3; i++) pthread_mutex_unlock(&m);
  pthread_mutex_destroy(&m);
  return 0;
}
`,
  'trying-again-what-is-normal': `
#include <errno.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int main(void) {
  pthread_mutex_lock(&m);
  assert(pthread_mutex_trylock(&m) == EBUSY);
  pthread_mutex_unlock(&m);
  return 0;
}
`,
  'main-returns-while-others-wait': `
static atomic_int flag;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *spins(void *unused) { while (!atomic_load(&flag)) {} return NULL; }
static void *locks(void *unused) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); return NULL; }
int main(void) {
  pthread_t t, u;
  pthread_mutex_lock(&m);
  pthread_create(&t, NULL, spins, NULL);
  pthread_detach(t);
  pthread_create(&u, NULL, locks, NULL);
  pthread_detach(u);
  return 0;
}
`,
  'calls-nested-ninety-thousand-deep': `
static atomic_int x;
static int down(int n) { return n == 0 ? x : down(n - 1) + 1; }
int main(void) {
  assert(down(90000) == 90000);
  return 0;
}
`,
  'a-long-list-is-freed-recursively': `
struct node { struct node *next; };
static void drop(struct node *n) {
  if (n == NULL) return;
  drop(n->next);
  free(n);
}
int main(void) {
  struct node *list = NULL;
  for (int i = 0; i < 5000; i++) {
    struct node *n = malloc(sizeof *n);
    n->next = list;
    list = n;
  }
  drop(list);
  return 0;
}
`,
  'ninety-thousand-operations-of-one-thread': `
static unsigned h;
int main(void) {
  for (int i = 0; i < 45000; i++) h = h * 31 + i;
  return 0;
}
`,
  'main-returns-3': 'int main(void) { return 3; }',
  'exit-with-2-in-a-thread': `
static void *ends(void *unused) { exit(2); }
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, ends, NULL);
  pthread_join(t, NULL);
  return 1;
}
`,
  'main-returns-256': 'int main(void) { return 256; }',
  'exit-with-minus-1': 'int main(void) { exit(-1); }',
  'status-depends': `
static atomic_int x;
static void *sets(void *unused) { x = 1; return NULL; }
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, sets, NULL);
  int found = x;
  pthread_join(t, NULL);
  return found;
}
`,
  'shifts-by-less-than-the-width': `
static atomic_int by = 31;
int main(void) {
  assert(1u << by == 0x80000000u);
  assert(1ull << (by + 32) == 0x8000000000000000ull);
  assert(-8 >> (by & 3) == -1);
  assert((unsigned char)1 << 8 == 256);
  return 0;
}
`,
  'unions-are-seen-through': `
static union { int i; char c[4]; float f; short s[2]; } u;
int main(void) {
  u.f = 1.0f;
  assert(u.i == 0x3f800000);
  assert(u.c[3] == 0x3f && u.c[2] == -128);
  u.s[1] = 0x4000;
  assert(u.f == 2.0f);
  return 0;
}
`,
  'structs-are-copied': `
struct big { char a; int b; long long c; short d[3]; };
static struct big g1, g2 = { 'x', 7, -1LL, { 1, 2, 3 } };
static struct big changed(struct big b) { b.b++; b.d[2] = 9; return b; }
int main(void) {
  g1 = g2;
  struct big local = changed(g1);
  assert(g1.b == 7 && g1.d[2] == 3);
  assert(local.a == 'x' && local.b == 8 && local.c == -1 && local.d[2] == 9 && local.d[0] == 1);
  struct big *heap = malloc(sizeof *heap);
  memcpy(heap, &local, sizeof local);
  assert(heap->c == -1 && heap->d[1] == 2);
  free(heap);
  return 0;
}
`,
  'bit-fields-share-their-bytes': `
struct flags { unsigned a : 3; int b : 5; unsigned c : 17; unsigned long long d : 40; };
static struct flags g;
int main(void) {
  struct flags *heap = malloc(sizeof *heap);
  heap->a = 5; heap->b = -3; heap->c = 99999; heap->d = 0xabcdef1234ULL;
  assert(heap->a == 5 && heap->b == -3 && heap->c == 99999 && heap->d == 0xabcdef1234ULL);
  g = *heap;
  assert(g.b == -3 && g.c == 99999);
  struct odd { char a : 5; long long b : 32; unsigned short c : 12; } odd = { -3, 88, 4000 };
  struct odd *volatile at = &odd;
  assert(at->a == -3 && at->b == 88 && at->c == 4000);
  at->b = -1234567890;
  assert(at->a == -3 && at->b == -1234567890 && at->c == 4000);
  struct flags local;
  local.a = 1; local.b = 2;
  assert(local.a == 1 && local.b == 2);
  free(heap);
  return 0;
}
`,
  'variadic-functions': `
#include <stdarg.h>
static long long total(const char *kinds, ...) {
  va_list list, again;
  va_start(list, kinds);
  va_copy(again, list);
  long long sum = 0;
  for (const char *k = kinds; *k; k++) {
    if (*k == 'i') sum += va_arg(list, int);
    else if (*k == 'l') sum += va_arg(list, long long);
    else if (*k == 'd') sum += (long long)va_arg(list, double);
    else sum += *va_arg(list, int *);
  }
  sum *= 10;
  if (*kinds == 'i') sum += va_arg(again, int);
  va_end(again);
  va_end(list);
  return sum;
}
int main(void) {
  int x = 40;
  assert(total("ildp", 1, 20000000000LL, 3.5, &x) == 200000000441LL);
  assert(total("") == 0);
  return 0;
}
`,
  'function-pointers': `
static int twice(int x) { return 2 * x; }
static int thrice(int x) { return 3 * x; }
static int (*const table[])(int) = { twice, thrice };
static int apply(int (*f)(int), int x) { return f(x); }
struct ops { int (*run)(int); };
static struct ops ops = { thrice };
int main(void) {
  int sum = 0;
  for (int i = 0; i < 2; i++) sum += table[i](10);
  assert(sum == 50);
  ops.run = twice;
  assert(apply(ops.run, 4) == 8 && apply(&thrice, 4) == 12);
  assert(ops.run != thrice);
  void (*release)(void *) = free;
  release(malloc(4));
  return 0;
}
`,
  'recursion-and-static-locals': `
static int calls(void) { static int count; return ++count; }
static int fib(int n) { calls(); return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int isOdd(int n);
static int isEven(int n) { return n == 0 || isOdd(n - 1); }
static int isOdd(int n) { return n != 0 && isEven(n - 1); }
int main(void) { assert(fib(10) == 55 && calls() == 178 && isEven(100)); return 0; }
`,
  'exact-64-bit-arithmetic': `
static uint64_t state = 88172645463325252ULL;
static uint64_t next(void) { state ^= state << 13; state ^= state >> 7; state ^= state << 17; return state; }
int main(void) {
  uint64_t sum = 0;
  for (int i = 0; i < 100; i++) sum += next();
  assert(sum == 12345678901234567890ULL || sum != 0);
  assert((int64_t)0x8000000000000000ULL / 3 == -3074457345618258602LL);
  assert(0xffffffffffffffffULL % 10 == 5);
  assert((double)(1ULL << 63) == 9223372036854775808.0);
  assert((uint32_t)(0x123456789abcdefULL >> 4) == 0x789abcdeU);
  return 0;
}
`,
  'thread-locals': `
static _Thread_local int own = 5;
static _Thread_local int known;
static int *_Atomic other;
static void *worker(void *arg) {
  assert(own == 5 && known == 0);
  own += (int)(intptr_t)arg;
  known = own;
  atomic_store(&other, &known);
  assert(*atomic_load(&other) >= 6);
  return NULL;
}
int main(void) {
  pthread_t t;
  own = 100;
  known = 7;
  pthread_create(&t, NULL, worker, (void *)2);
  pthread_join(t, NULL);
  assert(own == 100 && known == 7);
  return 0;
}
`,
  'spawn-inside-spawn': `
static atomic_int sum;
static void *leaf(void *arg) { atomic_fetch_add(&sum, *(int *)arg); return arg; }
static void *middle(void *arg) {
  int mine = *(int *)arg + 1;
  pthread_t t;
  void *result;
  pthread_create(&t, NULL, leaf, &mine);
  pthread_join(t, &result);
  assert(result == &mine && *(int *)result == mine);
  return NULL;
}
int main(void) {
  pthread_t t[2];
  int values[2] = { 10, 20 };
  for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, middle, &values[i]);
  for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
  assert(sum == 32);
  return 0;
}
`,
  'threads-nested-ten-deep': `
static int depth;
static void *nest(void *arg) {
  int left = *(int *)arg - 1;
  depth++;
  if (left == 0) return NULL;
  pthread_t t;
  pthread_create(&t, NULL, nest, &left);
  pthread_join(t, NULL);
  return NULL;
}
int main(void) {
  int left = 10;
  nest(&left);
  assert(depth == 10);
  return 0;
}
`,
  'a-thread-joins-main': `
static int x;
static pthread_t first;
static void *last(void *unused) {
  void *result;
  pthread_join(first, &result);
  assert(result == &x && x == 5);
  return NULL;
}
int main(void) {
  pthread_t t;
  first = pthread_self();
  pthread_create(&t, NULL, last, NULL);
  x = 5;
  pthread_exit(&x);
}
`,
  'a-thread-ends-in-a-handler-of-exit': `
static pthread_t t;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int is_stopping, *count;
static void *background(void *unused) {
  pthread_mutex_lock(&m);
  while (!is_stopping) pthread_cond_wait(&changed, &m);
  ++*count;
  pthread_mutex_unlock(&m);
  return NULL;
}
static void stop(void) {
  pthread_mutex_lock(&m);
  is_stopping = 1;
  pthread_cond_signal(&changed);
  pthread_mutex_unlock(&m);
  pthread_join(t, NULL);
  assert(*count == 1);
  free(count);
}
int main(void) {
  count = calloc(1, sizeof *count);
  atexit(stop);
  pthread_create(&t, NULL, background, NULL);
  return 0;
}
`,
  'updates-in-a-loop': `
static atomic_int sum;
static void *adder(void *arg) {
  for (int i = 1; i <= 2; i++) atomic_fetch_add(&sum, i);
  for (int i = 1; i <= 2; i++) atomic_fetch_xor(&sum, 8 * i);
  for (int i = 1; i <= 2; i++) atomic_fetch_xor(&sum, 8 * i);
  return NULL;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, adder, NULL);
  atomic_fetch_add(&sum, 64);
  pthread_join(t, NULL);
  assert(sum == 67);
  return 0;
}
`,
  'pointers-may-alias': `
static int x, y;
static int *_Atomic p = &x;
static void *worker(void *arg) { atomic_store(&p, &y); return NULL; }
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, worker, NULL);
  int *q = atomic_load(&p);
  *q = 1;
  pthread_join(t, NULL);
  assert(x + y == 1);
  return 0;
}
`,
  'a-pointer-with-a-tag-comes-back': `
struct box { double value; };
static void *fill(void *unused) {
  struct box *box = malloc(sizeof *box);
  box->value = 0.5;
  return (void *)((uintptr_t)box | 1);
}
int main(void) {
  pthread_t t;
  union { void *pointer; uintptr_t bits; } result;
  pthread_create(&t, NULL, fill, NULL);
  pthread_join(t, &result.pointer);
  assert(result.bits & 1);
  result.bits &= ~(uintptr_t)1;
  assert(((struct box *)result.pointer)->value == 0.5);
  free(result.pointer);
  return 0;
}
`,
  'the-largest-and-smallest-values': `
static _Atomic uint64_t top = UINT64_MAX;
static _Atomic int64_t bottom = INT64_MIN;
static _Atomic uint8_t byte;
static void *worker(void *unused) {
  atomic_fetch_add(&top, 1);
  atomic_fetch_sub(&byte, 1);
  return (void *)UINTPTR_MAX;
}
int main(void) {
  pthread_t t;
  void *result;
  pthread_create(&t, NULL, worker, NULL);
  pthread_join(t, &result);
  assert(top == 0 && byte == 255 && (uintptr_t)result == UINTPTR_MAX);
  int64_t expected = INT64_MIN;
  assert(atomic_compare_exchange_strong(&bottom, &expected, INT64_MAX) && bottom == INT64_MAX);
  size_t most = SIZE_MAX;
  assert(malloc(most) == NULL && calloc(most, 2) == NULL);
  return 0;
}
`,
  'atomic-structs': `
struct pair { int a, b; };
static _Atomic struct pair pair;
static void *worker(void *arg) {
  struct pair old = atomic_load(&pair), new;
  do { new.a = old.a + 1; new.b = old.b - 1; } while (!atomic_compare_exchange_strong(&pair, &old, new));
  return NULL;
}
int main(void) {
  pthread_t t[2];
  struct pair start = { 5, 5 };
  atomic_init(&pair, start);
  for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, worker, NULL);
  for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
  struct pair last = atomic_load(&pair);
  assert(last.a == 7 && last.b == 3);
  return 0;
}
`,
  'atomics-of-all-widths': `
static _Atomic uint8_t a8 = 250;
static _Atomic int16_t a16 = -32768;
static _Atomic uint64_t a64 = 0xfffffffffffffff0ULL;
static _Atomic _Bool flag;
static uint64_t plain = 16;
static atomic_flag held = ATOMIC_FLAG_INIT;
static void *worker(void *arg) {
  atomic_fetch_add(&a8, 10);
  atomic_fetch_sub(&a16, 1);
  atomic_fetch_add(&a64, 32);
  atomic_store(&flag, !atomic_load(&flag));
  return NULL;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, worker, NULL);
  assert(!atomic_flag_test_and_set(&held));
  pthread_join(t, NULL);
  assert(a8 == 4 && a16 == 32767 && a64 == 16 && flag == 1);
  assert(atomic_flag_test_and_set(&held));
  assert(__sync_fetch_and_add(&plain, 1) == 16 && __atomic_load_n(&plain, __ATOMIC_RELAXED) == 17);
  assert(atomic_exchange(&a8, 9) == 4);
  return 0;
}
`,
  'a-static-mutex-on-the-stack': `
static int counter;
static void *worker(void *m) {
  pthread_mutex_lock(m);
  counter++;
  pthread_mutex_unlock(m);
  return NULL;
}
int main(void) {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  pthread_t t[2];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, worker, &m);
  for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
  assert(counter == 2);
  return 0;
}
`,
  'exit-ends-everything': `
static atomic_int x;
static void *worker(void *arg) { if (x) exit(3); return NULL; }
int main(void) {
  pthread_t t;
  x = 1;
  pthread_create(&t, NULL, worker, NULL);
  pthread_join(t, NULL);
  assert(0 && "nobody comes here");
}
`,
  'threads-that-nobody-joins': `
static atomic_int x;
static void *worker(void *arg) { x++; return NULL; }
int main(void) {
  pthread_t t;
  for (int i = 0; i < 3; i++) { pthread_create(&t, NULL, worker, NULL); pthread_detach(t); }
  return x;
}
`,
  'variable-length-arrays': `
static int sum(int n) {
  int a[n];
  for (int i = 0; i < n; i++) a[i] = i * i;
  int s = 0;
  for (int i = 0; i < n; i++) s += a[i];
  return s;
}
int main(int argc, char **argv) { assert(sum(5) == 30 && sum(1) == 0 && argc == 1 && argv[0][0] != 0 && !argv[1]); return 0; }
`,
  'constructors-run-before-main': `
static int order;
static int first, second;
__attribute__((constructor(200))) static void later(void) { second = ++order; }
__attribute__((constructor(101))) static void sooner(void) { first = ++order; }
extern int missing(void) __attribute__((weak));
int main(void) { assert(first == 1 && second == 2); return missing ? missing() : 0; }
`,
  'errors-have-numbers': `
#include <errno.h>
#include <time.h>
static void *worker(void *arg) { assert(errno == 0); errno = 5; return NULL; }
int main(void) {
  pthread_t t;
  errno = 0;
  strtol("99999999999999999999", NULL, 10);
  assert(errno == ERANGE);
  pthread_create(&t, NULL, worker, NULL);
  pthread_join(t, NULL);
  assert(errno == ERANGE);
  assert(strerror(ENOENT)[0] != 0 && strerror(ENOENT) == strerror(ENOENT));
  return 0;
}
`,
  'functions-that-run-as-one-step': `
static int x;
static void __VERIFIER_atomic_add(int n) { int old = x; if (n == 0) return; x = old + n; }
static void *worker(void *arg) { __VERIFIER_atomic_add(2); __VERIFIER_atomic_add(0); return NULL; }
int main(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, worker, NULL);
  for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
  assert(x == 4);
  return 0;
}
`,
  'one-malloc-for-different-things': `
struct a { _Atomic uint64_t v; };
struct b { int x, y; };
static void *allocate(size_t n) { void *p = malloc(n); assert(p); return p; }
static struct a *ga;
static struct b *gb;
static void *worker(void *arg) { ga->v++; return NULL; }
int main(void) {
  ga = allocate(sizeof *ga);
  gb = allocate(sizeof *gb);
  atomic_init(&ga->v, 0);
  gb->x = 1;
  gb->y = 2;
  pthread_t t;
  pthread_create(&t, NULL, worker, NULL);
  ga->v++;
  pthread_join(t, NULL);
  assert(ga->v == 2 && gb->x + gb->y == 3);
  free(ga);
  free(gb);
  return 0;
}
`,
  'a-barrier-may-go-once-all-are-through': `
static void *worker(void *barrier) { pthread_barrier_wait(barrier); return NULL; }
static void meet(void) {
  pthread_barrier_t barrier;
  pthread_t t;
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&t, NULL, worker, &barrier);
  pthread_detach(t);
  pthread_barrier_wait(&barrier);
  pthread_barrier_destroy(&barrier);
}
int main(void) { meet(); return 0; }
`,
  'an-atomic-struct-is-initialised-by-members': `
typedef struct { uint16_t a, b; } pair;
static _Atomic pair g;
static void *worker(void *arg) { pair p = g; p.a = 5; g = p; return NULL; }
int main(void) {
  pthread_t t;
  atomic_init(&g, ((pair){ 1, 2 }));
  pthread_create(&t, NULL, worker, NULL);
  pair p = atomic_load(&g);
  assert(p.b == 2 && (p.a == 1 || p.a == 5));
  pthread_join(t, NULL);
  return 0;
}
`,
  'no-threads-at-all': 'int main(void) { return 0; }\n',
  'none-of-anything': `
static void *never(void *unused) { abort(); }
int main(int argc, char **argv) {
  int n = argc - 1;
  pthread_t *threads = calloc(n, sizeof *threads);
  for (int i = 0; i < n; i++) pthread_create(&threads[i], NULL, never, NULL);
  for (int i = 0; i < n; i++) pthread_join(threads[i], NULL);
  free(threads);
  free(NULL);
  free(malloc(0));
  char *p = realloc(NULL, 1);
  *p = 'x';
  memcpy(p, p + 1, 0);
  assert(memcmp(p, "y", 0) == 0);
  free(p);
  return 0;
}
`,
  'realloc-keeps-what-fits': `
int main(void) {
  int *p = malloc(2 * sizeof *p);
  p[0] = 1; p[1] = 2;
  p = realloc(p, 4 * sizeof *p);
  assert(p[0] == 1 && p[1] == 2);
  p[3] = 4;
  p = realloc(p, sizeof *p);
  assert(p[0] == 1);
  free(p);
  char *zero = calloc(4, 2);
  assert(zero[7] == 0);
  free(zero);
  free(NULL);
  return 0;
}
`,
};

interface Broken {
  readonly kind: FailureKind;
  readonly message: RegExp;
  readonly code: string;
}

export const broken: Readonly<Record<string, Broken>> = {
  'null-field': {
    kind: 'null-dereference',
    message: /null pointer \(plus 4\)/,
    code: oneThread('  struct s { int a, b; } *volatile p = NULL;\n  p->b = 1; // here'),
  },
  'before-a-local-array': {
    kind: 'out-of-bounds',
    message: /outside of any variable/,
    code: oneThread('  int a[3] = { 1, 2, 3 };\n  volatile int i = -1;\n  a[i] = 1; // here'),
  },
  'before-a-global': {
    kind: 'out-of-bounds',
    message: /where there is nothing|outside/,
    code: oneThread('  volatile int i = -1;\n  table[i] = 1; // here', 'static int table[3];'),
  },
  'an-argument-of-a-thread-that-has-ended': {
    kind: 'use-after-free',
    message: /local, a variable of child/,
    code: `static pthread_t grandchild;
static void *leaf(void *arg) {
  ++*(int *)arg; // here
  return NULL;
}
static void *child(void *unused) {
  int local = 1;
  pthread_create(&grandchild, NULL, leaf, &local);
  return NULL;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, child, NULL);
  pthread_join(t, NULL);
  pthread_join(grandchild, NULL);
  return 0;
}
`,
  },
  'main-exits-as-a-thread': {
    kind: 'use-after-free',
    message: /main/,
    code: `static void *worker(void *arg) {
  *(atomic_int *)arg = 1; // here
  return NULL;
}
int main(void) {
  atomic_int local = 0;
  pthread_t t;
  pthread_create(&t, NULL, worker, &local);
  pthread_exit(NULL);
}
`,
  },
  'masked-before-it-is-set': {
    kind: 'uninitialised-read',
    message: /flags is read before it was set/,
    code: oneThread('  unsigned flags;\n  flags = (flags & 0xf0) | 5; // here\n  if (flags == 5) return NULL;'),
  },
  'null-call': {
    kind: 'null-dereference',
    message: /call through a null pointer/,
    code: oneThread('  void (*volatile f)(void) = NULL;\n  f(); // here'),
  },
  'wild-pointer': {
    kind: 'out-of-bounds',
    message: /where there is nothing/,
    code: oneThread('  *(volatile int *)0x7000000 = 1; // here'),
  },
  'global-overrun': {
    kind: 'out-of-bounds',
    message: /a read of 4 bytes at offset 12 of table, which has 12 bytes/,
    code: oneThread('  volatile int i = 3;\n  int x = table[i]; // here\n  (void)x;', 'static int table[3];'),
  },
  'local-overrun': {
    kind: 'out-of-bounds',
    message: /outside of any variable/,
    code: oneThread('  int a[3] = { 1, 2, 3 };\n  volatile int i = 3;\n  a[i] = 1; // here'),
  },
  'heap-overrun': {
    kind: 'out-of-bounds',
    message: /at offset 8 of int#1, which has 8 bytes/,
    code: oneThread('  int *p = malloc(8);\n  p[2] = 1; // here\n  free(p);'),
  },
  'string-overrun': {
    kind: 'out-of-bounds',
    message: /a write of 8 bytes at offset 0/,
    code: oneThread('  char *p = malloc(4);\n  strcpy(p, "heddle!"); // here\n  free(p);'),
  },
  'use-after-free-in-one-thread': {
    kind: 'use-after-free',
    message: /int#1/,
    code: oneThread('  int *p = malloc(4);\n  *p = 1;\n  free(p);\n  *p = 2; // here'),
  },
  'dead-variable-of-another-thread': {
    kind: 'use-after-free',
    message: /loads x.*(leaves start|a variable of start, which has ended)/,
    code: `static int sum;
static void *run(void *a) {
  sum = *(int *)a; // here
  return NULL;
}
static pthread_t start(void) {
  pthread_t t;
  int x = 1;
  pthread_create(&t, NULL, run, &x);
  return t;
}
int main(void) {
  pthread_t t = start();
  pthread_join(t, NULL);
  return 0;
}
`,
  },
  'main-returns-while-its-variable-is-used': {
    kind: 'use-after-free',
    message: /x, a variable of main, which has ended/,
    code: `
static void *stores(void *p) {
  *(int *)p = 1; // here
  return NULL;
}
int main(void) {
  int x = 0;
  pthread_t t;
  pthread_create(&t, NULL, stores, &x);
  return 0; // here
}
`,
  },
  'main-ends-by-pthread-exit-while-one-waits': {
    kind: 'livelock',
    message: /waiting: spins/,
    code: `
static atomic_int flag;
static void *spins(void *unused) {
  while (!atomic_load(&flag)) {} // here
  return NULL;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, spins, NULL);
  pthread_exit(NULL);
}
`,
  },
  'main-ends-by-pthread-exit-while-its-variable-is-used': {
    kind: 'use-after-free',
    message: /x, a variable of main, which has ended|before it leaves main/,
    code: `
static void *stores(void *p) {
  *(int *)p = 1; // here
  return NULL;
}
int main(void) {
  int x = 0;
  pthread_t t;
  pthread_create(&t, NULL, stores, &x);
  pthread_exit(NULL); // here
}
`,
  },
  'lock-that-does-not-fit': {
    kind: 'out-of-bounds',
    message: /^a (read|write) of 4 bytes at offset 0 of c, which has 1 byte$/,
    code: oneThread('  char c = 0;\n  pthread_mutex_lock((pthread_mutex_t *)&c); // here'),
  },
  'dead-stack-variable': {
    kind: 'use-after-free',
    message: /x, a variable of leak, which has ended/,
    code: oneThread(
      '  int *p = leak();\n  *p = 2; // here',
      'static int *keep;\nstatic int *leak(void) { int x = 1; keep = &x; return keep; }',
    ),
  },
  'double-free-in-one-thread': {
    kind: 'double-free',
    message: /./,
    code: oneThread('  int *p = malloc(4);\n  free(p);\n  free(p); // here'),
  },
  'free-of-a-global': {
    kind: 'invalid-free',
    message: /x, which is not from malloc/,
    code: oneThread('  free(&x); // here', 'static int x;'),
  },
  'free-inside': {
    kind: 'invalid-free',
    message: /inside char#1|inside heap#1/,
    code: oneThread('  char *p = malloc(4);\n  free(p + 1); // here'),
  },
  'unset-local': {
    kind: 'uninitialised-read',
    message: /x is read before it was set/,
    code: oneThread('  int x;\n  if (go) x = 1;\n  if (x) go = 2; // here', 'static atomic_int go;'),
  },
  'unset-heap': {
    kind: 'uninitialised-read',
    message: /int#1 is read before anything was written to it/,
    code: oneThread('  int *p = malloc(4);\n  if (*p) go = 1; // here\n  free(p);', 'static atomic_int go;'),
  },
  'unset-array': {
    kind: 'uninitialised-read',
    message: /./,
    code: oneThread('  int a[4];\n  a[0] = 1;\n  volatile int i = 1;\n  if (a[i]) return NULL; // here'),
  },
  'constant-is-written': {
    kind: 'abort',
    message: /constant memory/,
    code: oneThread('  char *p = (char *)"text";\n  *p = 1; // here'),
  },
  'division-by-zero': {
    kind: 'division-by-zero',
    message: /division by zero/,
    code: oneThread('  int x = 10 / zero; // here\n  (void)x;', 'static atomic_int zero;'),
  },
  'remainder-by-zero-of-64-bits': {
    kind: 'division-by-zero',
    message: /division by zero/,
    code: oneThread(
      '  unsigned long long x = 10 % zero; // here\n  (void)x;',
      'static _Atomic unsigned long long zero;',
    ),
  },
  'shift-by-too-much': {
    kind: 'undefined-behaviour',
    message: /a shift of a value of 32 bits by 32 or more/,
    code: oneThread('  unsigned x = 1u << by; // here\n  (void)x;', 'static atomic_int by = 32;'),
  },
  'shift-by-a-negative-number-of-64-bits': {
    kind: 'undefined-behaviour',
    message: /a shift of a value of 64 bits/,
    code: oneThread('  long long x = 1ll >> by; // here\n  (void)x;', 'static atomic_int by = -1;'),
  },
  'shift-of-constants': {
    kind: 'undefined-behaviour',
    message: /an operation on constants that C leaves undefined/,
    code: oneThread('  unsigned long mask = 1UL << 32; // here\n  if (mask & 4) return NULL;'),
  },
  'two-threads-join-one': {
    kind: 'abort',
    message: /joins 2 joins nothing, which joins 1 joins as well/,
    code: `
static pthread_t first;
static void *nothing(void *unused) { return NULL; }
static void *joins(void *unused) {
  pthread_join(first, NULL); // here
  return NULL;
}
int main(void) {
  pthread_t t, u;
  pthread_create(&first, NULL, nothing, NULL);
  pthread_create(&t, NULL, joins, NULL);
  pthread_create(&u, NULL, joins, NULL);
  pthread_join(t, NULL);
  pthread_join(u, NULL);
  return 0;
}
`,
  },
  'two-threads-join-each-other': {
    kind: 'deadlock',
    message: /waiting/,
    code: `
static pthread_t t, self;
static void *joins(void *unused) {
  pthread_join(self, NULL); // here
  return NULL;
}
int main(void) {
  self = pthread_self();
  pthread_create(&t, NULL, joins, NULL);
  pthread_join(t, NULL); // here
  return 0;
}
`,
  },
  'a-normal-mutex-is-locked-again': {
    kind: 'deadlock',
    message: /waiting/,
    code: `
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int main(void) {
  pthread_mutex_lock(&m);
  pthread_mutex_lock(&m); // here
  return 0;
}
`,
  },
  'a-mutex-of-C11-is-locked-again': {
    kind: 'deadlock',
    message: /waiting/,
    code: `
#include <threads.h>
static mtx_t m;
int main(void) {
  mtx_init(&m, mtx_plain);
  mtx_lock(&m);
  mtx_lock(&m); // here
  return 0;
}
`,
  },
  'a-read-write-lock-is-locked-again': {
    kind: 'deadlock',
    message: /waiting/,
    code: `
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int main(void) {
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_wrlock(&lock); // here
  return 0;
}
`,
  },
  'a-spinlock-is-locked-again': {
    kind: 'deadlock',
    message: /waiting/,
    code: `
static pthread_spinlock_t lock;
int main(void) {
  pthread_spin_init(&lock, 0);
  pthread_spin_lock(&lock);
  pthread_spin_lock(&lock); // here
  return 0;
}
`,
  },
  'aligned-to-24-bytes': {
    kind: 'undefined-behaviour',
    message: /aligned to 24 bytes, which is no power of two/,
    code: oneThread('  free(aligned_alloc(24, 48)); // here'),
  },
  'lock-where-there-is-nothing': {
    kind: 'out-of-bounds',
    message: /where there is nothing/,
    code: oneThread('  pthread_mutex_lock((pthread_mutex_t *)0x12345678); // here'),
  },
  'lock-of-a-character': {
    kind: 'out-of-bounds',
    message: /a read of 4 bytes at offset 0 of letter, which has 1 byte/,
    code: oneThread('  static char letter;\n  pthread_mutex_lock((pthread_mutex_t *)&letter); // here'),
  },
  'lock-of-memory-that-is-no-variable': {
    kind: 'out-of-bounds',
    message: /outside of any variable/,
    code: oneThread('  pthread_mutex_lock((pthread_mutex_t *)-16); // here'),
  },
  'lock-of-a-constant': {
    kind: 'abort',
    message: /constant memory/,
    code: oneThread('  pthread_mutex_lock((pthread_mutex_t *)"this is no mutex, but a text"); // here'),
  },
  'a-number-is-joined': {
    kind: 'abort',
    message: /^the thread joins 77, which is no thread$/,
    code: 'int main(void) { return pthread_join((pthread_t)77, NULL); } // here',
  },
  'a-number-is-detached': {
    kind: 'abort',
    message: /^the thread detaches 77, which is no thread$/,
    code: 'int main(void) { return pthread_detach((pthread_t)77); } // here',
  },
  'unreachable-is-reached': {
    kind: 'abort',
    message: /unreachable/,
    code: oneThread('  if (!zero) __builtin_unreachable(); // here', 'static atomic_int zero;'),
  },
  'stack-overflow': {
    kind: 'abort',
    message: /stack overflow in down/,
    code: oneThread(
      '  down(zero);',
      'static atomic_int zero;\nstatic int down(int n) { char room[9000] = {0}; room[n % 9000] = 1; return zero + down(n + 1) + room[zero]; } // here',
    ),
  },
  'abort-is-called': { kind: 'abort', message: /abort/, code: oneThread('  abort(); // here') },
  'assertion-fails': { kind: 'assertion', message: /1 \+ 1 == 3/, code: oneThread('  assert(1 + 1 == 3); // here') },
  'leaked-block': { kind: 'leak', message: /./, code: oneThread('  malloc(12); // here') },
  'atomic-and-plain': {
    kind: 'race',
    message: /data race on x/,
    code: `static int x;
static void *worker(void *arg) {
  __atomic_store_n(&x, 1, __ATOMIC_SEQ_CST); // here
  return NULL;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, worker, NULL);
  int seen = x; // here
  pthread_join(t, NULL);
  return seen;
}
`,
  },
  'a-race-through-an-alias': {
    kind: 'race',
    message: /data race on shared/,
    code: `struct shared { int before; union { int number; unsigned char bytes[4]; } is; };
static struct shared shared;
static void *store(void *arg) {
  *(int *)arg = 1; // here
  return NULL;
}
static void *load(void *arg) {
  return (void *)(size_t)((unsigned char *)arg)[6]; // here
}
int main(void) {
  pthread_t t, u;
  pthread_create(&t, NULL, store, &shared.is.number);
  pthread_create(&u, NULL, load, &shared);
  pthread_join(t, NULL);
  pthread_join(u, NULL);
  return 0;
}
`,
  },
  'two-bugs-at-once': {
    kind: 'race',
    message: /data race on count/,
    code: `static int *block, count;
static void *worker(void *unused) {
  count++; // here
  free(block);
  return NULL;
}
int main(void) {
  pthread_t t, u;
  block = malloc(sizeof *block);
  pthread_create(&t, NULL, worker, NULL);
  pthread_create(&u, NULL, worker, NULL);
  pthread_join(t, NULL);
  pthread_join(u, NULL);
  return 0;
}
`,
  },
  'call-of-another-type': {
    kind: 'abort',
    message: /f is called through a pointer to a function of another type/,
    code: oneThread('  ((int (*)(double))f)(1.0); // here', 'static int f(int x) { return x; }'),
  },
};

export const refused: Readonly<Record<string, string>> = {
  'an-unknown-function': `
int mystery(int);
int main(void) {
  return mystery(1); // here
}
`,
  'an-unaligned-atomic': `
static char bytes[8];
int main(void) {
  return __atomic_load_n((int *)(bytes + 1), __ATOMIC_SEQ_CST); // here
}
`,
};

/** A pointer to what another thread has allocated: `publish` and `take` are how it gets it, `use` is what it does with it. */
const passedOn = (publish: string, take: string, use: string, after = ''): string => `
struct box { int plain; atomic_int atomic; pthread_mutex_t lock; };
static _Atomic(struct box *) p;
static void *user(void *unused) {
  struct box *r = ${take};
  if (r != NULL) ${use}; // here
  return NULL;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, user, NULL);
  struct box *m = calloc(1, sizeof *m);
  ${publish};
  pthread_join(t, NULL);
  ${after}
  return 0;
}
`;
const release = 'atomic_store_explicit(&p, m, memory_order_release)';
const relaxed = 'atomic_load_explicit(&p, memory_order_relaxed)';
const acquire = 'atomic_load_explicit(&p, memory_order_acquire)';
const set = 'atomic_store_explicit(&m->atomic, 1, memory_order_release); ';

/** Under ra and rc11: what is used must be allocated before, and a pointer alone does not say so. */
export const allocatedBefore: Readonly<Record<string, { readonly isRace: boolean; readonly code: string }>> = {
  'a-store-through-a-relaxed-pointer': { isRace: true, code: passedOn(release, relaxed, 'r->plain = 18', 'free(m);') },
  'a-lock-through-a-relaxed-pointer': {
    isRace: true,
    code: passedOn(release, relaxed, 'pthread_mutex_lock(&r->lock), pthread_mutex_unlock(&r->lock)', 'free(m);'),
  },
  'a-store-through-an-acquired-pointer': {
    isRace: false,
    code: passedOn(release, acquire, 'r->plain = 18', 'free(m);'),
  },
  'an-atomic-store-through-a-relaxed-pointer': {
    isRace: true,
    code: passedOn(release, relaxed, 'atomic_store(&r->atomic, 1)', 'free(m);'),
  },
  'an-update-through-a-relaxed-pointer': {
    isRace: true,
    code: passedOn(
      set + release,
      relaxed,
      'atomic_fetch_add_explicit(&r->atomic, 1, memory_order_relaxed)',
      'free(m);',
    ),
  },
  'a-relaxed-load-through-a-relaxed-pointer': {
    isRace: true,
    code: passedOn(set + release, relaxed, '(void)atomic_load_explicit(&r->atomic, memory_order_relaxed)', 'free(m);'),
  },
  'a-free-through-a-relaxed-pointer': {
    isRace: true,
    code: passedOn(release, relaxed, 'free(r)', 'if (atomic_load(&p) == NULL) free(m);'),
  },
  'a-fence-after-a-relaxed-load': {
    isRace: false,
    code: passedOn(release, relaxed, '{ atomic_thread_fence(memory_order_acquire); r->plain = 18; }', 'free(m);'),
  },
};

/** What a proof takes for granted of them. */
export const assuming: Readonly<Record<string, { readonly assumes: readonly RegExp[]; readonly code: string }>> = {
  'nothing-of-note': { assumes: [], code: 'static int x;\nint main(void) { x = 1; return 0; }\n' },
  'a-weak-compare-exchange': {
    assumes: [/a weak compare-exchange fails only if/],
    code: `
static atomic_int x;
int main(void) {
  int zero = 0;
  atomic_compare_exchange_weak(&x, &zero, 1);
  return 0;
}
`,
  },
  'a-strong-compare-exchange': {
    assumes: [],
    code: `
static atomic_int x;
int main(void) {
  int zero = 0;
  atomic_compare_exchange_strong(&x, &zero, 1);
  return 0;
}
`,
  },
  'volatile-and-long': {
    assumes: [/volatile accesses/, /long, size_t and pointers have 32 bits/],
    code: 'static volatile int x;\nstatic struct { size_t length; } y;\nint main(void) { x = 1; y.length = 2; return 0; }\n',
  },
  'long-long': { assumes: [], code: 'static long long x;\nint main(void) { x = 1; return 0; }\n' },
  'a-condition-variable': {
    assumes: [/wake only if they are signalled \(--spurious-wakeups/],
    code: `
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;
static void *sets(void *unused) {
  pthread_mutex_lock(&m);
  ready = 1;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
  return NULL;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, sets, NULL);
  pthread_mutex_lock(&m);
  while (!ready) pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
  pthread_join(t, NULL);
  return 0;
}
`,
  },
};

/** Two threads do this. `kind`: what is wrong if a weak compare-exchange may fail for no reason; `strong`: if it may not, where that differs. */
const twice = (body: string, after = ''): string => `
static atomic_int x;
static int inside;
static void *worker(void *unused) {
${body}
  return NULL;
}
int main(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, worker, NULL);
  for (int i = 0; i < 2; i++) pthread_join(t[i], NULL);
  ${after}
  return 0;
}
`;
interface WeakProgram {
  readonly kind: readonly FailureKind[];
  readonly strong?: readonly FailureKind[];
  readonly code: string;
}

export const weak: Readonly<Record<string, WeakProgram>> = {
  'one-attempt-must-win': {
    kind: ['assertion'],
    strong: [],
    code: twice(
      '  int zero = 0;\n  if (atomic_compare_exchange_weak(&x, &zero, 1)) inside = 1;',
      'assert(inside == 1);',
    ),
  },
  'a-failure-is-taken-for-a-difference': {
    kind: ['assertion'],
    strong: [],
    code: twice('  int zero = 0;\n  if (!atomic_compare_exchange_weak(&x, &zero, 1)) assert(zero == 1);'),
  },
  'attempts-until-one-wins': {
    kind: [],
    code: twice(
      '  int old = atomic_load(&x);\n  while (!atomic_compare_exchange_weak(&x, &old, old + 1)) {}',
      'assert(x == 2);',
    ),
  },
  'a-lock-of-weak-attempts': {
    kind: [],
    code: twice(
      '  int zero = 0;\n  while (!atomic_compare_exchange_weak(&x, &zero, 1)) zero = 0;\n  inside++;\n  atomic_store(&x, 0);',
      'assert(inside == 2);',
    ),
  },
  'a-lock-that-nobody-opens': {
    kind: ['livelock'],
    code: twice('  int zero = 0;\n  while (!atomic_compare_exchange_weak(&x, &zero, 1)) zero = 0; // here'),
  },
};
