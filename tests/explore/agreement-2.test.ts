/** Half 2 of the 3,000 programs (two files, so that they run side by side): nobody uses the results of their fetchAdds. */
import { test } from 'vitest';
import { commutingProgram } from '../random/commuting.ts';
import { expectAgreement } from './agreement-on-seeds.ts';

test('all explorers visit exactly the classes of the oracle on 1,500 random programs with updates that commute', {
  timeout: 900_000,
}, () => {
  expectAgreement(2_000_000, 1_500, { make: commutingProgram, bare: true });
});
