/** The programs of these tests, all together, with a header that fits all. */
import type { Program } from '../../../src/program/operation.ts';
import { compileForHeddle } from '../random/heddle.ts';
import { atomics, copied, mixed, used, volatiles } from './memory-programs.ts';
import { mixedProgram } from './mixed-sizes.ts';
import { buffering, parts } from './parts-programs.ts';
import * as programs from './programs.ts';
import { backOffs, rounds } from './round-programs.ts';
import * as spin from './spin-programs.ts';
import { notProtecting, protecting } from './synchronisation.ts';
import * as system from './system.ts';

const includes =
  'assert heddle pthread sched semaphore stdarg stdatomic stddef stdint stdio stdlib string threads time unistd';
/** Some programs have functions of their own with names that <unistd.h> has. */
export const header = [
  '#define _GNU_SOURCE',
  '#define read unistd_read',
  ...includes.split(' ').map((name) => `#include <${name}.h>`),
  '#undef read',
  '',
].join('\n');

const codeOf = (all: Readonly<Record<string, { readonly code: string }>>): Record<string, string> =>
  Object.fromEntries(Object.entries(all).map(([name, { code }]) => [name, code]));

export const material: Readonly<Record<string, string>> = {
  ...programs.correct,
  ...codeOf({ ...programs.broken, ...programs.allocatedBefore, ...programs.assuming, ...programs.weak }),
  ...copied,
  ...codeOf({ ...used, ...volatiles, ...atomics, ...mixed, ...parts, ...rounds, ...spin.spinning, ...spin.several }),
  ...Object.fromEntries([1, 2, 3].map((seed) => [`mixed ${seed}`, mixedProgram(seed).code])),
  buffering: buffering('relaxed'),
  ...backOffs,
  ...spin.calling,
  ...spin.racing,
  ...spin.stopped,
  ...spin.assuming,
  ...protecting,
  ...notProtecting,
  ...system.correct,
  ...codeOf(system.broken),
};

/** Every n-th of them. */
export function everyNth(n: number): Record<string, string> {
  return Object.fromEntries(Object.entries(material).filter((_, i) => i % n === 0));
}

/** By name: what makes the program anew, compiled once. */
export async function compileAll(
  sources: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, () => Program>> {
  const all = await compileForHeddle(
    Object.values(sources).map((source) => header + source),
    [],
  );
  return new Map(Object.keys(sources).map((name, i) => [name, all[i] as () => Program]));
}
