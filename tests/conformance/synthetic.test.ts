import { compareCounts } from './compare.ts';

compareCounts('synthetic', 'genmc');
