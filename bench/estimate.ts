/**
 * `npm run bench:estimate -- [--workers N] [WORD…]`: how good the estimates of long searches are (docs/scale.md). Each search runs to its
 * end; then what was said after each tenth of its executions is compared with the truth. Printed: estimate / truth, of the total and of
 * the time left, where the truth was not in the range (!), and how many readings are within a factor of 3. Where nothing was said yet (–)
 * counts as a miss. Searches that take less than five seconds are shown, but do not count. WORDs pick cases. Time is CPU time, so that
 * it does not matter what else the machine does; with several workers, that of all by their number, as if none ever waited.
 */
import { parseArgs } from 'node:util';
import { isMainThread, MessageChannel, type MessagePort, Worker, workerData } from 'node:worker_threads';
import { type CheckOptions, check, type Program, type Progress, type Watcher } from 'heddle';
import { makeExplorer } from '../dist/check/make-explorer.js';
import { resolveOptions } from '../dist/check/options.js';
import { explorePartsOf } from '../dist/check/sharing/peer.js';
import { PortPeers } from '../dist/cli/peers.js';
import type { Divisible, Explorer } from '../dist/explore/explorer.js';
import { c } from './c-programs.js';
import * as programs from './programs.js';

const FACTOR = 3;
const LEAST_MS = 5000;
/** One that takes longer is left out. */
const TIMEOUT_S = 60;
const tenths = [1, 2, 3, 4, 5, 6, 7, 8, 9];

/** Of a thread that explores beside the first. */
interface PeerData {
  readonly name: string;
  readonly port: MessagePort;
  readonly workers: number;
}

const { values, positionals: words } = parseArgs({
  options: { workers: { type: 'string', default: '1' } },
  allowPositionals: true,
});
const workers = isMainThread ? Number(values.workers) : (workerData as PeerData).workers;

performance.now = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 / workers;
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
  ...inC('mutualexclusion/peterson', 'N=6'),
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
  /** The greatest number of the range by the least. */
  readonly range: number;
}

interface Measured {
  readonly about: string;
  readonly elapsedMs: number;
  readonly readings: readonly Reading[];
}

async function measured(name: string, { make, options }: Case): Promise<Measured> {
  const told: Progress[] = [];
  const program = await make();
  const onProgress = (progress: Progress): void => void told.push(progress);
  const { watcher, others } = withOthers(name);
  const result = await check(
    program,
    { ...options, timeout: TIMEOUT_S },
    { isEstimated: true, onProgress, ...watcher },
  );
  await Promise.all(others.map((other) => other.terminate()));
  const { executions: truth, elapsedMs } = told.at(-1) as Progress;
  const about = `${truth.toLocaleString('en')} in ${(elapsedMs / 1000).toFixed(1)} s, ${result.verdict}`;
  if (result.verdict !== 'ok') return { about, elapsedMs, readings: [] };
  const readings = tenths.map((tenth): Reading => {
    const now = told.find(({ executions }) => executions >= (truth * tenth) / 10) as Progress;
    const { estimate } = now;
    if (typeof estimate === 'string') return { total: undefined, time: undefined, isInRange: false, range: Number.NaN };
    const { total, least, most, leftMs } = estimate;
    return {
      total: total / truth,
      time: leftMs / (elapsedMs - now.elapsedMs),
      isInRange: least <= truth && truth <= most,
      range: most / least,
    };
  });
  return { about, elapsedMs, readings };
}

/** The other threads that explore the case of this name, from the beginning. */
function withOthers(name: string): { watcher: Watcher; others: readonly Worker[] } {
  if (workers === 1) return { watcher: {}, others: [] };
  const peers = new PortPeers();
  const others = Array.from({ length: workers - 1 }, () => {
    const { port1, port2 } = new MessageChannel();
    peers.expect(port1);
    const data: PeerData = { name, port: port2, workers };
    return new Worker(new URL(import.meta.url), { workerData: data, transferList: [port2] });
  });
  // they are the same classes, which types do not know: one is declared by the build, one by the sources
  return { watcher: { peers: peers as unknown as NonNullable<Watcher['peers']> }, others };
}

/** What such a thread does, as one of the command line does (src/cli/peer-worker.ts). */
async function explore({ name, port }: PeerData): Promise<never> {
  const { make, options } = cases[name] as Case;
  const program = (await make()) as unknown as Parameters<typeof makeExplorer>[0]; // as above
  const resolved = resolveOptions(options);
  return explorePartsOf(program, () => makeExplorer(program, resolved) as Explorer & Divisible, port);
}

const shown = (ratio: number | undefined, mark = ''): string =>
  ((ratio === undefined ? '–' : ratio.toFixed(2)) + mark).padStart(7);
const isNear = (ratio: number | undefined): boolean => ratio !== undefined && ratio <= FACTOR && ratio >= 1 / FACTOR;

async function main(): Promise<void> {
  const all: Reading[] = [];
  console.log(`Node ${process.version}; estimate / truth after 10 %, 20 %, … 90 % of the executions`);
  for (const [name, each] of Object.entries(cases)) {
    if (words.length > 0 && !words.some((word) => name.includes(word))) continue;
    const { about, elapsedMs, readings } = await measured(name, each);
    if (elapsedMs >= LEAST_MS) all.push(...readings);
    console.log(`${name} (${about})`);
    if (readings.length === 0) continue;
    const totals = readings.map(({ total, isInRange }) => shown(total, total === undefined || isInRange ? ' ' : '!'));
    console.log(`  total     ${totals.join('')}`);
    console.log(`  time left ${readings.map(({ time }) => shown(time, ' ')).join('')}`);
  }
  const said = all.filter(({ total }) => total !== undefined);
  const count = (of: readonly Reading[], isGood: (reading: Reading) => boolean): string => {
    const good = of.filter(isGood).length;
    return `${good} of ${of.length} (${((100 * good) / Math.max(1, of.length)).toFixed(0)} %)`;
  };
  const ranges = said.map(({ range }) => range).sort((a, b) => a - b);
  console.log(
    `within a factor of ${FACTOR}: total ${count(all, ({ total }) => isNear(total))}, time left ${count(all, ({ time }) => isNear(time))}; ` +
      `truth within the range, where one was said: ${count(said, ({ isInRange }) => isInRange)}; ` +
      `the range's greatest by its least number: ${ranges[Math.floor(ranges.length / 2)]?.toFixed(2)} in the median`,
  );
}

if (isMainThread) await main();
else await explore(workerData as PeerData);
