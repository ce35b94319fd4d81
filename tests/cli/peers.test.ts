/** The threads that explore beside the one that leads. */
import type { Worker } from 'node:worker_threads';
import { beforeAll, expect, test } from 'vitest';
import { ensureBuilt, fixture, root } from './heddle.ts';

beforeAll(ensureBuilt, 300_000);

const STILL_THERE_MS = 500;

test('one stays until it is ended: the leader may have ended before, with its result on the way', async () => {
  const { startPeer }: typeof import('../../src/cli/peers.ts') = await import(`${root}/dist/cli/peers.js`);
  const { chosenBy, sourceOf }: typeof import('../../src/cli/source.ts') = await import(`${root}/dist/cli/source.js`);
  const source = await sourceOf(chosenBy([fixture('long.ts')], {}), true);
  const { worker, port } = startPeer({
    source,
    options: {},
    text: { colour: false, width: 80, cwd: root },
    traceFile: undefined,
    workers: { count: 2, aloneMs: 0 },
    checkpoint: undefined,
    before: undefined,
  });
  await new Promise((resolve) => port.once('message', resolve)); // it is ready
  port.close();
  expect(await exitWithin(worker, STILL_THERE_MS)).toBe(undefined);
  await worker.terminate();
});

function exitWithin(worker: Worker, ms: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms, undefined);
    worker.once('exit', (code) => {
      clearTimeout(timer);
      resolve(code);
    });
  });
}
