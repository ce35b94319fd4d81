/** Random programs for weak memory models are well formed, and tell the models apart. */
import { expect, test } from 'vitest';
import { axiomatic } from '../oracle/axiomatic.ts';
import { isWellFormed } from '../oracle/language.ts';
import { randomWeakProgram } from './weak.ts';
import { weakenedProgram } from './weaken.ts';

test.each([
  ['randomWeakProgram', randomWeakProgram],
  ['weakenedProgram', weakenedProgram],
])('%s makes well-formed programs, the same for the same seed', (_, make) => {
  for (let seed = 0; seed < 500; seed++) {
    const program = make(seed);
    expect(isWellFormed(program)).toBe(true);
    expect(make(seed)).toEqual(program);
  }
});

test('programs for weak models are mostly small, tell the models apart, and end in every way', {
  timeout: 120_000,
}, () => {
  const found = new Map<string, number>();
  const note = (feature: string, isThere: boolean) => found.set(feature, (found.get(feature) ?? 0) + (isThere ? 1 : 0));
  for (let seed = 0; seed < 600; seed++) {
    const truth = axiomatic(randomWeakProgram(seed), { maxSteps: 3000 });
    note('small', truth !== 'too large');
    if (truth === 'too large') continue;
    const { sc, tso, pso, ra, rc11 } = truth;
    note('tso allows more than sc', tso.rf.size > sc.rf.size);
    note('pso allows more than tso', pso.rf.size > tso.rf.size);
    note('rc11 allows more than sc', rc11.rf.size > sc.rf.size);
    note('ra allows more than rc11', ra.rf.size > rc11.rf.size);
    note('co tells more than rf', sc.co.size > sc.rf.size);
    note('race', sc.races.size > 0);
    note('race under ra alone', ra.races.size > sc.races.size);
    note('misuse', sc.misuses.size > 0);
    for (const outcome of ['complete', 'blocked', 'deadlock', 'livelock', 'failed'] as const) {
      note(outcome, rc11.outcomes.has(outcome));
    }
  }
  expect(found.get('small')).toBeGreaterThan(500);
  for (const [feature, count] of found) expect(count, feature).toBeGreaterThan(4);
});
