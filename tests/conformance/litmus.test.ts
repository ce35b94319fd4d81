import { compareCounts, isQuick } from './compare.ts';

compareCounts('litmus', isQuick);
