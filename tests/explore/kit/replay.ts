/** Every finding is an execution that a new run of the program can follow, and in which it fails as it is said to. */
import { dirname, relative } from 'node:path';
import { recordError } from '../../../src/check/record.ts';
import type { CheckResult } from '../../../src/check/result.ts';
import type { Finding } from '../../../src/explore/explorer.ts';
import type { Program } from '../../../src/program/operation.ts';
import { replaySteps } from '../../../src/report/replay.ts';
import type { Trace } from '../../../src/report/schema.ts';
import { traceOf } from '../../../src/report/trace.ts';

/** The first finding that a new run does not confirm. */
export function notReplayed(program: Program, findings: readonly Finding[]): string | undefined {
  for (const finding of findings) {
    const wrong = replayed(program, finding);
    if (wrong !== undefined) return `${finding.kind} ${finding.message}: ${wrong}`;
  }
  return undefined;
}

function replayed(program: Program, finding: Finding): string | undefined {
  try {
    const steps = replaySteps(program, traceOfFinding(program, finding, 'program.ts', 'trace.json'));
    while (steps.next().done !== true);
    return undefined;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

/** What it says of the search besides the error is for people. `file`: the program's, `trace`: where it will be written. */
export function traceOfFinding(program: Program, finding: Finding, file: string, trace: string): Trace {
  const error = recordError(program, finding);
  if (error.kind !== finding.kind) throw new Error(`recorded as ${error.kind} ${error.message}`);
  const how = { version: '0', model: 'sc', algorithm: 'trust', algorithmOptions: {} } as unknown as CheckResult;
  const settings = { files: [relative(dirname(trace), file)] };
  return traceOf(how, error, { frontEnd: 'typescript', settings }, trace);
}
