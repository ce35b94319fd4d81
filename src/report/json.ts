/** The report for programs: the JSON that the documentation describes (its schema: `schema.ts`). */
import { settledOptions } from '../check/algorithm-options.ts';
import { isBounded, isOfSearch } from '../check/bounds.ts';
import type { BoundStep, CheckError, CheckResult, RecordedStep } from '../check/result.ts';
import type { InputError } from '../program/input-error.ts';
import type { OpenLoop } from '../program/open-loops.ts';
import type { LoopReport, SourcePosition } from '../program/operation.ts';
import { shortFile } from '../program/paths.ts';
import { version } from '../version.ts';
import { boundReports } from './bounds.ts';
import { isSameLoop } from './loops.ts';
import type { CheckReport, RefusalReport } from './schema.ts';
import { type Json, jsonOf } from './values.ts';

type ErrorReport = CheckReport['errors'][number];
type StepReport = ErrorReport['trace'][number];

/** `cwd`: files are named as seen from there. */
export function jsonReport(result: CheckResult, cwd: string): CheckReport {
  const { version, program, model, algorithm, algorithmOptions, verdict, executions, errors, warnings, stoppedBy } =
    result;
  const { bounds } = result;
  const { equivalence } = algorithmOptions;
  const settled = settledOptions(algorithmOptions);
  const { complete, blocked, redundant, overBound, erroneous, pruned, boundBlocked } = executions;
  const hasBound = bounds.some(isOfSearch);
  return {
    version,
    program,
    model,
    algorithm,
    ...(equivalence === undefined ? {} : { equivalence }),
    ...(Object.keys(settled).length === 0 ? {} : { algorithmOptions: settled }),
    verdict,
    executions: {
      complete,
      blocked,
      redundant,
      overBound,
      erroneous,
      ...(hasBound ? { pruned, ...(result.wasCut ? {} : { boundBlocked }) } : {}),
    },
    errors: errors.map((error) => errorOf(error, cwd)),
    ...(result.mayMiss === undefined ? {} : { mayMiss: result.mayMiss.map(({ kind }) => kind) }),
    ...(result.exitStatus === undefined ? {} : { exitStatus: result.exitStatus }),
    ...(warnings.length === 0 ? {} : { warnings: warnings.map((warning) => warningOf(warning, cwd)) }),
    ...(isBounded(bounds) ? { bounds: boundReports(bounds) } : {}),
    ...(result.assumptions.length === 0 ? {} : { assumptions: [...result.assumptions] }),
    ...(result.iterations.length === 0 ? {} : { iterations: result.iterations.map(iterationOf) }),
    ...(result.rounds === undefined ? {} : { rounds: result.rounds }),
    ...(result.size === undefined ? {} : { size: result.size }),
    ...(result.loops.length === 0 ? {} : { loops: result.loops.map((loop) => loopOf(loop, result.openLoops, cwd)) }),
    ...(result.compiler === undefined ? {} : { compiler: result.compiler }),
    ...(stoppedBy === undefined ? {} : { stoppedBy }),
    elapsedMs: rounded(result.elapsedMs),
    compileMs: rounded(result.compileMs),
  };
}

/** In place of a report: why there is none. */
export function refusalReport(
  { message, position }: Pick<InputError, 'message' | 'position'>,
  cwd: string,
): RefusalReport {
  const location = position === undefined ? {} : { location: positionOf(position, cwd) };
  return { version, verdict: 'refused', message, ...location };
}

function warningOf({ kind, message, location }: CheckResult['warnings'][number], cwd: string) {
  return { kind, message, ...(location === undefined ? {} : { location: positionOf(location, cwd) }) };
}

function iterationOf({ bound, executions, overBound, pruned, elapsedMs }: BoundStep) {
  return { bound, executions, overBound, pruned, elapsedMs: rounded(elapsedMs) };
}

function loopOf({ position, functionName, outcome, returns, why }: LoopReport, open: readonly OpenLoop[], cwd: string) {
  const rounds = open.find((loop) => isSameLoop(loop, { position, functionName }))?.rounds;
  return {
    ...(position === undefined ? {} : { location: positionOf(position, cwd) }),
    function: functionName,
    outcome,
    ...(returns === true ? { returns } : {}),
    ...(why === '' ? {} : { why }),
    ...(rounds === undefined ? {} : { rounds }),
  };
}

export function errorOf(error: CheckError, cwd: string): ErrorReport {
  const { kind, message, location, underSc, racing, round, execution } = error;
  const { preemptions = execution.preemptions, isBeyondBound } = error;
  const { preempting } = execution;
  const threads = execution.threads.map(({ id, name }) => {
    const end = execution.ends.find(({ thread }) => thread === id);
    const next = end?.next === undefined ? {} : { next: stepOf(end.next, cwd) };
    const reads = end?.reads === undefined ? {} : { reads: [...end.reads] };
    return { id, name, state: end?.state ?? 'ready', ...next, ...reads };
  });
  return {
    kind,
    message,
    ...(location === undefined ? {} : { location: positionOf(location, cwd) }),
    ...(underSc === undefined ? {} : { underSc }),
    ...(preemptions === undefined ? {} : { preemptions }),
    ...(isBeyondBound === true ? { beyondBound: true } : {}),
    ...(error.preemptions === undefined ? {} : { preempting: [...preempting] }),
    ...(round === undefined ? {} : { round }),
    ...(racing === undefined ? {} : { accesses: [stepOf(racing[0], cwd), stepOf(racing[1], cwd)] }),
    threads,
    trace: execution.steps.map((step) => stepOf(step, cwd)),
  };
}

export function stepOf(step: RecordedStep, cwd: string): StepReport {
  const { thread, op, location, detail, target, order, readsFrom, missed, coherence, takesEffectBefore, text, source } =
    step;
  const { accessed, words, wokenBy, prepares, part } = step;
  return {
    thread,
    op,
    ...(location === undefined ? {} : { location }),
    ...(accessed === undefined ? {} : { accessed }),
    ...(detail === undefined ? {} : { detail }),
    ...(target === undefined ? {} : { target }),
    ...(order === undefined ? {} : { order }),
    ...valuesOf(step),
    ...(readsFrom === undefined ? {} : { readsFrom }),
    ...(missed === undefined ? {} : { missed }),
    ...(coherence === undefined ? {} : { coherence }),
    ...(takesEffectBefore === undefined ? {} : { takesEffectBefore }),
    ...(text === undefined ? {} : { text }),
    ...(words === undefined ? {} : { words }),
    ...(wokenBy === undefined ? {} : { wokenBy }),
    ...(prepares === undefined ? {} : { prepares }),
    ...(part === undefined ? {} : { part }),
    ...(source === undefined ? {} : { source: positionOf(source, cwd) }),
  };
}

function valuesOf(step: RecordedStep): Pick<StepReport, 'value' | 'written'> {
  if (step.choice !== undefined) return { value: step.choice };
  const reads = 'read' in step;
  const writes = 'written' in step;
  const read = jsonOfRaw(step.read, step.readText);
  const written = jsonOfRaw(step.written, step.writtenText);
  if (reads && writes) return { value: read, written };
  if (reads) return { value: read };
  return writes ? { value: written } : {};
}

/** A value that its language shows in a way of its own is a number here, as far as JSON can hold it. */
function jsonOfRaw(value: unknown, text: string | undefined): Json {
  if (text === undefined || typeof value !== 'bigint') return jsonOf(value);
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}

function positionOf({ file, line, column }: SourcePosition, cwd: string): SourcePosition {
  return { file: shortFile(file, cwd), line, column };
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
