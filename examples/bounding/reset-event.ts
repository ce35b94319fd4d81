/**
 * A manual reset event: who waits for it goes on once it was set. Who has to wait sleeps at a gate of its own, a mutex that the
 * setter holds, until the setter has set the event and opens the gates of those who have said that they wait.
 *
 * A waiter must say so before it looks at the event. `waiter` does; `hastyWaiter`, of reset-event-broken.ts, looks first, and may
 * be overlooked.
 */
import { type Atomic, atomic, type Mutex, mutex, program, spawn } from 'heddle';

interface Event {
  readonly isSet: Atomic<boolean>;
  /** By waiter: whether it waits, and its gate. */
  readonly waits: readonly Atomic<boolean>[];
  readonly gates: readonly Mutex[];
}

export function* waiter({ isSet, waits, gates }: Event, who: 0 | 1) {
  yield* (waits[who] as Atomic<boolean>).store(true);
  if (!(yield* isSet.load())) yield* (gates[who] as Mutex).lock();
}

export function* hastyWaiter({ isSet, waits, gates }: Event, who: 0 | 1) {
  if (yield* isSet.load()) return;
  yield* (waits[who] as Atomic<boolean>).store(true);
  yield* (gates[who] as Mutex).lock(); // <- fails
}

export const resetEvent = (wait: typeof waiter) =>
  program(function* () {
    const event: Event = { isSet: atomic(false), waits: [atomic(false), atomic(false)], gates: [mutex(), mutex()] };
    for (const gate of event.gates) yield* gate.lock();
    const first = yield* spawn(wait, event, 0);
    const second = yield* spawn(wait, event, 1);
    yield* event.isSet.store(true);
    for (const who of [0, 1] as const) {
      if (yield* (event.waits[who] as Atomic<boolean>).load()) yield* (event.gates[who] as Mutex).unlock();
    }
    yield* first.join();
    yield* second.join();
  });

export default resetEvent(waiter);
