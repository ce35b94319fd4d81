import { compareBugs } from './compare.ts';
import { bugFolders, notRunYet } from './rows.ts';

for (const folder of bugFolders()) if (folder !== notRunYet) compareBugs(folder, 'co');
