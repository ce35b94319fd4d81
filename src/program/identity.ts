/**
 * What a program can see of a thread's identity: a number that depends on the thread's path of spawns alone (see
 * `ThreadInfo.path`), so that it is the same in every run and every process. It is positive and fits into an i32.
 *
 *   1                 main
 *   2 .. 2^20 - 1     the children of main, in the order in which it spawns them
 *   2^20 .. 2^30 - 1  other paths whose components, as a prefix code, are short enough
 *   2^30 .. 2^31 - 1  all others, by a hash: two of them may have one number, which `Behaviours` refuses
 */
import { mixed, SEED } from './hash.ts';

/** The identity of the main thread. */
export const MAIN = 1;

const FIRST_CHILD = 2;
const CODED = 2 ** 20;
const HASHED = 2 ** 30;

export function identityOf(path: string): number {
  const components = path.split('.').slice(1).map(Number);
  const [only = 0] = components;
  if (components.length === 0) return MAIN;
  if (components.length === 1 && FIRST_CHILD + only < CODED) return FIRST_CHILD + only;
  return coded(components) ?? HASHED + (components.reduce(mixed, SEED) >>> 2);
}

export function isChildOfMain(identity: number): boolean {
  return identity >= FIRST_CHILD && identity < CODED;
}

/** The components, each in Elias' gamma code, after a 1 that marks the start: so no two paths have one code. */
function coded(components: readonly number[]): number | undefined {
  let code = 1;
  for (const component of components) {
    const bits = Math.floor(Math.log2(component + 1));
    code = code * 2 ** (2 * bits + 1) + component + 1;
    if (CODED + code >= HASHED) return undefined;
  }
  return CODED + code;
}
