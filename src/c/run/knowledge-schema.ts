/** The form of what a search learns about a C program (`knowledge.ts`): loaded where such data is read from outside. */
import { z } from 'zod';
import { InputError } from '../../program/input-error.ts';
import type { Knowledge } from '../../program/knowledge.ts';

const count = z.int().nonnegative();

const pieceSchema = z.strictObject({ offset: count, size: count, isAtomic: z.boolean() });

/** That a thread sees, so many times in an execution, that others hold the mutex at an address: see reliance.ts. */
const glimpseSchema = z.strictObject({ mutex: count, thread: count, times: count });

/** Who accesses a cell, while which of the threads that it has started are running. */
const accessSchema = z.strictObject({
  cell: count,
  thread: count,
  running: z.array(count),
  hasSpawned: z.boolean(),
  writes: z.boolean(),
});

const holdSchema = z.enum(['owns', 'writes alone', 'reads']);

export const roundsSchema = z.strictObject({
  glimpses: z.array(glimpseSchema),
  /** The cells, by address, of which no thread can think so. */
  shared: z.array(z.strictObject({ cell: count, hold: holdSchema })),
  /** The locations, by address, that are taken for locks, and what they hold if nobody has them; those that are none. */
  locks: z.array(z.strictObject({ location: count, free: z.int() })),
  noLocks: z.array(count),
  // An execution can be run without knowing the rest.
  /** The mutexes that were taken in rounds of loops that were left out. */
  relied: z.array(count),
  /** The cells of which threads thought so in such rounds. */
  held: z.array(z.strictObject({ cell: count, thread: count, hold: holdSchema })),
  accesses: z.array(accessSchema),
});

export const knowledgeSchema = z.strictObject({
  /** How objects are divided into cells: see cells.ts. */
  divisions: z.array(
    z.strictObject({
      origin: z.string(),
      cells: z.array(pieceSchema),
      /**
       * Every access was to exactly one cell, and so says itself what its cell is. An execution can be run without knowing this;
       * but if other accesses come in another part of the search, the cells will have to be divided.
       */
      isSimple: z.literal(true).exactOptional(),
    }),
  ),
  /** The calls of malloc whose objects have origins of their own: see `Objects.heapOrigin`. */
  split: z.array(z.string()),
  /** The objects that do not lie where they would lie in an empty memory: see zones.ts. */
  displaced: z.array(z.strictObject({ object: z.string(), address: count, size: count })),
  rounds: roundsSchema.exactOptional(),
  /** How often loops that are not known to end may go round; of executions alone, and not of what is left of a search. */
  mostRounds: count.exactOptional(),
});

/** Throws an InputError if it is not what `CProgram.knowledge` gives. */
export function expectKnowledge(knowledge: Knowledge): void {
  const { success, error } = knowledgeSchema.safeParse(knowledge);
  if (success) return;
  const [issue] = error.issues;
  throw new InputError(`what is known of the program is damaged: ${issue?.path.join('.')}: ${issue?.message}`);
}
