import { byTier } from '../tier.ts';
import { compareBugs } from './compare.ts';
import { bugFolders } from './rows.ts';

const equivalences = byTier({ normal: ['co'], long: ['co', 'rf'] } as const);
for (const equivalence of equivalences) for (const folder of bugFolders()) compareBugs(folder, equivalence);
