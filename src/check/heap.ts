/**
 * How near the heap of this thread is to the limit at which V8 ends it. V8 lets garbage lie until it needs the room: what is in use says
 * something only after a collection, so one is asked for, where much is in use. (V8 collects often there anyway.)
 *
 * Typed arrays lie outside of the heap, and have no limit but the machine's.
 */
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export interface Heap {
  /** The part of it that is in use, garbage included. */
  used(): number;
  /** The part that is in use without garbage. It takes a while. */
  live(): number;
}

/** What V8 sets aside of the limit for young objects, unless it is told otherwise. */
const YOUNG_BYTES = 48 * 2 ** 20;

/** The one of this thread. */
export const ownHeap: Heap = {
  used() {
    const { heap_size_limit: limit, used_heap_size: used } = getHeapStatistics();
    return used / Math.max(limit - YOUNG_BYTES, limit / 2);
  },
  live() {
    collectGarbage();
    return ownHeap.used();
  },
};

let gc: (() => void) | undefined;

/** Node lends its garbage collector to new contexts alone, unless it was started with an option. (A debugger's request takes its turn.) */
function collectGarbage(): void {
  if (gc === undefined) {
    setFlagsFromString('--expose-gc');
    gc = runInNewContext('gc') as () => void;
    setFlagsFromString('--no-expose-gc');
  }
  gc();
}
