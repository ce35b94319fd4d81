/**
 * `npm run bench:estimate [WORD…]`: how good the estimates of long searches are (docs/scale.md). Each search runs to its end; then what was
 * said after each tenth of its executions is compared with the truth. Printed: estimate / truth, of the total and of the time left, and
 * how many readings are within a factor of 3. Where nothing was said yet (–) counts as a miss. WORDs pick cases.
 */
import { type CheckOptions, check, type Program, type Progress } from 'heddle';
import { c } from './c-programs.js';
import * as programs from './programs.js';

const FACTOR = 3;
const tenths = [1, 2, 3, 4, 5, 6, 7, 8, 9];

interface Case {
  readonly make: () => Program | Promise<Program>;
  readonly options: CheckOptions;
}

function underModels(name: string, make: Case['make'], ...models: string[]): Record<string, Case> {
  return Object.fromEntries(models.map((model) => [`${name} ${model}`, { make, options: { model } }]));
}

const cases: Record<string, Case> = {
  ...underModels('exp-mem(9)', () => programs.expMem(9), 'sc'),
  ...underModels('lastzero(18)', () => programs.lastzero(18), 'sc'),
  ...underModels('treiber(3, 2)', () => programs.treiber(3, 2), 'sc'),
  ...underModels('mutex counter(4, 3)', () => programs.mutexCounter(4, 3), 'sc'),
  ...underModels('fib_bench(7) in C', () => c('synthetic/fib_bench.c', 'N=7'), 'sc', 'rc11'),
  ...underModels('mutex_counter(3, 5) in C', () => c('locks/mutex_counter.c', 'N=3', 'ROUNDS=5'), 'sc', 'rc11'),
  ...underModels('msqueue(3, 2) in C', () => c('datastructures/msqueue_malloc.c', 'E=3', 'D=2'), 'sc', 'rc11'),
  ...underModels('treiber(4, 1) in C', () => c('datastructures/treiber.c', 'W=4', 'R=1'), 'sc', 'rc11'),
  ...underModels('mpmc(3, 3) in C', () => c('datastructures/mpmc_ring.c', 'P=3', 'C=3'), 'sc', 'rc11'),
  ...underModels('exp_mem(9) in C', () => c('synthetic/exp_mem.c', 'N=9'), 'rc11'),
  'treiber(4, 1) in C buster 4': {
    make: () => c('datastructures/treiber.c', 'W=4', 'R=1'),
    options: { model: 'sc', algorithm: 'buster', bound: 4 },
  },
  'lastzero(4) dfs': { make: () => programs.lastzero(4), options: { algorithm: 'dfs' } },
};

interface Reading {
  /** Estimate by truth; undefined: nothing was said. */
  readonly total: number | undefined;
  readonly time: number | undefined;
  /** Whether the truth is in the range that was said. */
  readonly isInRange: boolean;
}

async function readingsOf({ make, options }: Case): Promise<{ readonly about: string; readonly readings: Reading[] }> {
  const told: Progress[] = [];
  const program = await make();
  const onProgress = (progress: Progress): void => void told.push(progress);
  const result = await check(program, { ...options, timeout: 300 }, { isEstimated: true, onProgress });
  const last = told.at(-1) as Progress;
  const about = `${last.executions.toLocaleString('en')} in ${(last.elapsedMs / 1000).toFixed(1)} s, ${result.verdict}`;
  if (result.verdict === 'incomplete') return { about, readings: [] };
  const readings = tenths.map((tenth): Reading => {
    const now = told.find(({ executions }) => executions >= (last.executions * tenth) / 10) as Progress;
    const { estimate } = now;
    if (typeof estimate === 'string') return { total: undefined, time: undefined, isInRange: false };
    return {
      total: estimate.total / last.executions,
      time: estimate.leftMs / (last.elapsedMs - now.elapsedMs),
      isInRange: estimate.least <= last.executions && last.executions <= estimate.most,
    };
  });
  return { about, readings };
}

const shown = (ratio: number | undefined): string => (ratio === undefined ? '–' : ratio.toFixed(2)).padStart(6);
const isNear = (ratio: number | undefined): boolean => ratio !== undefined && ratio <= FACTOR && ratio >= 1 / FACTOR;
const percent = (part: number, all: number): string => `${((100 * part) / Math.max(1, all)).toFixed(0)} %`;

const words = process.argv.slice(2);
const all: Reading[] = [];
console.log(`Node ${process.version}; estimate / truth after 10 %, 20 %, … 90 % of the executions`);
for (const [name, each] of Object.entries(cases)) {
  if (words.length > 0 && !words.some((word) => name.includes(word))) continue;
  const { about, readings } = await readingsOf(each);
  all.push(...readings);
  console.log(`${name} (${about})`);
  if (readings.length === 0) continue;
  console.log(`  total     ${readings.map(({ total }) => shown(total)).join('')}`);
  console.log(`  time left ${readings.map(({ time }) => shown(time)).join('')}`);
}
const count = (isGood: (reading: Reading) => boolean): string => percent(all.filter(isGood).length, all.length);
console.log(
  `within a factor of ${FACTOR}: total ${count(({ total }) => isNear(total))}, time left ${count(({ time }) => isNear(time))}; ` +
    `truth within the range said: ${count(({ isInRange }) => isInRange)} of ${all.length} readings`,
);
