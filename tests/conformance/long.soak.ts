/** The programs that take too long for every day: `npm run conformance`. */
import { compareCounts, isQuick } from './compare.ts';
import { categories } from './rows.ts';

for (const category of categories) compareCounts(category, (row) => !isQuick(row));
