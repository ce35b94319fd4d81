/** Runs a C program once under Heddle: each operation is answered in turn, from one memory. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileC } from '../../../src/c/compile/compile.ts';
import { parseModule } from '../../../src/c/ir/parser.ts';
import { cProgram } from '../../../src/c/program.ts';
import { startingOver } from '../../../src/check/starting-over.ts';
import { MAIN } from '../../../src/program/identity.ts';
import {
  ALIVE,
  FREED,
  MUTEX_DESTROYED,
  mutexValue,
  type Operation,
  type Program,
  type Thread,
} from '../../../src/program/operation.ts';
import { outcomeOf } from '../../../src/program/operation-kinds.ts';
import { thrownBy } from '../../../src/program/outcome.ts';

/** The programs of the given sources, compiled by one compiler process. Whoever calls a result may be refused. */
export async function compileForHeddle(
  sources: readonly string[],
  defines: readonly string[],
): Promise<(() => Program)[]> {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-random-c-'));
  try {
    const files = sources.map((source, index) => {
      const file = join(folder, `program${index}.c`);
      writeFileSync(file, source);
      return file;
    });
    const { modules } = await compileC(files, { cwd: folder, defines });
    return modules.map(
      ({ name, text }) =>
        () =>
          cProgram([parseModule(text, name)], { name }),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export interface HeddleRun {
  readonly output: string;
  /** The exit status, or why it came to no end. */
  readonly end: number | string;
  readonly operations: number;
}

/** One execution: a thread runs until it has to wait for another one. */
export function runUnderHeddle(program: Program): HeddleRun {
  return startingOver(() => new Execution(program).run());
}

/** A thread, and the operation that it waits to perform. */
interface Running {
  readonly thread: Thread;
  next: Operation;
}

class Execution {
  readonly #memory = new Map<object, unknown>();
  readonly #threads: Running[] = [];
  #output = '';
  #operations = 0;

  constructor(program: Program) {
    this.#start(program.start());
  }

  run(): HeddleRun {
    let at = 0;
    for (;;) {
      const running = this.#threads[at] as Running;
      const { next } = running;
      if (next.kind === 'end' && at === 0) return this.#ended(Number(next.value ?? 0));
      if (next.kind === 'exit') return this.#ended(next.status);
      if (next.kind === 'fail') return this.#ended(`${next.failure.kind}: ${next.failure.message}${positionOf(next)}`);
      if (next.kind === 'block') return this.#ended('blocked');
      const waitsFor = next.kind === 'join' ? indexOf(next.thread) : next.kind === 'end' ? 0 : at;
      if (waitsFor !== at && this.#threads[waitsFor]?.next.kind !== 'end') {
        at = waitsFor;
        continue;
      }
      const answer = this.#perform(next);
      if (answer === STUCK) return this.#ended(`thread ${at} waits for ever in ${next.kind}`);
      this.#operations++;
      running.next = running.thread.resume(answer);
    }
  }

  #ended(end: number | string): HeddleRun {
    return { output: this.#output, end, operations: this.#operations };
  }

  #start(thread: Thread): void {
    this.#threads.push({ thread, next: thread.resume(undefined) });
  }

  /** What the thread is answered. */
  #perform(operation: Operation): unknown {
    switch (operation.kind) {
      case 'store':
        return this.#write(operation.location, operation.value);
      case 'mutex-init':
      case 'unlock':
        return this.#write(operation.location, mutexValue(operation.type ?? 0, false));
      case 'mutex-destroy':
        return this.#write(operation.location, MUTEX_DESTROYED);
      case 'allocate':
        return this.#write(operation.location, ALIVE);
      case 'free':
        return this.#write(operation.location, FREED);
      case 'print':
        this.#output += operation.text;
        return undefined;
      case 'spawn': {
        const self = identityOf(this.#threads.length);
        this.#start(operation.start(self));
        return self;
      }
      case 'join': {
        const { next } = this.#threads[indexOf(operation.thread)] as Running;
        return next.kind === 'end' ? next.value : undefined;
      }
      case 'choose':
        return 0;
      case 'fence':
      case 'yield':
      case 'block':
      case 'end':
      case 'fail':
      case 'exit':
        return undefined;
      default: {
        const { location } = operation;
        const value = this.#memory.has(location) ? this.#memory.get(location) : location.initial;
        const outcome = this.#outcome(operation, value);
        if (outcome.stuck) return STUCK;
        if (outcome.writes) this.#memory.set(location, outcome.value);
        return outcome.result;
      }
    }
  }

  #outcome(operation: Operation, value: unknown): ReturnType<typeof outcomeOf> {
    try {
      return outcomeOf(operation, value);
    } catch (error) {
      const failed = thrownBy(error);
      throw new Error(failed.kind === 'fail' ? failed.failure.message : failed.kind);
    }
  }

  #write(location: object, value: unknown): undefined {
    this.#memory.set(location, value);
  }
}

const STUCK = Symbol('stuck');

/** What the program knows a thread by: any numbers will do, if main's is the one that it always has. */
const identityOf = (index: number): number => index + MAIN;
const indexOf = (identity: number): number => identity - MAIN;

function positionOf({ position }: Operation): string {
  return position === undefined ? '' : ` at ${position.file}:${position.line}`;
}
