import { compareCounts } from './compare.ts';

for (const category of ['datastructures', 'dynprog', 'locks', 'mutualexclusion', 'spin']) {
  compareCounts(category, 'genmc');
}
