import { compareCounts, quickOnesOf } from './compare.ts';

for (const category of ['datastructures', 'dynprog', 'locks', 'mutualexclusion', 'spin']) {
  compareCounts(category, quickOnesOf('genmc'));
}
