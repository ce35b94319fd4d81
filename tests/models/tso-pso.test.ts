/** Corners of TSO and PSO that random programs rarely reach, against the axioms. */
import { describe, expect, test } from 'vitest';
import * as programs from '../../bench/programs.ts';
import { checkSync } from '../../src/check/check.ts';
import { kinds } from '../explore/kit/kinds.ts';
import { disagreement } from '../explore/kit.ts';
import type { ProgramAst, Statement } from '../oracle/language.ts';
import { litmusProgram } from './litmus/program.ts';

const store = (location: string): Statement => ({ kind: 'store', location, value: { constant: 1 }, order: 'seq_cst' });
const load = (location: string): Statement => ({ kind: 'load', location, register: 0, order: 'seq_cst' });
const join = (slot: number): Statement => ({ kind: 'join', slot, register: 1 });
const spawn = (slot: number, ...body: Statement[]): Statement => ({ kind: 'spawn', slot, body });

const corners: Readonly<Record<string, ProgramAst>> = {
  'what a thread reads of its own loose write says nothing of when others see it': litmusProgram([
    'x = 1 rlx; a = x rlx; y = 1 rlx',
    'b = y rlx; c = x rlx',
  ]),
  'a write that comes before a buffered one is not before the reads of that by its own thread': litmusProgram([
    'x = 2 rlx; a = x rlx; b = z rlx',
    'x = 1 rlx',
    'z = 1 rlx',
    'c = z rlx; d = x rlx',
  ]),
  'later stores overtake a release store, earlier ones do not': litmusProgram([
    'x = 1 rlx; y = 1 rel; z = 1 rlx',
    'a = z rlx; b = y rlx; c = x rlx',
  ]),
  'a release store waits for a release store': litmusProgram(['x = 1 rel; y = 1 rel', 'a = y rlx; b = x rlx']),
  'a release fence between reads and writes keeps no write before a read': litmusProgram([
    'x = 1 rlx; fence rel; a = y rlx; z = 1 rlx',
    'y = 1 rlx; fence rel; b = z rlx; c = x rlx',
  ]),
  'two release fences in a row': litmusProgram([
    'x = 1 rlx; fence rel; fence acq_rel; y = 1 rlx',
    'y = 2 rlx; a = x sc',
  ]),
  'a thread without events is joined': litmusProgram([
    'spawn t { }; x = 1 rlx; join t; a = y rlx',
    'y = 1 rlx; fence sc; b = x rlx',
  ]),
  'a loose write of a thread that is joined': litmusProgram([
    'spawn t { x = 1 rlx; y = 1 rlx }; join t; a = z rlx',
    'z = 1 sc; b = x rlx; c = y rlx',
  ]),
  'a thread that was joined turns out to come after another': {
    atomics: { x: 0, y: 0 },
    shared: {},
    mutexes: [],
    main: [
      spawn(0, store('x')),
      spawn(1, store('y'), load('x')),
      spawn(2, load('x')),
      join(0),
      join(2),
      load('y'), // the second thread, which saw no x, has written y before
    ],
  },
};

test.each(Object.entries(corners))('%s', (_, program) => {
  expect(disagreement(program, kinds['programs for weak models'])).toBeUndefined();
});

describe.each(['tso', 'pso'] as const)('%s', (model) => {
  const strict = [programs.lastzero(6), programs.expMem(4), programs.mutexCounter(3, 2), programs.treiber(2, 1)];
  test.each(strict.map((program) => [program.name, program] as const))(
    '%s is all seq_cst: as under sc',
    (_, program) => {
      expect(checkSync(program, { model }).executions).toEqual(checkSync(program, { model: 'sc' }).executions);
    },
  );
});
