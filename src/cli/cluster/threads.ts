/** The threads of `heddle worker`, as benches that parts of searches are explored at. */
import { Worker } from 'node:worker_threads';
import type { Bench, Task } from '../../cluster/explore-errand.ts';
import type { Outcome } from '../../cluster/explore-item.ts';
import type { ClusterFailure } from '../../cluster/store.ts';
import { InputError } from '../../program/input-error.ts';
import type { Knowledge, Learned } from '../../program/knowledge.ts';
import { CutShort } from '../exit.ts';
import { newShared } from '../job.ts';
import { outsideProblem, stuckThread } from '../run-job.ts';
import { entryOf, type ProgramSource } from '../source.ts';
import type { FromThread, ThreadInput, ToThread } from './thread-messages.ts';

type Answer<Type extends FromThread['type']> = Extract<FromThread, { readonly type: Type }>;

export class Thread implements Bench {
  readonly #sourceOf: (program: string) => Promise<ProgramSource>;
  readonly #shared = newShared();
  #worker: Worker | undefined;
  /** The program that is code which it has run: modules cannot be loaded anew, so it runs no other. */
  #code: string | undefined;

  constructor(sourceOf: (program: string) => Promise<ProgramSource>) {
    this.#sourceOf = sourceOf;
  }

  async explore(task: Task): Promise<Outcome | { readonly kind: 'failed'; readonly failure: ClusterFailure }> {
    const watch = new AbortController();
    try {
      const source = await this.#sourceOf(task.program);
      await this.#makeReady(task, source);
      const worker = this.#start();
      const outcome = this.#answer(worker, 'outcome', source, watch.signal);
      const needed = (message: FromThread): void => {
        if (message.type === 'need') this.#tell({ type: 'source', source });
      };
      worker.on('message', needed);
      watch.signal.addEventListener('abort', () => worker.off('message', needed));
      this.#tell({ type: 'explore', task });
      const stuck = stuckThread(worker, { source }, this.#shared, watch.signal);
      return (await Promise.race([outcome, stuck])).outcome;
    } catch (error) {
      await this.end();
      return { kind: 'failed', failure: failureOf(error) };
    } finally {
      watch.abort();
    }
  }

  async learn(
    knowledge: Knowledge | undefined,
  ): Promise<{ readonly learned: Learned; readonly knowledge: Knowledge | undefined }> {
    const watch = new AbortController();
    try {
      const answer = this.#answer(this.#start(), 'learned', undefined, watch.signal);
      this.#tell({ type: 'learn', knowledge });
      return await answer;
    } finally {
      watch.abort();
    }
  }

  async end(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#code = undefined;
    await worker?.terminate();
  }

  async #makeReady({ program }: Task, source: ProgramSource): Promise<void> {
    if (entryOf(source).travelling?.isCode !== true) return;
    if (this.#code !== undefined && this.#code !== program) await this.end();
    this.#code = program;
  }

  #start(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const input: ThreadInput = { pulse: this.#shared.pulse };
    this.#shared.pulse.fill(0);
    const worker = new Worker(new URL('./thread.js', import.meta.url), {
      workerData: input,
      resourceLimits: { stackSizeMb: 256 }, // as in run-job.ts
    });
    worker.setMaxListeners(0);
    worker.on('error', () => {}); // who waits for an answer is told
    this.#worker = worker;
    return worker;
  }

  #tell(message: ToThread): void {
    this.#worker?.postMessage(message);
  }

  #answer<Type extends FromThread['type']>(
    worker: Worker,
    type: Type,
    source: ProgramSource | undefined,
    signal: AbortSignal,
  ): Promise<Answer<Type>> {
    return new Promise((resolve, reject) => {
      const listeners = {
        message: (message: FromThread): void => {
          if (message.type === type) resolve(message as Answer<Type>);
        },
        error: (error: unknown): void => reject(source === undefined ? error : outsideProblem(error, source)),
        exit: (code: number): void =>
          reject(
            new InputError(`the program ended the process (process.exit, code ${code}), so that it cannot be checked.`),
          ),
      };
      for (const [event, listener] of Object.entries(listeners)) worker.on(event, listener);
      signal.addEventListener('abort', () => {
        for (const [event, listener] of Object.entries(listeners)) worker.off(event, listener);
      });
    });
  }
}

function failureOf(error: unknown): ClusterFailure {
  if (error instanceof InputError) return { kind: 'input', message: error.message, position: error.position };
  if (error instanceof CutShort) return { kind: 'memory', message: error.message, position: undefined };
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { kind: 'internal', message, position: undefined };
}
