/** An error is one finding, however the threads are numbered when it is met again. */
import { expect, test } from 'vitest';
import { algorithms } from '../../src/explore/registry.ts';
import { Behaviours } from '../../src/program/behaviours.ts';
import type { Operation, Program } from '../../src/program/operation.ts';
import { type Body, bare, cell, load, mutexAt, spawn, store } from '../program/bare.ts';

const [x, y, z] = [cell('x'), cell('y'), cell('z')];
const m = mutexAt('m');

const unplaced = ({ position: _, ...operation }: Operation): Operation => operation as Operation;
const lock: Operation = { kind: 'lock', location: m };

const idle: Body = function* () {
  yield load(z, 1, 'seq_cst');
};

/**
 * The second thread that main spawns comes before the grandchild in the order of paths, and is met after it: in executions in
 * which main sees that x is 1, which come after others.
 */
function lateChild(grandchild: Body, more: readonly Operation[]): Program {
  return bare(function* () {
    yield spawn('child', function* () {
      yield spawn('grandchild', grandchild);
      yield store(x, 1, 1, 'seq_cst');
      yield* more;
    });
    if ((yield load(x, 1, 'seq_cst')) === 1) yield spawn('late', idle);
  });
}

function findingsOf(program: Program): string[] {
  const errors = { keepGoing: true, races: true, livelock: true, checkLeaks: false };
  const behaviours = new Behaviours(program);
  const explorer = algorithms.trust.make(behaviours, 'sc', { ...errors, equivalence: 'co', maxExecutions: 1000 });
  const numbers = new Set<number>();
  for (let isOver = false; !isOver; ) {
    isOver = explorer.run(1);
    numbers.add(behaviours.threads.findIndex(({ path }) => path === '0.0.0'));
  }
  expect(numbers).toContain(2);
  expect(numbers).toContain(3);
  return explorer.findings.map(({ kind, threads }) => `${kind} of ${threads.join(', ')}`);
}

test('a deadlock', () => {
  const grandchild: Body = function* () {
    yield lock;
    yield lock;
  };
  expect(findingsOf(lateChild(grandchild, []))).toEqual(['deadlock of 0.0.0']);
});

test('a race of accesses whose places are not known', () => {
  const write = unplaced(store(y, 1));
  const grandchild: Body = function* () {
    yield write;
  };
  expect(findingsOf(lateChild(grandchild, [write]))).toEqual(['race of 0.0, 0.0.0']);
});
