/** Programs that learn about themselves while they run (see `ProgramRefined`). */
import { ProgramRefined } from '../program/operation.ts';

/** What `body` gives; whenever the program has learned something, `body` is run from its beginning again. */
export function startingOver<T>(body: () => T): T {
  for (;;) {
    try {
      return body();
    } catch (error) {
      if (!(error instanceof ProgramRefined)) throw error;
    }
  }
}
