import { compareCounts, isQuick } from './compare.ts';

compareCounts('synthetic', isQuick);
