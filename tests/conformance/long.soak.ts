/** The programs that take too long for every day: `npm run conformance`. */
import { compareBugs, compareCounts, isQuick } from './compare.ts';
import { compareSafestack, longBaselines, longHarnesses } from './paper-safestack.ts';
import { bugFolders, categories } from './rows.ts';

for (const folder of bugFolders()) compareBugs(folder, 'rf');
for (const category of categories) compareCounts(category, (row) => !isQuick(row));
compareSafestack(longHarnesses, longBaselines);
