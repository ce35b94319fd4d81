import { compareSafestack, quickBaselines, quickHarnesses } from './paper-safestack.ts';

compareSafestack(quickHarnesses, quickBaselines);
