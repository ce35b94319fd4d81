/**
 * Memory that threads share. A location is made by a thread as it runs (or before any of them runs); run again along
 * the same path, a thread makes the same locations again, so they are known by number: see `Behaviours`.
 */
import type { Operation, SourcePosition, Thread } from './operation.ts';

/** A `lifetime` stands for whether an object is alive: `free` writes it. */
export type LocationKind = 'atomic' | 'shared' | 'mutex' | 'lifetime';

export class Location {
  /** The number that it has in one epoch of one `Behaviours`, which is what `epoch` stands for. */
  id = -1;
  epoch: object | undefined = undefined;
  readonly #name: string | (() => string) | undefined;

  constructor(
    readonly kind: LocationKind,
    readonly initial: unknown,
    name: string | (() => string) | undefined,
    /** Where it was made; only known in a run that is recorded. */
    readonly position: SourcePosition | undefined,
    /** The lifetime of the object that it is part of; undefined if it lives as long as the program. */
    readonly lifetime?: Location,
    /** How to show its values, if not as JavaScript values. */
    readonly show?: (value: unknown) => string,
  ) {
    this.#name = name;
  }

  /** It may depend on the run that is recorded: see `Program.nameAnew`. */
  get name(): string | undefined {
    return typeof this.#name === 'function' ? this.#name() : this.#name;
  }
}

/** Whoever numbers the locations of the threads that it runs. */
export interface LocationOwner {
  adopt(location: Location): void;
}

/**
 * The one holder of "who runs now". Code of a program under test can call `atomic(0)` from anywhere, so the
 * number-giver cannot be passed to it; it is set around each `resume` and empty otherwise.
 */
let running: LocationOwner | undefined;
let recording = false;

export function withRunning<T>(owner: LocationOwner, recordPositions: boolean, body: () => T): T {
  const before = running;
  const recordedBefore = recording;
  running = owner;
  recording = recordPositions;
  try {
    return body();
  } finally {
    running = before;
    recording = recordedBefore;
  }
}

/** `withRunning` for the step of a thread, of which there are many: nothing is allocated. */
export function resumeRunning(
  owner: LocationOwner,
  recordPositions: boolean,
  thread: Thread,
  answer: unknown,
): Operation {
  const before = running;
  const recordedBefore = recording;
  running = owner;
  recording = recordPositions;
  try {
    return thread.resume(answer);
  } finally {
    running = before;
    recording = recordedBefore;
  }
}

/** Whether source positions are wanted: they cost a stack trace each, so only a run that will be shown has them. */
export function isRecording(): boolean {
  return recording;
}

export function isInsideThread(): boolean {
  return running !== undefined;
}

export function makeLocation(
  kind: LocationKind,
  initial: unknown,
  name: string | undefined,
  position: SourcePosition | undefined,
): Location {
  const location = new Location(kind, initial, name, position);
  running?.adopt(location);
  return location;
}
