/** The litmus tests, under every model and for both equivalences: by the axioms, and by the explorers. */
import { describe, expect, test } from 'vitest';
import { kinds } from '../explore/kit/kinds.ts';
import { truthByAxioms } from '../explore/kit/truth.ts';
import { disagreement } from '../explore/kit.ts';
import { type AxiomaticTruth, axiomatic } from '../oracle/axiomatic.ts';
import { modelNames } from '../oracle/axioms.ts';
import type { ProgramAst } from '../oracle/language.ts';
import type { Outcome } from '../oracle/observed.ts';
import { litmusProgram, programWithOutcome } from './litmus/program.ts';
import { type Litmus, litmusTests } from './litmus.ts';

/** The program that shows the outcome of interest, and how it ends then. */
function showing({ threads, outcome }: Litmus): { readonly program: ProgramAst; readonly end: Outcome } {
  if (outcome === 'deadlock' || outcome === 'livelock') return { program: litmusProgram(threads), end: outcome };
  return { program: programWithOutcome(threads, outcome), end: 'complete' };
}

const MAX_STEPS = 100_000;
const kind = { ...kinds['programs for weak models'], truths: (ast: ProgramAst) => truthByAxioms(ast, MAX_STEPS) };

function truthOf(program: ProgramAst): AxiomaticTruth {
  const truth = axiomatic(program, { maxSteps: MAX_STEPS });
  if (truth === 'too large') throw new Error('too large for a litmus test');
  return truth;
}

describe.each(litmusTests.map((litmus) => [litmus.name, litmus] as const))('%s', (_, litmus) => {
  const program = litmusProgram(litmus.threads);
  const { program: outcomeProgram, end } = showing(litmus);
  const isAllowed = modelNames.map((model) => litmus.allowed.split(' ').includes(model));

  test('by the axioms', () => {
    const truth = truthOf(program);
    expect(modelNames.map((model) => truth[model].co.size)).toEqual(litmus.co);
    expect(modelNames.map((model) => truth[model].rf.size)).toEqual(litmus.rf);
    const ends = truthOf(outcomeProgram);
    expect(modelNames.map((model) => ends[model].outcomes.has(end))).toEqual(isAllowed);
  });

  test('by the explorers, which visit what the axioms allow', () => {
    expect(disagreement(program, kind)).toBeUndefined();
    expect(disagreement(outcomeProgram, kind)).toBeUndefined();
  });
});

describe('the table', () => {
  test('has many tests, each of its own', () => {
    expect(litmusTests.length).toBeGreaterThan(100);
    expect(new Set(litmusTests.map(({ name }) => name)).size).toBe(litmusTests.length);
    expect(new Set(litmusTests.map(({ threads }) => threads.join('|'))).size).toBe(litmusTests.length);
  });

  test('tells every two models apart', () => {
    for (let one = 0; one < modelNames.length; one++) {
      for (let other = 0; other < one; other++) {
        const differs = litmusTests.filter(({ co }) => co[one] !== co[other]);
        expect(differs.length, `${modelNames[one]} and ${modelNames[other]}`).toBeGreaterThan(5);
      }
    }
  });

  test('respects what is known of the models: each allows what a stronger one allows', () => {
    for (const { name, co, rf } of litmusTests) {
      for (const [sc, tso, pso, ra, rc11] of [co, rf]) {
        expect([sc <= tso, tso <= pso, pso <= ra, sc <= rc11, rc11 <= ra], name).toEqual(Array(5).fill(true));
      }
      expect(
        co.every((count, model) => (rf[model] as number) <= count),
        name,
      ).toBe(true);
    }
  });
});

describe('what is wrong with the text of a litmus test is said', () => {
  const mistakes: readonly (readonly [string, string])[] = [
    ['x = 1', 'expected a memory order (na, rlx, rel, sc), found the end, after "x = 1" in "x = 1"'],
    ['x = 1 acq', 'expected a memory order (na, rlx, rel, sc), found "acq", after "x = 1"'],
    ['a = x rel', 'expected a memory order (na, rlx, acq, sc), found "rel", after "a = x"'],
    ['a = cas(x, 0, 1) sc/rel', 'expected a memory order (rlx, acq, sc), found "rel"'],
    ['a = b rlx', 'expected a location (w to z), found "b", after "a ="'],
    ['lock x', 'expected a mutex (m or n), found "x", after "lock"'],
    ['x = 1 rlx y = 1 rlx', 'expected the end, found "y", after "x = 1 rlx"'],
    ['if a == 1 { x = 1 rlx', 'expected "}", found the end'],
    ['await x < 1 rlx', 'expected a comparison, found "<"'],
  ];
  test.each(mistakes)('%s', (text, message) => {
    expect(() => litmusProgram([text])).toThrow(message);
  });

  test('registers belong to one thread, and outcomes name registers and locations', () => {
    expect(() => litmusProgram(['a = x rlx', 'a = x rlx'])).toThrow('two threads have a register a');
    expect(() => programWithOutcome(['x = 1 rlx'], 'a=0')).toThrow('no thread has a register a');
    expect(() => programWithOutcome(['x = 1 rlx'], 'x is 0')).toThrow('an outcome is a list such as "a=0 x=2"');
  });
});
