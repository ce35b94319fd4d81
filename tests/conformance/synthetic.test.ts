import { compareCounts, quickOnesOf } from './compare.ts';

compareCounts('synthetic', quickOnesOf('genmc'));
