import { byTier } from '../tier.ts';
import { sweep } from './kit.ts';

sweep('programs that access parts', byTier({ normal: 40, long: 500, soak: 5_000 }));
