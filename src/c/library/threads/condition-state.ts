/**
 * The state of a condition variable, and what waiting, signalling and waking do to it.
 *
 * POSIX: a signal unblocks at least one of the threads that are blocked *then*; which one is open. To choose at the signal
 * would be one execution for each choice even where it does not matter, so the choice is put off until a thread wakes.
 *
 * `waiting` are the threads that wait. Each signal leaves a wake-up: the set of the threads that may take it, which are
 * those that were waiting when it came. A thread that wakes takes the oldest wake-up that it may take, and leaves all
 * other sets. `released` are threads that will certainly wake: those of a broadcast, and those of a wake-up that nobody
 * else is left for.
 *
 * Why nothing is lost and nothing stolen: write E1, E2, … for the wake-ups, oldest first. Who waited at a signal and did
 * not wake since still waits at the next, so E1 ⊆ E2 ⊆ …. We keep |Ei| > i (*), so that different threads can be found
 * for all wake-ups. If a thread takes Ei, the oldest that it is in, then it was not in the older ones, and each younger
 * one loses one member and moves up by one place: (*) may fall to |Ej| = j, but no lower. If a thread gives up waiting,
 * each set that it was in loses one. Sets with |Ej| = j must wake all their members: these are moved to `released`, and
 * the wake-ups up to Ej, which are subsets, have done their work; what remains of the younger sets are those outside of
 * Ej, by j fewer at most and j places further up, so (*) holds again. A signal adds the set of all that wait if there are
 * more of them than wake-ups, and otherwise, by (*), there is none and nobody waits: it has no effect. Conversely, had
 * each signal chosen its thread at once, then the threads that wake would do so here in the same order: the first to wake
 * is in some Ei, and if it takes an older wake-up than its own, the thread which that one had chosen can have the other,
 * because the sets are nested.
 *
 * A released thread stays in `released` until it waits again. So waking from a broadcast, or as the only one, only reads,
 * and those that wake do not depend on each other's order.
 */

export interface Condition {
  readonly waiting: readonly number[];
  /** Oldest first. */
  readonly wakeUps: readonly (readonly number[])[];
  readonly released: readonly number[];
  readonly isDestroyed: boolean;
}

const idle: Condition = { waiting: [], wakeUps: [], released: [], isDestroyed: false };

const list = (threads: readonly number[]): string => threads.join(',');
const parse = (text: string): number[] => (text === '' ? [] : text.split(',').map(Number));
const without = (threads: readonly number[], t: number): readonly number[] => threads.filter((other) => other !== t);
const sorted = (threads: readonly number[]): number[] => [...new Set(threads)].sort((a, b) => a - b);

/** As the value of a location. An idle one has the value of zeroed memory. */
export function encode(state: Condition): number | string {
  const { waiting, wakeUps, released, isDestroyed } = state;
  if (waiting.length === 0 && released.length === 0 && !isDestroyed) return 0;
  return [list(waiting), wakeUps.map(list).join('/'), list(released), isDestroyed ? 'destroyed' : ''].join(';');
}

export function decode(value: unknown): Condition {
  if (typeof value !== 'string' || !value.includes(';')) return idle;
  const [waiting, wakeUps, released, destroyed] = value.split(';') as [string, string, string, string];
  return {
    waiting: parse(waiting),
    wakeUps: wakeUps === '' ? [] : wakeUps.split('/').map(parse),
    released: parse(released),
    isDestroyed: destroyed !== '',
  };
}

export function enqueue(state: Condition, t: number): Condition {
  return { ...state, waiting: sorted([...state.waiting, t]), released: without(state.released, t) };
}

/** The same object if nobody is left to be woken. */
export function signal(state: Condition): Condition {
  if (state.waiting.length <= state.wakeUps.length) return state;
  return settle({ ...state, wakeUps: [...state.wakeUps, state.waiting] });
}

export function broadcast(state: Condition): Condition {
  if (state.waiting.length === 0) return state;
  return { ...state, waiting: [], wakeUps: [], released: sorted([...state.released, ...state.waiting]) };
}

/** Whether t will certainly be woken. */
export function isReleased(state: Condition, t: number): boolean {
  return state.released.includes(t);
}

export function mayWake(state: Condition, t: number): boolean {
  return isReleased(state, t) || state.wakeUps.some((threads) => threads.includes(t));
}

/** t, which may, wakes. */
export function wake(state: Condition, t: number): Condition {
  if (isReleased(state, t)) return state;
  const taken = state.wakeUps.findIndex((threads) => threads.includes(t));
  return leave({ ...state, wakeUps: state.wakeUps.filter((_, i) => i !== taken) }, t);
}

/** t, which is not released, waits no longer. */
export function leave(state: Condition, t: number): Condition {
  const { waiting, wakeUps } = state;
  return settle({ ...state, waiting: without(waiting, t), wakeUps: wakeUps.map((threads) => without(threads, t)) });
}

/** Releases the threads of wake-ups that all their members must take. */
function settle(state: Condition): Condition {
  const { wakeUps } = state;
  const tight = wakeUps.findLastIndex((threads, i) => threads.length === i + 1);
  if (tight === -1) return state;
  const chosen = wakeUps[tight]!;
  const rest = (threads: readonly number[]): readonly number[] => threads.filter((t) => !chosen.includes(t));
  return {
    ...state,
    waiting: rest(state.waiting),
    wakeUps: wakeUps.slice(tight + 1).map(rest),
    released: sorted([...state.released, ...chosen]),
  };
}
