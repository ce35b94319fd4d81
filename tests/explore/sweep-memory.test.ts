/** Lifetimes, plain accesses to atomics, waits that update, exits. */
import { byTier } from '../tier.ts';
import { sweep } from './kit.ts';

sweep('bare operations', byTier({ normal: 20, long: 400 }));
sweep('programs that free objects', byTier({ normal: 20, long: 300, soak: 800 }));
sweep('programs that free objects, without races', byTier({ normal: 20, long: 300, soak: 800 }));
sweep('programs that free objects, whose behaviours forget', byTier({ normal: 12, long: 300 }));
sweep('programs for weak models, without races', byTier({ normal: 12, long: 300 }));
