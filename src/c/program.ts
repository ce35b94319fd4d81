/** A C program: modules of LLVM IR → something that explorers can run. */
import { MAIN } from '../program/identity.ts';
import { InputError } from '../program/input-error.ts';
import type { Knowledge, KnowledgeScope, Learned } from '../program/knowledge.ts';
import type { LoopReport, Program, Thread } from '../program/operation.ts';
import { linkModules } from './ir/link.ts';
import type { IrFunction, Module } from './ir/module.ts';
import { cLanguage } from './language.ts';
import { assumptionsOf } from './passes/analyses/assumptions.ts';
import { analyseEscape } from './passes/analyses/escape.ts';
import { optimise } from './passes/index.ts';
import { wrapAtomicFunctions } from './passes/transformations/atomic-functions.ts';
import { lowerByval } from './passes/transformations/lower-byval.ts';
import { failSpuriously } from './passes/transformations/spurious-failures.ts';
import { install } from './run/emit.ts';
import { heapTypesOf } from './run/heap-types.ts';
import { Image } from './run/image.ts';
import { type CKnowledge, isNothing, readKnowledge } from './run/knowledge.ts';
import { type Callable, CThreadRun } from './run/thread.ts';
import type { CRunOptions, CValue, Run } from './runtime.ts';

export interface CProgramOptions {
  /** As the user gave it. */
  readonly name: string;
  /** How often the header of a loop may be entered. */
  readonly unroll?: number | undefined;
  /** Stop iterations of loops that change nothing (partial loop purity elimination). Default: true. */
  readonly plp?: boolean | undefined;
  /** Let accesses wait for what is assumed of their results (assume → await). Default: true. */
  readonly await?: boolean | undefined;
  /** Default: 0 and 1. */
  readonly nondet?: CRunOptions['nondet'] | undefined;
  readonly spuriousWakeups?: boolean | undefined;
  /** Weak compare-exchanges may fail for no reason. */
  readonly spuriousCas?: boolean | undefined;
  /** From `CProgram.knowledge` of an earlier run, whose executions are to be followed. */
  readonly knowledge?: Knowledge | undefined;
}

/** The linked module before any pass. */
export function linkProgram(modules: readonly Module[]): Module {
  return linkModules([...modules]);
}

/** All that is done to a linked module before it is compiled. */
export function prepare(
  module: Module,
  options: Pick<CProgramOptions, 'unroll' | 'plp' | 'await' | 'spuriousCas'>,
): LoopReport[] {
  if (options.spuriousCas === true) failSpuriously(module);
  wrapAtomicFunctions(module);
  lowerByval(module);
  return optimise(module, { unroll: options.unroll, plp: options.plp ?? true, await: options.await ?? true });
}

export function cProgram(modules: readonly Module[], options: CProgramOptions): CProgram {
  const module = linkProgram(modules);
  const heapTypes = heapTypesOf(module);
  const assumptions = assumptionsOf(module, options.spuriousCas ?? false);
  const loops = prepare(module, options);
  return new CProgram(module, heapTypes, options, loops, assumptions);
}

const entryNames = ['main', '__main_void', '__main_argc_argv', '__original_main'];

export class CProgram implements Program {
  readonly name: string;
  readonly unroll?: number;
  readonly language = cLanguage;
  readonly #image: Image;
  readonly #main: Callable;
  readonly #arguments: readonly CValue[];
  readonly #loops: readonly LoopReport[];
  /** Of the program as it is written; those of what its executions have called are in the image. */
  readonly #assumptions: ReadonlySet<string>;

  constructor(
    module: Module,
    heapTypes: ReturnType<typeof heapTypesOf>,
    options: CProgramOptions,
    loops: readonly LoopReport[] = [],
    assumptions: ReadonlySet<string> = new Set(),
  ) {
    this.#loops = loops;
    this.#assumptions = assumptions;
    this.name = options.name;
    if (options.unroll !== undefined) this.unroll = options.unroll;
    const escaping = analyseEscape(module);
    const run: CRunOptions = {
      nondet: options.nondet ?? { least: 0, greatest: 1 },
      spuriousWakeups: options.spuriousWakeups ?? false,
    };
    this.#image = new Image(module, escaping, heapTypes, run, readKnowledge(options.knowledge));
    const entry = entryOf(module, this.#image, options.name);
    install(module, escaping, this.#image);
    const main = this.#callable(entry.name);
    const constructors = listedFunctions(module, 'llvm.global_ctors').map((name) => this.#callable(name));
    const destructors = listedFunctions(module, 'llvm.global_dtors').map((name) => this.#callable(name));
    const isPlain = constructors.length === 0 && destructors.length === 0;
    const runMain = isPlain ? main.run : around(constructors, main, destructors);
    this.#main = { ...main, name: 'main', run: runMain };
    this.#arguments = entry.parameters.length === 0 ? [] : [1, this.#image.argumentVector(options.name), 0];
  }

  #callable(name: string): Callable {
    return this.#image.functionAt(this.#image.addressOf(name) as number) as Callable;
  }

  start(): Thread {
    return new CThreadRun(this.#image, MAIN, this.#main, this.#arguments);
  }

  knowledge(scope: KnowledgeScope = 'executions'): CKnowledge | undefined {
    const known = this.#image.objects.knowledge(scope);
    return isNothing(known) ? undefined : known;
  }

  learn(knowledge: Knowledge | undefined): Learned {
    return this.#image.objects.learn(readKnowledge(knowledge));
  }

  nameAnew(): () => void {
    return this.#image.objects.nameAnew();
  }

  /** The loops of the program: which ones are bounded because their iterations are pure, and what the others do. */
  loops(): readonly LoopReport[] {
    return this.#loops;
  }

  limits(): readonly string[] {
    return [...this.#image.limits];
  }

  assumptions(): readonly string[] {
    return [...this.#assumptions, ...this.#image.assumptions];
  }
}

/** Functions that run before or after main, in the order of their priorities. */
function listedFunctions(module: Module, list: string): string[] {
  const initializer = module.globals.get(list)?.initializer;
  if (initializer?.kind !== 'aggregate') return [];
  const entries = initializer.elements.map((entry) => {
    const [priority, f] = entry.kind === 'aggregate' ? entry.elements : [];
    return {
      priority: priority?.kind === 'int-constant' ? Number(priority.value) : 0,
      name: f?.kind === 'symbol' ? f.name : undefined,
    };
  });
  return entries.sort((a, b) => a.priority - b.priority).flatMap(({ name }) => name ?? []);
}

function around(before: readonly Callable[], main: Callable, after: readonly Callable[]): Callable['run'] {
  return function* (thread, ...args): Run<CValue> {
    for (const f of before) yield* f.run(thread);
    const status = yield* main.run(thread, ...args);
    for (const f of after.toReversed()) yield* f.run(thread);
    return status;
  };
}

function entryOf(module: Module, image: Image, file: string): IrFunction {
  for (const name of entryNames) {
    const f = module.functions.get(image.resolve(name));
    if (f !== undefined && f.blocks.length > 0) return f;
  }
  throw new InputError(`there is no function main in ${file}: a program to check starts there.`);
}
