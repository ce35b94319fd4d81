/**
 * Table II of [Await]: safestack, whose harness has a digit for each thread, the number of its operations. All columns of Nidhugg
 * come out to the number, complete and blocked, but for one thing: we wait in one place more.
 *
 * A pop spins while the stack has no more than one element (`count`), which takes three threads to happen. That iteration is
 * pure unless it had tried to take an element and put it back, so the assume that PLP makes is "more than one element, or an
 * internal back edge was taken" ([Await], section III). Nidhugg leaves it an assume, and a thread that looks at `count` too early
 * is stopped for good: of the 686 blocked executions of harness 211 in the last column, its recorded row has 160 blocked by
 * an assume and 526 by an await. Here the assume becomes an await, since all it needs besides the loaded value is known when the
 * thread comes to the load. The 526, which wait for a cell, are the same. Of the 160 there are 4 left: those where `count` never
 * rises again. If this one await is taken back, the numbers are the paper's: that is tested too.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { parseModule } from '../../src/c/ir/parser.ts';
import { CProgram, linkProgram, prepare } from '../../src/c/program.ts';
import { heapTypesOf } from '../../src/c/run/heap-types.ts';
import { checkSync } from '../../src/check/check.ts';
import type { Counts } from '../../src/explore/explorer.ts';
import { byTier } from '../tier.ts';
import { countExecutions, countsOf } from './compare.ts';
import { type CompiledCases, compileCases, programOf } from './compiled.ts';
import { type Case, nameOf, none, type Reductions } from './rows.ts';

interface Column {
  readonly name: string;
  readonly reductions: Reductions;
}

const columns: readonly Column[] = [
  { name: 'PLP', reductions: { plp: true, await: false, ifaa: false } },
  { name: 'PLP+Await', reductions: { plp: true, await: true, ifaa: false } },
  { name: '…+IFAA', reductions: { plp: true, await: true, ifaa: true } },
];

interface Harness {
  readonly digits: string;
  /** Complete and blocked, in the column Baseline; undefined if the paper has none. */
  readonly baseline: string | undefined;
  /** In the other columns. */
  readonly paper: readonly string[];
  /** In the other columns as we count, if that is not the same. */
  readonly here?: readonly string[];
}

const table: readonly Harness[] = [
  { digits: '21', baseline: '119+6', paper: ['34+2', '34+1', '19+1'] },
  { digits: '31', baseline: '928+107', paper: ['103+27', '103+25', '56+25'] },
  { digits: '32', baseline: '7189+296', paper: ['1073+27', '1073+12', '463+12'] },
  { digits: '33', baseline: '121334+12652', paper: ['6434+1636', '6434+1584', '2600+1160'] },
  {
    digits: '211',
    baseline: '1259280+324382',
    paper: ['2690+1126', '2690+928', '962+686'],
    here: ['2690+1126', '2690+764', '962+530'],
  },
  {
    digits: '311',
    baseline: undefined,
    paper: ['0+26536', '0+24078', '0+14960'],
    here: ['0+26536', '0+23914', '0+14804'],
  },
  {
    digits: '321',
    baseline: undefined,
    paper: ['906529+388117', '906529+331337', '288057+216830'],
    here: ['906529+388117', '906529+269434', '288057+168601'],
  },
];

const few = ['21', '31', '32', '33', '211'];
const harnesses = byTier({ normal: few, long: [...few, '311'], soak: [...few, '311', '321'] });
/** The searches without any reduction. */
const baselines = byTier({
  normal: ['21', '31', '32'],
  long: ['21', '31', '32', '33'],
  soak: ['21', '31', '32', '33', '211'],
});

const caseOf = ({ digits }: Harness): Case => ({ program: 'spin/safestack_spin.c', defines: [`-DH=${digits}`] });

const reduced = table.filter(({ digits }) => harnesses.includes(digits));
const plain = table.filter(({ digits }) => baselines.includes(digits));

describe('safestack, Table II', () => {
  let compiled: CompiledCases;
  beforeAll(async () => {
    compiled = await compileCases([...reduced, ...plain].map(caseOf));
  }, 300_000);
  for (const harness of plain) testBaseline(() => compiled, harness);
  for (const harness of reduced) {
    for (const [i, column] of columns.entries()) testColumn(() => compiled, harness, i, column);
    if (harness.paper[0]?.startsWith('0+')) testLivelock(() => compiled, harness);
  }
});

function testBaseline(compiled: () => CompiledCases, harness: Harness): void {
  test(`safestack-${harness.digits}, Baseline: ${harness.baseline}`, () => {
    // The bound of section V-A is one more than there are threads, and the header is entered once more than a loop goes round.
    const unroll = harness.digits.length + 2;
    const how = { algorithm: 'optimal', model: 'sc', unroll, reductions: none } as const;
    expect(inWords(countExecutions(compiled(), caseOf(harness), how))).toBe(harness.baseline);
  });
}

function testColumn(compiled: () => CompiledCases, harness: Harness, at: number, { name, reductions }: Column): void {
  const paper = harness.paper[at] as string;
  const here = harness.here?.[at] ?? paper;
  const it = caseOf(harness);
  const title = `safestack-${harness.digits}, ${name}: ${paper}`;
  const how = { algorithm: 'optimal', model: 'sc', reductions } as const;

  test(here === paper ? title : `${title} in the paper, ${here} here`, () => {
    const counts = countExecutions(compiled(), it, how);
    expect(inWords(counts)).toBe(here);
    expect(counts.redundant).toBe(0);
  });

  if (here === paper) return;
  test(`${title} if a pop does not wait for more elements`, () => {
    expect(inWords(countsOf(withAssumeOnCount(compiled(), it), how))).toBe(paper);
  });
}

/** "All traces end up with one thread livelocking in pop with the queue containing only one element." (section V-B) */
function testLivelock(compiled: () => CompiledCases, harness: Harness): void {
  test(`safestack-${harness.digits} is a livelock`, () => {
    const [error] = checkSync(programOf(compiled(), caseOf(harness)), { algorithm: 'optimal', model: 'sc' }).errors;
    expect(error?.kind).toBe('livelock');
  });
}

/** As the paper writes them. */
function inWords({ complete, blocked }: Counts): string {
  return `${complete}+${blocked}`;
}

/** The program with all awaits but the one for `count`, the only load that waits. */
function withAssumeOnCount(compiled: CompiledCases, it: Case): CProgram {
  const module = linkProgram([parseModule(compiled.get(nameOf(it)) as string, it.program)]);
  const heapTypes = heapTypesOf(module);
  prepare(module, { plp: true, await: true });
  const instructions = [...module.functions.values()].flatMap(({ blocks }) => blocks.flatMap((b) => b.instructions));
  const awaits = instructions.flatMap((each) => (each.op === 'load' && each.awaits === true ? [each] : []));
  expect(awaits.map(({ operands: [pointer] }) => pointer)).toEqual([expect.objectContaining({ name: 'count' })]);
  for (const load of awaits) load.awaits = false;
  return new CProgram(module, heapTypes, { name: it.program });
}
