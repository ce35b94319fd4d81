/** The programs that take too long for every day: `npm run conformance`. */
import { compareCounts, QUICK } from './compare.ts';

for (const category of ['datastructures', 'dynprog', 'litmus', 'locks', 'mutualexclusion', 'spin', 'synthetic']) {
  compareCounts(category, ({ complete }) => complete > QUICK);
}
