/** The conformance programs in C, for benchmarks. */
import { fileURLToPath } from 'node:url';
import type { Program } from 'heddle';
import { loadC } from 'heddle/c';

/** Every round of a loop counts. */
export const c = (file: string, ...defines: string[]): Promise<Program> => load(file, defines, false);

/** For programs with loops that wait. */
export const waiting = (file: string, ...defines: string[]): Promise<Program> => load(file, defines, true);

function load(file: string, defines: readonly string[], isReduced: boolean): Promise<Program> {
  const path = fileURLToPath(new URL(`../tests/conformance/programs/${file}`, import.meta.url));
  return loadC(path, { defines, plp: isReduced, await: isReduced });
}
