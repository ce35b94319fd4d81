/** Programs whose atomic accesses to the same memory have different sizes: each is right, and wrong if BROKEN is defined. */

interface PartsProgram {
  /** The error if BROKEN is defined, under ra and rc11. */
  readonly kind: string;
  /** It is no error under sc. */
  readonly isFineUnderSc?: true;
  readonly code: string;
}

const lock = `static union lock {
  uint32_t word;
  struct { uint8_t locked, pending; uint16_t tail; };
  struct { uint16_t owner, next; };
  uint8_t byte[4];
} lock;
static int data, count;
`;

/** Each thread runs `work`, with its number as `me`. */
const threads = (n: number, before: string, work: string, after = ''): string => `${lock}${before}
static void *worker(void *arg) {
  int me = (int)arg;
  (void)me;
${work}
  return NULL;
}
int main(void) {
  pthread_t t[${n}];
  for (int i = 0; i < ${n}; i++) pthread_create(&t[i], NULL, worker, (void *)i);
  for (int i = 0; i < ${n}; i++) pthread_join(t[i], NULL);
${after}
  return 0;
}
`;

export const parts: Readonly<Record<string, PartsProgram>> = {
  'a-lock-with-a-pending-bit': {
    kind: 'race',
    isFineUnderSc: true,
    code: threads(
      2,
      '',
      `  uint32_t none = 0;
  if (!__atomic_compare_exchange_n(&lock.word, &none, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
    while (__atomic_exchange_n(&lock.pending, 1, __ATOMIC_ACQUIRE)) ;
    while (__atomic_load_n(&lock.locked, __ATOMIC_ACQUIRE)) ;
    __atomic_store_n(&lock.owner, 1, __ATOMIC_RELAXED); // clears pending, sets locked
  }
  count++;
#ifdef BROKEN
  __atomic_store_n(&lock.locked, 0, __ATOMIC_RELAXED);
#else
  __atomic_store_n(&lock.locked, 0, __ATOMIC_RELEASE);
#endif`,
      '  assert(count == 2 && lock.word == 0);',
    ),
  },
  'a-ticket-lock-of-halves': {
    kind: 'race',
    isFineUnderSc: true,
    code: threads(
      3,
      '',
      `  uint16_t ticket = __atomic_fetch_add(&lock.word, 1 << 16, __ATOMIC_RELAXED) >> 16;
  while (__atomic_load_n(&lock.owner, __ATOMIC_ACQUIRE) != ticket) ;
  count++;
#ifdef BROKEN
  __atomic_store_n(&lock.owner, ticket + 1, __ATOMIC_RELAXED);
#else
  __atomic_store_n(&lock.owner, ticket + 1, __ATOMIC_RELEASE);
#endif`,
      '  assert(count == 3 && lock.word == 0x30003);',
    ),
  },
  'a-flag-beside-a-counter': {
    kind: 'assertion',
    code: threads(
      2,
      '',
      `  if (me == 0) {
#ifdef BROKEN
    __atomic_store_n(&lock.word, __atomic_load_n(&lock.word, __ATOMIC_RELAXED) | 1, __ATOMIC_RELAXED);
#else
    __atomic_store_n(&lock.locked, 1, __ATOMIC_RELAXED);
#endif
  } else {
    for (int i = 0; i < 2; i++) __atomic_fetch_add(&lock.tail, 1, __ATOMIC_RELAXED);
  }`,
      '  assert(lock.locked == 1 && lock.tail == 2);',
    ),
  },
  'a-message-by-a-part': {
    kind: 'race',
    isFineUnderSc: true,
    code: threads(
      2,
      `#ifdef BROKEN
#define RELEASE __ATOMIC_RELAXED
#else
#define RELEASE __ATOMIC_RELEASE
#endif`,
      `  if (me == 0) {
    data = 1;
    __atomic_store_n(&lock.byte[2], 1, RELEASE);
    __atomic_store_n(&lock.byte[3], 1, __ATOMIC_RELAXED);
  } else {
    __atomic_fetch_or(&lock.word, 1, __ATOMIC_RELAXED);
    if (__atomic_load_n(&lock.byte[2], __ATOMIC_ACQUIRE)) assert(data == 1);
  }`,
    ),
  },
  'a-part-says-nothing-of-its-neighbour': {
    kind: 'race',
    isFineUnderSc: true,
    code: threads(
      3,
      `#ifdef BROKEN // the store to a neighbour is not one of the release sequence
#define ORDER(o) __ATOMIC_RELAXED
#else
#define ORDER(o) o
#endif`,
      `  if (me == 0) {
    data = 1;
    __atomic_store_n(&lock.byte[0], 1, __ATOMIC_RELEASE);
  } else if (me == 1) {
    if (__atomic_load_n(&lock.byte[0], ORDER(__ATOMIC_ACQUIRE)))
      __atomic_store_n(&lock.byte[1], 1, ORDER(__ATOMIC_RELEASE));
  } else {
    if (__atomic_load_n(&lock.byte[1], __ATOMIC_ACQUIRE)) assert(data == 1);
  }`,
    ),
  },
  'a-store-does-not-acquire': {
    kind: 'race',
    code: threads(
      2,
      '',
      `  if (me == 0) {
    data = 1;
    __atomic_store_n(&lock.byte[0], 1, __ATOMIC_SEQ_CST);
  } else {
#ifdef BROKEN
    __atomic_store_n(&lock.byte[1], 1, __ATOMIC_SEQ_CST);
    atomic_thread_fence(memory_order_seq_cst);
    data = 2;
#else
    if (__atomic_load_n(&lock.word, __ATOMIC_SEQ_CST)) data = 2;
#endif
  }`,
      '  lock.word = __atomic_load_n(&lock.word, __ATOMIC_SEQ_CST);',
    ),
  },
  'ordinary-accesses-to-other-bytes': {
    kind: 'race',
    code: threads(
      2,
      '',
      `  if (me == 0) {
    lock.byte[0] = 5;
    lock.byte[1]++;
    assert(lock.byte[0] == 5);
  } else {
#ifdef BROKEN
    __atomic_store_n(&lock.owner, 7, __ATOMIC_SEQ_CST);
#else
    __atomic_store_n(&lock.next, 7, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&lock.byte[3], 1, __ATOMIC_SEQ_CST);
#endif
  }`,
      '  assert(__atomic_load_n(&lock.word, __ATOMIC_SEQ_CST) == 0x01070105);',
    ),
  },
  'an-ordinary-write-passes-on-its-neighbours': {
    kind: 'race',
    isFineUnderSc: true,
    code: threads(
      3,
      `#ifdef BROKEN
#define RELEASE __ATOMIC_RELAXED
#else
#define RELEASE __ATOMIC_RELEASE
#endif`,
      `  if (me == 0) {
    data = 1;
    __atomic_store_n(&lock.byte[0], 1, RELEASE);
  } else if (me == 1) {
    lock.byte[1] = 1;
  } else {
    if (__atomic_load_n(&lock.byte[0], __ATOMIC_ACQUIRE)) assert(data == 1);
  }`,
      '  assert(__atomic_load_n(&lock.word, __ATOMIC_RELAXED) == 0x101);',
    ),
  },
  'bytes-that-were-never-set': {
    kind: 'uninitialised-read',
    code: `${lock}
int main(void) {
  union lock *l = malloc(sizeof *l);
  for (int i = 0; i < 4; i++) {
#ifdef BROKEN
    if (i == 2) continue;
#endif
    __atomic_store_n(&l->byte[i], i, __ATOMIC_RELAXED);
  }
  assert(__atomic_load_n(&l->byte[3], __ATOMIC_RELAXED) == 3);
  assert(__atomic_load_n(&l->word, __ATOMIC_RELAXED) == 0x03020100);
  free(l);
  return 0;
}
`,
  },
  'a-wait-for-a-part': {
    kind: 'livelock',
    code: threads(
      2,
      '',
      `  if (me == 0) {
    data = 1;
#ifdef BROKEN
    __atomic_store_n(&lock.pending, 1, __ATOMIC_RELEASE);
#else
    __atomic_fetch_or(&lock.locked, 0x81, __ATOMIC_RELEASE);
#endif
  } else {
    while (!(__atomic_load_n(&lock.locked, __ATOMIC_ACQUIRE) & 0x80)) ;
    assert(data == 1);
  }`,
      '  __atomic_store_n(&lock.word, 0, __ATOMIC_RELAXED);',
    ),
  },
  'a-compare-exchange-of-a-part-that-fails': {
    kind: 'race',
    isFineUnderSc: true,
    code: threads(
      2,
      `#ifdef BROKEN
#define FAILURE __ATOMIC_RELAXED
#else
#define FAILURE __ATOMIC_ACQUIRE
#endif`,
      `  uint8_t free = 0;
  if (me == 0) {
    data = 1;
    __atomic_store_n(&lock.locked, 1, __ATOMIC_RELEASE);
  } else if (!__atomic_compare_exchange_n(&lock.locked, &free, 2, 1, __ATOMIC_ACQUIRE, FAILURE)) {
    assert(free == 1 && data == 1);
  }`,
      '  assert(__atomic_load_n(&lock.word, __ATOMIC_RELAXED) == 1);',
    ),
  },
};

/** An error whose steps are looked at. */
export const shown = threads(
  2,
  '',
  `  if (me == 0) {
    __atomic_store_n(&lock.pending, 7, __ATOMIC_RELEASE);
    __atomic_fetch_add(&lock.tail, 2, __ATOMIC_RELAXED);
  } else {
    uint8_t seen = __atomic_load_n(&lock.pending, __ATOMIC_ACQUIRE), free = 0;
    __atomic_compare_exchange_n(&lock.locked, &free, 3, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    assert(seen == 0);
  }`,
  '  lock.word = __atomic_load_n(&lock.word, __ATOMIC_RELAXED);',
).replace('  pthread_t t[', '  __atomic_store_n(&lock.word, 0x10000, __ATOMIC_RELAXED);\n  pthread_t t[');

/** Store buffering between a byte of a word and another variable: with seq_cst alone is it forbidden. */
export const buffering = (order: 'relaxed' | 'seq_cst'): string =>
  threads(
    2,
    'static atomic_int other, seen[2];',
    `  if (me == 0) {
    __atomic_store_n(&lock.pending, 1, ${order === 'relaxed' ? '__ATOMIC_RELAXED' : '__ATOMIC_SEQ_CST'});
    seen[0] = atomic_load_explicit(&other, memory_order_${order});
  } else {
    atomic_store_explicit(&other, 1, memory_order_${order});
    seen[1] = __atomic_load_n(&lock.pending, ${order === 'relaxed' ? '__ATOMIC_RELAXED' : '__ATOMIC_SEQ_CST'});
  }`,
    '  assert((seen[0] || seen[1]) && __atomic_load_n(&lock.word, __ATOMIC_RELAXED) == 0x100);',
  );

/** Two accesses that overlap, and are too large together. */
export const tooLarge = `static struct { long long a, b, c; } pair;
int main(void) {
  __int128 *first = (__int128 *)&pair.a, *second = (__int128 *)&pair.b;
  __atomic_store_n(first, 1, __ATOMIC_SEQ_CST);
  __atomic_store_n(second, 1, __ATOMIC_SEQ_CST);
  return 0;
}
`;
