import { byTier } from '../tier.ts';
import { sweep } from './kit.ts';

sweep('wide programs', byTier({ normal: 20, long: 300, soak: 800 }));
sweep('large programs that wait', byTier({ normal: 12, long: 200, soak: 800 }));
