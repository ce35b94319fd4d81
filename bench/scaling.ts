/**
 * `npm run plot:scaling`: draws docs/images/scaling.svg, how much faster a search is with more workers. What each worker does is really
 * done, and what it takes is measured: all of its slices, and every cut. Only that they do it at the same time is simulated: each has
 * a clock of its own, and what is sent arrives at the time at which it was sent. So it shows how well the tree is shared out; what
 * threads of one machine cost each other (caches, memory) it does not. For two workers it is also measured: two threads on an idle
 * machine of two cores.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadC } from '../dist/c/index.js';
import { makeExplorer } from '../dist/check/make-explorer.js';
import { resolveOptions } from '../dist/check/options.js';
import type { FromPeer, ToPeer } from '../dist/check/sharing/messages.js';
import { PeerSearch } from '../dist/check/sharing/peer.js';
import { Peers, shareOut } from '../dist/check/sharing/shared-search.js';
import type { Divisible, Explorer } from '../dist/explore/explorer.js';
import type { Program } from '../dist/program/operation.js';
import { outputOf } from './apart.js';
import { type Panel, plot } from './plot.js';

const WORKERS = [1, 2, 4, 8, 16];
/** What it takes until another thread has loaded the program; in seconds, and so are all times here. */
const START = 0.3;
const SLICE = 0.005;

const programs: Record<string, { file: string; defines: readonly string[]; model: string }> = {
  'lastzero(19), sc': { file: 'synthetic/lastzero.c', defines: ['N=19'], model: 'sc' },
  'monabsex1(7), sc': { file: 'synthetic/monabsex1.c', defines: ['N=7'], model: 'sc' },
  'sigma(9), rc11': { file: 'synthetic/sigma.c', defines: ['N=9'], model: 'rc11' },
};

/** Every round of a loop counts. */
const load = ({ file, defines }: (typeof programs)[string]): Promise<Program> =>
  loadC(pathOf(file), { defines, plp: false, await: false });

function pathOf(file: string): string {
  return fileURLToPath(new URL(`../tests/conformance/programs/${file}`, import.meta.url));
}

/** The time that this process has computed. */
function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

interface Sent<Message> {
  readonly at: number;
  readonly message: Message;
}

/** A worker on its own clock. */
interface Simulated {
  clock: number;
  /** When it has something to do next. */
  next(): number;
  /** Does it. */
  act(): void;
}

/** How many steps make a slice. */
class CpuPace {
  #steps = 16;

  run<T>(slice: (steps: number) => T): T {
    const start = cpu();
    const result = slice(this.#steps);
    this.#steps = Math.max(1, this.#steps * (cpu() - start > SLICE ? 0.5 : 2));
    return result;
  }
}

/** The time until all is explored. */
function simulated(
  makeProgram: () => Program,
  model: string,
  workers: number,
): { seconds: number; executions: number } {
  const options = resolveOptions({ model, algorithm: 'trust' });
  const explorerOf = (program: Program): Explorer & Divisible => makeExplorer(program, options) as Explorer & Divisible;
  const peers = new Peers();
  let now = 0;
  const all: Simulated[] = [];
  const toLeader: Sent<() => void>[] = [];
  for (let i = 1; i < workers; i++) {
    const program = makeProgram();
    const inbox: Sent<ToPeer>[] = [];
    const link = { post: (message: ToPeer) => inbox.push({ at: now, message }) };
    const post = (message: FromPeer): void => {
      toLeader.push({ at: now, message: () => peers.receive(link, message) });
    };
    const peer = new PeerSearch(program, () => explorerOf(program), post, new CpuPace());
    toLeader.push({ at: START, message: () => peers.add(link) });
    all.push({
      clock: START,
      next() {
        return peer.isBusy ? this.clock : Math.max(this.clock, inbox[0]?.at ?? Number.POSITIVE_INFINITY);
      },
      act() {
        while ((inbox[0]?.at ?? Number.POSITIVE_INFINITY) <= now) peer.receive((inbox.shift() as Sent<ToPeer>).message);
        peer.runSlice();
      },
    });
  }
  const program = makeProgram();
  const search = shareOut(explorerOf(program), program, peers, undefined, { now: () => leader.clock * 1000 });
  const pace = new CpuPace();
  let isOver = false;
  const isResting = (): boolean => search.rest() !== undefined;
  const leader: Simulated = {
    clock: 0,
    next() {
      return isResting() ? Math.max(this.clock, toLeader[0]?.at ?? Number.POSITIVE_INFINITY) : this.clock;
    },
    act() {
      toLeader.sort((a, b) => a.at - b.at);
      while ((toLeader[0]?.at ?? Number.POSITIVE_INFINITY) <= now) (toLeader.shift() as Sent<() => void>).message();
      isOver = pace.run((steps) => search.run(steps));
    },
  };
  all.push(leader);
  while (!isOver) {
    const worker = all.reduce((first, each) => (each.next() < first.next() ? each : first));
    now = worker.next();
    if (now === Number.POSITIVE_INFINITY) throw new Error('everybody waits');
    const start = cpu();
    worker.act();
    worker.clock = now + cpu() - start;
  }
  return { seconds: leader.clock, executions: search.counts.complete };
}

/** The real time of the command with one and with two threads: the least of three runs each. */
function measuredSpeedUp({ file, defines, model }: (typeof programs)[string]): number {
  const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
  const args = [
    'check',
    pathOf(file),
    ...defines.map((define) => `-D${define}`),
    '--model',
    model,
    '--no-plp',
    '--no-await',
  ];
  const times = [1, 2].map((workers) =>
    Math.min(
      ...[1, 2, 3].map(() => {
        const child = spawnSync(process.execPath, [main, ...args, '--workers', String(workers), '--json']);
        return (JSON.parse(child.stdout.toString()) as { elapsedMs: number }).elapsedMs;
      }),
    ),
  );
  return (times[0] as number) / (times[1] as number);
}

const own = fileURLToPath(import.meta.url);
const [command, name = '', workers = ''] = process.argv.slice(2);
if (command === '--case') {
  const program = programs[name] as (typeof programs)[string];
  const { model } = program;
  const made = await Promise.all(Array.from({ length: Number(workers) + 1 }, () => load(program)));
  simulated(() => made.pop() as Program, model, 1); // the engine warms up
  console.log(JSON.stringify(simulated(() => made.pop() as Program, model, Number(workers))));
} else {
  const columns = Object.entries(programs).map(([title, program]): Panel[] => {
    const runs = WORKERS.map((n) => outputOf<{ seconds: number; executions: number }>(own, [title, String(n)]));
    const [one] = runs;
    const points = WORKERS.map((n, i): [number, number] => [n, (one?.seconds ?? 0) / (runs[i]?.seconds ?? 1)]);
    const two = measuredSpeedUp(program);
    console.log(title, points.map(([n, y]) => `${n}: ${y.toFixed(2)}`).join('  '), `measured, 2: ${two.toFixed(2)}`);
    const series = [
      { name: 'linear', points: WORKERS.map((n): [number, number] => [n, n]) },
      { name: 'simulated', points },
      { name: 'measured', points: [[1, 1] as [number, number], [2, two] as [number, number]] },
    ];
    return [{ title, unit: 'speed-up', xTitle: 'workers', series }];
  });
  const title = 'How many times as fast a search is with several workers: simulated up to 16, measured for 2';
  const file = fileURLToPath(new URL('../docs/images/scaling.svg', import.meta.url));
  writeFileSync(file, plot(title, 'npm run plot:scaling', columns));
}
