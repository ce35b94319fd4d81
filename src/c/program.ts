/** A C program: modules of LLVM IR → something that explorers can run. */
import { MAIN } from '../program/identity.ts';
import { InputError } from '../program/input-error.ts';
import type { Knowledge, KnowledgeScope, Learned } from '../program/knowledge.ts';
import type { OpenLoops } from '../program/open-loops.ts';
import type { CompilerName, LoopReport, NameOfThread, Program, SourcePosition, Thread } from '../program/operation.ts';
import type { UninitialisedCheck, VolatileKind } from './choices.ts';
import { linkModules } from './ir/link.ts';
import type { IrFunction, Module, Ordering } from './ir/module.ts';
import { cLanguage } from './language.ts';
import { assumptionsOf } from './passes/analyses/assumptions.ts';
import { entryNames } from './passes/analyses/entries.ts';
import { analyseEscape } from './passes/analyses/escape.ts';
import { optimise } from './passes/index.ts';
import { wrapAtomicFunctions } from './passes/transformations/atomic-functions.ts';
import { lowerByval } from './passes/transformations/lower-byval.ts';
import { failSpuriously } from './passes/transformations/spurious-failures.ts';
import { isPlainVolatile } from './passes/transformations/volatile.ts';
import { install } from './run/emit.ts';
import { type HeapTypes, heapTypesOf } from './run/heap-types.ts';
import { Image } from './run/image.ts';
import { type CKnowledge, isNothing, noRounds, readKnowledge } from './run/knowledge.ts';
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
  /** What a volatile access is: an ordinary one (the default), or an atomic one of this memory order. */
  readonly volatile?: VolatileKind | undefined;
  /** When a value that was never set is an error: as soon as it is used (the default), or as soon as it is read. */
  readonly checkUninitialised?: UninitialisedCheck | undefined;
  /** What follows the name of the program in `argv`. */
  readonly arguments?: readonly string[] | undefined;
  /** What standard input has, a character for each byte. */
  readonly input?: string | undefined;
  /** Weak compare-exchanges may fail for no reason. */
  readonly spuriousCas?: boolean | undefined;
  /** For reports; undefined: it came as IR. */
  readonly compiler?: CompilerName | undefined;
  /** From `CProgram.knowledge` of an earlier run, whose executions are to be followed. */
  readonly knowledge?: Knowledge | undefined;
}

/** The linked module before any pass. */
export function linkProgram(modules: readonly Module[]): Module {
  return linkModules([...modules]);
}

const volatileOrderings: Readonly<Record<VolatileKind, Ordering>> = {
  plain: 'notatomic',
  relaxed: 'monotonic',
  seq_cst: 'seq_cst',
};

/** All that is done to a linked module before it is compiled. */
export function prepare(
  module: Module,
  options: Pick<CProgramOptions, 'unroll' | 'plp' | 'await' | 'spuriousCas' | 'volatile' | 'checkUninitialised'>,
): LoopReport[] {
  if (options.spuriousCas === true) failSpuriously(module);
  wrapAtomicFunctions(module);
  lowerByval(module);
  const { unroll, plp = true, await: waits = true } = options;
  return optimise(module, {
    unroll,
    plp,
    unread: plp,
    await: waits,
    volatile: volatileOrderings[options.volatile ?? 'plain'],
    countRounds: true,
    copiesUnset: options.checkUninitialised !== 'strict',
  });
}

export function cProgram(modules: readonly Module[], options: CProgramOptions): CProgram {
  const module = linkProgram(modules);
  const heapTypes = heapTypesOf(module);
  const assumptions = assumptionsOf(module, options.spuriousCas ?? false);
  const loops = prepare(module, options);
  return new CProgram(module, heapTypes, options, loops, assumptions);
}

export class CProgram implements Program {
  readonly name: string;
  readonly unroll?: number;
  readonly compiler: CompilerName | undefined;
  readonly openLoops: OpenLoops;
  readonly language = cLanguage;
  readonly #image: Image;
  readonly #main: Callable;
  readonly #arguments: readonly CValue[];
  readonly #loops: readonly LoopReport[];
  /** Where volatile accesses stand that are ordinary ones. */
  readonly #volatile: ReadonlySet<string>;
  /** Of the program as it is written; those of what its executions have called are in the image. */
  readonly #assumptions: ReadonlySet<string>;

  constructor(
    module: Module,
    heapTypes: HeapTypes,
    options: CProgramOptions,
    loops: readonly LoopReport[] = [],
    assumptions: ReadonlySet<string> = new Set(),
  ) {
    this.#loops = loops;
    this.#volatile = volatilePlaces(module);
    this.#assumptions = assumptions;
    this.name = options.name;
    this.compiler = options.compiler;
    if (options.unroll !== undefined) this.unroll = options.unroll;
    const escaping = analyseEscape(module);
    const run: CRunOptions = {
      nondet: options.nondet ?? { least: 0, greatest: 1 },
      spuriousWakeups: options.spuriousWakeups ?? false,
      input: options.input,
    };
    const known = readKnowledge(options.knowledge);
    this.#image = new Image(module, escaping, heapTypes, run, known);
    this.openLoops = this.#image.openLoops;
    this.openLoops.most = known.mostRounds;
    const entry = entryOf(module, this.#image, options.name);
    install(module, escaping, this.#image);
    const main = this.#callable(entry.name);
    const constructors = listedFunctions(module, 'llvm.global_ctors').map((name) => this.#callable(name));
    const destructors = listedFunctions(module, 'llvm.global_dtors').map((name) => this.#callable(name));
    const isPlain = constructors.length === 0 && destructors.length === 0;
    const runMain = isPlain ? main.run : around(constructors, main, destructors);
    this.#main = { ...main, name: 'main', run: runMain };
    const words = [options.name, ...(options.arguments ?? [])];
    this.#arguments = entry.parameters.length === 0 ? [] : [words.length, this.#image.argumentVector(words), 0];
  }

  #callable(name: string): Callable {
    return this.#image.functionAt(this.#image.addressOf(name) as number) as Callable;
  }

  start(): Thread {
    return new CThreadRun(this.#image, MAIN, this.#main, this.#arguments);
  }

  knowledge(scope: KnowledgeScope = 'executions'): CKnowledge | undefined {
    const { objects, openLoops, reliance } = this.#image;
    const rounds = reliance.knowledge(scope);
    const mostRounds = scope === 'executions' ? openLoops.most : undefined;
    const known = {
      ...objects.knowledge(scope),
      ...(rounds === undefined ? {} : { rounds }),
      ...(mostRounds === undefined ? {} : { mostRounds }),
    };
    return isNothing(known) ? undefined : known;
  }

  learn(knowledge: Knowledge | undefined): Learned {
    const { rounds = noRounds, ...memory } = readKnowledge(knowledge);
    const learned = [this.#image.objects.learn(memory), this.#image.reliance.learn(rounds)];
    return learned.includes('void') ? 'void' : learned.includes('new') ? 'new' : 'known';
  }

  nameAnew(nameOfThread: NameOfThread): () => void {
    return this.#image.objects.nameAnew(nameOfThread);
  }

  checkedUnder(model: string): void {
    this.#image.checkedUnder(model);
  }

  /** The loops of the program: which ones are bounded because their iterations are pure, and what the others do. */
  loops(): readonly LoopReport[] {
    const { reliance } = this.#image;
    return this.#loops.map((loop) => (reliance.hasLeftOut(loop.position) ? { ...loop, returns: true } : loop));
  }

  remarkOnRace(accesses: readonly (SourcePosition | undefined)[]): string | undefined {
    if (!accesses.some((position) => position !== undefined && this.#volatile.has(placeOf(position)))) return undefined;
    return 'It is volatile, which makes no access atomic and orders nothing; --volatile relaxed (or seq_cst) takes such accesses for atomic ones.';
  }

  limits(): readonly string[] {
    return [...this.#image.limits];
  }

  assumptions(): readonly string[] {
    return [...this.#assumptions, ...this.#image.assumptions];
  }
}

function volatilePlaces(module: Module): ReadonlySet<string> {
  const places = new Set<string>();
  for (const f of module.functions.values()) {
    for (const block of f.blocks) {
      for (const instruction of block.instructions) {
        if (isPlainVolatile(instruction) && instruction.position !== undefined)
          places.add(placeOf(instruction.position));
      }
    }
  }
  return places;
}

function placeOf({ file, line, column }: SourcePosition): string {
  return `${file}:${line}:${column}`;
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
