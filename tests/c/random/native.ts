/** Compiles C to WebAssembly with the whole C library, and runs it: what a program really prints. */
import { commands, Exit, runLLVM, type Tree } from '@yowasp/clang';

/** What is used of it here: TypeScript has its types among those of browsers. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => WebAssemblyModule;
  readonly Instance: new (
    module: WebAssemblyModule,
    imports: object,
  ) => { readonly exports: { readonly memory: { readonly buffer: ArrayBuffer }; readonly _start: () => void } };
  readonly RuntimeError: new () => Error;
};
export interface WebAssemblyModule {
  readonly [Symbol.toStringTag]: string;
}

export type Optimisation = '-O0' | '-O1' | '-O2' | '-O3';

export async function compileNatively(source: string, optimisation: Optimisation): Promise<WebAssemblyModule> {
  // Without arguments it only loads itself, and quietly if told so here.
  await runLLVM(undefined, undefined, { fetchProgress: () => {} });
  const args = ['-w', '-std=gnu17', '-ffp-contract=off', optimisation, '-c', 'in.c', '-o', '-'];
  // To the standard output: writing a file piece by piece takes the package time that grows with the file's square.
  const compiled = await run(args, { 'in.c': source });
  const linked = await run(['in.o', '-o', 'out.wasm'], { 'in.o': compiled.output });
  return new WebAssembly.Module(linked.files['out.wasm'] as Uint8Array);
}

async function run(args: string[], files: Tree): Promise<{ files: Tree; output: Uint8Array }> {
  const output: Uint8Array[] = [];
  const messages: Uint8Array[] = [];
  const into = (list: Uint8Array[]) => (bytes: Uint8Array | null) => {
    if (bytes !== null) list.push(bytes.slice());
  };
  try {
    const after = await commands.clang(args, files, { stdout: into(output), stderr: into(messages) });
    return { files: after as Tree, output: Buffer.concat(output) };
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
    throw new Error(`does not compile natively:\n${Buffer.concat(messages).toString()}`);
  }
}

class ProcessExit extends Error {
  constructor(readonly status: number) {
    super(`exit ${status}`);
  }
}

export interface NativeRun {
  readonly output: string;
  /** The exit status, or why it trapped. */
  readonly end: number | string;
}

/** Runs a program that only prints: it has no arguments, no files and no environment. */
export function runNatively(module: WebAssemblyModule): NativeRun {
  const decoder = new TextDecoder();
  let output = '';
  let memory = new DataView(new ArrayBuffer(0));
  const look = (): DataView => {
    const { buffer } = instance.exports.memory;
    if (memory.buffer !== buffer) memory = new DataView(buffer);
    return memory;
  };
  const wasi: Record<string, (...args: never[]) => number> = {
    fd_write(_fd: number, list: number, count: number, written: number): number {
      const view = look();
      let total = 0;
      for (let i = 0; i < count; i++) {
        const start = view.getUint32(list + 8 * i, true);
        const length = view.getUint32(list + 8 * i + 4, true);
        output += decoder.decode(new Uint8Array(view.buffer, start, length), { stream: true });
        total += length;
      }
      view.setUint32(written, total, true);
      return 0;
    },
    fd_fdstat_get(_fd: number, at: number): number {
      const view = look();
      for (let i = 0; i < 24; i++) view.setUint8(at + i, 0);
      return 0;
    },
    args_sizes_get(count: number, size: number): number {
      look().setUint32(count, 0, true);
      look().setUint32(size, 0, true);
      return 0;
    },
    args_get: () => 0,
    fd_close: () => 0,
    fd_seek: () => 0,
    proc_exit(status: number): number {
      throw new ProcessExit(status);
    },
  };
  const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasi });
  try {
    instance.exports._start();
    return { output, end: 0 };
  } catch (error) {
    if (error instanceof ProcessExit) return { output, end: error.status };
    if (error instanceof WebAssembly.RuntimeError) return { output, end: error.message };
    throw error;
  }
}
