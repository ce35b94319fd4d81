/**
 * The axiomatic oracle against three others: the interleavings (SC), machines with store buffers (TSO, PSO), and what everybody knows
 * about litmus tests.
 */
import { describe, expect, test } from 'vitest';
import { memoryProgram } from '../random/memory.ts';
import { randomProgram, show } from '../random/programs.ts';
import { randomWeakProgram } from '../random/weak.ts';
import { wideProgram } from '../random/wide.ts';
import { byTier } from '../tier.ts';
import { type AxiomaticTruth, axiomatic } from './axiomatic.ts';
import { type ModelName, modelNames } from './axioms.ts';
import { oracle } from './classes.ts';
import { isWellFormed, type ProgramAst } from './language.ts';
import { litmus } from './litmus.ts';
import { bufferedExecutions } from './store-buffers.ts';

/** Calls `visit` with the programs of `count` seeds that the oracle can handle; most of them must be. */
function onPrograms(
  make: (seed: number) => ProgramAst,
  count: number,
  visit: (program: ProgramAst, truth: AxiomaticTruth) => 'too large' | undefined,
): void {
  let compared = 0;
  for (let seed = 0; seed < count; seed++) {
    const program = make(seed);
    expect(isWellFormed(program)).toBe(true);
    const truth = axiomatic(program, { maxSteps: 5000 });
    if (truth !== 'too large' && visit(program, truth) === undefined) compared += 1;
  }
  expect(compared).toBeGreaterThan(count / 2);
}

test.each([
  ['random', randomProgram],
  ['wide', wideProgram],
  ['low-level', memoryProgram],
  ['weak', randomWeakProgram],
])('under SC it finds what the interleavings do: %s programs', (_, make: (seed: number) => ProgramAst) => {
  onPrograms(make, byTier({ normal: 60, long: 200 }), (program, { sc }) => {
    const other = oracle(program, { maxInterleavings: 2000 });
    if (other === 'too large') return 'too large';
    const { finalStates, returnStates, outcomes, failures, races, misuses, leaks } = other;
    expect(sc, show(program)).toEqual({
      co: new Set(other.coClasses.keys()),
      rf: new Set(other.rfClasses.keys()),
      ...{ finalStates, returnStates, outcomes, failures, races, misuses, leaks },
    });
    return undefined;
  });
});

test.each(['tso', 'pso'] as const)('under %s it finds the executions of a machine with store buffers', (model) => {
  onPrograms(randomWeakProgram, byTier({ normal: 60, long: 400 }), (program, truth) => {
    const executions = bufferedExecutions(program, model, 3000);
    if (executions === 'too large') return 'too large';
    expect(truth[model].co, show(program)).toEqual(executions);
    return undefined;
  });
});

describe('stronger models allow less', () => {
  const pairs = [
    ['sc', 'tso'],
    ['tso', 'pso'],
    ['sc', 'rc11'],
    ['rc11', 'ra'],
  ] as const;
  test.each(pairs)('%s less than %s', (stronger, weaker) => {
    let differences = 0;
    onPrograms(randomWeakProgram, byTier({ normal: 100, long: 600 }), (program, truth) => {
      for (const key of truth[stronger].co) expect(truth[weaker].co.has(key), show(program)).toBe(true);
      for (const key of truth[stronger].rf) expect(truth[weaker].rf.has(key), show(program)).toBe(true);
      if (truth[weaker].co.size > truth[stronger].co.size) differences += 1;
      return undefined;
    });
    expect(differences).toBeGreaterThan(5);
  });
});

describe('litmus tests', () => {
  const allowedBy = (text: string): readonly ModelName[] => {
    const truth = axiomatic(litmus(text), { maxSteps: 20_000 });
    if (truth === 'too large') throw new Error(`${text} is too large`);
    return modelNames.filter((name) => truth[name].outcomes.has('complete'));
  };

  // RA knows of no seq_cst: to it they are release and acquire. TSO and PSO know of no other orders of loads.
  test.each([
    // store buffering: a load overtakes a store
    ['SB', 'Wx1.rlx Ry0.rlx | Wy1.rlx Rx0.rlx', 'tso pso ra rc11'],
    ['SB, release and acquire', 'Wx1.rel Ry0.acq | Wy1.rel Rx0.acq', 'tso pso ra rc11'],
    ['SB, seq_cst', 'Wx1.sc Ry0.sc | Wy1.sc Rx0.sc', 'ra'],
    ['SB, seq_cst stores', 'Wx1.sc Ry0.rlx | Wy1.sc Rx0.rlx', 'ra rc11'],
    ['SB, seq_cst fences', 'Wx1.rlx F.sc Ry0.rlx | Wy1.rlx F.sc Rx0.rlx', 'ra'],
    ['SB, one seq_cst fence', 'Wx1.rlx F.sc Ry0.rlx | Wy1.rlx Rx0.rlx', 'tso pso ra rc11'],
    ['SB, other fences', 'Wx1.rlx F.ar Ry0.rlx | Wy1.rlx F.ar Rx0.rlx', 'tso pso ra rc11'],
    ['SB of updates', 'Ux0>1.ar Ry0.rlx | Uy0>1.ar Rx0.rlx', 'ra rc11'],
    ['SB after forwarding', 'Wx1.rlx Rx1.rlx Ry0.rlx | Wy1.rlx Ry1.rlx Rx0.rlx', 'tso pso ra rc11'],
    ['n6', 'Wx1.rlx Rx1.rlx Ry0.rlx | Wy1.rlx Wx2.rlx || x=1', 'tso pso ra rc11'],
    ['3.SB', 'Wx1.rlx Ry0.rlx | Wy1.rlx Rz0.rlx | Wz1.rlx Rx0.rlx', 'tso pso ra rc11'],
    ['3.SB, seq_cst fences', 'Wx1.rlx F.sc Ry0.rlx | Wy1.rlx F.sc Rz0.rlx | Wz1.rlx F.sc Rx0.rlx', 'ra'],
    // message passing: stores or loads change places
    ['MP', 'Wx1.rlx Wy1.rlx | Ry1.rlx Rx0.rlx', 'pso ra rc11'],
    ['MP, release and acquire', 'Wx1.rlx Wy1.rel | Ry1.acq Rx0.rlx', ''],
    ['MP, release alone', 'Wx1.rlx Wy1.rel | Ry1.rlx Rx0.rlx', 'ra rc11'],
    ['MP, acquire alone', 'Wx1.rlx Wy1.rlx | Ry1.acq Rx0.rlx', 'pso ra rc11'],
    ['MP, fences', 'Wx1.rlx F.rel Wy1.rlx | Ry1.rlx F.acq Rx0.rlx', ''],
    ['MP, fences the wrong way round', 'Wx1.rlx F.acq Wy1.rlx | Ry1.rlx F.rel Rx0.rlx', 'pso ra rc11'],
    ['MP, a relaxed fence', 'Wx1.rlx F.rlx Wy1.rlx | Ry1.acq Rx0.rlx', 'pso ra rc11'],
    ['MP, plain data', 'Wx1.na Wy1.rlx | Ry1.rlx Rx0.na', 'pso ra rc11'],
    ['MP through an update', 'Wx1.rlx Wy1.rel | Uy1>2.rlx | Ry2.acq Rx0.rlx', ''],
    ['MP, a later store of the same thread', 'Wx1.rlx Wy1.rel Wy2.rlx | Ry2.acq Rx0.rlx', 'ra rc11'],
    ['MP through a store of another thread', 'Wx1.rlx Wy1.rel | Ry1.rlx Wy2.rlx | Ry2.acq Rx0.rlx', 'ra rc11'],
    ['ISA2', 'Wx1.rlx Wy1.rel | Ry1.acq Wz1.rel | Rz1.acq Rx0.rlx', ''],
    ['ISA2, relaxed in the middle', 'Wx1.rlx Wy1.rel | Ry1.rlx Wz1.rlx | Rz1.acq Rx0.rlx', 'ra rc11'],
    // nothing out of thin air
    ['LB', 'Rx1.rlx Wy1.rlx | Ry1.rlx Wx1.rlx', ''],
    // two orders of writes
    ['S', 'Wx2.rlx Wy1.rlx | Ry1.rlx Wx1.rlx || x=2', 'pso ra rc11'],
    ['S, release and acquire', 'Wx2.rlx Wy1.rel | Ry1.acq Wx1.rlx || x=2', ''],
    ['R', 'Wx1.rlx Wy1.rlx | Wy2.rlx Rx0.rlx || y=2', 'tso pso ra rc11'],
    ['R, seq_cst', 'Wx1.sc Wy1.sc | Wy2.sc Rx0.sc || y=2', 'ra'],
    ['2+2W', 'Wx1.rlx Wy2.rlx | Wy1.rlx Wx2.rlx || x=1 y=1', 'pso ra rc11'],
    ['2+2W, release', 'Wx1.rel Wy2.rel | Wy1.rel Wx2.rel || x=1 y=1', 'ra rc11'],
    ['2+2W, seq_cst', 'Wx1.sc Wy2.sc | Wy1.sc Wx2.sc || x=1 y=1', 'ra'],
    ['Z6.3', 'Wx1.rlx Wy1.rlx | Wy2.rlx Rz0.rlx | Wz1.rlx Rx0.rlx || y=2', 'tso pso ra rc11'],
    ['Z6.U', 'Wx1.sc Wy1.rel | Uy1>2.sc Ry3.rlx | Wy3.sc Rx0.sc', 'ra rc11'],
    // one location
    ['CoRR', 'Wx1.rlx | Rx1.rlx Rx0.rlx', ''],
    ['CoRR of two writes', 'Wx1.rlx | Wx2.rlx | Rx1.rlx Rx2.rlx | Rx2.rlx Rx1.rlx', ''],
    ['CoWR', 'Wx1.rlx Rx0.rlx', ''],
    ['CoRW', 'Rx1.rlx Wx1.rlx', ''],
    ['CoWW', 'Wx1.rlx Wx2.rlx || x=1', ''],
    ['two updates that find the same', 'Ux0>1.rlx | Ux0>2.rlx', ''],
    // more than one copy of memory
    ['WRC', 'Wx1.rlx | Rx1.rlx Wy1.rlx | Ry1.rlx Rx0.rlx', 'ra rc11'],
    ['WRC, release and acquire', 'Wx1.rlx | Rx1.rlx Wy1.rel | Ry1.acq Rx0.rlx', ''],
    ['RWC', 'Wx1.rlx | Rx1.acq Ry0.acq | Wy1.rlx Rx0.rlx', 'tso pso ra rc11'],
    ['RWC, seq_cst', 'Wx1.sc | Rx1.sc Ry0.sc | Wy1.sc Rx0.sc', 'ra'],
    ['RWC, seq_cst fences', 'Wx1.rlx | Rx1.rlx F.sc Ry0.rlx | Wy1.rlx F.sc Rx0.rlx', 'ra'],
    ['W+RWC', 'Wx1.rlx Wz1.rel | Rz1.acq F.sc Ry0.rlx | Wy1.rlx F.sc Rx0.rlx', 'ra'],
    ['IRIW', 'Wx1.rel | Wy1.rel | Rx1.acq Ry0.acq | Ry1.acq Rx0.acq', 'ra rc11'],
    ['IRIW, seq_cst', 'Wx1.sc | Wy1.sc | Rx1.sc Ry0.sc | Ry1.sc Rx0.sc', 'ra'],
    ['IRIW, seq_cst fences', 'Wx1.rlx | Wy1.rlx | Rx1.rlx F.sc Ry0.rlx | Ry1.rlx F.sc Rx0.rlx', 'ra'],
    ['IRIW, acquire first', 'Wx1.sc | Wy1.sc | Rx1.acq Ry0.sc | Ry1.acq Rx0.sc', 'ra rc11'],
  ])('%s: %s is allowed by [%s]', (_, text, models) => {
    expect(allowedBy(text).join(' ')).toBe(models);
  });
});

describe('races', () => {
  const racy = (text: string): string => {
    const truth = axiomatic(litmus(text), { maxSteps: 20_000 });
    if (truth === 'too large') throw new Error(`${text} is too large`);
    return modelNames.filter((name) => truth[name].races.has('race x')).join(' ');
  };

  test.each([
    ['Wx1.na | Rx0.na', 'sc tso pso ra rc11'],
    ['Wx1.na Wy1.rel | Ry1.acq Rx1.na', ''],
    ['Wx1.na Wy1.rlx | Ry1.rlx Rx1.na', 'ra rc11'],
    ['Wx1.na F.rel Wy1.rlx | Ry1.rlx F.acq Rx1.na', ''],
    ['Wx1.na Wy1.rel Uy1>2.rlx | Ry2.acq Rx1.na', ''],
    ['Wx1.na Wy1.rel Wy2.rlx | Ry2.acq Rx1.na', 'ra rc11'],
    ['Wx1.na Wy1.rel | Ry1.rlx Wy2.rlx | Ry2.acq Rx1.na', 'ra rc11'],
    ['Wx1.na Uy0>1.rel | Uy1>2.acq Wx2.na', ''],
    ['Wx1.na Uy0>1.acq | Uy1>2.rel Wx2.na', 'ra rc11'],
  ])('%s races under [%s]', (text, models) => {
    expect(racy(text)).toBe(models);
  });
});

test('too large', () => {
  const program = litmus('Wx1.rlx Wy1.rlx | Ry1.rlx Rx0.rlx');
  expect(axiomatic(program, { maxSteps: 5 })).toBe('too large');
  expect(axiomatic(program, { maxSteps: 500 })).not.toBe('too large');
});
