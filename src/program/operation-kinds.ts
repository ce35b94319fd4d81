/**
 * All that is to be known of each kind of operation, in one row for each: how it meets other threads, what it does when it is
 * answered, when two are the same, and words. A kind without a row does not compile.
 */
import { showValue } from './describe.ts';
import type { Location } from './location.ts';
import {
  FREED,
  type MemoryOrder,
  MUTEX_BUSY,
  MUTEX_DESTROYED,
  mutexValue,
  type Operation,
  type OperationKind,
  type Slice,
} from './operation.ts';
import { LOCKED, MERGING, numberOfOrder, Order } from './orders.ts';
import { isHeld, mutexIn, type Outcome, reads, replaces, sliceOf, stuck, updates } from './outcome.ts';
import { Step } from './step.ts';

/** How words name what is not part of an operation. */
interface Names {
  numberOf(location: Location): number;
  readonly threads: readonly { readonly name: string; readonly identity: number }[];
}

interface KindOfOperation<O extends Operation> {
  readonly step: number;
  /** Its memory order, with `LOCKED` where that applies; of one that reads and may write: if it writes, and if it does not. */
  order(operation: O): number;
  orderIfKept(operation: O): number;
  /** Whether some values do not let it go on. */
  readonly mayBlock: boolean;
  /** The value that a write writes or an end returns. */
  readonly value: ((operation: O) => unknown) | undefined;
  /** The values of the program that it carries, which must be the same in two that are the same. */
  values(operation: O): readonly unknown[];
  /** What it does when the explorer answers it with `answer` (for a read: the value it reads). */
  outcome(operation: O, answer: unknown): Outcome;
  /** Whether two that are on the same location, of the same order, and with the same values, are the same. */
  isSame(a: O, b: O): boolean;
  /** "a store of 3 to x (release)" */
  words(operation: O, names: Names): string;
  /** What a thread does to the location. */
  readonly verb: string;
  /** What there is to say besides its kind, its location and its values. */
  detail(operation: O, show: (value: unknown) => string): string | undefined;
}

type Ordered = { readonly order: MemoryOrder };
type Located = { readonly location: Location; readonly slice?: Slice | undefined };

const orderOfAccess = ({ order }: Ordered): number => numberOfOrder[order];
const orderOfUpdate = ({ order }: Ordered): number => numberOfOrder[order] | LOCKED;
const acquiring = (): number => Order.ACQUIRE | LOCKED;
const releasing = (): number => Order.RELEASE | LOCKED;

const inOrder = ({ order }: Ordered): string => (order === 'seq_cst' ? '' : ` (${order})`);
const place = ({ location, slice }: Located, names: Names): string =>
  slice?.name() ?? location.name ?? `${location.kind} #${names.numberOf(location)}`;
const anAwait = (o: Located, names: Names): string => `an await on ${place(o, names)}`;
const kindAndPlace = (o: Located & { readonly kind: OperationKind }, names: Names): string =>
  `${o.kind} of ${place(o, names)}`;
const bytes = (size: number): string => `${size} ${size === 1 ? 'byte' : 'bytes'}`;

type Exchange = { readonly expected: unknown; readonly desired: unknown };
const exchanged = ({ expected, desired }: Exchange): readonly unknown[] => [expected, desired];
type Valued = { readonly value: unknown };
const itsValue = ({ value }: Valued): readonly unknown[] => [value];
const none: readonly unknown[] = [];
const noValues = (): readonly unknown[] => none;
type Typed = { readonly type?: number };
const isSameType = (a: Typed, b: Typed): boolean => (a.type ?? 0) === (b.type ?? 0);
const freeMutex = ({ type = 0 }: Typed): number => mutexValue(type, false);

/** What is left out is as `complete` has it. */
type Row<O extends Operation> = Partial<KindOfOperation<O>> & Pick<KindOfOperation<O>, 'step' | 'words'>;

const rows: { readonly [K in OperationKind]: Row<Extract<Operation, { readonly kind: K }>> } = {
  load: {
    step: Step.READ,
    order: orderOfAccess,
    words: (o, names) => `a load of ${place(o, names)}${inOrder(o)}`,
    verb: 'loads',
  },
  store: {
    step: Step.WRITE,
    order: orderOfAccess,
    value: ({ value }) => value,
    values: itsValue,
    words: (o, names) => `a store of ${showValue(o.value)} to ${place(o, names)}${inOrder(o)}`,
    verb: 'stores',
  },
  'store-part': {
    step: Step.READ,
    order: (o) => orderOfUpdate(o) | MERGING,
    outcome: ({ value }) => replaces(undefined, value),
    values: itsValue,
    words: (o, names) => `a store of ${o.slice.show(o.value)} to ${place(o, names)}${inOrder(o)}`,
    verb: 'stores',
  },
  update: {
    step: Step.READ,
    order: orderOfUpdate,
    outcome: (o, old) => updates(old, o.apply(old)),
    values: ({ operand }) => [operand],
    isSame: (a, b) => a.name === b.name,
    words: (o, names) =>
      `${o.name}(${o.operand === undefined ? '…' : showValue(o.operand)}) on ${place(o, names)}${inOrder(o)}`,
    verb: 'updates',
    detail: ({ name }) => name,
  },
  'compare-exchange': {
    step: Step.READ,
    order: orderOfUpdate,
    orderIfKept: ({ failureOrder }) => numberOfOrder[failureOrder] | LOCKED,
    outcome: (o, old) => (Object.is(old, o.expected) ? replaces(old, o.desired) : reads(old)),
    values: exchanged,
    words: (o, names) =>
      `a compare-exchange of ${place(o, names)} from ${showValue(o.expected)} to ${showValue(o.desired)}${inOrder(o)}`,
    verb: 'updates',
    detail: ({ expected, desired }, show) => `${show(expected)}→${show(desired)}`,
  },
  'await-load': {
    step: Step.READ,
    order: orderOfAccess,
    mayBlock: true,
    outcome: (o, value) => (o.until(value) ? reads(value) : stuck),
    words: anAwait,
    verb: 'loads',
  },
  'await-exchange': {
    step: Step.READ,
    order: orderOfUpdate,
    mayBlock: true,
    values: itsValue,
    outcome: (o, old) => (o.until(old) ? replaces(old, o.value) : stuck),
    words: anAwait,
    verb: 'updates',
  },
  'await-compare-exchange': {
    step: Step.READ,
    order: orderOfUpdate,
    mayBlock: true,
    outcome: (o, old) => (Object.is(old, o.expected) ? replaces(old, o.desired) : stuck),
    values: exchanged,
    words: anAwait,
    verb: 'updates',
  },
  'await-update': {
    step: Step.READ,
    order: orderOfUpdate,
    mayBlock: true,
    outcome: (o, old) => (o.until(old) ? updates(old, o.apply(old)) : stuck),
    isSame: (a, b) => a.name === b.name,
    words: anAwait,
    verb: 'updates',
    detail: ({ name }) => name,
  },
  fence: { step: Step.LOCAL, order: orderOfAccess, words: (o) => `a fence${inOrder(o)}` },
  'mutex-init': {
    step: Step.WRITE,
    order: releasing,
    value: freeMutex,
    isSame: isSameType,
    words: kindAndPlace,
    verb: 'initialises',
  },
  lock: {
    step: Step.READ,
    order: acquiring,
    mayBlock: true,
    outcome: (o, value) => {
      const mutex = mutexIn(value, o);
      return isHeld(mutex) ? stuck : replaces(mutex >> 1, mutex | 1);
    },
    words: kindAndPlace,
    verb: 'locks',
  },
  trylock: {
    step: Step.READ,
    order: acquiring,
    orderIfKept: () => Order.RELAXED | LOCKED,
    outcome: (o, value) => {
      const mutex = mutexIn(value, o);
      return isHeld(mutex) ? reads(MUTEX_BUSY) : replaces(mutex >> 1, mutex | 1);
    },
    words: kindAndPlace,
    verb: 'locks',
  },
  unlock: {
    step: Step.WRITE,
    order: releasing,
    value: freeMutex,
    isSame: isSameType,
    words: kindAndPlace,
    verb: 'unlocks',
  },
  'mutex-destroy': {
    step: Step.WRITE,
    order: releasing,
    value: () => MUTEX_DESTROYED,
    words: kindAndPlace,
    verb: 'destroys',
  },
  spawn: { step: Step.SPAWN, words: ({ name }) => `a spawn of ${name === '' ? 'a thread' : name}` },
  join: {
    step: Step.JOIN,
    isSame: (a, b) => a.thread === b.thread,
    verb: 'joins',
    words: ({ thread }, { threads }) =>
      `a join of ${threads.find(({ identity }) => identity === thread)?.name ?? `thread ${thread}`}`,
  },
  choose: {
    step: Step.CHOOSE,
    isSame: (a, b) => a.count === b.count,
    words: ({ count }) => `choose(${count})`,
  },
  block: {
    step: Step.BLOCK,
    isSame: (a, b) => a.reason === b.reason,
    words: ({ reason }) => (reason === 'bound' ? 'the bound of a loop' : 'a failed assume'),
  },
  yield: { step: Step.LOCAL, words: () => 'a yield' },
  allocate: {
    step: Step.LOCAL,
    isSame: (a, b) => a.size === b.size && a.isHeap === b.isHeap,
    words: ({ size }) => `an allocation of ${size} bytes`,
    verb: 'allocates',
    detail: ({ size, isHeap }) => (isHeap ? bytes(size) : undefined),
  },
  free: {
    step: Step.WRITE,
    value: () => FREED,
    words: (o, names) => `a free of ${place(o, names)}`,
    verb: 'frees',
    detail: ({ ends }) => ends,
  },
  print: {
    step: Step.LOCAL,
    isSame: (a, b) => a.text === b.text,
    words: ({ text }) => `printing ${JSON.stringify(text)}`,
  },
  end: {
    step: Step.END,
    value: ({ value }) => value,
    values: itsValue,
    words: ({ value }) => (value === undefined ? 'its end' : `its end with ${showValue(value)}`),
  },
  fail: {
    step: Step.FAIL,
    isSame: (a, b) => a.failure.message === b.failure.message,
    words: ({ failure }) => `the failure "${failure.message}"`,
  },
  exit: {
    step: Step.EXIT,
    isSame: (a, b) => a.status === b.status,
    words: ({ status }) => `exit(${status})`,
    detail: ({ status }) => String(status),
  },
};

const ACCESSES = 'accesses';

/** The row with all its fields, so that rows are of one shape. */
function complete(row: Row<Operation>): KindOfOperation<Operation> {
  const order = row.order ?? (() => Order.PLAIN);
  return {
    step: row.step,
    order,
    orderIfKept: row.orderIfKept ?? order,
    mayBlock: row.mayBlock ?? false,
    value: row.value,
    values: row.values ?? noValues,
    outcome: row.outcome ?? ((_, answer) => reads(answer)),
    isSame: row.isSame ?? (() => true),
    words: row.words,
    verb: row.verb ?? ACCESSES,
    detail: row.detail ?? (() => undefined),
  };
}

const kinds = Object.fromEntries(
  Object.entries(rows).map(([kind, row]) => [kind, complete(row as Row<Operation>)]),
) as Readonly<Record<OperationKind, KindOfOperation<Operation>>>;

export function kindOf(operation: Operation): KindOfOperation<Operation> {
  return kinds[operation.kind];
}

/** Whether two operations that are on the same location, and of the same order, are the same. */
export function isSameOperation(a: Operation, b: Operation, isSameValue: (a: unknown, b: unknown) => boolean): boolean {
  if (a.kind !== b.kind || !kindOf(a).isSame(a, b)) return false;
  const values = kindOf(a).values(a);
  if (values.length === 0) return true;
  const others = kindOf(b).values(b);
  return values.every((value, i) => isSameValue(value, others[i]));
}

/** What a thread does to a location in an operation of this kind, or of one that only another version knows: "loads". */
export function verbOf(kind: string): string {
  return Object.hasOwn(kinds, kind) ? kinds[kind as OperationKind].verb : ACCESSES;
}

export function describeOperation(operation: Operation, names: Names): string {
  return kindOf(operation).words(operation, names);
}

/** `answer`: for a read, the value of the whole location. */
export function outcomeOf(operation: Operation, answer: unknown): Outcome {
  const slice = sliceOf(operation);
  if (slice === undefined) return kindOf(operation).outcome(operation, answer);
  const outcome = kindOf(operation).outcome(operation, slice.get(answer));
  return outcome.writes ? { ...outcome, value: slice.put(answer, outcome.value) } : outcome;
}
