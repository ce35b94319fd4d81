import { byTier } from '../tier.ts';
import { sweep } from './kit.ts';

sweep('programs that lock', byTier({ normal: 30, long: 180, soak: 10_000 }));
sweep('programs that lock, for weak models', byTier({ normal: 30, long: 180, soak: 10_000 }));
