/**
 * `npm run plot:bounding`: draws docs/images/bounding.svg anew, how many executions `dfs`, `bpor`, `buster` and `trust` explore and how long
 * they take, against the bound on preemptions. Executions are the same on every machine, times are not. A curve ends where a search
 * was not finished in time.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { CheckOptions, Program } from 'heddle';
import { type Measured, measure, runApart } from './apart.js';
import { c } from './c-programs.js';
import { type Panel, plot, type Series } from './plot.js';

const LIMIT_SECONDS = 15;
const BOUNDS = [0, 1, 2, 3, 4, 5, 6, 7, 8];

const programs: Record<string, { title: string; make: () => Promise<Program> }> = {
  'mutex-2': { title: 'mutex, 2 threads × 8 rounds', make: () => c('locks/mutex_counter.c', 'N=2', 'ROUNDS=8') },
  'mutex-3': { title: 'mutex, 3 threads × 4 rounds', make: () => c('locks/mutex_counter.c', 'N=3', 'ROUNDS=4') },
  msqueue: { title: 'lock-free queue, 4 threads', make: () => c('datastructures/msqueue.c', 'E=2', 'D=2') },
};

function optionsFor(algorithm: string, bound: string | undefined): CheckOptions {
  const limited = { model: 'sc', algorithm, timeout: LIMIT_SECONDS };
  return bound === undefined ? limited : { ...limited, bound: Number(bound) };
}

const isFinished = ({ verdict }: Measured): boolean => verdict === 'ok' || verdict === 'bounded';

/** By bound, as far as they finish in time. */
function measureBounds(name: string, algorithm: string): Measured[] {
  const found: Measured[] = [];
  for (const bound of BOUNDS) {
    const measured = runApart(own, [name, algorithm, String(bound)]);
    console.log(name, algorithm, bound, measured.verdict, allOf(measured), `${measured.seconds.toFixed(2)} s`);
    if (!isFinished(measured)) break;
    found.push(measured);
  }
  return found;
}

function allOf({ executions: { complete, blocked, redundant, overBound } }: Measured): number {
  return complete + blocked + redundant + overBound;
}

function panelsOf(name: string): [Panel, Panel] {
  const title = programs[name]?.title ?? name;
  const trust = runApart(own, [name, 'trust']);
  console.log(name, 'trust', trust.verdict, allOf(trust), `${trust.seconds.toFixed(2)} s`);
  const curves = ['dfs', 'bpor', 'buster'].map((algorithm) => [algorithm, measureBounds(name, algorithm)] as const);
  const panel = (unit: Panel['unit'], amountOf: (measured: Measured) => number): Panel => {
    const all: Series = { name: 'trust', points: BOUNDS.map((k) => [k, amountOf(trust)]) };
    const rest = curves.map(([algorithm, found]): Series => {
      return { name: algorithm, points: found.map((measured, k) => [k, amountOf(measured)]) };
    });
    return { title, unit, xTitle: 'bound on preemptions', series: [...(isFinished(trust) ? [all] : []), ...rest] };
  };
  return [panel('executions', allOf), panel('seconds', ({ seconds }) => seconds)];
}

const own = fileURLToPath(import.meta.url);
const [command, ...rest] = process.argv.slice(2);
if (command === '--case') {
  const [name = '', algorithm = '', bound] = rest;
  const chosen = programs[name];
  if (chosen === undefined) throw new Error(`no program ${name}`);
  console.log(JSON.stringify(await measure(chosen.make, optionsFor(algorithm, bound))));
} else {
  const columns = Object.keys(programs).map(panelsOf);
  const title =
    'Executions explored and time taken by dfs, bpor, buster and trust, against the bound on preemptions, for three programs';
  const file = fileURLToPath(new URL('../docs/images/bounding.svg', import.meta.url));
  writeFileSync(file, plot(title, 'npm run plot:bounding', columns));
}
