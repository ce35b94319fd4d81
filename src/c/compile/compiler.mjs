// @ts-check
/**
 * The process that holds the compiler: it is large, and its memory goes when this process does. Plain JavaScript, so
 * that it runs from src/ as well as from dist/. The other side is `bundled.ts`.
 *
 * Clang runs in a thread of its own, so that this one notices when whoever asked is gone.
 */
import { isMainThread, parentPort, Worker } from 'node:worker_threads';

/**
 * @typedef {{ args: string[], files: import('@yowasp/clang').Tree }} Job what it writes to standard output is the IR
 * @typedef {{ code: number, messages: string, text: string }} Answer
 */

function listen() {
  const worker = new Worker(new URL(import.meta.url));
  worker.on('message', (answers) => process.send?.(answers));
  process.on('disconnect', () => process.exit());
  process.on('message', (jobs) => worker.postMessage(jobs));
}

async function work() {
  // clang's imports look for a variable at every call, and this makes it cheap
  process.env = { ...process.env };
  const { Exit, runLLVM } = await import('@yowasp/clang');

  /** @type {(job: Job) => Promise<Answer>} */
  async function compile({ args, files }) {
    const [output, messages] = [collector(), collector()];
    let code = 0;
    try {
      await runLLVM(args, files, { stdout: output.add, stderr: messages.add, fetchProgress: () => {} });
    } catch (error) {
      if (!(error instanceof Exit)) throw error;
      ({ code } = error);
    }
    return { code, messages: messages.text(), text: output.text() };
  }

  parentPort?.on('message', async (/** @type {Job[]} */ jobs) => {
    /** @type {Answer[]} */
    const answers = [];
    for (const job of jobs) answers.push(await compile(job));
    parentPort?.postMessage(answers);
  });
}

/** Clang does not buffer: an IR file comes in pieces of a few bytes. */
function collector() {
  let bytes = new Uint8Array(2 ** 16);
  let length = 0;
  return {
    /** @param {Uint8Array | null} part a view of memory that will be used again */
    add: (part) => {
      if (part === null) return;
      if (length + part.length > bytes.length) {
        const larger = new Uint8Array(2 * (length + part.length));
        larger.set(bytes);
        bytes = larger;
      }
      bytes.set(part, length);
      length += part.length;
    },
    text: () => new TextDecoder().decode(bytes.subarray(0, length)),
  };
}

if (isMainThread) listen();
else await work();
