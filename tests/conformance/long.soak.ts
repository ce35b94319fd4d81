/** The programs that take too long for every day: `npm run conformance`. */
import { compareCounts, isQuick } from './compare.ts';

for (const category of ['datastructures', 'dynprog', 'litmus', 'locks', 'mutualexclusion', 'spin', 'synthetic']) {
  compareCounts(category, (row) => !isQuick(row));
}
