import { byTier } from '../tier.ts';
import { sweep } from './kit.ts';

sweep('programs that access parts', byTier({ normal: 60, long: 3_000, soak: 5_000 }));
