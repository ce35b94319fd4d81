import { byTier } from '../tier.ts';
import { sweep } from './kit.ts';

sweep('programs with updates that commute', byTier({ normal: 60, long: 2_000, soak: 5_000 }));
