import { compareCounts, QUICK } from './compare.ts';

compareCounts('synthetic', ({ complete }) => complete <= QUICK);
