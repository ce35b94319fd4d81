import { compareBugs } from './compare.ts';
import { bugFolders } from './rows.ts';

for (const folder of bugFolders()) compareBugs(folder, 'co');
