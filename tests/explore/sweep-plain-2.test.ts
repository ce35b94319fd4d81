import { byTier } from '../tier.ts';
import { sweep } from './kit.ts';

sweep('random programs', byTier({ normal: 60, long: 1_200, soak: 5_000 }), 50_000);
