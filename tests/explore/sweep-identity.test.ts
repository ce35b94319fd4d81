/** Where threads must be run again together: values with an identity, and behaviours that forget. */
import { byTier } from '../tier.ts';
import { sweep } from './kit.ts';

sweep('programs with objects as values', byTier({ normal: 20, long: 400, soak: 1_000 }));
sweep('programs whose behaviours forget', byTier({ normal: 20, long: 400, soak: 1_000 }));
sweep('programs for weak models, whose behaviours forget', byTier({ normal: 12, long: 300 }));
