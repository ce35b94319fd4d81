/** C programs for synchronisation.test.ts. Headers are included before. */

/** Two threads run `work`, which has the number of its thread in `self`; `before` and `after` stand in main. */
const twice = (globals: string, work: string, before = '', after = ''): string => `${globals}
static void *run(void *argument) {
  int self = (int)(long)argument;
  (void)self;
${work}
  return NULL;
}
int main(void) {
  pthread_t threads[2];
${before}
  for (long i = 0; i < 2; i++) pthread_create(&threads[i], NULL, run, (void *)i);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
${after}
  return 0;
}
`;

/** One thread runs `giver`, another one `taker`. */
const pair = (globals: string, giver: string, taker: string, before = '', after = ''): string =>
  twice(globals, `  if (self == 0) {\n${giver}\n  } else {\n${taker}\n  }`, before, after);

const counting = (globals: string, lock: string, unlock: string, before = ''): string =>
  twice(
    `${globals}\nstatic int counter;\nstatic atomic_int inside;`,
    `  ${lock}
  assert(atomic_load_explicit(&inside, memory_order_relaxed) == 0);
  atomic_store_explicit(&inside, 1, memory_order_relaxed);
  counter++;
  atomic_store_explicit(&inside, 0, memory_order_relaxed);
  ${unlock}`,
    before,
    '  assert(counter == 2);',
  );

/** Ordinary data that the functions protect: no model finds a race, and every assertion holds. */
export const protecting: Readonly<Record<string, string>> = {
  'a mutex': counting(
    'static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;',
    'pthread_mutex_lock(&m);',
    'pthread_mutex_unlock(&m);',
  ),
  'a recursive mutex': counting(
    'static mtx_t m;',
    'mtx_lock(&m); mtx_lock(&m);',
    'mtx_unlock(&m); mtx_unlock(&m);',
    '  mtx_init(&m, mtx_recursive);',
  ),
  'a spinlock': counting(
    'static pthread_spinlock_t s;',
    'pthread_spin_lock(&s);',
    'pthread_spin_unlock(&s);',
    '  pthread_spin_init(&s, 0);',
  ),
  'a read-write lock that is only written': counting(
    'static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;',
    'pthread_rwlock_wrlock(&l);',
    'pthread_rwlock_unlock(&l);',
  ),
  'a semaphore of one': counting('static sem_t s;', 'sem_wait(&s);', 'sem_post(&s);', '  sem_init(&s, 0, 1);'),
  'an atomic section': counting('', '__VERIFIER_atomic_begin();', '__VERIFIER_atomic_end();'),
  'a mutex that was tried': twice(
    'static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nstatic int counter;',
    `  if (pthread_mutex_trylock(&m) == 0) { counter++; pthread_mutex_unlock(&m); }
  if (pthread_mutex_timedlock(&m, NULL) == 0) { counter++; pthread_mutex_unlock(&m); }`,
    '',
    '  assert(counter >= 2);',
  ),
  'a condition variable': pair(
    `static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int data, ready;`,
    `    data = 42;
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);`,
    `    pthread_mutex_lock(&m);
    while (!ready) pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    assert(data == 42);`,
  ),
  'a broadcast, and waits with a time': twice(
    `static mtx_t m;
static cnd_t c;
static int arrived, data[2];`,
    `  data[self] = self + 1;
  mtx_lock(&m);
  arrived++;
  cnd_broadcast(&c);
  if (self == 0) while (arrived < 2) cnd_wait(&c, &m);
  else if (arrived < 2) { struct timespec t = { 0, 0 }; cnd_timedwait(&c, &m, &t); }
  int both = arrived == 2;
  mtx_unlock(&m);
  if (both) assert(data[1 - self] == 2 - self);`,
    '  mtx_init(&m, mtx_plain); cnd_init(&c);',
  ),
  'readers and a writer': pair(
    'static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;\nstatic int a, b, read;',
    `    pthread_rwlock_wrlock(&l);
    a++; b++;
    pthread_rwlock_unlock(&l);`,
    `    pthread_rwlock_rdlock(&l);
    assert(a == b);
    pthread_rwlock_unlock(&l);
    if (pthread_rwlock_tryrdlock(&l) == 0) { assert(a == b); pthread_rwlock_unlock(&l); }`,
  ),
  'a writer that comes after two readers': `
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int data, seen[2];
static void *reader(void *argument) {
  pthread_rwlock_rdlock(&l);
  seen[(long)argument] = data;
  pthread_rwlock_unlock(&l);
  return NULL;
}
int main(void) {
  pthread_t threads[2];
  for (long i = 0; i < 2; i++) pthread_create(&threads[i], NULL, reader, (void *)i);
  pthread_rwlock_wrlock(&l);
  data = 1; // after every reader that had the lock, also those that another one came after
  pthread_rwlock_unlock(&l);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return 0;
}
`,
  'a barrier': twice(
    'static pthread_barrier_t b;\nstatic int data[2], after[2];',
    `  data[self] = 1;
  int serial = pthread_barrier_wait(&b);
  after[self] = data[1 - self];
  pthread_barrier_wait(&b);
  data[self] = 2 + serial;`,
    '  pthread_barrier_init(&b, NULL, 2);',
    '  assert(after[0] == 1 && after[1] == 1);\n  pthread_barrier_destroy(&b);',
  ),
  'a barrier of three': `
static pthread_barrier_t b;
static int data[3];
static void *run(void *argument) {
  data[(long)argument] = 1;
  pthread_barrier_wait(&b);
  assert(data[0] + data[1] + data[2] == 3);
  return NULL;
}
int main(void) {
  pthread_t threads[2];
  pthread_barrier_init(&b, NULL, 3);
  for (long i = 0; i < 2; i++) pthread_create(&threads[i], NULL, run, (void *)i);
  run((void *)2);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return 0;
}
`,
  'two posts and two waits': `
static sem_t s;
static int data[2];
static void *run(void *argument) {
  data[(long)argument] = 1;
  sem_post(&s);
  return NULL;
}
int main(void) {
  pthread_t threads[2];
  sem_init(&s, 0, 0);
  for (long i = 0; i < 2; i++) pthread_create(&threads[i], NULL, run, (void *)i);
  sem_wait(&s);
  sem_wait(&s);
  assert(data[0] + data[1] == 2);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return 0;
}
`,
  'a post that passes by another wait': `
static sem_t s;
static int data;
static void *poster(void *unused) {
  data = 1;
  sem_post(&s);
  sem_post(&s);
  return NULL;
}
static void *taker(void *unused) {
  sem_wait(&s);
  assert(data == 1);
  return NULL;
}
int main(void) {
  pthread_t threads[2];
  sem_init(&s, 0, 0);
  pthread_create(&threads[0], NULL, poster, NULL);
  pthread_create(&threads[1], NULL, taker, NULL);
  if (sem_trywait(&s) == 0) assert(data == 1);
  else sem_wait(&s);
  assert(data == 1);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  return 0;
}
`,
  'what is done once': twice(
    'static pthread_once_t o = PTHREAD_ONCE_INIT;\nstatic int data;\nstatic void init(void) { data++; }',
    '  pthread_once(&o, init);\n  assert(data == 1);',
  ),
  call_once: twice(
    'static once_flag o = ONCE_FLAG_INIT;\nstatic int *data;\nstatic void init(void) { data = malloc(sizeof *data); *data = 1; }',
    '  call_once(&o, init);\n  assert(*data == 1);',
    '',
    '  free(data);',
  ),
  'creating, ending and joining': `
static pthread_key_t key;
static int data, destroyed;
static void destructor(void *value) { destroyed = *(int *)value; }
static void *run(void *argument) {
  assert(data == 1);
  data = 2;
  pthread_setspecific(key, argument);
  pthread_exit(argument);
}
int main(void) {
  pthread_t thread;
  int result = 3;
  void *returned;
  pthread_key_create(&key, destructor);
  data = 1;
  pthread_create(&thread, NULL, run, &result);
  pthread_join(thread, &returned);
  assert(data == 2 && destroyed == 3 && returned == &result);
  return 0;
}
`,
};

/** What the functions do not promise, though it holds if all that threads do comes one after the other. */
export const notProtecting: Readonly<Record<string, string>> = {
  'a trylock that fails': pair(
    'static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nstatic int data;',
    '    data = 1;\n    pthread_mutex_lock(&m);',
    '    if (pthread_mutex_trylock(&m) == 0) pthread_mutex_unlock(&m);\n    else assert(data == 1);',
  ),
  'a read-write lock that is not to be had': pair(
    'static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;\nstatic int data;',
    '    data = 1;\n    pthread_rwlock_wrlock(&l);',
    '    if (pthread_rwlock_tryrdlock(&l) == 0) pthread_rwlock_unlock(&l);\n    else assert(data == 1);',
  ),
  'the value of a semaphore': pair(
    'static sem_t s;\nstatic int data;',
    '    data = 1;\n    sem_post(&s);',
    '    int value;\n    sem_getvalue(&s, &value);\n    if (value == 1) assert(data == 1);',
  ),
  'the number of a key': pair(
    'static pthread_key_t keys[2];\nstatic int data;',
    '    data = 1;\n    pthread_key_create(&keys[0], NULL);',
    '    pthread_key_create(&keys[1], NULL);\n    if (keys[1] == 2) assert(data == 1);',
  ),
};
