/** Shapes that random programs rarely have, under each memory model against the axioms. */
import { expect, test } from 'vitest';
import type { ProgramAst, Statement } from '../oracle/language.ts';
import { litmus } from '../oracle/litmus.ts';
import { kinds } from './kit/kinds.ts';
import { disagreement } from './kit.ts';

const store = (location: string, order: 'relaxed' | 'seq_cst'): Statement => {
  return { kind: 'store', location, value: { constant: 1 }, order };
};
const load = (location: string, order: 'relaxed' | 'acquire' | 'seq_cst', register = 0): Statement => {
  return { kind: 'load', location, register, order };
};
const spawn = (slot: number, ...body: Statement[]): Statement => ({ kind: 'spawn', slot, body });
const join = (slot: number): Statement => ({ kind: 'join', slot, register: 9 });
const fence = (order: 'acquire' | 'release' | 'seq_cst'): Statement => ({ kind: 'fence', order });
const onlyIf = (register: number, ...otherwise: Statement[]): Statement => {
  return { kind: 'if', register, equals: 0, whenEqual: [], otherwise };
};

function ast(...main: Statement[]): ProgramAst {
  return { atomics: { x: 0, y: 0, z: 0 }, shared: { d: 0 }, mutexes: [], main };
}

const writeData: Statement = { kind: 'plainStore', location: 'd', value: { constant: 1 } };
const readData: Statement = { kind: 'plainLoad', location: 'd', register: 5 };

const programs: Readonly<Record<string, ProgramAst>> = {
  'a release fence before a spawn is none of the child': ast(
    spawn(0, load('x', 'acquire'), onlyIf(0, readData)),
    writeData,
    fence('release'),
    spawn(1, store('x', 'relaxed')),
  ),
  'an acquire fence after a join is none of the child': ast(
    spawn(0, writeData, fence('release'), store('x', 'relaxed')),
    spawn(1, load('x', 'relaxed'), { kind: 'return', register: 0 }),
    { kind: 'join', slot: 1, register: 1 },
    fence('acquire'),
    onlyIf(1, readData),
  ),
  'store buffering across a spawn': ast(
    spawn(0, store('y', 'seq_cst'), load('x', 'seq_cst')),
    store('x', 'seq_cst'),
    spawn(1, load('y', 'seq_cst')),
  ),
  'store buffering across a join': ast(
    spawn(0, store('y', 'seq_cst'), load('x', 'seq_cst')),
    spawn(1, store('x', 'seq_cst')),
    join(1),
    load('y', 'seq_cst'),
  ),
  'relaxed store buffering across a spawn, under TSO a fence': ast(
    spawn(0, store('y', 'relaxed'), fence('seq_cst'), load('x', 'relaxed')),
    store('x', 'relaxed'),
    spawn(1, load('y', 'relaxed')),
  ),
  'Z6.U': litmus('Wx1.sc Wy1.rel | Uy1>2.sc Ry3.rlx | Wy3.sc Rx0.sc'),
  'Z6.3 with fences': litmus('Wx1.rlx F.sc Wy1.rlx | Wy2.rlx F.sc Rz0.rlx | Wz1.rlx F.sc Rx0.rlx'),
  'W+RWC with fences': litmus('Wx1.rlx Wz1.rel | Rz1.acq F.sc Ry0.rlx | Wy1.rlx F.sc Rx0.rlx'),
  'IRIW with fences': litmus('Wx1.rlx | Wy1.rlx | Rx1.rlx F.sc Ry0.rlx | Ry1.rlx F.sc Rx0.rlx'),
  'IRIW of mixed orders': litmus('Wx1.sc | Wy1.sc | Rx1.acq Ry0.sc | Ry1.sc Rx0.sc'),
  'two ways of synchronisation between seq_cst accesses': litmus(
    'Wx1.sc Wz1.rel | Rz1.acq Wy1.sc | Wy2.sc Rx0.sc || y=2',
  ),
  'a chain of updates of other orders': litmus('Wx1.na Wy1.rel | Uy1>2.rlx | Uy2>3.rlx | Ry3.acq Rx1.na'),
};

test.each(Object.keys(programs))('explorers agree with the axioms on %s', (name) => {
  expect(disagreement(programs[name] as ProgramAst, kinds['programs for weak models'])).toBe(undefined);
});
