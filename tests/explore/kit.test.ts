/** The kit tests every algorithm there is, and notices explorers that are wrong. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { algorithms } from '../../src/explore/registry.ts';
import { litmusProgram } from '../models/litmus/program.ts';
import { kinds } from './kit/kinds.ts';
import { brokenLaws, claims, type ExplorerUnderTest, equivalencesOf, everyExplorer, type Law } from './kit/laws.ts';
import * as wrong from './kit/wrong-explorers.ts';

test('every algorithm of the registry is tested, by what it claims', () => {
  expect(Object.keys(claims)).toEqual(Object.keys(algorithms));
  for (const name of Object.keys(algorithms)) {
    const file = new URL(`${name}.laws.test.ts`, import.meta.url);
    expect(readFileSync(file, 'utf8')).toContain(`checkExplorer('${name}')`);
  }
});

test('who has a choice of equivalences visits the classes of the one that is chosen', () => {
  for (const x of everyExplorer) expect(x.claim.visits === 'chosen', x.name).toBe(equivalencesOf(x).length > 0);
});

const storeBuffering = ['x = 1 rlx; a = y rlx', 'y = 1 rlx; b = x rlx'];
const crossedWrites = ['x = 1 rlx; y = 2 rlx', 'y = 1 rlx; x = 2 rlx'];
const race = ['x = 1 na', 'x = 2 na'];
const deadlock = ['lock m; lock m'];

/** Wrong explorers, a program on which that shows, and the laws that they break there. */
const wrongExplorers: readonly (readonly [string, ExplorerUnderTest, readonly string[], readonly Law[]])[] = [
  ['one that drops an execution', wrong.dropsAnExecution, storeBuffering, ['complete', 'counted', 'divisible']],
  ['one that visits an execution twice', wrong.visitsTwice, storeBuffering, ['counted', 'divisible', 'nothing twice']],
  [
    'one that takes deadlocks for ends',
    wrong.takesDeadlocksForEnds,
    deadlock,
    ['complete', 'counted', 'same ends', 'sound'],
  ],
  ['one that explores what a weaker model allows', wrong.weakerThanItSays, crossedWrites, ['same ends', 'sound']],
  ['one that stops at an error', wrong.stopsEarly, race, ['complete', 'counted', 'exhaustive']],
  ['one that reports an error which is none', wrong.falseAlarm, storeBuffering, ['replayed', 'same errors']],
  ['one that keeps errors to itself', wrong.silent, race, ['same errors']],
  ['one that looks for no races', wrong.blindToRaces, race, ['same errors']],
  ['one that forgets a step of a witness', wrong.shortWitness, deadlock, ['replayed']],
  ['one that counts what it has not visited', wrong.miscounts, storeBuffering, ['counted']],
  ['one that forgets what is left when it is cut', wrong.forgetful, storeBuffering, ['divisible']],
  ['one that explores in vain and says that it does not', wrong.wasteful, storeBuffering, ['optimal']],
];

function brokenBy(x: ExplorerUnderTest, threads: readonly string[]): Law[] {
  const ast = litmusProgram(threads);
  const kind = kinds['bare operations'];
  const truths = kind.truths(ast);
  if (truths === 'too large') throw new Error('too large');
  return [...brokenLaws(x, { ast, kind, replays: true, cuts: 1, program: kind.program(ast, 1) }, truths).keys()].sort();
}

describe('a wrong explorer is rejected by the laws that it breaks', () => {
  test.each(wrongExplorers)('%s', (_, x, threads, laws) => {
    expect(brokenBy(x, threads)).toEqual(laws);
  });
});

test('on the same programs the right ones break none', () => {
  const programs = new Set(wrongExplorers.map(([, , threads]) => threads));
  for (const threads of programs) for (const x of everyExplorer) expect(brokenBy(x, threads), x.name).toEqual([]);
});
