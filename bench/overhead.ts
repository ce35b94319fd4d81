/**
 * `npm run bench:overhead [WORD…]`: what the bound costs where it prunes nothing ([BUSTER], Table 4). For each program the least
 * bound b that prunes nothing is searched for; then `trust` and `buster` with b, b + 1 and b + 2 run one after the other, several
 * times, each in a process of its own. Printed: the median of the CPU times, and its ratio to that of `trust`.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type CheckOptions, type CheckResult, check, type Program } from 'heddle';
import { c } from './c-programs.js';

const ROUNDS = 7;

const programs: Record<string, () => Promise<Program>> = {
  'treiber(3, 2)': () => c('datastructures/treiber.c', 'W=3', 'R=2'),
  'treiber(4, 1)': () => c('datastructures/treiber.c', 'W=4', 'R=1'),
  'treiber(4, 2)': () => c('datastructures/treiber.c', 'W=4', 'R=2'),
  'ttas(4)': () => c('locks/ttas.c', 'N=4'),
  'mutex_counter(2, 9)': () => c('locks/mutex_counter.c', 'N=2', 'ROUNDS=9'),
};

/** Too long for a run of them all: named in full only. */
const long = new Set(['treiber(4, 2)']);

interface Run {
  readonly seconds: number;
  readonly executions: number;
}

const optionsFor = (bound: number | undefined): CheckOptions =>
  bound === undefined ? { model: 'sc', algorithm: 'trust' } : { model: 'sc', algorithm: 'buster', bound };

const executionsOf = ({ executions: { complete, blocked, redundant } }: CheckResult): number =>
  complete + blocked + redundant;

/** In the process of its own. */
async function measure(make: () => Promise<Program>, bound: number | undefined): Promise<Run> {
  const options = optionsFor(bound);
  await check(await make(), { ...options, maxExecutions: 3000 });
  const program = await make();
  const before = process.cpuUsage();
  const result = await check(program, options);
  const { user, system } = process.cpuUsage(before);
  if (result.verdict !== 'ok') throw new Error(`${result.program}: ${result.verdict}`);
  return { seconds: (user + system) / 1e6, executions: executionsOf(result) };
}

function runApart(name: string, bound: number | undefined): Run {
  const args = [own, '--case', name, ...(bound === undefined ? [] : [String(bound)])];
  const child = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (child.status !== 0) throw new Error(`${name} failed:\n${child.stderr}`);
  return JSON.parse(child.stdout) as Run;
}

/** Doubles, then halves: the larger the bound, the less is pruned. */
async function leastThatPrunesNothing(make: () => Promise<Program>): Promise<number> {
  const prunes = async (bound: number): Promise<boolean> =>
    (await check(await make(), optionsFor(bound))).verdict !== 'ok';
  let most = 8;
  while (await prunes(most)) most *= 2;
  let least = 0;
  while (least < most) {
    const middle = Math.floor((least + most) / 2);
    if (await prunes(middle)) least = middle + 1;
    else most = middle;
  }
  return most;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] as number;
}

const own = fileURLToPath(import.meta.url);
const [command, ...rest] = process.argv.slice(2);
if (command === '--case') {
  const [name = '', bound] = rest;
  const make = programs[name];
  if (make === undefined) throw new Error(`no program ${name}`);
  console.log(JSON.stringify(await measure(make, bound === undefined ? undefined : Number(bound))));
} else {
  const words = command === undefined ? [] : [command, ...rest];
  const isChosen = (name: string): boolean =>
    words.includes(name) || (!long.has(name) && (words.length === 0 || words.some((word) => name.includes(word))));
  console.log(`Node ${process.version}; CPU time, the median of ${ROUNDS} runs each, and the ratio to trust`);
  for (const [name, make] of Object.entries(programs).filter(([each]) => isChosen(each))) {
    const b = await leastThatPrunesNothing(make);
    const bounds = [undefined, b, b + 1, b + 2];
    const rounds = Array.from({ length: ROUNDS }, () => bounds.map((bound) => runApart(name, bound)));
    const executions = rounds[0]?.[0]?.executions ?? 0;
    const times = bounds.map((_, i) => median(rounds.map((runs) => runs[i]?.seconds ?? 0)));
    const [alone = 0, ...bounded] = times;
    const cells = bounded.map((time, i) => `k = ${b + i}: ${time.toFixed(2)} s ×${(time / alone).toFixed(2)}`);
    console.log(
      `${name.padEnd(20)} ${executions.toLocaleString('en').padStart(10)}  trust ${alone.toFixed(2)} s  ${cells.join('  ')}`,
    );
  }
}
