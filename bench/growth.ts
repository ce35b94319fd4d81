/**
 * `npm run plot:growth`: draws docs/images/growth.svg, what an execution costs `trust` as programs grow: with the number of threads, the
 * number of events being the same, and with the number of events, the number of threads being the same. CPU time of the first
 * executions of a search that has many more, divided by their number; the least of some runs.
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { atomic, type Program, program, spawn, type ThreadHandle } from 'heddle';
import { type Measured, measure, runApart } from './apart.js';
import { type Panel, plot } from './plot.js';

const EXECUTIONS = 20_000;
const RUNS = 3;
const MODELS = ['sc', 'rc11'];
const THREADS = [2, 4, 6, 8, 10, 12, 14, 16];
const EVENTS_OF_THREADS = 96;
const EVENTS = [20, 50, 100, 150, 200, 300, 400, 500];
const THREADS_OF_EVENTS = 4;

/** Each thread stores to a variable of its own and loads that of its neighbour, in turn; `events` accesses in all. */
function ring(threads: number, events: number): Program {
  return program(`ring(${threads}, ${events})`, function* () {
    const variables = Array.from({ length: threads }, () => atomic(0));
    const handles: ThreadHandle<void>[] = [];
    for (let t = 0; t < threads; t++) {
      const own = variables[t] as (typeof variables)[number];
      const next = variables[(t + 1) % threads] as (typeof variables)[number];
      const rounds = Math.floor((events * (t + 1)) / threads) - Math.floor((events * t) / threads);
      const thread = yield* spawn(function* () {
        for (let i = 0; i < rounds; i++) {
          if (i % 2 === 0) yield* own.store(i);
          else yield* next.load();
        }
      });
      handles.push(thread);
    }
    for (const handle of handles) yield* handle.join();
  });
}

/** In microseconds. */
function costOf(model: string, threads: number, events: number): number {
  const runs = Array.from({ length: RUNS }, () => runApart(own, [model, String(threads), String(events)]));
  const each = ({ seconds, executions }: Measured): number => (seconds / executions.complete) * 1e6;
  const cost = Math.min(...runs.map(each));
  console.log(model, `${threads} threads`, `${events} events`, `${cost.toFixed(1)} µs`);
  return cost;
}

const own = fileURLToPath(import.meta.url);
const [command, model = '', threads, events] = process.argv.slice(2);
if (command === '--case') {
  const make = (): Program => ring(Number(threads), Number(events));
  console.log(JSON.stringify(await measure(make, { model, algorithm: 'trust', maxExecutions: EXECUTIONS })));
} else {
  const unit = 'µs per execution';
  const byThreads: Panel = {
    title: `${EVENTS_OF_THREADS} events`,
    unit,
    xTitle: 'threads',
    series: MODELS.map((name) => ({ name, points: THREADS.map((n) => [n, costOf(name, n, EVENTS_OF_THREADS)]) })),
  };
  const byEvents: Panel = {
    title: `${THREADS_OF_EVENTS} threads`,
    unit,
    xTitle: 'events',
    series: MODELS.map((name) => ({ name, points: EVENTS.map((n) => [n, costOf(name, THREADS_OF_EVENTS, n)]) })),
  };
  const title = 'What an execution costs trust, against the number of threads and against the number of events';
  const file = fileURLToPath(new URL('../docs/images/growth.svg', import.meta.url));
  writeFileSync(file, plot(title, 'npm run plot:growth', [[byThreads], [byEvents]]));
}
