/**
 * One shared memory and one schedule: the ground on which explorers of interleavings stand. Steps are performed and taken
 * back one at a time; each has the vector clock of happens-before (program order, spawns, joins, and reads-from between
 * accesses that are not plain), which is what data races and uses of freed objects are judged by.
 *
 * Columns are indexed by step (its place in the schedule), by thread, or by location of `behaviours`.
 */
import { type Behaviours, STALE, Step } from '../../program/behaviours.ts';
import { ClockRows } from '../../program/clock-rows.ts';
import { type Column, grown, NONE } from '../../program/columns.ts';
import type { ThreadsAtEnd } from '../../program/ending.ts';
import { type Execution, type ExecutionStep, INITIAL, numberedThreads } from '../../program/execution.ts';
import { areDisjoint, lessExtent, WHOLE } from '../../program/extent.ts';
import { learns } from '../../program/orders.ts';
import { rewrites } from '../../program/outcome.ts';
import type { ClashingAccess, ClashKind } from '../findings.ts';

export class Interleaving implements ThreadsAtEnd {
  readonly behaviours: Behaviours;
  length = 0;

  // By step.
  thread: Column = new Int32Array(64);
  /** The thread's states before and after. */
  before: Column = new Int32Array(64);
  after: Column = new Int32Array(64);
  choice: Column = new Int32Array(64);
  /** The step whose write it read; NONE for the initial value and for steps that do not read. */
  readsFrom: Column = new Int32Array(64);
  /** The step of the same thread before it; the step that accessed the same location before it. */
  previous: Column = new Int32Array(64);
  previousAccess: Column = new Int32Array(64);
  /** The last step before it of another thread that accessed the same location. */
  #previousOther: Column = new Int32Array(64);
  /** What the step overwrote: the step that had written before, NONE for the initial value. */
  #overwritten: Column = new Int32Array(64);
  /** Its number in its thread. */
  index: Column = new Int32Array(64);
  readonly #clock = new ClockRows();

  // By thread.
  #state: Column = new Int32Array(8).fill(NONE);
  #last: Column = new Int32Array(8).fill(NONE);
  #spawn: Column = new Int32Array(8).fill(NONE);
  /** The first step that joined it. */
  #join: Column = new Int32Array(8).fill(NONE);

  // By location.
  #writer: Column = new Int32Array(16).fill(NONE);
  #access: Column = new Int32Array(16).fill(NONE);
  /** That of the behaviours whose states these are. */
  #epoch: number;

  constructor(behaviours: Behaviours) {
    this.behaviours = behaviours;
    this.#epoch = behaviours.epoch;
    this.#state[0] = behaviours.main();
  }

  get threadCount(): number {
    return Math.min(this.behaviours.threads.length, this.#state.length);
  }

  /** The state of thread t; NONE if it does not exist. */
  stateOf(t: number): number {
    return this.#state[t]!;
  }

  /** The step that spawned thread t; NONE for the main thread. */
  spawnOf(t: number): number {
    return this.#spawn[t]!;
  }

  /** The last step of thread t; if it has none, the one that spawned it; NONE for the main thread. */
  lastOf(t: number): number {
    return this.#last[t] === NONE ? this.#spawn[t]! : this.#last[t]!;
  }

  /** The step that has accessed the location last, or NONE. */
  lastAccess(location: number): number {
    return location < this.#access.length ? this.#access[location]! : NONE;
  }

  /** The value that step i has written. */
  valueWritten(i: number): number {
    const b = this.behaviours;
    return b.step[this.before[i]!] === Step.WRITE ? b.value[this.before[i]!]! : b.written[this.after[i]!]!;
  }

  isEnabled(t: number): boolean {
    const b = this.behaviours;
    const s = this.#state[t]!;
    if (s === NONE) return false;
    const step = b.step[s]!;
    if (step >= Step.BLOCK || step === Step.END || step === Step.FAIL) return step === Step.BLOCK;
    if (step === Step.JOIN) {
      const target = this.#state[b.operand[s]!]!;
      return target !== NONE && b.step[target] === Step.END;
    }
    return b.mayBlock[s] === 0 || !b.wouldBlock(s, this.#valueAt(b.location[s]!));
  }

  /** Performs the next operation of t, which is enabled; a choose takes option `choice`. */
  perform(t: number, choice: number): void {
    this.#ensure();
    this.#append(t, choice);
    if (this.#advance(this.length - 1)) return;
    this.#runAgain();
  }

  undo(): void {
    const i = --this.length;
    const b = this.behaviours;
    const t = this.thread[i]!;
    const s = this.before[i]!;
    this.#state[t] = s;
    this.#last[t] = this.previous[i]!;
    if (b.step[s] === Step.SPAWN) {
      this.#state[b.operand[s]!] = NONE;
      this.#spawn[b.operand[s]!] = NONE;
    }
    if (b.step[s] === Step.JOIN && this.#join[b.operand[s]!] === i) this.#join[b.operand[s]!] = NONE;
    const location = b.location[s]!;
    if (location === NONE || b.step[s]! >= Step.END) return;
    this.#access[location] = this.previousAccess[i]!;
    if (this.writes(i)) this.#writer[location] = this.#overwritten[i]!;
  }

  writes(i: number): boolean {
    const b = this.behaviours;
    return b.step[this.before[i]!] === Step.WRITE || (this.after[i]! >= 0 && b.written[this.after[i]!] !== NONE);
  }

  happensBefore(i: number, j: number): boolean {
    return this.#clock.at(j, this.thread[i]!) > this.index[i]!;
  }

  /** An earlier step that races with step j, or NONE. */
  racing(j: number): number {
    const b = this.behaviours;
    const s = this.before[j]!;
    if (b.mayBlock[s] === 1) {
      const i = this.racingWithAwait(this.thread[j]!, s, this.previousAccess[j]!, this.#stepBefore(j));
      if (i !== NONE) return i;
    }
    for (let i = this.#previousOther[j]!; i !== NONE; ) {
      if (this.thread[i] === this.thread[j] || this.happensBefore(i, j)) {
        i = this.#previousOther[i]!; // so do the accesses of that thread right before it
        continue;
      }
      if (!this.#isHarmless(s, this.before[i]!) && (this.writes(i) || this.writes(j))) return i;
      i = this.previousAccess[i]!;
    }
    return NONE;
  }

  /**
   * An access of another thread, from `last` back, that races with the await in state s of thread t, or NONE. The thread looks
   * at the location from when it comes to the await, after step `arrival`: what it reads in the end does not order what comes
   * before.
   */
  racingWithAwait(t: number, s: number, last: number, arrival: number): number {
    const b = this.behaviours;
    for (let i = last; i !== NONE; i = this.previousAccess[i]!) {
      if (this.thread[i] === t || this.#isHarmless(s, this.before[i]!)) continue;
      if (!this.writes(i) && !rewrites(b.operation(s))) continue;
      if (arrival === NONE || (i !== arrival && !this.happensBefore(i, arrival))) return i;
    }
    return NONE;
  }

  /** Whether the accesses of two states to one location are both atomic, or to different bytes. */
  #isHarmless(a: number, b: number): boolean {
    const { extent, plain } = this.behaviours;
    return (plain[a] === 0 && plain[b] === 0) || areDisjoint(extent[a]!, extent[b]!);
  }

  /** The step of the same thread before step j; if it is the first, the one that spawned the thread. */
  #stepBefore(j: number): number {
    return this.previous[j] === NONE ? this.#spawn[this.thread[j]!]! : this.previous[j]!;
  }

  /**
   * Calls `visit` for each earlier step that step j clashes with: because one of the two frees the object that the other accesses, or
   * both join the same thread.
   */
  forEachMisuse(j: number, visit: (kind: Exclude<ClashKind, 'race'>, i: number) => void): void {
    const b = this.behaviours;
    if (b.step[this.before[j]!] === Step.JOIN) {
      const first = this.#join[b.operand[this.before[j]!]!]!;
      if (first !== j && b.joinsOnce(this.before[j]!)) visit('abort', first);
    }
    const location = b.location[this.before[j]!]!;
    if (!b.locationTable.hasLifetimes || location === NONE) return;
    const free = this.#freeOf(location);
    if (free !== NONE) visit('use-after-free', free);
    if (!b.frees(this.before[j]!)) return;
    const other = this.previousAccess[j]!;
    if (other !== NONE) visit('double-free', other);
    for (const part of b.partsOf(location)) {
      const last = part < this.#access.length ? this.#access[part]! : NONE;
      for (let i = last; i !== NONE; i = this.previousAccess[i]!) {
        if (!this.happensBefore(i, j)) visit('use-after-free', i);
      }
    }
  }

  /** The step that freed the object that the location, which is waited for in state s, is part of; NONE: none did. */
  freeOfAwaited(s: number): number {
    return this.behaviours.locationTable.hasLifetimes ? this.#freeOf(this.behaviours.location[s]!) : NONE;
  }

  #freeOf(location: number): number {
    const lifetime = this.behaviours.lifetimeOf(location);
    return lifetime === NONE || lifetime >= this.#writer.length ? NONE : this.#writer[lifetime]!;
  }

  // ------------------------------------------------------------------------------------------- how it ends

  valueAwaited(_t: number, s: number): number {
    return this.memory(this.behaviours.location[s]!);
  }

  lastStep(t: number): number {
    return this.#last[t]!;
  }

  previousStep(i: number): number {
    return this.previous[i]!;
  }

  stateBefore(i: number): number {
    return this.before[i]!;
  }

  wouldReadAgain(i: number): boolean {
    const s = this.before[i]!;
    return this.#valueFrom(this.readsFrom[i]!, s) === this.memory(this.behaviours.location[s]!);
  }

  /** There is one memory: what each step says of itself is all. */
  settles(): boolean {
    return true;
  }

  #valueFrom(w: number, s: number): number {
    return w === NONE ? this.behaviours.initialValue(this.behaviours.location[s]!) : this.valueWritten(w);
  }

  /** The value of a location now. */
  memory(location: number): number {
    return this.#valueAt(location);
  }

  /** The first `length` steps as a witness: what stops a thread for good, a failed assume, is no step of it. */
  witness(length: number): Execution {
    return this.#execution(length, (s) => this.behaviours.step[s] !== Step.BLOCK);
  }

  /** The first `length` steps, those that stop a thread for good included: a search can go on from there. */
  execution(length: number): Execution {
    return this.#execution(length, () => true);
  }

  /** Those of the first `length` steps that were taken in a state that is told. */
  #execution(length: number, isTold: (s: number) => boolean): Execution {
    const { step, threads } = this.behaviours;
    const steps: ExecutionStep[] = [];
    const places: number[] = [];
    for (let i = 0; i < length; i++) {
      const s = this.before[i]!;
      places.push(steps.length);
      if (!isTold(s)) continue;
      const from = this.readsFrom[i]!;
      steps.push({
        thread: this.thread[i]!,
        ...(step[s] === Step.READ ? { readsFrom: from === NONE ? INITIAL : places[from]! } : {}),
        ...(step[s] === Step.CHOOSE ? { choice: this.choice[i]! } : {}),
      });
    }
    return { threads: numberedThreads(threads), steps };
  }

  /** The schedule is empty: an execution with these threads will be followed. Returns which thread has an `id` of it. */
  startOver(threads: Execution['threads']): (id: number) => number {
    const { behaviours } = this;
    if (behaviours.values.sawIdentity || behaviours.epoch !== this.#epoch) this.#runAgain();
    const numbers = new Map(threads.map(({ id, path }) => [id, this.behaviours.threadOf(path)]));
    this.#ensure();
    return (id) => numbers.get(id) as number;
  }

  accessOf(i: number): ClashingAccess {
    return { thread: this.thread[i]!, state: this.before[i]! };
  }

  // ---------------------------------------------------------------------------------------------------------------

  #valueAt(location: number): number {
    const b = this.behaviours;
    const w = location < this.#writer.length ? this.#writer[location]! : NONE;
    return w === NONE ? b.initialValue(location) : this.valueWritten(w);
  }

  #append(t: number, choice: number): void {
    const i = this.length++;
    if (i >= this.thread.length) this.#growSteps();
    this.thread[i] = t;
    this.choice[i] = choice;
    this.previous[i] = this.#last[t]!;
    this.index[i] = this.#last[t] === NONE ? 0 : this.index[this.#last[t]!]! + 1;
    this.#last[t] = i;
  }

  /** Performs step i, whose thread and choice are set; false if the threads must be run again. */
  #advance(i: number): boolean {
    const b = this.behaviours;
    const t = this.thread[i]!;
    const s = this.#state[t]!;
    this.before[i] = s;
    this.readsFrom[i] = NONE;
    this.#startClock(i, t);
    const location = b.location[s]!;
    this.previousAccess[i] = NONE;
    this.#previousOther[i] = NONE;
    if (location !== NONE) {
      this.#ensureLocation(location);
      this.#overwritten[i] = this.#writer[location]!;
      const last = this.#access[location]!;
      this.previousAccess[i] = last;
      this.#previousOther[i] =
        last !== NONE && this.thread[last] === this.thread[i] ? this.#previousOther[last]! : last;
      this.#access[location] = i;
    }
    let after: number;
    switch (b.step[s]) {
      case Step.READ: {
        const w = this.#writer[location]!;
        this.readsFrom[i] = w;
        if (learns(b.order[s]!)) this.#learn(i, w);
        after = b.advance(s, this.#valueAt(location));
        break;
      }
      case Step.JOIN: {
        const target = b.operand[s]!;
        const end = this.#last[target] === NONE ? this.#spawn[target]! : this.#last[target]!;
        this.#clock.join(i, end);
        if (this.#join[target] === NONE) this.#join[target] = i;
        after = b.advance(s, b.value[this.#state[target]!]!);
        break;
      }
      case Step.CHOOSE:
        after = b.advance(s, b.values.idOf(this.choice[i]!));
        break;
      case Step.BLOCK:
        after = b.stopped(s);
        break;
      default:
        after = b.advanceOnly(s);
    }
    this.after[i] = after;
    if (after === STALE) return false;
    if (location !== NONE && this.writes(i)) this.#writer[location] = i;
    this.#state[t] = after;
    if (b.step[s] === Step.SPAWN) this.#spawnThread(b.operand[s]!, i, s);
    return true;
  }

  /** Step i reads from w, and so comes after those of the writes that its bytes come from which are atomic. */
  #learn(i: number, w: number): void {
    const { extent, plain } = this.behaviours;
    let bytes = extent[this.before[i]!]!;
    for (let source = w; source !== NONE && bytes !== 0; source = this.readsFrom[source]!) {
      const s = this.before[source]!;
      if (plain[s] === 0 && !areDisjoint(bytes, extent[s]!)) this.#clock.join(i, source);
      bytes = lessExtent(bytes & WHOLE, extent[s]!);
    }
  }

  #spawnThread(child: number, i: number, s: number): void {
    this.#ensure();
    this.#state[child] = this.behaviours.spawned(s);
    this.#spawn[child] = i;
    this.#last[child] = NONE;
  }

  /** All threads from their start along the schedule, in a new epoch of the behaviours. */
  #runAgain(): void {
    const { length } = this;
    while (!this.#canRunAgain(length)) {
      if (!this.behaviours.isMixed) throw new Error('a thread ran ahead of the schedule');
    }
  }

  #canRunAgain(length: number): boolean {
    this.behaviours.reset();
    this.#epoch = this.behaviours.epoch;
    this.#state.fill(NONE);
    this.#last.fill(NONE);
    this.#spawn.fill(NONE);
    this.#join.fill(NONE);
    this.#writer.fill(NONE);
    this.#access.fill(NONE);
    this.#state[0] = this.behaviours.main();
    for (this.length = 0; this.length < length; ) {
      const i = this.length;
      this.#append(this.thread[i]!, this.choice[i]!);
      if (!this.#advance(i)) return false;
    }
    return true;
  }

  /** Runs all threads once more along the schedule and compares what they do with what is recorded. */
  rerun(): void {
    const b = this.behaviours;
    if (b.values.sawIdentity) return; // then they are run again all the time
    b.beginRerun();
    for (let i = 0; i < this.length; i++) b.rerun(this.before[i]!, this.after[i]!);
    b.endRerun();
  }

  /** Gives the memory of the behaviours back once it has grown too large. */
  tidy(): void {
    if (this.behaviours.isLarge(this.length) || this.behaviours.hasManyCopies) this.#runAgain();
  }

  // ------------------------------------------------------------------------------------------------ rows, clocks

  #startClock(i: number, t: number): void {
    const clock = this.#clock;
    const origin = this.previous[i] !== NONE ? this.previous[i]! : this.#spawn[t]!;
    if (origin === NONE) clock.clear(i);
    else clock.copy(i, origin);
    clock.set(i, t, this.index[i]! + 1);
  }

  #ensure(): void {
    const count = this.behaviours.threads.length;
    this.#clock.fit(this.thread.length, count);
    const old = this.#state.length;
    if (count <= old) return;
    this.#state = grown(this.#state, count).fill(NONE, old);
    this.#last = grown(this.#last, count).fill(NONE, old);
    this.#spawn = grown(this.#spawn, count).fill(NONE, old);
    this.#join = grown(this.#join, count).fill(NONE, old);
  }

  #ensureLocation(location: number): void {
    const old = this.#writer.length;
    if (location < old) return;
    this.#writer = grown(this.#writer, location + 1).fill(NONE, old);
    this.#access = grown(this.#access, location + 1).fill(NONE, old);
  }

  #growSteps(): void {
    const length = this.thread.length * 2;
    this.thread = grown(this.thread, length);
    this.before = grown(this.before, length);
    this.after = grown(this.after, length);
    this.choice = grown(this.choice, length);
    this.readsFrom = grown(this.readsFrom, length);
    this.previous = grown(this.previous, length);
    this.previousAccess = grown(this.previousAccess, length);
    this.#previousOther = grown(this.#previousOther, length);
    this.#overwritten = grown(this.#overwritten, length);
    this.index = grown(this.index, length);
    this.#clock.fit(length, this.behaviours.threads.length);
  }
}
