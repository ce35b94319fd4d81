/** A C program: modules of LLVM IR → something that explorers can run. */
import { InputError } from '../program/input-error.ts';
import type { Program, Thread } from '../program/operation.ts';
import { linkModules } from './ir/link.ts';
import type { Function, Module } from './ir/module.ts';
import { analyseEscape } from './passes/escape.ts';
import { optimise } from './passes/index.ts';
import { lowerByval } from './passes/lower-byval.ts';
import { install } from './run/emit.ts';
import { heapTypesOf } from './run/heap-types.ts';
import { Image } from './run/image.ts';
import type { CRunOptions, CValue } from './run/runtime.ts';
import { type Callable, CThreadRun } from './run/thread.ts';

export interface CProgramOptions extends Partial<CRunOptions> {
  /** As the user gave it. */
  readonly name: string;
  /** How often the header of a loop may be entered. */
  readonly unroll?: number | undefined;
}

/** The linked module before any pass. */
export function linkProgram(modules: readonly Module[]): Module {
  return linkModules([...modules]);
}

/** All that is done to a linked module before it is compiled. */
export function prepare(module: Module, options: Pick<CProgramOptions, 'unroll'>): void {
  lowerByval(module);
  optimise(module, options.unroll === undefined ? {} : { unroll: options.unroll });
}

export function cProgram(modules: readonly Module[], options: CProgramOptions): Program {
  const module = linkProgram(modules);
  const heapTypes = heapTypesOf(module);
  prepare(module, options);
  return new CProgram(module, heapTypes, options);
}

const entryNames = ['main', '__main_void', '__main_argc_argv', '__original_main'];

class CProgram implements Program {
  readonly name: string;
  readonly language = 'c';
  readonly #image: Image;
  readonly #main: Callable;
  readonly #arguments: readonly CValue[];

  constructor(module: Module, heapTypes: ReturnType<typeof heapTypesOf>, options: CProgramOptions) {
    this.name = options.name;
    const escaping = analyseEscape(module);
    this.#image = new Image(module, escaping, heapTypes, {
      nondet: options.nondet ?? { least: 0, greatest: 1 },
      spuriousWakeups: options.spuriousWakeups ?? false,
    });
    const entry = entryOf(module, this.#image, options.name);
    install(module, escaping, this.#image);
    const main = this.#image.functionAt(this.#image.addressOf(entry.name) as number) as Callable;
    this.#main = { ...main, name: 'main' };
    this.#arguments = entry.parameters.length === 0 ? [] : [1, this.#image.argumentVector(options.name), 0];
  }

  start(): Thread {
    return new CThreadRun(this.#image, 0, this.#main, this.#arguments);
  }

  limits(): readonly string[] {
    return [...this.#image.limits];
  }
}

function entryOf(module: Module, image: Image, file: string): Function {
  for (const name of entryNames) {
    const f = module.functions.get(image.resolve(name));
    if (f !== undefined && f.blocks.length > 0) return f;
  }
  throw new InputError(`there is no function main in ${file}: a program to check starts there.`);
}
