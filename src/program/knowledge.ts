/**
 * What a search has learned about a program and another process must know to run the same executions. It is plain data, to be
 * written down in JSON; what it means only the front end knows that made the program. The order within its lists means nothing.
 */
export type Knowledge = null | boolean | number | string | Knowledge[] | { [key: string]: Knowledge };

/**
 * What of it is asked for: what is needed to run single executions, as a trace has to; or all that is known, which is needed to go
 * on with a part of a search and to tell whether parts that several processes have explored fit together.
 */
export type KnowledgeScope = 'executions' | 'search';

/**
 * What it means for a search that its program has learned from another process:
 * - `known`: there was nothing new.
 * - `new`: what was explored holds, here and there; but threads that run do not know it, and have to be run from their starts.
 * - `void`: what was explored here and there does not fit together, and is void, as it is after `ProgramRefined`.
 */
export type Learned = 'known' | 'new' | 'void';
