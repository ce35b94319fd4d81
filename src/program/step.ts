/** What an explorer has to know of an operation: how it meets the other threads. */
export const Step = {
  /** Reads its location; for some answers it also writes (`written`), for some it cannot go on (a STUCK state follows). */
  READ: 0,
  WRITE: 1,
  SPAWN: 2,
  JOIN: 3,
  CHOOSE: 4,
  /** Fence, yield: meets nobody under sequential consistency. */
  LOCAL: 5,
  /** From here on: states without an operation to perform. */
  END: 6,
  FAIL: 7,
  /** A failed assume, or a loop's bound. */
  BLOCK: 8,
  /** After an await or a lock that the value read does not let through. */
  STUCK: 9,
  /** The program ended here. Who joins this thread waits for ever. */
  EXIT: 10,
} as const;
