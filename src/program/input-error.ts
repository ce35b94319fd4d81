/**
 * The user asked for something that cannot be checked: a program that is not one, an option that does not exist. Shown
 * as one message, exit code 2. Errors of the program under test are results (`Failure`); any other exception that
 * leaves Heddle is our own fault.
 */
import type { SourcePosition } from './operation.ts';

export class InputError extends Error {
  override readonly name = 'InputError';
  constructor(
    message: string,
    /** Where in the user's source; undefined where no run was recorded yet. */
    readonly position?: SourcePosition,
    /** Whether the message shows the source itself, as a compiler does. */
    readonly shown: 'in the message' | undefined = undefined,
  ) {
    super(message);
  }
}

/** A thread is taken not to end. */
export class EndlessThread extends InputError {}
