import { compareCounts, QUICK } from './compare.ts';

for (const category of ['datastructures', 'dynprog', 'locks', 'mutualexclusion', 'spin']) {
  compareCounts(category, ({ complete }) => complete <= QUICK);
}
