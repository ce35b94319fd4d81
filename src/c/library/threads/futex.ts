/**
 * System calls: futexes, and the few others that have a function of the library, too.
 *
 * A futex is a word of the program, and a queue of threads that wait at its address; the queue is that of a condition
 * variable (condition-state.ts), in a location of its own beside the word. The kernel compares the word and joins the queue
 * in one step. Here a thread compares, joins, and compares again. If the first comparison fails, it does not wait. If the
 * second one does, the word has changed between the two: then the execution ends here, and the one in which the first
 * comparison has read the same is explored in its place. What is left are the executions in which the word had the value when
 * the thread joined, as in the kernel.
 *
 * Memory orders: nothing is handed over from who wakes to who is woken. But who joins after somebody has looked for threads
 * to wake must see what that one has stored before, or it could sleep on an old value and not be seen, which futexes are made
 * to rule out. So looking releases, and is a write even if nobody waits, and joining acquires.
 */
import { type Done, KEEP, type MemoryOrder } from '../../../program/operation.ts';
import { type CallSite, type CThread, type CValue, FUTEX, type Run } from '../../runtime.ts';
import { I32, type Library, steps } from '../define.ts';
import { EAGAIN, ETIMEDOUT, setErrno } from '../standard/errno.ts';
import {
  broadcast,
  type Condition,
  decode,
  encode,
  enqueue,
  isReleased,
  mayWake,
  signal,
  wake,
} from './condition-state.ts';
import { leaveUnlessReleased, wakeOrTimeOut, wakesSpuriously } from './condition-variable.ts';
import { change } from './sync.ts';

/** <linux/futex.h> */
const WAIT = 0;
const WAKE = 1;
const WAIT_BITSET = 9;
const WAKE_BITSET = 10;
const PRIVATE_AND_CLOCK = 128 | 256;
const ANY = -1;

/** The queue at an address. */
class Futex {
  constructor(
    readonly thread: CThread,
    readonly address: number,
    readonly call: CallSite,
  ) {}

  get location() {
    return this.thread.syncLocation(this.address, 'atomic', FUTEX, this.call);
  }

  /** Its state before; nothing is written if `next` gives the same object. In `words` % is its name. */
  *change(
    name: string,
    operand: number,
    next: (state: Condition) => Condition,
    words: (done: Done | undefined) => string,
    order: MemoryOrder = 'relaxed',
  ): Run<Condition> {
    const { location } = this;
    const apply = (value: unknown): unknown => {
      const state = decode(value);
      const after = next(state);
      return after === state && order === 'relaxed' ? KEEP : encode(after);
    };
    return decode(
      yield change(location, name, operand, apply, order, this.call, (done) =>
        words(done).replace('%', () => location.name ?? FUTEX),
      ),
    );
  }

  *sleep(): Run<void> {
    const { self } = this.thread;
    const { location } = this;
    yield {
      kind: 'await-update',
      location,
      name: 'wake',
      until: (value) => mayWake(decode(value), self),
      apply: (value) => {
        const state = decode(value);
        return isReleased(state, self) ? KEEP : encode(wake(state, self));
      },
      order: 'relaxed',
      sleeps: true,
      position: this.call.position,
      words: (done) => `${done === undefined ? 'waits to be woken on' : 'is woken on'} ${location.name ?? FUTEX}`,
    };
  }
}

function* failed(thread: CThread, error: number, call: CallSite): Run<number> {
  yield* setErrno(thread, error, call);
  return -1;
}

function* wait(thread: CThread, address: number, expected: number, isTimed: boolean, call: CallSite): Run<number> {
  const { self } = thread;
  const futex = new Futex(thread, address, call);
  const read = (): Run<CValue> => thread.load(address, I32, call, 'relaxed');
  if ((yield* read()) !== expected) return yield* failed(thread, EAGAIN, call);
  yield* futex.change(
    'join',
    self,
    (state) => enqueue(state, self),
    () => 'waits on %',
    'acquire',
  );
  if ((yield* read()) !== expected) yield* thread.block(call);
  if (isTimed) {
    const isWoken = yield* wakeOrTimeOut(thread, (name, next, words) => futex.change(name, self, next, words), call);
    return isWoken ? 0 : yield* failed(thread, ETIMEDOUT, call);
  }
  if (yield* wakesSpuriously(thread, address, call)) {
    const leaving = (state: Condition): Condition => leaveUnlessReleased(state, self);
    const words = (): string => 'wakes from % without being woken (a spurious wakeup)';
    const before = yield* futex.change('wake spuriously', self, leaving, words);
    if (isReleased(before, self)) yield* thread.block(call); // it was woken: the other option has that
    return 0;
  }
  yield* futex.sleep();
  return 0;
}

/** How many it wakes: those that wait and are not to be woken already. */
function* wakeUp(thread: CThread, address: number, most: number, call: CallSite): Run<number> {
  const wakes = (state: Condition): number => Math.max(0, Math.min(most, state.waiting.length - state.wakeUps.length));
  const next = (state: Condition): Condition => {
    if (most >= state.waiting.length) return broadcast(state);
    let after = state;
    for (let i = 0; i < most; i++) after = signal(after);
    return after;
  };
  const words = (done: Done | undefined): string => {
    const count = done === undefined ? undefined : wakes(decode(done.answer));
    return count === 0 ? 'wakes nobody on %' : `wakes ${count === undefined ? '' : `${count} of those `}on %`;
  };
  return wakes(yield* new Futex(thread, address, call).change('wake up', most, next, words, 'release'));
}

function* futexCall(thread: CThread, call: CallSite, args: readonly number[]): Run<number> {
  const [address = 0, operation = 0, value = 0, timeout = 0, , bits = ANY] = args;
  const command = operation & ~PRIVATE_AND_CLOCK;
  const hasBits = command === WAIT_BITSET || command === WAKE_BITSET;
  if (hasBits && bits !== ANY) thread.refuse('a futex with a bit set other than FUTEX_BITSET_MATCH_ANY', call);
  if (command === WAIT || command === WAIT_BITSET) return yield* wait(thread, address, value, timeout !== 0, call);
  if (command === WAKE || command === WAKE_BITSET) return yield* wakeUp(thread, address, value, call);
  return thread.refuse(`futex operation ${command}: only waiting and waking are modelled`, call);
}

/** By number: <sys/syscall.h>. */
const calls: Readonly<Record<number, (thread: CThread, call: CallSite, args: readonly number[]) => Run<number>>> = {
  24: function* (_thread, call) {
    yield { kind: 'yield', position: call.position };
    return 0;
  },
  39: function* () {
    return 1;
  },
  186: function* (thread) {
    return thread.self;
  },
  202: futexCall,
};

export const systemCalls: Library = {
  syscall: steps((thread, call, number: number | bigint, ...args: CValue[]) => {
    const run = calls[Number(number)];
    if (run === undefined) return thread.refuse(`syscall(${number}, …): this system call is not modelled`, call);
    return run(
      thread,
      call,
      args.map((arg) => Number(arg)),
    );
  }),
};
