/**
 * What the next read of a thread may read ([VC], Algorithms 6 and 7): the writes that were not considered for it before and that it can
 * see, in groups of one value; for the root, of one value and one side.
 */
import { NONE } from '../../program/columns.ts';
import { type AnnotatedOrder, INITIAL_WRITE, Side } from './annotated-order.ts';

export class Candidates {
  count = 0;
  // By group.
  readonly value: number[] = [];
  readonly side: Side[] = [];
  /** The write, where each is a group of its own. */
  readonly source: number[] = [];

  /** Those of the next read of thread t; values with which it could not go on are none. */
  find(p: AnnotatedOrder, t: number): void {
    const b = p.behaviours;
    const location = b.location[p.stateOf(t)]!;
    const last = p.lastOrSpawn(t);
    this.count = 0;
    let isFirst = true;
    for (let u = 0; u < p.threadCount; u++) {
      const known = last === NONE ? 0 : p.known(last, u);
      for (let w = p.lastWrite(location, u); w !== NONE; w = p.previousWrite[w]!) {
        const isKnown = p.index[w]! < known;
        if (isKnown) isFirst = false;
        if (!p.isConsidered(t, w) && !(isKnown && isOverwritten(p, w, last))) {
          this.#add(p, t, w, p.valueWritten[w]!, u === p.root ? Side.LOCAL : Side.REMOTE);
        }
        if (isKnown) break; // those before it are overwritten
      }
    }
    if (isFirst && !p.isConsidered(t, INITIAL_WRITE)) {
      this.#add(p, t, INITIAL_WRITE, b.initialValue(location), Side.REMOTE);
    }
  }

  #add(p: AnnotatedOrder, t: number, w: number, value: number, sideOfWrite: Side): void {
    const side = t === p.root ? sideOfWrite : Side.ANY;
    for (let i = 0; i < this.count; i++) {
      if (this.value[i] === value && this.side[i] === side && (p.observed === 'values' || this.source[i] === w)) return;
    }
    if (p.behaviours.wouldBlock(p.stateOf(t), value)) return;
    this.value[this.count] = value;
    this.side[this.count] = side;
    this.source[this.count++] = w;
  }
}

/** Whether another write of the location of w comes after it and is before `last` or is it. */
function isOverwritten(p: AnnotatedOrder, w: number, last: number): boolean {
  for (let u = 0; u < p.threadCount; u++) {
    let other = p.lastWrite(p.location[w]!, u);
    while (other !== NONE && p.index[other]! >= p.known(last, u)) other = p.previousWrite[other]!;
    if (other !== NONE && p.isBefore(w, other)) return true;
  }
  return false;
}
