/**
 * The figures of [Await] (Awaiting for Godot), and its sorting networks. First as the paper shows them, in the oracle's language,
 * where awaits and assumes are statements: the oracle counts the classes, and so there is no doubt about what the paper's
 * equivalence gives. Then in C with spin loops, out of which the passes make the assumes and awaits.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { parseModule } from '../../src/c/ir/parser.ts';
import { printModule } from '../../src/c/ir/printer.ts';
import { optimise } from '../../src/c/passes/index.ts';
import { wrapAtomicFunctions } from '../../src/c/passes/transformations/atomic-functions.ts';
import { linkProgram } from '../../src/c/program.ts';
import { checkSync } from '../../src/check/check.ts';
import { oracle } from '../oracle/classes.ts';
import { happensBeforeKey } from '../oracle/happens-before.ts';
import { type ProgramAst, type Statement, UNUSED } from '../oracle/language.ts';
import type { Outcome } from '../oracle/observed.ts';
import { toOperations } from '../random/to-operations.ts';
import { countExecutions } from './compare.ts';
import { type CompiledCases, compileCases } from './compiled.ts';
import { all, type Case, nameOf, type Reductions } from './rows.ts';

interface Expected {
  readonly complete: number;
  readonly blocked: number;
}

const store = (location: string, constant: number): Statement => ({ kind: 'store', location, value: { constant } });
const load = (location: string): Statement => ({ kind: 'load', location, register: 0 });
const assume = (constant: number): Statement => ({ kind: 'assume', register: 0, condition: { op: '==', constant } });
const add = (location: string, amount: number): Statement => {
  return { kind: 'fetchAdd', location, add: amount, register: UNUSED };
};
const awaits = (location: string, constant: number): Statement => {
  return { kind: 'awaitUntil', location, condition: { op: '==', constant }, register: 0 };
};
/** A swap of two cells, or none: what matters is that cells are written. */
const sort = (location: string): Statement => ({ kind: 'plainStore', location, value: { constant: 1 } });

function parallel(...threads: Statement[][]): ProgramAst {
  return {
    atomics: { x: 0, y: 0 },
    shared: { middle: 0 },
    mutexes: [],
    main: threads.map((body, slot): Statement => ({ kind: 'spawn', slot, body })),
  };
}

interface Figure {
  readonly program: ProgramAst;
  readonly ifaa?: boolean;
  readonly expected: Expected;
}

const adders = parallel([add('x', 1)], [add('x', 1)], [add('x', 3)], [awaits('x', 3)]);

const figures: Readonly<Record<string, Figure>> = {
  'Fig. 1: a sorting network has one execution': {
    program: parallel(
      [sort('middle'), store('y', 1), awaits('y', 2), sort('middle')],
      [awaits('y', 1), sort('middle'), store('y', 2)],
    ),
    expected: { complete: 1, blocked: 0 },
  },
  'Fig. 2 (b): with an assume there are two traces, one of them blocked': {
    program: parallel([load('x'), assume(1)], [store('x', 1)]),
    expected: { complete: 1, blocked: 1 },
  },
  'Fig. 2 (c): with an await there is a single trace': {
    program: parallel([awaits('x', 1)], [store('x', 1)]),
    expected: { complete: 1, blocked: 0 },
  },
  // One for each of the four final values of x and y.
  'Fig. 3: four executions': {
    program: parallel([store('x', 1), store('y', 1)], [store('x', 2), store('y', 2)]),
    expected: { complete: 4, blocked: 0 },
  },
  // The await lets q through before both writes, and after both.
  'Fig. 4: an await with two satisfying writes has two executions': {
    program: parallel([store('x', 1), store('x', 0)], [awaits('x', 0), store('y', 1)]),
    expected: { complete: 2, blocked: 0 },
  },
  // p and q add 1, r adds 3, and s awaits 3. The sums of what may come before s are 0, 1, 2, 3, 4 and 5, and 3 only if that is r
  // alone. So where s goes on, happens-before is r, s, {p, q}, and with p and q independent that is one class. Once p or q has
  // come before it, s waits for ever, whatever the order: one class of p, q and r, with none of them ordered.
  'Fig. 5: one execution, r.s, in which the await is let through, and one in which it waits for ever': {
    program: adders,
    ifaa: true,
    expected: { complete: 1, blocked: 1 },
  },
  // r.s.p.q and r.s.q.p; p, q and r in 3! orders.
  'Fig. 5, if additions conflict': { program: adders, expected: { complete: 2, blocked: 6 } },
};

/** Executions are equivalent if they have the same happens-before on the same steps ([Await], section IV-A). */
function classesOf(program: ProgramAst, ifaa: boolean): Expected {
  const truth = oracle(program, { maxInterleavings: 1000 });
  if (truth === 'too large') throw new Error(truth);
  const outcomes = new Map<string, Outcome>();
  for (const { example, outcome } of truth.coClasses.values()) {
    const steps = example.steps.map((step) => ({ ...step, commutes: ifaa && step.label.startsWith('fetchAdd ') }));
    outcomes.set(happensBeforeKey(steps, outcome), outcome);
  }
  const complete = [...outcomes.values()].filter((outcome) => outcome === 'complete').length;
  return { complete, blocked: outcomes.size - complete };
}

describe('the programs of the figures', () => {
  test.each(Object.entries(figures))('%s', (_, { program, ifaa = false, expected }) => {
    expect(classesOf(program, ifaa)).toEqual(expected);
    for (const algorithm of ifaa ? ['optimal'] : ['optimal', 'trust']) {
      const options = algorithm === 'trust' ? {} : { ifaa };
      const { executions } = checkSync(toOperations(program), { algorithm, model: 'sc', livelock: false, ...options });
      expect(executions).toMatchObject(expected);
      if (algorithm === 'optimal') expect(executions.redundant).toBe(0);
    }
  });
});

const assumes: Reductions = { plp: true, await: false, ifaa: false };
const awaiting: Reductions = { plp: true, await: true, ifaa: false };
const fig1: Case = { program: 'spin/fig1_sort3.c', defines: ['-DX0=3', '-DX1=2', '-DX2=1'] };
const fig2: Case = { program: 'spin/fig2_wait.c', defines: ['-DR=1'] };
const fig4: Case = { program: 'spin/fig4_twice.c', defines: ['-DPULSES=1'] };
const fig5: Case = { program: 'spin/fig5_adds.c', defines: ['-DM=2'] };
const fig6: Case = { program: 'spin/fig6_partial.c', defines: ['-DSKIP4'] };

/** None of them needs a bound for its loops. */
const loops: readonly (readonly [string, Case, Reductions, Expected])[] = [
  // q looks at y too early, and then p looks in vain; or q is through, and p looks too early.
  ['Fig. 1 with assumes: one execution, and two blocked ones', fig1, assumes, { complete: 1, blocked: 2 }],
  ['Fig. 1: one execution', fig1, awaiting, { complete: 1, blocked: 0 }],
  ['Fig. 2 (b): two traces, one of them blocked', fig2, assumes, { complete: 1, blocked: 1 }],
  ['Fig. 2 (c): one trace', fig2, awaiting, { complete: 1, blocked: 0 }],
  ['Fig. 4: two executions', fig4, awaiting, { complete: 2, blocked: 0 }],
  ['Fig. 5: one execution, and one blocked for ever', fig5, all, { complete: 1, blocked: 1 }],
  ['Fig. 5, if additions conflict', fig5, awaiting, { complete: 2, blocked: 6 }],
  // Here x goes from 5 to 3: the loop waits for that.
  ['Fig. 6: one execution', fig6, awaiting, { complete: 1, blocked: 0 }],
];
const networks = [4, 5, 6].map((threads): Case => ({ program: 'spin/sortnet.c', defines: [`-DN=${threads}`] }));

describe('in C, with spin loops', () => {
  let compiled: CompiledCases;
  beforeAll(async () => {
    compiled = await compileCases([...loops.map(([, it]) => it), ...networks]);
  }, 300_000);

  test.each(loops)('%s', (_, it, reductions, expected) => {
    expect(countExecutions(compiled, it, { algorithm: 'optimal', model: 'sc', reductions })).toMatchObject(expected);
    if (reductions.ifaa) return;
    expect(countExecutions(compiled, it, { algorithm: 'trust', model: 'sc', reductions })).toMatchObject(expected);
  });

  test('Fig. 6 (b): the assume that a is not above 4 is after the load of x and before that of y', () => {
    const lines = linesOf(compiled, fig6, 'looper');
    const [x, y] = ['@x', '@y'].map((location) =>
      lines.findIndex((line) => line.includes(`load atomic i32, ptr ${location}`)),
    );
    const between = lines.slice(x! + 1, y);
    expect(lines[x!]).toMatch(/^%0 = load/);
    expect(between).toEqual(['%impure = icmp sle i32 %0, 4', expect.stringMatching(/^assume i1 %impure\b/)]);
    expect(lines.filter((line) => line.startsWith('assume'))).toHaveLength(1);
  });

  for (const network of networks) {
    // Table I: 1, and without awaits 1+312, 1+4517 and 1+38285, which depends on how comparators are spread over threads.
    test.each(['optimal', 'trust'] as const)(`${nameOf(network)}: one execution (%s)`, (algorithm) => {
      const counts = countExecutions(compiled, network, { algorithm, model: 'sc', reductions: all });
      expect(counts).toMatchObject({ complete: 1, blocked: 0 });
    });
  }
});

/** A function as `--emit-ir` shows it with assumes, without the places in the source. */
function linesOf(compiled: CompiledCases, it: Case, name: string): string[] {
  const module = linkProgram([parseModule(compiled.get(nameOf(it)) as string, it.program)]);
  wrapAtomicFunctions(module);
  optimise(module, { plp: true }); // as in the paper, all that the program writes counts
  const [, body = ''] = new RegExp(`^define .*@${name}\\(.*\\{\\n([^}]*)`, 'm').exec(printModule(module)) ?? [];
  const lines = body.split('\n').map((line) => line.replace(/(, !dbg !\d+)? *(;.*)?$/, '').trim());
  return lines.filter((line) => line !== '');
}
