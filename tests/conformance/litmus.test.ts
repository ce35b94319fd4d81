import { compareCounts, QUICK } from './compare.ts';

compareCounts('litmus', ({ complete }) => complete <= QUICK);
