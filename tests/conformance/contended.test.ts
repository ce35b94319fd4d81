/** Mutexes that threads contend for: `trust` explores each order in which they get them once, and nothing in vain. */
import { beforeAll, describe, expect, test } from 'vitest';
import { checkSync } from '../../src/check/check.ts';
import { type CompiledCases, compileCases, programOf } from './compiled.ts';
import type { Case } from './rows.ts';

const sizes = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
const many = (n: number): Case => ({ program: 'locks/many_mutexes.c', defines: [`-DN=${n}`] });
const one = (threads: number, rounds: number): Case => ({
  program: 'locks/mutex_counter.c',
  defines: [`-DN=${threads}`, `-DROUNDS=${rounds}`],
});

describe.each(['sc', 'tso', 'pso', 'ra', 'rc11'] as const)('under %s', (model) => {
  let compiled: CompiledCases;
  beforeAll(async () => {
    compiled = await compileCases([...sizes.map(many), one(3, 2), one(5, 1)]);
  }, 300_000);

  const counted = (it: Case) => checkSync(programOf(compiled, it), { model });

  test.each(sizes)('%i mutexes with two threads each', (n) => {
    expect(counted(many(n)).executions).toMatchObject({ complete: 2 ** n, blocked: 0, redundant: 0 });
  });

  test('ten of them take no ten seconds', () => {
    expect(counted(many(10)).elapsedMs).toBeLessThan(10_000);
  });

  test.each([
    [one(3, 2), 90], // 6! / (2! 2! 2!)
    [one(5, 1), 120],
  ])('one mutex, %j: %i orders', (it, orders) => {
    expect(counted(it).executions).toMatchObject({ complete: orders, redundant: 0 });
  });
});
