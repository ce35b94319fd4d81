import { byTier } from '../tier.ts';
import { sweep } from './kit.ts';

sweep('programs that wait', byTier({ normal: 200, long: 2_400, soak: 10_000 }), 5_000_000);
