/** C programs for reports.test.ts. Headers are included before. */

const main = (body: string): string => `int main(void) {
${body}
  return 0;
}
`;
/** Starts `threads` of worker. */
const workers = (threads: number, before = '', after = ''): string =>
  main(`  pthread_t t[${threads}];
  ${before}
  for (int i = 0; i < ${threads}; i++) pthread_create(&t[i], NULL, worker, NULL);
  for (int i = 0; i < ${threads}; i++) pthread_join(t[i], NULL);
  ${after}`);

export const programs: Readonly<Record<string, string>> = {
  'locals-of-two-threads': `
struct waiter { atomic_int turn; int plain; };
static _Atomic(struct waiter *) last;
static void *worker(void *unused) {
  struct waiter me;
  atomic_init(&me.turn, 1);
  struct waiter *other = atomic_exchange(&last, &me);
  if (other != NULL) other->turn = 7;
  return NULL;
}
${workers(2)}`,
  'locals-of-two-calls': `
static int *shared;
static void keep(int value) { int x = value; shared = &x; }
static void *reader(void *unused) { return *shared == 2 ? NULL : NULL; }
${main(`  pthread_t t;
  keep(1);
  keep(2);
  pthread_create(&t, NULL, reader, NULL);
  pthread_join(t, NULL);`)}`,
  'local-of-one-thread': `
static int *_Atomic shared;
static void *worker(void *unused) { int only = 1; shared = &only; return NULL; }
${workers(1, '', 'assert(shared == NULL);')}`,
  'local-and-global': `
static int x;
static void *reads(void *p) { return x + *(int *)p == 3 ? NULL : p; }
${main(`  pthread_t t;
  {
  }
  x = 1;
  {
    int x = 2;
    pthread_create(&t, NULL, reads, &x);
    pthread_join(t, NULL);
    assert(x == 0);
  }`)}`,
  'thread-locals': `
static _Thread_local int mine;
static int *_Atomic shared[2];
static atomic_int next;
static void *worker(void *unused) {
  mine = 1;
  int *other = NULL;
  int i = atomic_fetch_add(&next, 1);
  shared[i] = &mine;
  if (i == 1) other = shared[0];
  assert(other == NULL || other == &mine);
  return NULL;
}
${workers(2)}`,
  'statics-of-functions': `
static int *one(void) { static int n; n = 1; return &n; }
static int *two(void) { static int n; n = 2; return &n; }
static void *worker(void *unused) { assert(*one() == *two()); return NULL; }
${main(`  pthread_t t;
  int *a = one(), *b = two();
  pthread_create(&t, NULL, worker, NULL);
  assert(*a + *b == 0);
  pthread_join(t, NULL);`)}`,
  'static-of-a-file': `
static int n;
extern int *other(void);
static void *worker(void *unused) { return n == *other() ? NULL : NULL; }
${main(`  pthread_t t;
  n = 1;
  int *b = other();
  pthread_create(&t, NULL, worker, NULL);
  pthread_join(t, NULL);
  assert(n == *b);`)}`,
  'static-of-another': `
static int n;
int *other(void) { n = 2; return &n; }
`,
};
