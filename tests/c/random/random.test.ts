/**
 * Random C programs print the same under Heddle as when clang compiles them to WebAssembly and Node runs that. More of them:
 * `npm run soak tests/c/random`.
 */
import { expect, test } from 'vitest';
import { checkSync } from '../../../src/check/check.ts';
import { byTier } from '../../tier.ts';
import { compareSeeds, modes, show } from './compare.ts';
import { generate, sourceOf } from './generate.ts';
import { compileForHeddle } from './heddle.ts';

const count = byTier({ normal: 2, long: 140 });
const PER_TEST = Math.min(20, count);

// In turn in each of the two ways; the soaking run has them all in both.
for (let seed = 0; seed < count; seed += PER_TEST) {
  const mode = modes[(seed / PER_TEST) % modes.length] as readonly string[];
  const way = mode.length === 0 ? 'in one thread' : 'in threads';
  test(`seeds ${seed} to ${seed + PER_TEST - 1} print ${way} what they print natively`, {
    timeout: 600_000,
  }, async () => {
    const differences = await compareSeeds(seed, PER_TEST, mode);
    expect(differences.map(show).join('\n')).toBe('');
  });
}

test('such programs have one execution, and no error in it', { timeout: 120_000 }, async () => {
  const sources = Array.from({ length: byTier({ normal: 1, long: 5 }) }, (_, index) =>
    sourceOf([generate(1000 + index, 0)]),
  );
  for (const mode of modes) {
    for (const [index, program] of (await compileForHeddle(sources, mode)).entries()) {
      const { verdict, executions, errors } = checkSync(program(), { model: 'sc', checkLeaks: true });
      const found = { verdict, complete: executions.complete, errors: errors.map(({ message }) => message) };
      expect(found, `seed ${1000 + index}`).toEqual({ verdict: 'ok', complete: 1, errors: [] });
    }
  }
});

test('a seed always gives the same program', () => {
  expect(sourceOf([generate(5, 0)])).toBe(sourceOf([generate(5, 0)]));
  expect(sourceOf([generate(5, 0)])).not.toBe(sourceOf([generate(6, 0)]));
});
