/** What we use of the engine's WebAssembly, for which the types of Node have no names. */
export interface WasmMemory {
  readonly buffer: SharedArrayBuffer;
  grow(pages: number): number;
}

export type WasmModule = object;

export const wasm = (
  globalThis as unknown as {
    readonly WebAssembly: {
      readonly Memory: new (limits: { initial: number; maximum: number; shared: true }) => WasmMemory;
      readonly Module: new (bytes: Uint8Array) => WasmModule;
      readonly Instance: new (module: WasmModule, imports: object) => { readonly exports: Record<string, unknown> };
    };
  }
).WebAssembly;
