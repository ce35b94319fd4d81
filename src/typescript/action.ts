/**
 * `yield*` an action to perform it. An action yields one `Request` and returns its answer, so that results are typed.
 * What arrives at the thread's runner can only be a `Request`: a plain `yield x.load()` yields the action itself, which
 * is how a forgotten star is noticed.
 */
import { isInsideThread, isRecording } from '../program/location.ts';
import type { Operation } from '../program/operation.ts';
import { currentPosition } from './position.ts';
import { refusalAt } from './refusal.ts';

export class Request {
  constructor(readonly operation: Operation) {}
}

/** What a thread function returns: a generator of requests. */
export type ThreadBody<R> = Generator<Request, R, unknown>;

/** The action that was made last and has not been performed yet: one that never is has no effect, which nobody wants. */
let unperformed: Action<unknown> | undefined;

export class Action<T> implements Iterable<Request, T, unknown> {
  readonly #request: Request | undefined;
  readonly #decode: ((answer: unknown) => T) | undefined;

  /** Without an operation the action has nothing to do and `decode` gives its result. */
  constructor(operation: Operation | undefined, decode?: (answer: unknown) => T) {
    if (operation !== undefined && isRecording()) operation.position = currentPosition();
    this.#request = operation === undefined ? undefined : new Request(operation);
    this.#decode = decode;
    if (isInsideThread()) {
      checkPerformed();
      unperformed = this;
    }
  }

  [Symbol.iterator](): Iterator<Request, T, unknown> {
    if (unperformed === this) unperformed = undefined;
    return new Performance(this.#request, this.#decode);
  }

  /** @internal */
  get operation(): Operation | undefined {
    return this.#request?.operation;
  }
}

/** Of an action: it yields the request, if there is one, and returns the answer. */
class Performance<T> implements Iterator<Request, T, unknown> {
  readonly #decode: ((answer: unknown) => T) | undefined;
  /** What is still to be asked for. */
  #request: Request | undefined;

  constructor(request: Request | undefined, decode: ((answer: unknown) => T) | undefined) {
    this.#request = request;
    this.#decode = decode;
  }

  next(answer?: unknown): IteratorResult<Request, T> {
    const request = this.#request;
    if (request !== undefined) {
      this.#request = undefined;
      return { done: false, value: request };
    }
    const decode = this.#decode;
    return { done: true, value: decode === undefined ? (answer as T) : decode(answer) };
  }
}

/** Throws if an action was made and dropped. Called when the next one is made and when the thread yields or ends. */
export function checkPerformed(): void {
  if (unperformed === undefined) return;
  const { operation } = unperformed;
  unperformed = undefined;
  throw refusalAt(
    `${operation === undefined ? 'assume(…)' : describe(operation)} was called but not performed: write yield* before it.`,
    operation?.position,
  );
}

export function forgetUnperformed(): void {
  unperformed = undefined;
}

export function describe(operation: Operation): string {
  if (operation.kind === 'block') return 'assume(false)';
  const place = 'location' in operation ? (operation.location.name ?? operation.location.kind) : undefined;
  return place === undefined ? `${operation.kind}(…)` : `${operation.kind} of ${place}`;
}
