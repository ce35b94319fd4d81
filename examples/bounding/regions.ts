/**
 * Regions of memory that have an owner, and only that may touch them; others get an exception. A region goes from one thread to the
 * next through a box; who finds the box empty yields and looks again. Who gives a region away must give up ownership first:
 * the one of regions-broken.ts does so last.
 */
import { type Atomic, atomic, program, spawn, type ThreadBody, yieldNow } from 'heddle';

export interface Region {
  readonly owner: Atomic<string>;
  readonly box: Atomic<boolean>;
}

function* touch({ owner }: Region, who: string) {
  const found = yield* owner.load();
  if (found !== who) throw new Error(`${who} touches a region of ${found}`); // <- fails
}

function* give({ owner, box }: Region) {
  yield* owner.store('nobody');
  yield* box.store(true);
}

export const regions = (giveAway: (region: Region) => ThreadBody<void>) =>
  program(function* () {
    const region: Region = { owner: atomic('filler'), box: atomic(false) };

    yield* spawn(function* filler() {
      yield* touch(region, 'filler');
      yield* giveAway(region);
    });
    yield* spawn(function* printer() {
      while (!(yield* region.box.load())) yield* yieldNow();
      yield* region.owner.store('printer');
      yield* touch(region, 'printer');
    });
  });

export default regions(give);
