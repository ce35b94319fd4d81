/** Runs a generator function as a thread. */
import { showValue } from '../program/describe.ts';
import { InputError } from '../program/input-error.ts';
import type { Location } from '../program/location.ts';
import {
  type Failure,
  MUTEX_BUSY,
  type Operation,
  type SourcePosition,
  type Thread,
  ThreadFailure,
} from '../program/operation.ts';
import { Action, checkPerformed, forgetUnperformed, Request, type ThreadBody } from './action.ts';
import { allowChance, forbidChance, withoutChance } from './determinism.ts';
import { immutable } from './immutable.ts';
import { positionOfStack } from './position.ts';
import { takeRefusal } from './refusal.ts';

/** Thrown by `assert`. */
export class AssertionFailed extends Error {
  override readonly name = 'AssertionFailed';
}

/**
 * What all generators inherit from, by way of the `prototype` that each generator function has of its own. Functions that each run of a
 * program makes anew make generators of as many shapes, of which the engine knows none: to look `next` up in each of them takes long.
 */
const Generators = Object.getPrototypeOf(Object.getPrototypeOf((function* () {})())) as ThreadBody<unknown>;
const { next: nextOfGenerator } = Generators;

function isGenerator(value: unknown): value is ThreadBody<unknown> {
  return typeof value === 'object' && value !== null && 'next' in value && Symbol.iterator in value;
}

/** Whether it is a generator as the language makes it, so that its `next` is known. */
function isPlainGenerator(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  const prototype: unknown = Object.getPrototypeOf(body);
  const isOne = prototype !== null && Object.getPrototypeOf(prototype) === Generators;
  return isOne && (body as ThreadBody<unknown>).next === nextOfGenerator;
}

export class GeneratorThread implements Thread {
  readonly #name: string;
  readonly #open: () => unknown;
  readonly #position: SourcePosition | undefined;
  #body: ThreadBody<unknown> | undefined;
  /** Whether it is a generator as the language makes it. */
  #isPlain = false;
  /** The operation whose answer comes with the next `resume`. */
  #asked: Operation | undefined;
  /** The mutexes this thread holds: only its own locks and unlocks change that, so it is known here. */
  #held: Set<Location> | undefined;

  /** `position`: where it was spawned, if that is recorded. */
  constructor(name: string, open: () => unknown, position?: SourcePosition) {
    this.#position = position;
    this.#name = name === '' ? 'without a name' : name;
    this.#open = open;
  }

  resume(answer: unknown): Operation {
    this.#note(answer);
    forgetUnperformed();
    takeRefusal();
    let result: IteratorResult<unknown, unknown>;
    const isFirst = forbidChance();
    try {
      const body = this.#body ?? this.#start();
      result = this.#isPlain ? nextOfGenerator.call(body, answer) : body.next(answer);
    } catch (error) {
      if (error instanceof InputError) throw error;
      const failure = failureOf(error);
      return { kind: 'fail', failure, position: failure.position };
    } finally {
      if (isFirst) allowChance();
    }
    const refused = takeRefusal();
    if (refused !== undefined) throw refused;
    const { value } = result;
    if (result.done !== true && !(value instanceof Request)) throw this.#notAnOperation(value);
    checkPerformed();
    if (!(value instanceof Request)) return { kind: 'end', value: immutable(value) };
    const { operation } = value;
    this.#asked = operation;
    if (operation.kind === 'unlock' && this.#held?.has(operation.location) !== true)
      return misuse(operation, this.#name);
    return operation;
  }

  #start(): ThreadBody<unknown> {
    const body = this.#open();
    this.#isPlain = isPlainGenerator(body);
    if (this.#isPlain || isGenerator(body)) {
      this.#body = body as ThreadBody<unknown>;
      return this.#body;
    }
    if (typeof body === 'object' && body !== null && Symbol.asyncIterator in body) {
      throw new InputError(
        `the thread ${this.#name} is async. Threads are plain generators: leave out async.`,
        this.#position,
      );
    }
    throw new InputError(
      `the thread ${this.#name} is not a generator function: it returned ${body instanceof Promise ? 'a Promise' : showValue(body)}. Write it as function* () { … } and perform operations with yield*.`,
      this.#position,
    );
  }

  #note(answer: unknown): void {
    const asked = this.#asked;
    if (asked === undefined) return;
    if (asked.kind === 'lock' || (asked.kind === 'trylock' && answer !== MUTEX_BUSY)) {
      this.#held ??= new Set();
      this.#held.add(asked.location);
    } else if (asked.kind === 'unlock' || asked.kind === 'mutex-destroy') this.#held?.delete(asked.location);
  }

  #notAnOperation(value: unknown): InputError {
    const position = value instanceof Action ? value.operation?.position : undefined;
    const what =
      value instanceof Action ? 'an operation without its star: write yield* instead of yield' : showValue(value);
    return new InputError(
      `thread ${this.#name} yielded ${what}${value instanceof Action ? '' : ', which is not an operation. Perform operations with yield*, as in yield* x.load()'}.`,
      position,
    );
  }
}

function misuse(operation: Operation & { readonly location: Location }, thread: string): Operation {
  const mutex = operation.location.name ?? 'a mutex';
  const message = `thread ${thread} unlocks ${mutex}, which it does not hold`;
  const failure = { kind: 'lock-misuse', message, position: operation.position } as const;
  return { kind: 'fail', failure, position: operation.position };
}

function failureOf(error: unknown): Failure {
  const position = error instanceof Error ? positionOfStack(error.stack) : undefined;
  if (error instanceof AssertionFailed) return { kind: 'assertion', message: error.message, position };
  const message = error instanceof Error ? `${error.name}: ${error.message}` : `thrown: ${showValue(error)}`;
  return { kind: 'exception', message, position };
}

/** A function that an operation carries: what it throws is a failure of the thread that performs the operation. */
export function guarded<A, R>(body: (value: A) => R): (value: A) => R {
  return (value) => {
    try {
      return withoutChance(() => body(value));
    } catch (error) {
      if (error instanceof InputError) throw error;
      throw new ThreadFailure(failureOf(error));
    }
  };
}
