/** The inner loop of a search as the build has translated it to WebAssembly: see `hot-memory.ts`. */
import { existsSync, readFileSync } from 'node:fs';
import { type HotLayout, HotMemory, type HotObject } from '../../program/hot-memory.ts';
import { type WasmModule, wasm } from '../../program/web-assembly.ts';

export type HotLoop = (steps: number) => void;

/** After so many steps a search goes on with it: a short one is over before that pays. */
export const HOT_AFTER = 200;

const folder = new URL('../../hot/', import.meta.url);

let layouts: Readonly<Record<string, HotLayout>> | undefined;
const modules = new Map<string, WasmModule>();

/** The loop of the search for its model and policy; undefined: there is none, as where the sources are run as they are. */
export function hotLoopOf(search: object, model: object, policy: string | undefined): HotLoop | undefined {
  const { hotModel } = model as { hotModel?: string };
  if (hotModel === undefined || policy === undefined) return undefined;
  const name = `${policy}${hotModel}`;
  const layout = layoutOf(name);
  if (layout === undefined) return undefined;
  const memory = newMemory(layout);
  if (memory === undefined) return undefined;
  memory.attach('search', search as HotObject);
  const run = memory.instantiate(moduleOf(name)).run as HotLoop;
  return (steps) => {
    memory.giveBack();
    run(steps);
  };
}

/** Undefined where the system has none to give: addresses for all that it may grow to are asked for at once. */
function newMemory(layout: HotLayout): HotMemory | undefined {
  try {
    return new HotMemory(layout);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function layoutOf(name: string): HotLayout | undefined {
  const file = new URL('layouts.json', folder);
  if (layouts === undefined && existsSync(file)) {
    layouts = JSON.parse(readFileSync(file, 'utf8')) as Record<string, HotLayout>;
  }
  return layouts?.[name];
}

function moduleOf(name: string): WasmModule {
  const known = modules.get(name);
  if (known !== undefined) return known;
  const module = new wasm.Module(readFileSync(new URL(`${name}.wasm`, folder)));
  modules.set(name, module);
  return module;
}
