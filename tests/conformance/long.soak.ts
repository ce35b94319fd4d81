/** The programs that take too long for every day: `npm run conformance`. */
import { compareBugs, compareCounts, isQuick } from './compare.ts';
import { bugFolders, categories, notRunYet } from './rows.ts';

for (const folder of bugFolders()) if (folder !== notRunYet) compareBugs(folder, 'rf');
for (const category of categories) compareCounts(category, (row) => !isQuick(row));
