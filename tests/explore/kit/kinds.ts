/** The kinds of random programs on which explorers are compared with an oracle, and how they are run. */
import type { Program } from '../../../src/program/operation.ts';
import type { ProgramAst, Statement } from '../../oracle/language.ts';
import { commutingProgram } from '../../random/commuting.ts';
import { lockingProgram } from '../../random/locking.ts';
import { memoryProgram } from '../../random/memory.ts';
import { partsProgram } from '../../random/parts.ts';
import { randomProgram } from '../../random/programs.ts';
import { toHeddle } from '../../random/to-heddle.ts';
import { toOperations } from '../../random/to-operations.ts';
import { waitingProgram } from '../../random/waiting.ts';
import { randomWeakProgram } from '../../random/weak.ts';
import { weakenedProgram } from '../../random/weaken.ts';
import { wideProgram } from '../../random/wide.ts';
import { type Truths, truthByAxioms, truthByInterleavings } from './truth.ts';

export interface Kind {
  /** The first seed. */
  readonly seed: number;
  make(seed: number): ProgramAst;
  program(ast: ProgramAst, seed: number): Program;
  truths(ast: ProgramAst): Truths | 'too large';
  /** How many states the behaviours remember before they forget, so that forgetting is tested too. */
  readonly maxStates: number;
  readonly races: boolean;
  /** Whether values are objects. */
  readonly hasObjects: boolean;
}

const plain: Kind = {
  seed: 1_000_000,
  make: randomProgram,
  program: (ast) => toHeddle(ast),
  truths: (ast) => truthByInterleavings(ast, 1500),
  maxStates: 1_000_000,
  races: true,
  hasObjects: false,
};

/** Without the front end, which has no words for some of it. */
const bare: Kind = { ...plain, seed: 6_000_000, program: (ast) => toOperations(ast) };
const memory: Kind = { ...bare, seed: 7_000_000, make: memoryProgram };
const weak: Kind = {
  ...plain,
  seed: 10_000_000,
  make: randomWeakProgram,
  program: (ast, seed) => (seed % 4 === 0 && !isBare(ast) ? toHeddle(ast) : toOperations(ast)),
  truths: (ast) => truthByAxioms(ast, 3000),
};

export const kinds = {
  'random programs': plain,
  'programs with updates that commute': { ...bare, seed: 2_000_000, make: commutingProgram },
  'programs with objects as values': {
    ...plain,
    seed: 3_000_000,
    program: (ast) => toHeddle(ast, { boxed: true }),
    hasObjects: true,
  },
  'programs whose behaviours forget': { ...plain, seed: 4_000_000, maxStates: 20 },
  'wide programs': { ...plain, seed: 5_000_000, make: wideProgram },
  'bare operations': bare,
  'programs that free objects': memory,
  'programs that free objects, without races': { ...memory, seed: 8_000_000, races: false },
  'programs that free objects, whose behaviours forget': { ...memory, seed: 9_000_000, maxStates: 20 },
  'programs for weak models': weak,
  'programs with random orders': { ...weak, seed: 15_000_000, make: weakenedProgram },
  'programs for weak models, whose behaviours forget': { ...weak, seed: 50_000_000, maxStates: 20 },
  'programs for weak models, without races': { ...weak, seed: 60_000_000, races: false },
  'programs that access parts': {
    ...weak,
    seed: 65_000_000,
    make: partsProgram,
    program: toOperations,
  },
  'programs that access parts, whose behaviours forget': {
    ...weak,
    seed: 67_000_000,
    make: partsProgram,
    program: toOperations,
    maxStates: 20,
  },
  'programs that wait': {
    ...bare,
    seed: 70_000_000,
    make: (seed) => waitingProgram(seed),
    truths: (ast) => truthByInterleavings(ast, 300),
  },
  'large programs that wait': {
    ...bare,
    seed: 80_000_000,
    make: (seed) => waitingProgram(seed, 'large'),
    truths: (ast) => truthByInterleavings(ast, 4000),
  },
  'programs that lock': {
    ...bare,
    seed: 90_000_000,
    make: lockingProgram,
    truths: (ast) => truthByInterleavings(ast, 4000),
  },
  'programs that lock, for weak models': { ...weak, seed: 95_000_000, make: lockingProgram, program: toOperations },
} satisfies Readonly<Record<string, Kind>>;

export type KindName = keyof typeof kinds;

/** Whether the public front end has no way to say it. */
export function isBare(ast: ProgramAst): boolean {
  const isUnknown = (statement: Statement): boolean => {
    if (statement.kind === 'spawn') return statement.body.some(isUnknown);
    if (statement.kind === 'if') return [...statement.whenEqual, ...statement.otherwise].some(isUnknown);
    const isPlain = statement.kind === 'plainLoad' || statement.kind === 'plainStore';
    if (isPlain) return statement.location in ast.atomics;
    return ['awaitUpdate', 'allocate', 'free', 'exit'].includes(statement.kind);
  };
  return ast.main.some(isUnknown);
}
