/**
 * What a search has learned about a program and another process must know to run the same executions. It is plain data, to be
 * written down in JSON; what it means only the front end knows that made the program.
 */
export type Knowledge = null | boolean | number | string | Knowledge[] | { [key: string]: Knowledge };
