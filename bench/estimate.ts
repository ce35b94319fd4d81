/**
 * `npm run bench:estimate [WORD…]`: how good the estimates of long searches are (docs/scale.md). Each search runs to its end; then what was
 * said after each tenth of its executions is compared with the truth. Printed: estimate / truth, of the total and of the time left, and
 * how many readings are within a factor of 3. Where nothing was said yet (–) counts as a miss. WORDs pick cases. Time is CPU time, so
 * that it does not matter what else the machine does.
 */
import { type CheckOptions, check, type Program, type Progress } from 'heddle';
import { c } from './c-programs.js';
import * as programs from './programs.js';

const FACTOR = 3;
/** One that takes longer is left out. */
const TIMEOUT_S = 60;
const tenths = [1, 2, 3, 4, 5, 6, 7, 8, 9];

performance.now = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

interface Case {
  readonly make: () => Program | Promise<Program>;
  readonly options: CheckOptions;
}

function underModels(name: string, make: Case['make'], ...models: string[]): Record<string, Case> {
  return Object.fromEntries(models.map((model) => [`${name} ${model}`, { make, options: { model } }]));
}

function inC(file: string, ...defines: string[]): Record<string, Case> {
  return underModels(`${file} ${defines.join(' ')}`, () => c(`${file}.c`, ...defines), 'sc', 'rc11');
}

const cases: Record<string, Case> = {
  ...inC('dynprog/rod_cut_td', 'W=3', 'N=5'),
  ...inC('dynprog/coin_min_td', 'W=2', 'N=12'),
  ...inC('dynprog/lis_bu', 'W=3', 'N=6'),
  ...inC('mutualexclusion/burns', 'N=6'),
  ...inC('mutualexclusion/peterson', 'N=7'),
  ...inC('mutualexclusion/szymanski', 'N=5'),
  ...inC('mutualexclusion/x2t_priority', 'N=7'),
  ...inC('mutualexclusion/tsay', 'N=4'),
  ...inC('datastructures/treiber', 'W=4', 'R=2'),
  ...inC('datastructures/msqueue', 'E=3', 'D=2'),
  ...inC('synthetic/indexer', 'N=20'),
  ...inC('synthetic/ainc', 'N=10'),
  ...inC('synthetic/readers', 'N=21'),
  ...inC('synthetic/fib_bench', 'N=7'),
  ...inC('synthetic/monabsex1', 'N=7'),
  ...inC('synthetic/lastzero', 'N=19'),
  ...inC('synthetic/exp_mem', 'N=9'),
  ...inC('synthetic/fkp2013', 'N=6'),
  ...inC('synthetic/floating_read', 'N=10'),
  ...inC('synthetic/sigma', 'N=8'),
  ...inC('locks/mutex_counter', 'N=2', 'ROUNDS=11'),
  ...underModels('exp-mem(9)', () => programs.expMem(9), 'sc'),
  ...underModels('lastzero(18)', () => programs.lastzero(18), 'sc'),
  ...underModels('treiber(3, 2)', () => programs.treiber(3, 2), 'sc'),
  ...underModels('mutex counter(4, 3)', () => programs.mutexCounter(4, 3), 'sc'),
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
  const result = await check(program, { ...options, timeout: TIMEOUT_S }, { isEstimated: true, onProgress });
  const last = told.at(-1) as Progress;
  const about = `${last.executions.toLocaleString('en')} in ${(last.elapsedMs / 1000).toFixed(1)} s, ${result.verdict}`;
  if (result.verdict !== 'ok') return { about, readings: [] };
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
