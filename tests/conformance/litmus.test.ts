import { compareCounts, quickOnesOf } from './compare.ts';

compareCounts('litmus', quickOnesOf('genmc'));
