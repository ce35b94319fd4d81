/**
 * The front ends, by the names that trace files have for them. To add one, write its folder, in it a `FrontEnd`
 * (`src/program/front-end.ts`), and a line here: files, options, help, loading and traces go by this table.
 */
import { cFrontEnd } from './c/front-end/index.ts';
import type { FrontEnd } from './program/front-end.ts';
import { typescriptFrontEnd } from './typescript/front-end/index.ts';

export const frontEnds: Readonly<Record<string, FrontEnd>> = {
  c: cFrontEnd,
  typescript: typescriptFrontEnd,
};
