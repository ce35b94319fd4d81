/** Fair bounds, and both bounds: bounded partial-order reduction against the oracle. */
import { yieldingProgram } from '../random/yielding.ts';
import { byTier } from '../tier.ts';
import { expectAllWithin, onBoth, onFairness } from './kit/bpor.ts';

expectAllWithin(
  'on fairness',
  onFairness,
  yieldingProgram,
  {},
  byTier({ quick: 30, normal: 30, long: 300, soak: 10_000 }),
);
expectAllWithin('on both', onBoth, yieldingProgram, {}, byTier({ quick: 15, normal: 15, long: 250, soak: 6000 }));
