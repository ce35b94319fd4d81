// @ts-check
/**
 * The process that holds the compiler: it is large, and its memory goes when this process does. Plain JavaScript, so
 * that it runs from src/ as well as from dist/. The other side is `bundled.ts`.
 *
 * Clang runs in a thread of its own, so that this one notices when whoever asked is gone.
 */
import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
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
  setFlags();
  serveFiles();
  const { Exit, runLLVM } = await import('@yowasp/clang');

  /** @type {(job: Job) => Promise<Answer>} */
  async function compile({ args, files }) {
    const [output, messages] = [collector(), collector()];
    let code = 0;
    try {
      const streams = { stdout: output.add, stderr: messages.add };
      await runLLVM(args, files, { ...streams, fetchProgress: () => {}, decodeASCII: false });
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

/**
 * Clang is large and runs once: V8's optimising compiler costs more than it gives back, for 1,500 functions as for one; and
 * of its 130,000 functions a few thousands are called, so each is checked when it is. Flags on the command line would say
 * the same, but Node does not use what it has of its own code, compiled, with other flags than its own.
 */
function setFlags() {
  for (const flag of ['--liftoff-only', '--no-wasm-tier-up', '--no-wasm-dynamic-tiering', '--wasm-lazy-validation'])
    setFlagsFromString(flag);
}

/**
 * The package loads its files as a browser would: as streams, through two transformations, which copies 75 MB of
 * WebAssembly several times. So it is told that this is no Node, and asks a `fetch`, which is ours: whole files, as they
 * lie on disk. It and what it gives are made for the one version of the package that there is.
 */
function serveFiles() {
  class Whole {
    /** @param {Uint8Array | Whole} content */
    constructor(content) {
      /** @type {Uint8Array} */
      this.bytes = content instanceof Whole ? content.bytes : content;
    }
    get body() {
      return { pipeThrough: () => this };
    }
    arrayBuffer() {
      return this.bytes.buffer;
    }
  }
  Object.defineProperty(process, 'release', { value: {} });
  Object.assign(globalThis, {
    Response: Whole,
    /** @param {URL} url */
    fetch: async (url) => {
      const bytes = readFileSync(url);
      return new Whole(url.pathname.endsWith('.tar') ? headersIn(bytes) : bytes);
    },
  });
  Object.assign(WebAssembly, {
    /** @param {Promise<Whole> | Whole} file */
    compileStreaming: async (file) => new WebAssembly.Module(/** @type {any} */ ((await file).bytes)),
  });
}

/**
 * The archive without what C programs do not need (the headers of C++, libraries to link), nine tenths of it. A tar file
 * is, for each entry, a block that says name and size, then the content in whole blocks.
 * @param {Buffer} archive
 */
function headersIn(archive) {
  const block = 512;
  const kept = [];
  for (let at = 0; at + block <= archive.length && archive[at] !== 0; ) {
    const size = Number.parseInt(archive.toString('latin1', at + 124, at + 135), 8);
    const end = at + block + Math.ceil(size / block) * block;
    const name = archive.toString('latin1', at, at + 12);
    if (name.startsWith('include') && !name.startsWith('include/c++')) kept.push(archive.subarray(at, end));
    at = end;
  }
  const headers = new Uint8Array(kept.reduce((sum, { length }) => sum + length, 2 * block)); // ends with two empty ones
  let at = 0;
  for (const part of kept) {
    headers.set(part, at);
    at += part.length;
  }
  return headers;
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
