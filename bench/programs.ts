/** The programs of the papers' tables and some data structures, by size; benchmarks measure them, tests pin their counts. */
import { assert, atomic, awaitUntil, mutex, program, shared, spawn, type ThreadHandle } from 'heddle';

type Body = Parameters<typeof spawn<[], void>>[0];

/** Main starts the threads, then joins them. */
function together(name: string, makeBodies: () => readonly Body[]) {
  return program(name, function* () {
    const threads: ThreadHandle<void>[] = [];
    for (const body of makeBodies()) threads.push(yield* spawn(body));
    for (const thread of threads) yield* thread.join();
  });
}

/** [TruSt] section 2.1. */
export function wwrr() {
  return together('W+W+RR', () => {
    const x = atomic(0);
    const y = atomic(0);
    return [
      function* () {
        yield* x.store(1);
      },
      function* () {
        yield* y.store(1);
      },
      function* () {
        yield* x.load();
        yield* y.load();
      },
    ];
  });
}

/** [TruSt] section 3.5. */
export function rww() {
  return together('R+W+W', () => {
    const x = atomic(0);
    return [
      function* () {
        yield* x.load();
      },
      function* () {
        yield* x.store(1);
      },
      function* () {
        yield* x.store(2);
      },
    ];
  });
}

/** Message passing. */
export function rrww() {
  return together('RR+WW', () => {
    const data = atomic(0);
    const flag = atomic(0);
    return [
      function* () {
        yield* flag.load();
        yield* data.load();
      },
      function* () {
        yield* data.store(1);
        yield* flag.store(1);
      },
    ];
  });
}

/** lastzero(n): writer j sets a[j] to a[j - 1] + 1; the reader walks down from a[n] to the last zero. */
export function lastzero(n: number) {
  return together(`lastzero(${n})`, () => {
    const a = Array.from({ length: n + 1 }, () => atomic(0));
    const at = (i: number) => a[i] as (typeof a)[number];
    function* reader() {
      let i = n;
      while ((yield* at(i).load()) !== 0) i--;
    }
    const writer = (j: number) =>
      function* () {
        yield* at(j).store((yield* at(j - 1).load()) + 1);
      };
    return [reader, ...Array.from({ length: n }, (_, j) => writer(j + 1))];
  });
}

/** exp-mem(n): n threads increment y, the last of them then increments x, as does a first thread. */
export function expMem(n: number) {
  return together(`exp-mem(${n})`, () => {
    const x = atomic(0);
    const y = atomic(0);
    function* first() {
      yield* x.fetchAdd(1);
    }
    function* adder() {
      yield* y.fetchAdd(1);
    }
    function* last() {
      yield* y.fetchAdd(1);
      yield* x.fetchAdd(1);
    }
    return [first, ...Array.from({ length: n - 1 }, () => adder), last];
  });
}

/** exp-mem2(n): twice, n threads write y, one sets x, and a reader reads y only if it has seen x set. */
export function expMem2(n: number) {
  return together(`exp-mem2(${n})`, () =>
    [0, 1].flatMap(() => {
      const x = atomic(0);
      const y = atomic(0);
      function* setter() {
        yield* x.store(1);
      }
      function* writer() {
        yield* y.store(1);
      }
      function* reader() {
        if ((yield* x.load()) === 1) yield* y.load();
      }
      return [setter, ...Array.from({ length: n }, () => writer), reader];
    }),
  );
}

/** n threads write one location: n! coherence orders, one reads-from class. */
export function writers(n: number) {
  return together(`writers(${n})`, () => {
    const x = atomic(0);
    const writer = (i: number) =>
      function* () {
        yield* x.store(i);
      };
    return Array.from({ length: n }, (_, i) => writer(i + 1));
  });
}

/** n threads, each of which adds 1 to a plain counter under a mutex, `rounds` times. */
export function mutexCounter(n: number, rounds: number) {
  return program(`mutex counter(${n}, ${rounds})`, function* () {
    const m = mutex();
    const counter = shared(0);
    function* worker() {
      for (let i = 0; i < rounds; i++) {
        yield* m.lock();
        yield* counter.store((yield* counter.load()) + 1);
        yield* m.unlock();
      }
    }
    const threads: ThreadHandle<void>[] = [];
    for (let i = 0; i < n; i++) threads.push(yield* spawn(worker));
    for (const thread of threads) yield* thread.join();
    assert((yield* counter.load()) === n * rounds);
  });
}

interface Node {
  readonly value: number;
  readonly next: Node | undefined;
}

/** A Treiber stack: `pushers` threads push, `poppers` threads pop, each with compare-exchange tried again on failure. */
export function treiber(pushers: number, poppers: number) {
  return together(`treiber(${pushers}, ${poppers})`, () => {
    const top = atomic<Node | undefined>(undefined);
    const pusher = (value: number) =>
      function* () {
        for (;;) {
          const next = yield* top.load();
          if ((yield* top.compareExchange(next, { value, next })) === next) return;
        }
      };
    function* popper() {
      for (;;) {
        const node = yield* top.load();
        if (node === undefined || (yield* top.compareExchange(node, node.next)) === node) return;
      }
    }
    return [...Array.from({ length: pushers }, (_, i) => pusher(i)), ...Array.from({ length: poppers }, () => popper)];
  });
}

/** n threads take a ticket, wait for their turn, and pass it on. */
export function ticketCounter(n: number) {
  return together(`tickets(${n})`, () => {
    const next = atomic(0);
    const served = atomic(0);
    function* customer() {
      const mine = yield* next.fetchAdd(1);
      yield* awaitTurn(served, mine);
      yield* served.store(mine + 1);
    }
    return Array.from({ length: n }, () => customer);
  });
}

function awaitTurn(served: ReturnType<typeof atomic<number>>, mine: number) {
  return awaitUntil(served, (value) => value === mine);
}
