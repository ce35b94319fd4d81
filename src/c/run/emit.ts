/**
 * Compiles a module to JavaScript: each C function becomes a generator function on a thread `T` that yields operations, or, if
 * it performs none, a plain function. Blocks are the cases of a switch in a loop; SSA values are variables.
 *
 * In the source: A arithmetic, S sites, Y types, L library functions, O origins of stack objects, I the image, f0 … the
 * functions. Only numbers, names made here and string literals written by JSON.stringify go into it: no text of the program.
 */
import type { SourcePosition } from '../../program/operation.ts';
import type { IrFunction, Module, Type } from '../ir/module.ts';
import type { LibraryFunction } from '../library/define.ts';
import { findLibraryFunction } from '../library/index.ts';
import type { Escape } from '../passes/analyses/escape.ts';
import type { CallSite, CValue, Run, Site } from '../runtime.ts';
import { arithmetic } from './arithmetic.ts';
import { FunctionEmitter } from './emit-function.ts';
import type { Image } from './image.ts';
import { mayOperate } from './may-operate.ts';
import type { Origin } from './objects.ts';
import type { Callable, CThreadRun } from './thread.ts';

/** What the source of a module refers to by number. */
export class Tables {
  readonly sites: (Site | CallSite)[] = [];
  readonly types: Type[] = [];
  readonly library: LibraryFunction['run'][] = [];
  readonly origins: Origin[] = [];
  /** How many accesses say what their future depends on. */
  futures = 0;
  readonly #typeNumbers = new Map<string, number>();
  readonly #libraryNumbers = new Map<string, number>();

  site(position: SourcePosition | undefined, functionName: string): string {
    this.sites.push({ position, functionName });
    return `S[${this.sites.length - 1}]`;
  }

  callSite(site: CallSite): string {
    this.sites.push(site);
    return `S[${this.sites.length - 1}]`;
  }

  type(type: Type): string {
    const key = JSON.stringify(type);
    let number = this.#typeNumbers.get(key);
    if (number === undefined) {
      number = this.types.push(type) - 1;
      this.#typeNumbers.set(key, number);
    }
    return `Y[${number}]`;
  }

  libraryFunction(name: string, f: LibraryFunction): string {
    let number = this.#libraryNumbers.get(name);
    if (number === undefined) {
      number = this.library.push(f.run) - 1;
      this.#libraryNumbers.set(name, number);
    }
    return `L[${number}]`;
  }

  origin(origin: Origin): string {
    this.origins.push(origin);
    return `O[${this.origins.length - 1}]`;
  }
}

export interface Emitted {
  readonly source: string;
  readonly tables: Tables;
}

/** The JavaScript of all functions: a function body that returns them, by name. */
export function emit(module: Module, escaping: Escape, image: Image): Emitted {
  const tables = new Tables();
  const operating = mayOperate(module, escaping, image);
  const numbers = new Map([...module.functions.keys()].map((name, i) => [name, i]));
  const parts: string[] = [];
  const entries: string[] = [];
  for (const f of module.functions.values()) {
    if (f.blocks.length === 0) continue;
    parts.push(new FunctionEmitter(f, { module, escaping, image, tables, operating, numbers }).source());
    entries.push(`[${JSON.stringify(f.name)}, f${numbers.get(f.name)}]`);
  }
  const source = `'use strict';\n${parts.join('\n')}\nreturn new Map([${entries.join(', ')}]);\n`;
  return { source, tables };
}

type CompiledFunction = (thread: CThreadRun, ...args: unknown[]) => Run<CValue> | CValue;

/** Compiles the module and enters its functions into the image. */
export function install(module: Module, escaping: Escape, image: Image): void {
  const { source, tables } = emit(module, escaping, image);
  const make = new globalThis.Function('A', 'S', 'Y', 'L', 'O', 'I', source) as (
    ...tables: unknown[]
  ) => Map<string, CompiledFunction>;
  const compiled = make(arithmetic, tables.sites, tables.types, tables.library, tables.origins, image);
  const operating = mayOperate(module, escaping, image);
  for (const f of module.functions.values()) {
    const run = compiled.get(f.name);
    const callable = run === undefined ? libraryCallable(f) : callableOf(f, run, operating.has(f.name));
    if (callable === undefined) continue;
    image.setFunction(f.name, callable);
    if (run !== undefined && operating.has(f.name)) image.compiled.add(callable.run);
  }
}

function callableOf(f: IrFunction, compiled: CompiledFunction, operates: boolean): Callable {
  if (operates) return { name: f.name, run: compiled as Callable['run'], ...shapeOf(f) };
  const run = (thread: CThreadRun, ...args: unknown[]): Run<CValue> =>
    atOnce(() => compiled(thread, ...args) as CValue);
  return { name: f.name, run, ...shapeOf(f) };
}

/** A run without operations. */
function* atOnce(run: () => CValue): Run<CValue> {
  return run();
}

/** A function of the library that the program takes the address of. */
function libraryCallable(f: IrFunction): Callable | undefined {
  const known = findLibraryFunction(f.name);
  const { parameters, returns } = f.signature;
  const site: CallSite = {
    position: undefined,
    functionName: f.name,
    argumentTypes: parameters,
    returns,
    isResultUsed: true,
  };
  const run = function* (thread: CThreadRun, ...args: unknown[]): Run<CValue> {
    if (known === undefined) return thread.unknownFunction(f.name, site);
    if (known.kind === 'plain') return known.run(thread, site, ...(args as CValue[]));
    return yield* known.run(thread, site, ...(args as CValue[]));
  };
  return { name: f.name, run, ...shapeOf(f) };
}

function shapeOf({ signature }: IrFunction): Pick<Callable, 'parameters' | 'returns' | 'variadic'> {
  return { parameters: signature.parameters, returns: signature.returns, variadic: signature.variadic };
}
