/** The trace file: one failing execution, to be run again by `heddle replay`. Reading it: `read-trace.ts`. */
import { dirname } from 'node:path';
import { settledOptions } from '../check/algorithm-options.ts';
import type { CheckError, CheckResult, RecordedStep } from '../check/result.ts';
import { showValue } from '../program/describe.ts';
import type { SourcePosition } from '../program/operation.ts';
import { relativeTo } from '../program/paths.ts';
import type { Trace } from './schema.ts';

/** Raised whenever traces of before can no longer be read. */
export const TRACE_VERSION = 2;

type TraceStep = Trace['steps'][number];

/** `file`: where the trace will be written, an absolute path; `source`: what the program is made of, as seen from there. */
export function traceOf(result: CheckResult, error: CheckError, source: Trace['source'], file: string): Trace {
  const folder = dirname(file);
  const { model, algorithm, algorithmOptions } = result;
  const settled = settledOptions(algorithmOptions);
  const { kind, message, location, underSc, scBounds, threads, racing, round, execution } = error;
  const { preemptions } = execution;
  return {
    format: 'heddle-trace',
    version: TRACE_VERSION,
    heddle: result.version,
    source,
    options: {
      model,
      algorithm,
      ...(Object.keys(settled).length === 0 ? {} : { algorithmOptions: settled }),
    },
    error: {
      kind,
      message,
      ...(location === undefined ? {} : { location: positionIn(folder, location) }),
      ...(underSc === undefined ? {} : { underSc }),
      ...(scBounds === undefined ? {} : { scBounds: [...scBounds] }),
      threads: [...threads],
      ...(racing === undefined ? {} : { racing: execution.steps.indexOf(racing[0]) }),
      ...(round === undefined ? {} : { round }),
    },
    ...(preemptions === undefined ? {} : { preemptions }),
    threads: execution.threads.map(({ id, name, path }) => ({ id, name, path })),
    steps: execution.steps.map((step) => stepIn(folder, step)),
    ends: execution.ends.map(({ thread, state, next, reads }) => ({
      thread,
      state,
      ...(next === undefined ? {} : { next: stepIn(folder, next) }),
      ...(reads === undefined ? {} : { reads: [...reads] }),
    })),
  };
}

/** One line per step: a trace is read by people too, and by diff. */
export function traceText(trace: Trace): string {
  const { steps, ends, ...head } = trace;
  const lines = (items: readonly object[]): string => items.map((item) => `    ${JSON.stringify(item)}`).join(',\n');
  const open = JSON.stringify(head, null, 2).replace(/\n\}$/, '');
  return `${open},\n  "steps": [\n${lines(steps)}\n  ],\n  "ends": [\n${lines(ends)}\n  ]\n}\n`;
}

function stepIn(folder: string, step: RecordedStep): TraceStep {
  const { read, written, source, ...rest } = step;
  return {
    ...rest,
    ...('read' in step ? { read: showValue(read) } : {}),
    ...('written' in step ? { written: showValue(written) } : {}),
    ...(source === undefined ? {} : { source: positionIn(folder, source) }),
  };
}

function positionIn(folder: string, { file, line, column }: SourcePosition): SourcePosition {
  return { file: relativeTo(folder, file), line, column };
}
