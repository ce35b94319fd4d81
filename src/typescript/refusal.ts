/**
 * Refusals of what a thread does. A program may catch the exception, as in `try { … } catch {}`; so the refusal is kept
 * until the thread's runner asks for it.
 */
import { InputError } from '../program/input-error.ts';
import type { SourcePosition } from '../program/operation.ts';
import { currentPosition } from './position.ts';

let kept: InputError | undefined;

/** An InputError about the line of the user's that called us. */
export function refusal(message: string): InputError {
  return refusalAt(message, currentPosition());
}

/** An InputError about another line, or one that is not known. */
export function refusalAt(message: string, position: SourcePosition | undefined): InputError {
  kept = new InputError(message, position);
  return kept;
}

/** The refusal since the last call, if there was one. */
export function takeRefusal(): InputError | undefined {
  const refused = kept;
  kept = undefined;
  return refused;
}
