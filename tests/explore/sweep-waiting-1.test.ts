import { byTier } from '../tier.ts';
import { sweep } from './kit.ts';

sweep('programs that wait', byTier({ normal: 400, long: 10_000 }));
