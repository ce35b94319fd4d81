/** A region is put into the box before its owner gives it up: by then it may be another's, who finds that it owns nothing. */
import { type Region, regions } from './regions.js';

function* giveLate({ owner, box }: Region) {
  yield* box.store(true);
  yield* owner.store('nobody');
}

export default regions(giveLate);
