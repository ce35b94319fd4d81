import { byTier } from '../tier.ts';
import { sweep } from './kit.ts';

sweep('programs for weak models', byTier({ normal: 60, long: 1_200, soak: 5_000 }), 20_000_000);
sweep('programs with random orders', byTier({ normal: 6, long: 150 }), 20_000_000);
