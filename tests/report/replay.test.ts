/** A replay fails where the recorded execution failed, or says where it fails instead. */
import { describe, expect, test } from 'vitest';
import { checkSync } from '../../src/check/check.ts';
import type { CheckError } from '../../src/check/result.ts';
import { InputError } from '../../src/program/input-error.ts';
import type { Operation, Program } from '../../src/program/operation.ts';
import { readTrace } from '../../src/report/read-trace.ts';
import { replaySteps } from '../../src/report/replay.ts';
import { traceOf, traceText } from '../../src/report/trace.ts';
import { at, bare, cell, free, join, lifetime, load, malloc, mutexAt, spawn, store } from '../program/bare.ts';
import { source } from './reports.ts';

const [x, y] = [cell('x'), cell('y')];
const [object, other] = [lifetime('node'), lifetime('other')];
const m = mutexAt('m');

/** Replays, on the second program, the trace of the first one's error, which lies in `folder`. */
function replayed(recorded: Program, program: Program, folder = '/tmp'): void {
  const result = checkSync(recorded, { checkLeaks: true });
  const written = traceOf(result, result.errors[0] as CheckError, source, '/tmp/t.json');
  const steps = replaySteps(program, readTrace(traceText(written), `${folder}/t.json`));
  while (steps.next().done !== true);
}

/** What is said instead, and about which line. */
function complaint(recorded: Program, program: Program): [line: number | undefined, message: string] {
  try {
    replayed(recorded, program);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return [error.position?.line, error.message.split('\n')[0] as string];
  }
  throw new Error('it was replayed');
}

/** Without its position if the line is 0. */
function placed(operation: Operation, line: number): Operation {
  const { position: _, ...rest } = operation;
  return line === 0 ? rest : ({ ...rest, position: at(line) } as Operation);
}

const failing = (line: number, message = 'no'): Program =>
  bare(function* () {
    yield load(x, 1);
    yield { kind: 'fail', failure: { kind: 'assertion', message, position: line === 0 ? undefined : at(line) } };
  });

const racing = (first: number, second: number): Program =>
  bare(function* () {
    yield spawn('writer', function* () {
      yield placed(store(x, 1), first);
    });
    yield placed(store(x, 2), second);
  });

const misusing = (line: number): Program =>
  bare(function* () {
    yield malloc(object, 8, 1);
    yield placed(free(object, 2), line);
    yield free(object, 9);
  });

const leaking = (line: number): Program =>
  bare(function* () {
    yield malloc(other, 4, 1);
    yield free(other, 1);
    yield placed(malloc(object, 8, 2), line);
  });

const waiting = (line: number, location = m): Program =>
  bare(function* () {
    const holder = yield spawn('holder', function* () {
      yield { kind: 'lock', location: m, position: at(3) };
      yield placed({ kind: 'lock', location }, line);
    });
    yield join(holder);
  });

describe('the same error', () => {
  test.each<[string, (line: number) => Program]>([
    ['a failure', failing],
    ['the second of two accesses', (line) => racing(4, line)],
    ['the first of two accesses', (line) => racing(line, 4)],
    ['a free', misusing],
    ['an allocation', leaking],
    ['a wait', waiting],
  ])('%s at the same line, or at none that is known', (_name, make) => {
    expect(() => replayed(make(5), make(5))).not.toThrow();
    expect(() => replayed(make(5), make(0))).not.toThrow();
    expect(() => replayed(make(0), make(5))).not.toThrow();
  });

  test('in a folder that has another name by now', () => {
    expect(() => replayed(failing(5), failing(5), '/elsewhere')).not.toThrow();
  });
});

describe('the same error at another line', () => {
  test('a failure', () => {
    expect(complaint(failing(8), failing(12))).toEqual([
      12,
      'after the one recorded step the program fails with assertion (no); expected: assertion (no) at bare.c:8:1.',
    ]);
    expect(complaint(failing(8), failing(8, 'never'))[1]).toContain('fails with assertion (never); expected');
  });

  test('the accesses that clash, each', () => {
    const others = 'after all 2 recorded steps two other accesses come: store x, store x';
    expect(complaint(racing(4, 5), racing(4, 6))).toEqual([6, expect.stringContaining(others)]);
    expect(complaint(racing(4, 5), racing(6, 5))).toEqual([6, expect.stringContaining(others)]);
    expect(complaint(misusing(2), misusing(3))).toEqual([3, expect.stringContaining('two other accesses come')]);
  });

  test('what has leaked', () => {
    expect(complaint(leaking(2), leaking(3))).toEqual([
      3,
      expect.stringContaining('the object is allocated elsewhere'),
    ]);
  });

  test('what is waited for', () => {
    expect(complaint(waiting(4), waiting(5))).toEqual([5, expect.stringContaining('thread holder waits in lock m')]);
  });
});

describe('another end', () => {
  test('no failure, no standstill', () => {
    const fine = bare(function* () {
      yield load(x, 1);
      yield load(y, 2);
    });
    expect(complaint(failing(8), fine)).toEqual([8, expect.stringContaining('the program does not fail; expected')]);
    expect(complaint(waiting(4), waiting(4, mutexAt('n')))[1]).toContain('thread holder can go on');
  });
});
