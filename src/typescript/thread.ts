/** Runs a generator function as a thread. */
import { InputError } from '../program/input-error.ts';
import type { Location } from '../program/location.ts';
import type { Operation, SourcePosition, Thread } from '../program/operation.ts';
import { Action, checkPerformed, forgetUnperformed, Request, type ThreadBody } from './action.ts';
import { immutable } from './immutable.ts';
import { positionOfStack } from './position.ts';

/** Thrown by `assert`. */
export class AssertionFailed extends Error {
  override readonly name = 'AssertionFailed';
}

function isGenerator(value: unknown): value is ThreadBody<unknown> {
  return typeof value === 'object' && value !== null && 'next' in value && Symbol.iterator in value;
}

export class GeneratorThread implements Thread {
  readonly #name: string;
  readonly #open: () => unknown;
  readonly #position: SourcePosition | undefined;
  #body: ThreadBody<unknown> | undefined;
  /** The operation whose answer comes with the next `resume`. */
  #asked: Operation | undefined;
  /** The mutexes this thread holds: only its own locks and unlocks change that, so it is known here. */
  readonly #held = new Set<Location>();

  /** `position`: where it was spawned, if that is recorded. */
  constructor(name: string, open: () => unknown, position?: SourcePosition) {
    this.#position = position;
    this.#name = name === '' ? 'without a name' : name;
    this.#open = open;
  }

  resume(answer: unknown): Operation {
    this.#note(answer);
    forgetUnperformed();
    let result: IteratorResult<unknown, unknown>;
    try {
      this.#body ??= this.#start();
      result = this.#body.next(answer);
    } catch (error) {
      if (error instanceof InputError) throw error;
      return failureOf(error);
    }
    const { value } = result;
    if (result.done !== true && !(value instanceof Request)) throw this.#notAnOperation(value);
    checkPerformed();
    if (!(value instanceof Request)) return { kind: 'end', value: immutable(value) };
    const { operation } = value;
    this.#asked = operation;
    if (operation.kind === 'unlock' && !this.#held.has(operation.location)) return misuse(operation, this.#name);
    return operation;
  }

  #start(): ThreadBody<unknown> {
    const body = this.#open();
    if (isGenerator(body)) return body;
    throw new InputError(
      `the thread ${this.#name} is not a generator function: it returned ${show(body)}. Write it as function* () { … } and perform operations with yield*.`,
      this.#position,
    );
  }

  #note(answer: unknown): void {
    const asked = this.#asked;
    if (asked === undefined) return;
    if (asked.kind === 'lock' || (asked.kind === 'trylock' && answer === true)) this.#held.add(asked.location);
    else if (asked.kind === 'unlock' || asked.kind === 'mutex-destroy') this.#held.delete(asked.location);
  }

  #notAnOperation(value: unknown): InputError {
    const position = value instanceof Action ? value.operation?.position : undefined;
    const what = value instanceof Action ? 'an operation without its star: write yield* instead of yield' : show(value);
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

function failureOf(error: unknown): Operation {
  const position: SourcePosition | undefined = error instanceof Error ? positionOfStack(error.stack) : undefined;
  const kind = error instanceof AssertionFailed ? 'assertion' : 'exception';
  const message =
    error instanceof AssertionFailed
      ? error.message
      : error instanceof Error
        ? `${error.name}: ${error.message}`
        : `thrown: ${show(error)}`;
  return { kind: 'fail', failure: { kind, message, position }, position };
}

export function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'function') return `function ${value.name || '(anonymous)'}`;
  if (typeof value === 'object' && value !== null) {
    if (value instanceof Promise) return 'a Promise';
    try {
      return JSON.stringify(value) ?? String(value);
    } catch {
      return Object.prototype.toString.call(value);
    }
  }
  return Object.is(value, -0) ? '-0' : String(value);
}
