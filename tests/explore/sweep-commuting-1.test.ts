import { byTier } from '../tier.ts';
import { sweep } from './kit.ts';

sweep('programs with updates that commute', byTier({ normal: 60, long: 1_200, soak: 5_000 }));
