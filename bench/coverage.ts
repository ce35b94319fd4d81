/**
 * `npm run plot:coverage`: draws docs/images/coverage.svg anew. For growing bounds, how many classes of executions a search has reached
 * against how many executions it took, and how many local states of threads against the time ([BPOR], figures 6 and 7). A point is a
 * search with one bound, from 0 on; a curve ends where a search was not finished in time.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadC } from '../dist/c/index.js';
import { type Explorer, executionsOf } from '../dist/explore/explorer.js';
import { type AlgorithmEntry, type AlgorithmName, algorithms } from '../dist/explore/registry.js';
import type { Interleaving } from '../dist/explore/schedules/interleaving.js';
import { Behaviours, Step } from '../dist/program/behaviours.js';
import type { Program } from '../dist/program/operation.js';
import { outputOf } from './apart.js';
import { type Panel, plot, type Series } from './plot.js';

const LIMIT_SECONDS = 10;
const BOUNDS = [0, 1, 2, 3, 4, 5, 6];

/** A search: the algorithm and its options, a bound on preemptions aside. */
interface Way {
  readonly name: string;
  readonly algorithm: AlgorithmName;
  readonly options: Readonly<Record<string, unknown>>;
}

const defaults = { keepGoing: true, races: false, livelock: true, checkLeaks: false, maxExecutions: Infinity };
const proved = { sleep: 'none', postpone: false, ordered: false, transitive: false };

const dfs: Way = { name: 'dfs', algorithm: 'dfs', options: {} };
const bpor: Way = {
  name: 'bpor',
  algorithm: 'bpor',
  options: { sleep: 'cost', postpone: true, ordered: true, transitive: true, ifaa: false },
};
const asProved: Way = { name: 'proved', algorithm: 'bpor', options: { ...proved, ifaa: false } };
/** Without a bound. */
const dpor: Way = { name: 'dpor', algorithm: 'dpor', options: { ifaa: false } };

/** Every round of a loop counts. */
const example = (file: string, ...defines: string[]): Promise<Program> => {
  const path = fileURLToPath(new URL(`../examples/bounding/${file}`, import.meta.url));
  return loadC(path, { defines, plp: false, await: false });
};

/** With a fair bound, where loops yield: without one their executions have no end, and there is no search without a bound. */
const programs: Record<string, { title: string; make: () => Promise<Program>; fairBound?: number }> = {
  event: { title: 'reset event, 3 threads', make: () => example('reset-event.c', 'FIXED') },
  spectrum: { title: 'one lock, 5 threads', make: () => example('spectrum.c', 'THREADS=5') },
  regions: { title: 'regions, fair bound 1', make: () => example('regions.c'), fairBound: 1 },
  queens: { title: 'queens, fair bound 1', make: () => example('n-queens.c', 'FIXED'), fairBound: 1 },
};

interface Covered {
  readonly isFinished: boolean;
  readonly executions: number;
  readonly classes: number;
  readonly states: number;
  /** CPU time of the search, without looking at what was reached. */
  readonly seconds: number;
}

function explorerFor(program: Program, name: string, way: Way, bound: number | undefined, onExecution?: () => void) {
  const entry: AlgorithmEntry = algorithms[way.algorithm];
  const { fairBound } = programs[name] ?? {};
  const behaviours = new Behaviours(program, { maxStates: 10_000_000 });
  const bounds = { bound, fairBound };
  return entry.make(behaviours, 'sc', { ...defaults, ...way.options, ...bounds, ...(onExecution && { onExecution }) });
}

/** Runs it to the end, or until the time is over. */
function run(explorer: Explorer): { isFinished: boolean; seconds: number } {
  const before = process.cpuUsage();
  const seconds = (): number => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  };
  while (!explorer.run(2000)) if (seconds() > LIMIT_SECONDS) return { isFinished: false, seconds: seconds() };
  return { isFinished: true, seconds: seconds() };
}

async function cover(name: string, way: Way, bound: number | undefined): Promise<Covered> {
  const make = programs[name]?.make;
  if (make === undefined) throw new Error(`no program ${name}`);
  const classes = new Set<string>();
  const counting: Explorer & { interleaving?: Interleaving } = explorerFor(await make(), name, way, bound, () => {
    classes.add(classOf(counting.interleaving as Interleaving));
  });
  const counted = run(counting);
  const timed = counted.isFinished ? run(explorerFor(await make(), name, way, bound)) : counted;
  return {
    isFinished: timed.isFinished,
    executions: executionsOf(counting.counts),
    classes: classes.size,
    states: counting.behaviours.stateCount,
    seconds: timed.seconds,
  };
}

/** What tells the class of an execution from others: which write each read reads, and the order of writes to each location. */
function classOf(x: Interleaving): string {
  const { step, location } = x.behaviours;
  const nameOf = (i: number): string => (i < 0 ? '-' : `${x.thread[i]}.${x.index[i]}`);
  const parts: string[] = [];
  const writes = new Map<number, string[]>();
  for (let i = 0; i < x.length; i++) {
    const s = x.before[i] as number;
    if (step[s] === Step.READ) parts.push(`${nameOf(i)}<${nameOf(x.readsFrom[i] as number)}`);
    if (step[s] === Step.CHOOSE) parts.push(`${nameOf(i)}?${x.choice[i]}`);
    if (!x.writes(i)) continue;
    const order = writes.get(location[s] as number) ?? [];
    order.push(nameOf(i));
    writes.set(location[s] as number, order);
  }
  const orders = [...writes].sort(([a], [b]) => a - b).map(([, order]) => order.join('>'));
  return [...parts.sort(), ...orders].join(' ');
}

function measure(name: string, way: Way, bound: number | undefined): Covered {
  const covered = outputOf<Covered>(own, [name, way.name, ...(bound === undefined ? [] : [String(bound)])]);
  const { executions, classes, states, seconds, isFinished } = covered;
  const at = bound === undefined ? 'unbounded' : `bound ${bound}`;
  const end = isFinished ? '' : ', not finished';
  console.log(
    `${name}, ${way.name}, ${at}: ${executions} executions, ${classes} classes, ${states} states, ${seconds.toFixed(3)} s${end}`,
  );
  return covered;
}

/** By bound, as far as they finish in time. */
function measureBounds(name: string, way: Way): Covered[] {
  const found: Covered[] = [];
  for (const bound of BOUNDS) {
    const covered = measure(name, way, bound);
    if (!covered.isFinished) break;
    found.push(covered);
  }
  return found;
}

function panelsOf(name: string): [Panel, Panel] {
  const { title, fairBound } = programs[name] as (typeof programs)[string];
  const full = fairBound === undefined ? [measure(name, dpor, undefined)].filter(({ isFinished }) => isFinished) : [];
  const curves = [dfs, asProved, bpor].map((way) => [way.name, measureBounds(name, way)] as const);
  const all = [...curves, ['dpor', full] as const].filter(([, found]) => found.length > 0);
  const panel = (axes: Pick<Panel, 'unit' | 'xTitle'>, pointOf: (covered: Covered) => [number, number]): Panel => {
    const series = all.map(([way, found]): Series => ({ name: way, points: found.map(pointOf) }));
    return { title, series, ...axes };
  };
  return [
    panel({ unit: 'executions', xTitle: 'classes reached' }, ({ classes, executions }) => [classes, executions]),
    panel({ unit: 'seconds', xTitle: 'local states reached' }, ({ states, seconds }) => [states, seconds]),
  ];
}

const own = fileURLToPath(import.meta.url);
const [command, ...rest] = process.argv.slice(2);
if (command === '--case') {
  const [name = '', wayName, bound] = rest;
  const way = [dfs, asProved, bpor, dpor].find((each) => each.name === wayName);
  if (way === undefined) throw new Error(`no search ${wayName}`);
  console.log(JSON.stringify(await cover(name, way, bound === undefined ? undefined : Number(bound))));
} else {
  const columns = Object.keys(programs).map(panelsOf);
  const title =
    'Classes of executions reached against executions explored, and local states reached against time, by dfs and bpor for growing bounds and by dpor, for four programs';
  const file = fileURLToPath(new URL('../docs/images/coverage.svg', import.meta.url));
  writeFileSync(file, plot(title, 'npm run plot:coverage', columns));
}
