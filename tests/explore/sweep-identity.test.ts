/** Where threads are run again together: values with an identity, and behaviours that forget. */
import { byTier } from '../tier.ts';
import { sweep } from './kit.ts';

sweep('programs with objects as values', byTier({ normal: 20, long: 1_000 }));
sweep('programs with objects that main has shown', byTier({ normal: 20, long: 250 }));
sweep('programs with new objects', byTier({ normal: 20, long: 500 }));
sweep('programs with new objects, whose behaviours forget', byTier({ normal: 20, long: 250 }));
sweep('programs whose behaviours forget', byTier({ normal: 20, long: 1_000 }));
sweep('programs for weak models, whose behaviours forget', byTier({ normal: 12, long: 300 }));
