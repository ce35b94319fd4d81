/**
 * `npm run bench [WORD…]`: executions per second and peak memory, each case in a process of its own so that its memory is
 * its own. One warm-up run, then several timed ones; the minimum and the mean ± standard deviation. WORDs pick cases.
 * `npm run bench -- --against REV`: see against.ts. `npm run bench -- --equivalence`: see equivalence.ts.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type CheckOptions, check, type Program } from 'heddle';
import { against } from './against.js';
import { c, waiting } from './c-programs.js';
import { compareEquivalences } from './equivalence.js';
import * as programs from './programs.js';

interface Case {
  readonly make: () => Program | Promise<Program>;
  readonly options: CheckOptions;
  readonly runs: number;
}

const rf: CheckOptions = { equivalence: 'rf' };

/** Cases with the name of the algorithm behind that of the program, under sequential consistency. */
function byEachReduction(name: string, make: Case['make'], ...algorithms: string[]): Record<string, Case> {
  return Object.fromEntries(
    algorithms.map((algorithm) => [`${name} ${algorithm}`, { make, options: { algorithm, model: 'sc' }, runs: 5 }]),
  );
}

/** Cases of a bounded search, with the bound behind the name of the program. */
function withinBound(
  name: string,
  make: Case['make'],
  algorithm: string,
  ...bounds: readonly number[]
): Record<string, Case> {
  return Object.fromEntries(
    bounds.map((bound) => [
      `${name} ${algorithm} ${bound}`,
      { make, options: { algorithm, model: 'sc', bound }, runs: 5 },
    ]),
  );
}

/** Cases with the name of the model behind that of the program. */
function underEachModel(name: string, make: Case['make'], options: CheckOptions = {}): Record<string, Case> {
  const models = ['sc', 'tso', 'pso', 'ra', 'rc11'];
  return Object.fromEntries(
    models.map((model) => [`${name} ${model}`, { make, options: { ...options, model }, runs: 5 }]),
  );
}

const cases: Record<string, Case> = {
  'lastzero(10)': { make: () => programs.lastzero(10), options: {}, runs: 10 },
  'lastzero(15)': { make: () => programs.lastzero(15), options: {}, runs: 5 },
  'exp-mem(7)': { make: () => programs.expMem(7), options: {}, runs: 10 },
  'exp-mem(8)': { make: () => programs.expMem(8), options: {}, runs: 5 },
  'exp-mem(9)': { make: () => programs.expMem(9), options: {}, runs: 2 },
  'exp-mem2(4)': { make: () => programs.expMem2(4), options: {}, runs: 5 },
  'exp-mem2(5)': { make: () => programs.expMem2(5), options: {}, runs: 2 },
  'writers(8)': { make: () => programs.writers(8), options: {}, runs: 5 },
  'writers(8) rf': { make: () => programs.writers(8), options: rf, runs: 5 },
  'mutex counter(4, 2)': { make: () => programs.mutexCounter(4, 2), options: {}, runs: 5 },
  'tickets(5)': { make: () => programs.ticketCounter(5), options: {}, runs: 5 },
  'treiber(3, 2)': { make: () => programs.treiber(3, 2), options: {}, runs: 5 },
  ...underEachModel('lastzero(15) in C', () => c('synthetic/lastzero.c', 'N=15')),
  ...underEachModel('exp_mem(7) in C', () => c('synthetic/exp_mem.c', 'N=7')),
  ...underEachModel('msqueue(2, 1) in C', () => c('datastructures/msqueue_malloc.c', 'E=2', 'D=1')),
  ...underEachModel('ttas(3) in C', () => c('locks/ttas.c', 'N=3')),
  ...underEachModel('lastzero(10) rf', () => programs.lastzero(10), rf),
  ...byEachReduction('lastzero(10)', () => programs.lastzero(10), 'optimal', 'source', 'dpor'),
  // nothing is refused: to be compared with source
  ...withinBound('lastzero(10)', () => programs.lastzero(10), 'bpor', 1000),
  ...withinBound('treiber(3, 1) in C', () => c('datastructures/treiber.c', 'W=3', 'R=1'), 'bpor', 1, 2),
  ...byEachReduction('stack(8) in C', () => c('synthetic/stack_mutex.c', 'N=8'), 'vc', 'optimal', 'trust'),
  ...byEachReduction('burns(4) in C', () => c('mutualexclusion/burns.c', 'N=4'), 'vc', 'dc', 'optimal', 'trust'),
  ...byEachReduction('sigma(7) in C', () => c('synthetic/sigma.c', 'N=7'), 'vc', 'dc', 'optimal', 'trust'),
  ...byEachReduction('lastzero(15)', () => programs.lastzero(15), 'optimal'),
  ...byEachReduction('lastzero(15) in C', () => c('synthetic/lastzero.c', 'N=15'), 'optimal'),
  ...byEachReduction('indexer in C', () => c('synthetic/indexer.c', 'N=3', 'M=2', 'SIZE=7'), 'optimal'),
  ...byEachReduction('readers(12) in C', () => c('synthetic/readers.c', 'N=12'), 'optimal'),
  ...byEachReduction('fib_bench(5) in C', () => c('synthetic/fib_bench.c', 'N=5'), 'optimal'),
  ...byEachReduction('ttas(4) in C', () => c('locks/ttas.c', 'N=4'), 'optimal'),
  ...byEachReduction('mpmc(2, 2) in C', () => c('datastructures/mpmc_ring.c', 'P=2', 'C=2'), 'optimal'),
  ...byEachReduction('ttas(4), spinning', () => waiting('spin/ttas_spin.c', 'N=4'), 'optimal', 'trust'),
  ...byEachReduction('mpmc(2, 2), spinning', () => waiting('spin/mpmc_spin.c', 'P=2', 'C=2'), 'optimal', 'trust'),
  ...byEachReduction('safestack-33', () => waiting('spin/safestack_spin.c', 'H=33'), 'optimal'),
  ...byEachReduction('treiber(3, 2) in C', () => c('datastructures/treiber.c', 'W=3', 'R=2'), 'trust'),
  ...withinBound('treiber(3, 2) in C', () => c('datastructures/treiber.c', 'W=3', 'R=2'), 'buster', 2, 10),
  ...byEachReduction('ttas(4) in C', () => c('locks/ttas.c', 'N=4'), 'trust'),
  ...withinBound('ttas(4) in C', () => c('locks/ttas.c', 'N=4'), 'buster', 2, 16),
  ...withinBound('mutex_counter(2, 9) in C', () => c('locks/mutex_counter.c', 'N=2', 'ROUNDS=9'), 'buster', 2),
  ...withinBound('mutex_counter(3, 4) in C', () => c('locks/mutex_counter.c', 'N=3', 'ROUNDS=4'), 'buster', 2),
  ...withinBound('lastzero(10)', () => programs.lastzero(10), 'buster', 10),
  'lastzero(3) dfs': { make: () => programs.lastzero(3), options: { algorithm: 'dfs' }, runs: 5 },
};

interface Measured {
  readonly executions: number;
  readonly times: readonly number[];
  readonly peakMiB: number;
}

async function measure({ make, options, runs }: Case): Promise<Measured> {
  await check(await make(), { ...options, maxExecutions: 20_000 });
  const times: number[] = [];
  let executions = 0;
  for (let i = 0; i < runs; i++) {
    const program = await make(); // compiled outside of what is timed
    const result = await check(program, options);
    if (result.verdict !== 'ok' && result.verdict !== 'bounded')
      throw new Error(`${result.program}: ${result.verdict}`);
    executions = result.executions.complete + result.executions.overBound;
    times.push(result.elapsedMs);
  }
  return { executions, times, peakMiB: process.resourceUsage().maxRSS / 1024 };
}

function row(name: string, { executions, times, peakMiB }: Measured): string {
  const least = Math.min(...times);
  const mean = times.reduce((a, b) => a + b) / times.length;
  const deviation = Math.sqrt(times.reduce((sum, t) => sum + (t - mean) ** 2, 0) / times.length);
  const cells = [
    name.padEnd(30),
    executions.toLocaleString('en').padStart(10),
    `${least.toFixed(1)} ms`.padStart(12),
    `${mean.toFixed(1)} ± ${deviation.toFixed(1)} ms`.padStart(22),
    `${Math.round((executions / least) * 1000).toLocaleString('en')}/s`.padStart(12),
    `${peakMiB.toFixed(0)} MiB`.padStart(9),
  ];
  return cells.join(' ');
}

const own = fileURLToPath(import.meta.url);
const [command, ...rest] = process.argv.slice(2);
if (command === '--case') {
  const chosen = cases[rest[0] ?? ''];
  if (chosen === undefined) throw new Error(`no case ${rest[0]}`);
  console.log(JSON.stringify(await measure(chosen)));
} else if (command === '--against') {
  against(rest);
} else if (command === '--equivalence') {
  compareEquivalences(rest);
} else {
  const words = command === undefined ? [] : [command, ...rest];
  const names = Object.keys(cases).filter((name) => words.length === 0 || words.some((word) => name.includes(word)));
  console.log(
    `Node ${process.version}; executions, least time, mean time, rate at the least time, peak memory of the process`,
  );
  for (const name of names) {
    const child = spawnSync(process.execPath, [own, '--case', name], { encoding: 'utf8' });
    if (child.status !== 0) throw new Error(`${name} failed:\n${child.stderr}`);
    console.log(row(name, JSON.parse(child.stdout) as Measured));
  }
}
