/** The other threads that explore: started when the search turns out to be a long one. */
import { availableParallelism } from 'node:os';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { expectDivisible, isDivisibleAlgorithm } from '../check/divisible.ts';
import type { ResolvedOptions } from '../check/options.ts';
import type { FromPeer, ToPeer } from '../check/sharing/messages.ts';
import { type PeerLink, Peers } from '../check/sharing/shared-search.ts';
import { InputError } from '../program/input-error.ts';
import { type JobRequest, newShared, type PeerInput, type Shared, type Workers } from './job.ts';

/** One worker is enough for so long, unless their number was given. */
const ALONE_MS = 1000;
const MOST_WORKERS = 1024;

/** What `--workers` asks for; what cannot be done is refused. */
export function workersFor(given: string | undefined, { algorithm, maxExecutions }: ResolvedOptions): Workers {
  const isAuto = given === undefined || given === 'auto';
  const count = isAuto ? availableParallelism() : Number(given);
  if (!isAuto && !/^\d+$/.test(given)) {
    throw new InputError(`--workers needs a whole number, or auto for all cores, not ${JSON.stringify(given)}.`);
  }
  if (count < 1 || count > MOST_WORKERS) throw new InputError(`--workers is from 1 to ${MOST_WORKERS}, not ${count}.`);
  if (!isAuto && count > 1) {
    expectDivisible(algorithm, 'several workers');
    if (maxExecutions < Number.POSITIVE_INFINITY) {
      throw new InputError('--max-executions counts the executions of one worker: leave out --workers.');
    }
  }
  const isAlone = !isDivisibleAlgorithm(algorithm) || maxExecutions < Number.POSITIVE_INFINITY;
  return { count: isAlone ? 1 : count, aloneMs: isAuto ? ALONE_MS : 0 };
}

/** In the main thread. Another thread that explores, and the port by which the leader reaches it. */
export function startPeer(request: JobRequest): { worker: Worker; shared: Shared; port: MessagePort } {
  const { port1, port2 } = new MessageChannel();
  const shared = newShared();
  const input: PeerInput = { request, shared };
  const worker = new Worker(new URL('./peer-worker.js', import.meta.url), {
    workerData: { ...input, port: port2 },
    transferList: [port2],
    stdout: true, // what the program prints as it is loaded was printed by the first
    stderr: true,
    resourceLimits: { stackSizeMb: 256 }, // as the leader
  });
  return { worker, shared, port: port1 };
}

/** In the thread that leads: it hears of the others by this. Their ports keep the thread going, until they are released. */
export class PortPeers extends Peers {
  readonly #ports: MessagePort[] = [];

  /** There will be another one, as soon as it is ready. */
  expect(port: MessagePort): void {
    this.#ports.push(port);
    const link: PeerLink = { post: (message: ToPeer) => port.postMessage(message) };
    port.on('message', (message: FromPeer) => {
      if (message.type === 'ready') this.add(link);
      else this.receive(link, message);
    });
  }

  release(): void {
    for (const port of this.#ports) port.unref();
  }
}
