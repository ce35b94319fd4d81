/**
 * `npm run bench:overhead [WORD…]`: what the bound costs where it prunes nothing ([BUSTER], Table 4). For each program the least
 * bound b that prunes nothing is searched for; then `trust` and `buster` with b, b + 1 and b + 2 run one after the other, several
 * times, each in a process of its own. Printed: the median of the CPU times, and its ratio to that of `trust`.
 */
import { fileURLToPath } from 'node:url';
import { type CheckOptions, check, type Program } from 'heddle';
import { type Measured, measure, runApart } from './apart.js';
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

const optionsFor = (bound: number | undefined): CheckOptions =>
  bound === undefined ? { model: 'sc', algorithm: 'trust' } : { model: 'sc', algorithm: 'buster', bound };

function run(name: string, bound: number | undefined): Measured {
  const measured = runApart(own, [name, ...(bound === undefined ? [] : [String(bound)])]);
  if (measured.verdict !== 'ok') throw new Error(`${name}: ${measured.verdict}`);
  return measured;
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
  console.log(JSON.stringify(await measure(make, optionsFor(bound === undefined ? undefined : Number(bound)))));
} else {
  const words = command === undefined ? [] : [command, ...rest];
  const isChosen = (name: string): boolean =>
    words.includes(name) || (!long.has(name) && (words.length === 0 || words.some((word) => name.includes(word))));
  console.log(`Node ${process.version}; CPU time, the median of ${ROUNDS} runs each, and the ratio to trust`);
  for (const [name, make] of Object.entries(programs).filter(([each]) => isChosen(each))) {
    const b = await leastThatPrunesNothing(make);
    const bounds = [undefined, b, b + 1, b + 2];
    const rounds = Array.from({ length: ROUNDS }, () => bounds.map((bound) => run(name, bound)));
    const executions = rounds[0]?.[0]?.executions.complete ?? 0;
    const times = bounds.map((_, i) => median(rounds.map((runs) => runs[i]?.seconds ?? 0)));
    const [alone = 0, ...bounded] = times;
    const cells = bounded.map((time, i) => `k = ${b + i}: ${time.toFixed(2)} s ×${(time / alone).toFixed(2)}`);
    console.log(
      `${name.padEnd(20)} ${executions.toLocaleString('en').padStart(10)}  trust ${alone.toFixed(2)} s  ${cells.join('  ')}`,
    );
  }
}
