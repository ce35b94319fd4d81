/** Recording runs an execution again: if that does not end in the error that was found, Heddle says that it is wrong. */
import { describe, expect, test } from 'vitest';
import { recordError } from '../../src/check/record.ts';
import type { Finding } from '../../src/explore/explorer.ts';
import { algorithms } from '../../src/explore/registry.ts';
import { Behaviours } from '../../src/program/behaviours.ts';
import { InputError } from '../../src/program/input-error.ts';
import type { Program } from '../../src/program/operation.ts';
import { at, bare, cell, free, lifetime, load, malloc, mutexAt, spawn, store } from '../program/bare.ts';

function findingOf(program: Program): Finding {
  const errors = { keepGoing: false, races: true, livelock: true, checkLeaks: true };
  const options = { ...errors, equivalence: 'co', maxExecutions: 100 } as const;
  const explorer = algorithms.trust.make(new Behaviours(program), 'sc', options);
  while (!explorer.run(1000));
  const [finding] = explorer.findings;
  if (finding === undefined) throw new Error('nothing was found');
  return finding;
}

const [x, y] = [cell('x'), cell('y')];
const object = lifetime();
const m = mutexAt('m');
const idle = spawn('idle', function* () {
  yield load(y, 9);
});

const failing = bare(function* () {
  yield idle;
  yield load(x, 1);
  yield { kind: 'fail', failure: { kind: 'assertion', message: 'no', position: at(2) } };
});
const racing = bare(function* () {
  yield idle;
  yield spawn('writer', function* () {
    yield store(x, 1, 3);
  });
  yield load(x, 4);
});
const leaking = bare(function* () {
  yield idle;
  yield malloc(object, 8, 5);
  yield load(x, 6);
});
const freeing = bare(function* () {
  yield idle;
  yield malloc(object, 8, 5);
  yield free(object, 6);
});
const waiting = bare(function* () {
  yield idle;
  yield { kind: 'lock', location: m, position: at(7) };
  yield { kind: 'lock', location: m, position: at(8) };
});

describe('an execution that ends in something else', () => {
  test.each<[string, Program, Partial<Finding>, RegExp]>([
    [
      'another kind',
      failing,
      { kind: 'abort' },
      /error abort .* the program fails with assertion \(no\) at bare\.c:2:1$/,
    ],
    ['another place', failing, { position: at(77) }, /the program fails with assertion/],
    ['another thread', failing, { threads: ['0.0'] }, /the program does not fail/],
    ['no such thread', failing, { threads: ['0.7'] }, /thread 0\.7 does not exist/],
    ['another access', racing, { operation: 0 }, /two other accesses come|do not come/],
    ['no access', racing, { operation: 5 }, /the two accesses do not come/],
    ['another allocation', leaking, { operation: 2 }, /nothing is allocated there/],
    ['others that wait', waiting, { threads: ['0', '0.0'] }, /those that have not ended are: 0$/],
  ])('%s', (_name, program, changed, message) => {
    const finding = findingOf(program);
    expect(recordError(program, finding).kind).toBe(finding.kind);
    const record = (): unknown => recordError(program, { ...finding, ...changed });
    expect(record).toThrow(message);
    expect(record).not.toThrow(InputError);
  });

  test('an object that is freed', () => {
    const { witness, ...rest } = findingOf(leaking);
    const steps = [...witness.steps.slice(0, 2), { thread: 0 }];
    const finding: Finding = { ...rest, witness: { ...witness, steps } };
    expect(() => recordError(freeing, finding)).toThrow('the object is freed');
  });
});
