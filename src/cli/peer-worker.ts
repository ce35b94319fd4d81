/** A thread that loads the program, too, and explores what the one that leads the search (`worker.ts`) gives it. */
import { type MessagePort, workerData } from 'node:worker_threads';
import { makeExplorer } from '../check/make-explorer.ts';
import { resolveOptions } from '../check/options.ts';
import { explorePartsOf } from '../check/sharing/peer.ts';
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

// The main thread ends this one. When the leader has ended, and its port with it, what it came to may still be on the way there.
setInterval(() => {}, 2 ** 30);
await explorePartsOf(program, make, port);
