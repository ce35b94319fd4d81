/** A thread that loads the program, too, and explores what the one that leads the search (`worker.ts`) gives it. */
import { type MessagePort, workerData } from 'node:worker_threads';
import { makeExplorer } from '../check/make-explorer.ts';
import { resolveOptions } from '../check/options.ts';
import type { ToPeer } from '../check/sharing/messages.ts';
import { PeerSearch } from '../check/sharing/peer.ts';
import { type Divisible, type Explorer, isDivisible } from '../explore/explorer.ts';
import type { PeerInput } from './job.ts';
import { entryOf, loadProgram } from './source.ts';

const { request, shared, port } = workerData as PeerInput & { readonly port: MessagePort };
const options = resolveOptions(request.options, entryOf(request.source).language);
const program = await loadProgram(request.source);

function make(): Explorer & Divisible {
  const explorer = makeExplorer(program, options, { pulse: shared.pulse });
  if (!isDivisible(explorer)) throw new Error(`the search of ${options.algorithm} cannot be cut`);
  return explorer;
}

let wake = (): void => {};
const peer = new PeerSearch(program, make, (message) => port.postMessage(message));
port.on('message', (message: ToPeer) => {
  peer.receive(message);
  wake();
});
peer.ready();
for (;;) {
  while (peer.isBusy) {
    peer.runSlice();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await new Promise<void>((resolve) => {
    wake = resolve;
  });
}
