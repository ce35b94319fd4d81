/** Programs about what memory holds and how it is accessed: see memory.test.ts. */

/** What the main thread does, in a program with a global `go` that nobody else changes. */
const main = (body: string, before = ''): string => `${before}
static atomic_int go;
int main(void) {
${body}
  return 0;
}
`;

interface Broken {
  readonly kind: string;
  readonly message: RegExp;
  /** The error is at a line with a comment "here". */
  readonly code: string;
}

/** Fine, because nobody looks at what was never set; with `--check-uninitialised strict` the second list is an error. */
export const copied = {
  'members-of-a-struct': main(
    `  struct pair a, b;
  a.x = 1;
  b = a;
  struct pair c = pass(b);
  shared = c;
  assert(shared.x == 1);`,
    `struct pair { int x, y; };
static struct pair shared;
static struct pair pass(struct pair p) { struct pair q = p; q.x = p.x; return q; }`,
  ),
  'padding-by-memcpy': main(
    `  struct padded a, b;
  a.c = 1;
  a.n = 2;
  memcpy(&b, &a, sizeof a);
  assert(b.c == 1 && b.n == 2);`,
    'struct padded { char c; int n; };',
  ),
  'a-struct-by-atomic-accesses': main(
    `  struct slot e, f, *heap = malloc(sizeof *heap);
  e.full = 1;
  atomic_store(&slot, e);
  f = atomic_load(&slot);
  __atomic_store(heap, &f, __ATOMIC_SEQ_CST);
  __atomic_load(heap, &e, __ATOMIC_SEQ_CST);
  assert(f.full && e.full);
  free(heap);`,
    'struct slot { _Bool full; int value; };\nstatic _Atomic struct slot slot;',
  ),
  'a-bit-field-beside-unset-ones': main(
    `  struct flags f, *g = malloc(sizeof *g);
  f.a = 1;
  *g = f;
  g->b = 2;
  assert(g->b == 2 && f.a == 1);
  free(g);`,
    'struct flags { unsigned a : 3, b : 5, c : 24; };',
  ),
};

export const copiedByReading = {
  'a-local': main('  int x;\n  int y = x;\n  (void)y;\n  y = 1;\n  assert(y == 1);'),
  'a-bool-and-a-char': main(
    '  _Bool b;\n  char c;\n  struct { _Bool b; long n; } s;\n  s.b = b;\n  s.n = c;\n  s.b = 1;\n  s.n = 2;\n  assert(s.b && s.n == 2);',
  ),
  'an-array-of-pointers': main(
    `  int *from[3], *to[3], one = 1;
  from[1] = &one;
  for (int i = 0; i < 3; i++) to[i] = from[i];
  assert(*to[1] == 1);`,
  ),
  'a-heap-array-grown-by-hand': main(
    `  int *from = malloc(3 * sizeof *from), *to = malloc(6 * sizeof *to);
  from[0] = 7;
  for (int i = 0; i < 3; i++) to[i] = from[i];
  free(from);
  assert(to[0] == 7);
  free(to);`,
  ),
  'bytes-copied-one-by-one': main(
    `  struct padded a, b;
  a.c = 3;
  a.n = 4;
  for (unsigned i = 0; i < sizeof a; i++) ((char *)&b)[i] = ((char *)&a)[i];
  assert(b.c == 3 && b.n == 4);`,
    'struct padded { char c; int n; };',
  ),
  'a-choice-of-two': main('  int x, y = 1;\n  int z = go ? y : x;\n  if (!go) z = 1;\n  assert(z == 1);'),
  'swapped-and-then-set': main(
    `  int a[2];
  a[0] = 1;
  int t = a[0];
  a[0] = a[1];
  a[1] = t;
  a[0] = 2;
  assert(a[0] + a[1] == 3);`,
  ),
  'read-and-given-up': main(
    `  int *slots = malloc(2 * sizeof *slots);
  int expected = 1;
  int value = slots[0];
  if (atomic_compare_exchange_strong(&go, &expected, 2)) assert(value == 1);
  free(slots);`,
  ),
  'stored-atomically-and-overwritten': main(
    '  int x;\n  atomic_int *p = malloc(sizeof *p);\n  atomic_store(p, x);\n  atomic_store(p, 1);\n  assert(*p == 1);\n  free(p);',
  ),
};

export const used: Readonly<Record<string, Broken>> = {
  'a-copy-decides': {
    kind: 'uninitialised-read',
    message: /^y is read, but it is a copy of x, which was never set$/,
    code: main('  int x;\n  int y = x;\n  if (go) return 1;\n  if (y) return 2; // here'),
  },
  'a-copy-of-a-copy-of-memory': {
    kind: 'uninitialised-read',
    message: /^z is read, but it is a copy of something that was never set$/,
    code: main(
      '  int *p = malloc(4);\n  int y = *p;\n  free(p);\n  int z = y;\n  if (go) return 1;\n  return z == 1 ? 2 : 3; // here',
    ),
  },
  'a-copy-in-memory-decides': {
    kind: 'uninitialised-read',
    message: /^shared\[1\] is read, but it is a copy of something that was never set$/,
    code: main('  int x;\n  shared[1] = x;\n  if (shared[1]) return 1; // here', 'static int shared[2];'),
  },
  'a-copy-is-printed': {
    kind: 'uninitialised-read',
    message: /^y is read, but it is a copy of x/,
    code: main('  int x, y = x;\n  go = 1;\n  printf("%d", y); // here'),
  },
  'a-bool-decides': {
    kind: 'uninitialised-read',
    message: /^c is read, but it is a copy of b, which was never set$/,
    code: main('  _Bool b, c = b;\n  if (go) return 1;\n  return c; // here'),
  },
  'a-wider-copy-on-one-way': {
    kind: 'uninitialised-read',
    message: /^n is read/,
    code: main('  char c;\n  if (go) c = 1;\n  long long n = c;\n  if (go) return 1;\n  return n == 3; // here'),
  },
  'a-wider-copy-of-memory': {
    kind: 'uninitialised-read',
    message: /^n is read, but it is a copy of something that was never set$/,
    code: main('  char *p = malloc(1);\n  long long n = *p;\n  free(p);\n  return n == 3; // here'),
  },
  'a-copy-is-an-address': {
    kind: 'uninitialised-read',
    message: /^q is read, but it is a copy of p/,
    code: main('  int *p, *q = p;\n  go = 1;\n  *q = 1; // here'),
  },
  'a-copy-is-divided-by': {
    kind: 'uninitialised-read',
    message: /^y is read/,
    code: main('  int x, y = x;\n  go = 1;\n  go = 4 / y; // here'),
  },
  'a-copy-is-switched-on': {
    kind: 'uninitialised-read',
    message: /^y is read/,
    code: main('  int x, y = x;\n  go = 1;\n  switch (y) { // here\n  case 1: return 1;\n  }'),
  },
  'a-copy-is-passed-on': {
    kind: 'uninitialised-read',
    message: /^y is read/,
    code: main('  int x, y = x;\n  go = 1;\n  same(y); // here', 'static int same(int n) { return n; }'),
  },
  'a-copy-is-returned': {
    kind: 'uninitialised-read',
    message: /^y is read/,
    code: main(
      '  return f() == 1;',
      'static int f(void) {\n  int x, y = x;\n  if (!rand()) return 1;\n  return y; // here\n}',
    ),
  },
  'an-atomic-copy-is-updated': {
    kind: 'uninitialised-read',
    message: /^atomic_int#1 is read|^int#1 is read|is read/,
    code: main(
      '  int x;\n  atomic_int *p = malloc(sizeof *p);\n  atomic_store(p, x);\n  atomic_fetch_add(p, 1); // here\n  free(p);',
    ),
  },
  'a-member-of-a-copied-struct': {
    kind: 'uninitialised-read',
    message: /^b\.y is read, but it is a copy of a\.y, which was never set$/,
    code: main(
      '  struct pair a, b;\n  a.x = 1;\n  b = a;\n  if (b.x) go = b.y + 1; // here',
      'struct pair { int x, y; };',
    ),
  },
  'a-member-of-an-atomic-struct': {
    kind: 'uninitialised-read',
    message: /is read/,
    code: main(
      `  struct slot e, f;
  e.full = 1;
  atomic_store(&slot, e);
  f = atomic_load(&slot);
  if (f.full && f.value) return 1; // here`,
      'struct slot { _Bool full; int value; };\nstatic _Atomic struct slot slot;',
    ),
  },
  'an-atomic-struct-is-compared': {
    kind: 'uninitialised-read',
    message: /^slot is read, but it is a copy of something that was never set$/,
    code: main(
      `  struct slot e, f = {0};
  e.full = 1;
  atomic_store(&slot, e);
  atomic_compare_exchange_strong(&slot, &f, f); // here`,
      'struct slot { _Bool full; int value; };\nstatic _Atomic struct slot slot;',
    ),
  },
  'a-member-of-a-literal': {
    kind: 'uninitialised-read',
    message: /x is read before it was set/,
    code: main('  int x;\n  if ((struct pair){x, 1}.x) return 1; // here', 'struct pair { int x, y; };'),
  },
  'as-another-type': {
    kind: 'uninitialised-read',
    message: /is read/,
    code: main(
      '  union both a, b;\n  a.n = b.n;\n  go = 1;\n  if (a.f > 1) return 1; // here',
      'union both { int n; float f; };',
    ),
  },
  'what-a-loop-waits-for': {
    kind: 'uninitialised-read',
    message: /^v is read|is read before anything/,
    code: main(
      `  int *p = malloc(4), v;
  do {
    v = *p;
    if (go) break;
  } while (v < 5); // here
  free(p);`,
    ),
  },
  'what-a-loop-carries-round': {
    kind: 'uninitialised-read',
    message: /^v is read|^slot|is read/,
    code: `static atomic_int *slot;
static void *setter(void *arg) { *slot = 1; return arg; }
int main(void) {
  slot = malloc(sizeof *slot);
  pthread_t t;
  pthread_create(&t, NULL, setter, NULL);
  for (int v = 0; v != 1;) { // here
    int seen = *slot; // here
    v = seen;
  }
  pthread_join(t, NULL);
  free(slot);
  return 0;
}
`,
  },
  'in-one-of-two-threads': {
    kind: 'uninitialised-read',
    message: /^copy is read/,
    code: `static int data, unset_at_first;
static atomic_int ready;
static int *box;
static void *setter(void *arg) { *box = 1; ready = 1; return arg; }
int main(void) {
  box = malloc(4);
  pthread_t t;
  pthread_create(&t, NULL, setter, NULL);
  pthread_join(t, NULL);
  int *other = malloc(8);
  other[0] = *box;
  int copy = other[ready];
  free(box);
  free(other);
  return copy ? 0 : 1; // here
}
`,
  },
};

/** Programs that are right if volatile accesses are atomic, by the weakest kind of them that makes them so. */
export const volatiles = {
  'volatile-flag': {
    weakest: 'relaxed',
    code: `static volatile int stop;
static void *worker(void *arg) { while (!stop) ; return arg; }
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, worker, NULL);
  stop = 1;
  pthread_join(t, NULL);
  return 0;
}
`,
  },
  'volatile-by-a-cast': {
    weakest: 'relaxed',
    code: `static int stop;
static void *worker(void *arg) { while (!*(volatile int *)&stop) ; return arg; }
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, worker, NULL);
  *(volatile int *)&stop = 1;
  pthread_join(t, NULL);
  return 0;
}
`,
  },
  'volatile-hand-over': {
    weakest: 'seq_cst',
    code: `static volatile char ready;
static int data;
static void *worker(void *arg) { data = 1; ready = 1; return arg; }
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, worker, NULL);
  while (!ready) ;
  assert(data == 1);
  pthread_join(t, NULL);
  return 0;
}
`,
  },
  'volatile-bit-fields-and-structs': {
    weakest: 'plain',
    code: `struct flags { unsigned a : 3, b : 5; };
static volatile struct flags shared;
int main(void) {
  volatile struct flags *own = malloc(sizeof *own);
  own->a = 1;
  own->b = 2;
  shared = *own;
  assert(shared.a == 1 && shared.b == 2);
  free((void *)own);
  return 0;
}
`,
  },
} as const;

/** An error whatever volatile is. */
export const volatileCount = `static volatile int count;
static void *worker(void *arg) { count++; return arg; }
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, worker, NULL);
  count++;
  pthread_join(t, NULL);
  assert(count == 2);
  return 0;
}
`;

const twoThreads = (before: string, work: string, after: string): string => `${before}
static void *worker(void *arg) {
${work}
  return arg;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, worker, NULL);
  worker(NULL);
  pthread_join(t, NULL);
${after}
  return 0;
}
`;

/** Atomic accesses: each program is right, and wrong if BROKEN is defined. */
export const atomics: Readonly<Record<string, { readonly kind: string; readonly code: string }>> = {
  'objects-that-are-not-atomic': {
    kind: 'assertion',
    code: twoThreads(
      `static int count; static long flags; static int *where; static _Bool done; static volatile short narrow;
static const _Atomic int three = 3; static _Atomic(int *) cursor;`,
      `#ifdef BROKEN
  atomic_store(&count, atomic_load(&count) + 1);
#else
  atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
#endif
  atomic_fetch_or(&flags, 4L);
  atomic_store_explicit(&where, &count, memory_order_release);
  atomic_fetch_sub(&narrow, 1);`,
      `  _Bool no = 0;
  int numbers[2], i = 0;
  assert(atomic_load(&count) == 2 && flags == 4 && *where == 2 && narrow == -2 && atomic_load(&three) == 3);
  assert(atomic_compare_exchange_strong(&done, &no, 1) && done);
  atomic_init(&numbers[i++], 7);
  atomic_init(&cursor, numbers);
  atomic_fetch_add(&cursor, 1);
  assert(i == 1 && numbers[0] == 7 && cursor == numbers + 1 && atomic_exchange(&numbers[0], 8) == 7);`,
    ),
  },
  'an-ordinary-access-beside-an-atomic-one': {
    kind: 'race',
    code: twoThreads(
      'static int x;',
      `#ifdef BROKEN
  if (x == 3) return arg;
#endif
  atomic_fetch_add(&x, 1);`,
      '  assert(x == 2);',
    ),
  },
  'a-pointer-with-a-counter': {
    kind: 'assertion',
    code: twoThreads(
      `struct head { void *top; unsigned count; };
static _Atomic struct head head;`,
      `  struct head old = atomic_load(&head), new;
  do {
    new.top = &old;
    new.count = old.count + 1;
#ifdef BROKEN
    atomic_store(&head, new);
    break;
#endif
  } while (!atomic_compare_exchange_weak(&head, &old, new));`,
      '  struct head last = head;\n  assert(last.count == 2 && atomic_is_lock_free(&head));',
    ),
  },
  'an-ordinary-pair-as-gcc-has-it': {
    kind: 'assertion',
    code: twoThreads(
      'struct pair { int a, b; };\nstatic int before;\nstatic struct pair pair;',
      `  struct pair old, new;
  __atomic_load(&pair, &old, __ATOMIC_SEQ_CST);
  do {
    new.a = old.a + 1;
    new.b = old.b + 2;
#ifdef BROKEN
    __atomic_store(&pair, &new, __ATOMIC_SEQ_CST);
    break;
#endif
  } while (!__atomic_compare_exchange(&pair, &old, &new, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));`,
      '  assert(pair.a == 2 && pair.b == 4);',
    ),
  },
  'sixteen-bytes': {
    kind: 'assertion',
    code: twoThreads(
      'struct wide { long long a, b; };\nstatic _Atomic struct wide wide, other;\nstatic __int128 number;',
      `  struct wide old = atomic_load(&wide), new;
  do {
    new.a = old.a + 1;
    new.b = old.b - 1;
#ifdef BROKEN
    atomic_store(&wide, new);
    break;
#endif
  } while (!atomic_compare_exchange_strong(&wide, &old, new));
  __atomic_fetch_add(&number, (__int128)1 << 100, __ATOMIC_RELAXED);
  atomic_load_explicit(&other, memory_order_acquire);
  atomic_store_explicit(&other, (struct wide){1, 2}, memory_order_release);`,
      `  struct wide last = atomic_exchange(&wide, (struct wide){0, 0});
  assert(last.a == 2 && last.b == -2 && number >> 100 == 2);
  assert(__sync_bool_compare_and_swap(&number, (__int128)1 << 101, -1) && number == -1);`,
    ),
  },
  'padding-that-nobody-sets': {
    kind: 'uninitialised-read',
    code: twoThreads(
      'struct odd { int n; char c; };\nstatic _Atomic struct odd odd;',
      `  struct odd old, new;
  old.n = 0;
  old.c = 0;
  new.n = 1;
#ifndef BROKEN
  new.c = 2;
#endif
  if (!atomic_compare_exchange_strong(&odd, &old, new)) assert(old.n == 1 && old.c == 2);
  atomic_store(&odd, new);`,
      '  struct odd last = odd;\n  assert(last.n == 1 && last.c == 2);',
    ),
  },
};

/** Refused, with these words, at a line with a comment "here". */
export const refusedAtomics = {
  'not-aligned': {
    message: /^an atomic access to bytes at an address that is not aligned to its size of 4 bytes$/,
    code: main('  __atomic_fetch_add((int *)(bytes + 1), 1, __ATOMIC_SEQ_CST); // here', 'static char bytes[8];'),
  },
  'a-packed-member': {
    message: /^an atomic access to packed at an address that is not aligned to 4 bytes$/,
    code: main(
      '  atomic_store(&packed.n, 1); // here',
      'static struct __attribute__((packed)) { char c; long long n; } packed;',
    ),
  },
  'twelve-bytes': {
    message: /^an atomic object of 12 bytes: more than 16, or no power of two$/,
    code: main(
      '  struct three old;\n  __atomic_load(&three, &old, 5); // here',
      'static struct three { int a, b, c; } three;',
    ),
  },
};

/** Atomic accesses of different sizes to the same memory: right under sc, and wrong if BROKEN is defined. */
export const mixed: Readonly<Record<string, { readonly kind: string; readonly code: string }>> = {
  'a-lock-in-a-byte-of-a-word': {
    kind: 'race',
    code: twoThreads(
      `#include <stdint.h>
static union { uint32_t word; struct { uint8_t locked, pending; uint16_t tail; }; } lock;
static int count;`,
      `  uint32_t free = 0;
  while (!__atomic_compare_exchange_n(&lock.word, &free, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
    free = 0;
    while (__atomic_load_n(&lock.locked, __ATOMIC_RELAXED)) ;
  }
  count++;
#ifdef BROKEN
  __atomic_store_n(&lock.pending, 0, __ATOMIC_RELEASE);
  __atomic_store_n(&lock.word, 0, __ATOMIC_RELEASE);
  count++;
#else
  __atomic_store_n(&lock.locked, 0, __ATOMIC_RELEASE);
#endif`,
      '  assert(count == 2 && lock.word == 0);',
    ),
  },
  'exchanged-by-bytes': {
    kind: 'assertion',
    code: twoThreads(
      `#include <stdint.h>
static union { uint64_t all; uint8_t byte[8]; uint16_t half[4]; } *u;
__attribute__((constructor)) static void make(void) { u = malloc(sizeof *u); u->all = 0; }`,
      `  uint8_t none = 0;
  if (!__atomic_compare_exchange_n(&u->byte[1], &none, 1, 0, 5, 5)) __atomic_store_n(&u->byte[2], 1, 5);
#ifdef BROKEN
  __atomic_store_n(&u->half[3], __atomic_load_n(&u->half[3], 5) + 1, 5);
#else
  __atomic_fetch_add(&u->half[3], 1, 5);
#endif
  while (!__atomic_load_n(&u->byte[1], 5)) ;`,
      '  assert(__atomic_load_n(&u->all, 5) == 0x0002000000010100);\n  free(u);',
    ),
  },
  'no-order-between-neighbours': {
    kind: 'race',
    code: `#include <stdint.h>
static union { uint32_t word; uint8_t byte[4]; } u;
static int data;
static void *worker(void *arg) { data = 1; __atomic_store_n(&u.byte[0], 1, __ATOMIC_SEQ_CST); return arg; }
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, worker, NULL);
#ifdef BROKEN
  __atomic_store_n(&u.byte[1], 1, __ATOMIC_SEQ_CST);
  if (data) return 0;
#else
  if (__atomic_load_n(&u.word, __ATOMIC_SEQ_CST) == 1) assert(data == 1);
#endif
  pthread_join(t, NULL);
  return 0;
}
`,
  },
};

/** Right under every model: what is written is written as a whole. */
export const partsAreLoaded = `#include <stdint.h>
static union { uint32_t word; uint8_t byte[4]; } u;
static int data;
static void *worker(void *arg) { data = 1; __atomic_store_n(&u.word, 0x100, __ATOMIC_RELEASE); return arg; }
int main(void) {
  pthread_t t;
  pthread_create(&t, NULL, worker, NULL);
  while (!__atomic_load_n(&u.byte[1], __ATOMIC_ACQUIRE)) ;
  assert(data == 1);
  pthread_join(t, NULL);
  return 0;
}
`;
