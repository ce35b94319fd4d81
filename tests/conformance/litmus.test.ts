import { compareCounts } from './compare.ts';

compareCounts('litmus', 'genmc');
