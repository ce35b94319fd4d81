/** A thread of `heddle worker` that explores parts of searches; the main thread watches over it (`threads.ts`). */
import { parentPort, workerData } from 'node:worker_threads';
import { resolveOptions } from '../../check/options.ts';
import { failureOf } from '../../check/sharing/peer.ts';
import type { Task } from '../../cluster/explore-errand.ts';
import { exploreItem, type Outcome } from '../../cluster/explore-item.ts';
import type { Knowledge, Learned } from '../../program/knowledge.ts';
import type { Program } from '../../program/operation.ts';
import { entryOf, loadProgram, type ProgramSource } from '../source.ts';
import type { FromThread, ThreadInput, ToThread } from './thread-messages.ts';

/** As many programs as this are kept, those that were asked for last. */
const MOST_PROGRAMS = 4;

const { pulse } = workerData as ThreadInput;

function post(message: FromThread): void {
  parentPort?.postMessage(message);
}

/** By search and generation: what a program has learned in an older one may not be what the search has started over with. */
const programs = new Map<string, Loaded>();

interface Loaded {
  readonly program: Program;
  readonly source: ProgramSource;
}

let current: Loaded | undefined;
let onSource: ((source: ProgramSource) => void) | undefined;

async function loaded({ search, generation, knowledge }: Task): Promise<Loaded> {
  const key = `${search} ${generation}`;
  const known = programs.get(key) ?? (await load(knowledge));
  programs.delete(key);
  programs.set(key, known);
  for (const oldest of programs.keys()) if (programs.size > MOST_PROGRAMS) programs.delete(oldest);
  return known;
}

async function load(knowledge: Knowledge | undefined): Promise<Loaded> {
  const source = await new Promise<ProgramSource>((resolve) => {
    onSource = resolve;
    post({ type: 'need' });
  });
  const program = await loadProgram(source);
  program.learn?.(knowledge);
  return { program, source };
}

async function explore(task: Task): Promise<Outcome> {
  try {
    current = await loaded(task);
    const { program, source } = current;
    const options = resolveOptions(task.options, entryOf(source).language);
    const onThread = (thread: number, { name }: { readonly name: string }): void =>
      post({ type: 'thread', thread, name });
    return exploreItem(program, options, task.item, task.knowledge, task.limitMs, { pulse, onThread });
  } catch (error) {
    return { kind: 'failed', failure: failureOf(error) };
  }
}

function learn(knowledge: Knowledge | undefined): { learned: Learned; knowledge: Knowledge | undefined } {
  const learned = current?.program.learn?.(knowledge) ?? 'known';
  return { learned, knowledge: current?.program.knowledge?.('search') };
}

parentPort?.on('message', (message: ToThread) => {
  switch (message.type) {
    case 'explore':
      void explore(message.task).then((outcome) => post({ type: 'outcome', outcome }));
      break;
    case 'source':
      onSource?.(message.source);
      break;
    case 'learn':
      post({ type: 'learned', ...learn(message.knowledge) });
      break;
  }
});
