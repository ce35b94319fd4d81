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
  'structs-at-once': `
struct point { int x, y; char name[3]; };
static struct point *shared, other;
static void *worker(void *unused) { return shared->x == 1 ? NULL : unused; }
${workers(
  1,
  `shared = malloc(sizeof *shared);
  memset(shared, 0, sizeof *shared);
  struct point local = {1, 2, "ab"};
  *shared = local;
  other = *shared;
  strcpy(shared->name, "z");`,
  'assert(strcmp(shared->name, "y") == 0);',
)}`,
  'struct-races': `
struct point { int x, y, z; };
static struct point shared;
static void *worker(void *unused) { struct point local = {1, 2, 3}; shared = local; return NULL; }
${main(`  pthread_t t;
  pthread_create(&t, NULL, worker, NULL);
  assert(shared.y < 9);
  pthread_join(t, NULL);`)}`,
  'fills-twice': `
static int a[2], sum;
static void *worker(void *unused) { sum = a[0] + a[1]; return NULL; }
${workers(1, 'for (int i = 0; i < 2; i++) memset(a, 255, sizeof a);', 'assert(sum == 0);')}`,
  'flexible-array': `
struct buffer { int length; int data[]; };
static struct buffer *shared;
static void *worker(void *unused) { shared->data[3] = 7; return NULL; }
${workers(
  1,
  'shared = malloc(sizeof *shared + 5 * sizeof(int)); shared->length = 5;',
  'assert(shared->data[3] == shared->length);',
)}`,
  'lost-signal': `
struct gate { pthread_mutex_t m; pthread_cond_t opened; };
static struct gate *gate;
static void *worker(void *unused) {
  pthread_mutex_lock(&gate->m);
  pthread_cond_wait(&gate->opened, &gate->m);
  pthread_mutex_unlock(&gate->m);
  return NULL;
}
${main(`  pthread_t t;
  gate = malloc(sizeof *gate);
  pthread_mutex_init(&gate->m, NULL);
  pthread_cond_init(&gate->opened, NULL);
  pthread_create(&t, NULL, worker, NULL);
  pthread_cond_signal(&gate->opened);
  pthread_join(t, NULL);`)}`,
  'woken-too-early': `
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;
static void *worker(void *unused) {
  pthread_mutex_lock(&m);
  if (!ready) pthread_cond_wait(&c, &m);
  assert(ready);
  pthread_mutex_unlock(&m);
  return NULL;
}
${main(`  pthread_t t;
  pthread_create(&t, NULL, worker, NULL);
  pthread_mutex_lock(&m);
  pthread_cond_broadcast(&c);
  pthread_mutex_unlock(&m);
  pthread_mutex_lock(&m);
  ready = 1;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
  pthread_join(t, NULL);`)}`,
  'woken-by-nobody': `
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;
static void *worker(void *unused) {
  pthread_mutex_lock(&m);
  if (!ready) pthread_cond_wait(&c, &m);
  assert(ready);
  pthread_mutex_unlock(&m);
  return NULL;
}
${main(`  pthread_t t;
  pthread_create(&t, NULL, worker, NULL);
  pthread_mutex_lock(&m);
  ready = 1;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
  pthread_join(t, NULL);`)}`,
  'times-out': `
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void *worker(void *unused) {
  struct timespec soon = {0, 0};
  pthread_mutex_lock(&m);
  assert(pthread_cond_timedwait(&c, &m, &soon) == 0);
  pthread_mutex_unlock(&m);
  return NULL;
}
${workers(1)}`,
  'barrier-too-large': `
static pthread_barrier_t b;
static void *worker(void *unused) { pthread_barrier_wait(&b); return NULL; }
${workers(1, 'pthread_barrier_init(&b, NULL, 2);')}`,
  'made-elsewhere': `
struct node { int value; struct node *next; };
struct list { struct node *first; pthread_mutex_t m; };
struct tables { struct node *nodes; int *counts; };
static struct list *list;
static struct tables tables;
static void *allocate(size_t size) { void *p = malloc(size); if (p == NULL) abort(); return p; }
static struct node *new_node(int value) {
  struct node *n = allocate(sizeof *n);
  n->value = value;
  return n;
}
static struct node *zeroed(void) { return calloc(1, sizeof(struct node)); }
static void *worker(void *arg) {
  struct node *n = arg;
  pthread_mutex_lock(&list->m);
  n->next = list->first;
  list->first = n;
  pthread_mutex_unlock(&list->m);
  for (int i = 1; i < 2; i++) tables.nodes[i].value = 3;
  tables.counts[2] = 4;
  return NULL;
}
${main(`  pthread_t t;
  list = allocate(sizeof *list);
  list->first = zeroed();
  pthread_mutex_init(&list->m, NULL);
  tables.nodes = malloc(3 * sizeof(struct node));
  tables.counts = malloc(3 * sizeof(int));
  char *bytes = allocate(4);
  bytes[3] = 1;
  pthread_create(&t, NULL, worker, new_node(5));
  pthread_join(t, NULL);
  assert(list->first->value + list->first->next->value + bytes[3] == 0);`)}`,
  'double-in-a-union': `
union number { double d; int i; };
static union number n;
static void *worker(void *unused) { n.d = 1.5; return NULL; }
${workers(1, '', 'assert(n.i == 1 || n.d == 0.5);')}`,
  'semaphore-and-once': `
static sem_t s;
static pthread_once_t started = PTHREAD_ONCE_INIT;
static void start(void) { sem_init(&s, 0, 1); }
static void *worker(void *unused) { pthread_once(&started, start); sem_wait(&s); return NULL; }
${workers(2)}`,
  'locks-in-a-circle': `
struct pair { pthread_mutex_t a, b; };
static struct pair *pair;
static void *worker(void *unused) {
  pthread_mutex_lock(&pair->b);
  pthread_mutex_lock(&pair->a);
  pthread_mutex_unlock(&pair->a);
  pthread_mutex_unlock(&pair->b);
  return NULL;
}
${main(`  pthread_t t;
  pair = malloc(sizeof *pair);
  pthread_mutex_init(&pair->a, NULL);
  pthread_mutex_init(&pair->b, NULL);
  pthread_create(&t, NULL, worker, NULL);
  pthread_mutex_lock(&pair->a);
  pthread_mutex_lock(&pair->b);
  pthread_mutex_unlock(&pair->b);
  pthread_mutex_unlock(&pair->a);
  pthread_join(t, NULL);`)}`,
  'columns-in-bytes': `
static void *worker(void *unused) { /* ä€😀 */ assert(unused); return NULL; }
${workers(1)}`,
  'beyond-the-end': `
static int *numbers;
static void *worker(void *unused) { numbers[4] = 1; return NULL; }
${workers(1, 'numbers = calloc(4, sizeof *numbers); char *text = strdup("hello"); free(text);')}`,
  'unlocks-what-it-does-not-hold': `
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *worker(void *unused) { pthread_mutex_unlock(&m); return NULL; }
${workers(1, 'pthread_mutex_lock(&m);')}`,
  'points-to-constants': `
static const int table[3] = {1, 2, 3};
static const int *number;
static const char *text;
static char line[8];
static void *worker(void *unused) { text = "one\\n"; number = &table[2]; strcpy(line, text); return NULL; }
${workers(1, '', 'assert(number == table || text == NULL || strlen(line) == 0);')}`,
  'bit-fields': `
struct flags { int before; unsigned open : 1, mode : 4; int delta : 3; char after; };
static struct flags flags;
static void *worker(void *unused) { flags.mode = 9; flags.delta = -2; return NULL; }
${workers(1, '', 'assert(flags.mode == 8);')}`,
  'a-futex': `
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
static atomic_int word;
static void *worker(void *unused) { syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0); return NULL; }
${workers(1, '', 'syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);')}`,
  'thread-specific-data': `
static pthread_key_t key;
static void *worker(void *unused) { pthread_setspecific(key, malloc(1)); assert(key == 0); return NULL; }
${workers(1, 'pthread_key_create(&key, free);')}`,
};
