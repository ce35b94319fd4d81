/** The formats that Heddle writes, each declared once: types are inferred from these schemas. */
import { z } from 'zod';
import { boundNames } from '../check/bounds.ts';
import { endStates, scVerdicts, stopReasons } from '../check/result.ts';
import { stepFields, threadFields } from '../program/execution-schema.ts';
import { compilerKinds, failureKinds } from '../program/operation.ts';
import { TRACE_VERSION } from './trace.ts';

const count = z.int().nonnegative();
const position = z.strictObject({ file: z.string(), line: z.int().positive(), column: z.int().positive() });

/** In a report the option is the step's `value`. */
const { choice, ...fieldsOfStep } = stepFields;

/** What every form of a step has. */
const shownFields = {
  ...fieldsOfStep,
  op: z.string(),
  /** The name of the variable or mutex. */
  location: z.string().optional(),
  /** The name of the part of it that is accessed, where that is not all of it: the values are those of the part. */
  accessed: z.string().optional(),
  /** The name of an update (fetchAdd, exchange, …); what a compare-exchange would change to what; how much is allocated. */
  detail: z.string().optional(),
  /** The thread that is spawned or joined. */
  target: count.optional(),
  order: z.string().optional(),
  /** For a stale read: the index of a step before it, the newest write to the location, which it did not see. */
  missed: count.optional(),
  /** For a write, if the execution is not sequentially consistent: its place among the writes to the location, from 1. */
  coherence: z.int().positive().optional(),
  /** For a late write: the index of a step before it whose write comes after it all the same. */
  takesEffectBefore: count.optional(),
  /** What a print printed. */
  text: z.string().optional(),
  /** What it does in words of the language, for steps whose values are nobody's business: "waits on ready". */
  words: z.string().optional(),
  /** For the end of a wait that others end (a condition variable): the index of the step since which it could end. */
  wokenBy: count.optional(),
  /** It only makes ready for the next step of its thread. */
  prepares: z.literal(true).optional(),
  /** The access to several locations that it is part of (a struct is copied, a string is read); `index` counts its steps from 0. */
  part: z.strictObject({ whole: z.string(), index: count }).optional(),
  source: position.optional(),
};

/** By name: the options that only some algorithms have, of the one that was used. Left out if it has none. */
const algorithmOptions = z.record(z.string(), z.union([z.boolean(), z.number(), z.string()]));

/** What was left out on purpose. */
const bound = z.strictObject({
  name: z.enum(boundNames),
  /** What was asked for. */
  value: count.optional(),
  /** How many executions it cut short; left out if nobody counts them. */
  cut: count.optional(),
  /** Of a limit: what was left out. */
  sentence: z.string().optional(),
});
const boundReport = bound.required({ sentence: true });
export type BoundReport = z.infer<typeof boundReport>;

const step = z.strictObject({
  ...shownFields,
  /** What was read, or written by a store, chosen by a choose, returned to a join. */
  value: z.json().optional(),
  /** What an operation that reads and writes has written. */
  written: z.json().optional(),
});

const thread = z.strictObject({
  id: threadFields.id,
  name: z.string(),
  state: z.enum(endStates),
  /** The operation that it is at, if it has not ended. If it goes round in a loop instead, its source is the loop. */
  next: step.optional(),
  /** Then, what it reads there. */
  reads: z.array(z.string()).optional(),
});

const error = z.strictObject({
  kind: z.enum(failureKinds),
  message: z.string(),
  location: position.optional(),
  /** For an error of another model than sc: whether it is possible under sc. */
  underSc: z.enum(scVerdicts).optional(),
  /** Left out if the execution is not sequentially consistent. */
  preemptions: count.optional(),
  /** For a search with a bound on preemptions: the error is in an execution that needs more. */
  beyondBound: z.literal(true).optional(),
  /** For such a search: the steps of the trace that come after one of a thread which could have gone on. */
  preempting: z.array(count).optional(),
  /** For a livelock with a fair bound: how many of the last steps repeat those before; 0 if that is not known. */
  round: count.optional(),
  /** For a race, a use after free, a double free: the two accesses. */
  accesses: z.tuple([step, step]).optional(),
  threads: z.array(thread),
  trace: z.array(step),
});

/** Standard output of `heddle check --json`. */
export const checkReportSchema = z.strictObject({
  version: z.string(),
  program: z.string(),
  model: z.string(),
  algorithm: z.string(),
  /** For trust: also in `algorithmOptions`. */
  equivalence: z.string().optional(),
  algorithmOptions: algorithmOptions.optional(),
  verdict: z.enum(['ok', 'bounded', 'error', 'incomplete']),
  executions: z.strictObject({
    complete: count,
    blocked: count,
    redundant: count,
    overBound: count,
    erroneous: count,
    /** For a search with a bound on preemptions: what it refused, and where it refused all that could come next. */
    pruned: count.optional(),
    boundBlocked: count.optional(),
  }),
  errors: z.array(error),
  /** Kinds of errors that the algorithm may not find although they are there; left out if there are none. */
  mayMiss: z.array(z.string()).optional(),
  /** The status other than 0 with which all complete executions have ended the program; left out if there is none. */
  exitStatus: z.number().optional(),
  /** What is worth knowing and no error; left out if there is nothing. */
  warnings: z
    .array(z.strictObject({ kind: z.literal('leak'), message: z.string(), location: position.optional() }))
    .optional(),
  /** For a search with rising bounds: each that it has come to the end of. */
  iterations: z
    .array(
      z.strictObject({
        bound: count,
        executions: count,
        overBound: count,
        pruned: count,
        elapsedMs: z.number().nonnegative(),
      }),
    )
    .optional(),
  /** For the verdict `bounded`, and with errors if there may be more of them beyond the bound. */
  bounds: z.array(boundReport).optional(),
  /** What the front end takes for granted of what the program uses, in sentences: a proof holds where that does. Left out if there is nothing. */
  assumptions: z.array(z.string()).optional(),
  /** If the front end looks at them: the loops, and whether a thread that goes round without changing anything is stopped there; left out if there are none. */
  loops: z
    .array(
      z.strictObject({
        location: position.optional(),
        function: z.string(),
        outcome: z.enum(['pure', 'partly pure', 'not pure']),
        /** Rounds that return to where they began are left out; found out while the program runs. */
        returns: z.literal(true).optional(),
        /** What stood in the way. */
        why: z.string().optional(),
        /** How often it has gone round at most, if that is often or a bound has stopped it. */
        rounds: count.optional(),
      }),
    )
    .optional(),
  /** If the rounds of loops that are not known to end were bounded, though nobody asked for it, and that cut something. */
  rounds: z
    .strictObject({
      /** There is no error in executions in which none of them goes round more often. */
      covered: count,
      /** The next bound, if the search was stopped within it. */
      tried: count.optional(),
    })
    .optional(),
  /** For the verdict `incomplete`: how large the program is, as far as the search has seen. */
  size: z.strictObject({ threads: count, operations: count }).optional(),
  /** Who compiled the program (C): the clang that comes with Heddle, or an installed one; left out if nobody did. */
  compiler: z.strictObject({ name: z.string(), kind: z.enum(compilerKinds) }).optional(),
  stoppedBy: z.enum(stopReasons).optional(),
  elapsedMs: z.number().nonnegative(),
  compileMs: z.number().nonnegative(),
});
export type CheckReport = z.infer<typeof checkReportSchema>;

/** Standard output of a command with `--json` if its input is bad: exit code 2. The message is on standard error, too. */
export const refusalReportSchema = z.strictObject({
  version: z.string(),
  verdict: z.literal('refused'),
  message: z.string(),
  location: position.optional(),
});
export type RefusalReport = z.infer<typeof refusalReportSchema>;

/** Standard output of `heddle compare --json`. */
export const compareReportSchema = z.strictObject({
  version: z.string(),
  program: z.string(),
  /** Whether the verdicts of the runs that were not cut short are the same. */
  agree: z.boolean(),
  runs: z.array(checkReportSchema),
});
export type CompareReport = z.infer<typeof compareReportSchema>;

/** Standard output of `heddle compare --models --json`. */
export const compareModelsReportSchema = z.strictObject({
  version: z.string(),
  program: z.string(),
  /** The errors, each once. */
  bugs: z.array(
    z.strictObject({
      kind: z.enum(failureKinds),
      message: z.string(),
      /** Where it is: for two accesses that clash, both; for a standstill, the waits. */
      places: z.array(position),
      /** The models that have it. */
      models: z.array(z.string()),
      /** Those whose runs ended without that being known. */
      unknown: z.array(z.string()),
    }),
  ),
  /** The models under which the program was not checked: it is refused there, or the user stopped before; left out if there are none. */
  notRun: z.array(z.string()).optional(),
  runs: z.array(checkReportSchema),
});
export type CompareModelsReport = z.infer<typeof compareModelsReportSchema>;

/** A step in a trace file: what was done and with which values, as text, so that a replay can tell a difference. */
const traceStep = z.strictObject({
  ...shownFields,
  read: z.string().optional(),
  written: z.string().optional(),
  readText: z.string().optional(),
  writtenText: z.string().optional(),
  choice,
});

/** The file that `--trace` writes and `heddle replay` reads. Its paths are relative to its folder. */
export const traceSchema = z.strictObject({
  format: z.literal('heddle-trace'),
  version: z.literal(TRACE_VERSION),
  heddle: z.string(),
  /** What the program is made of. */
  source: z.strictObject({
    /** The name of the front end. */
    frontEnd: z.string(),
    /** Its files, and the options that change what it does: the front end has the schema. */
    settings: z.unknown(),
    /** What the search has learned about the program (`Program.knowledge`): the front end has the schema. */
    knowledge: z.json().optional(),
  }),
  options: z.strictObject({
    model: z.string(),
    algorithm: z.string(),
    algorithmOptions: algorithmOptions.optional(),
  }),
  error: z.strictObject({
    kind: z.enum(failureKinds),
    message: z.string(),
    location: position.optional(),
    underSc: z.enum(scVerdicts).optional(),
    /** If that is unknown because of a bound. */
    scBounds: z.array(bound).optional(),
    /** The threads that failed, wait or clash. */
    threads: z.array(count),
    /** For accesses that clash: the index of the first one; the second is what the second thread does next. */
    racing: count.optional(),
    /** For an execution that is taken not to end: how many of the last steps repeat those before. */
    round: count.optional(),
  }),
  /** Left out if the execution is not sequentially consistent. */
  preemptions: count.optional(),
  threads: z.array(z.strictObject({ ...threadFields, name: z.string() })),
  steps: z.array(traceStep),
  ends: z.array(
    z.strictObject({
      thread: count,
      state: z.enum(endStates),
      next: traceStep.optional(),
      reads: z.array(z.string()).optional(),
    }),
  ),
});
export type Trace = z.infer<typeof traceSchema>;

/** Standard output of `heddle replay --json`. */
export const replayReportSchema = z.strictObject({
  version: z.string(),
  program: z.string(),
  trace: z.string(),
  /** The steps were run, and the program failed as recorded; anything else is a message and exit code 2. */
  reproduced: z.literal(true),
  error,
});
export type ReplayReport = z.infer<typeof replayReportSchema>;
