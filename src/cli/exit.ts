/** Exit codes, and what is printed when there is no result. */
import { extname } from 'node:path';
import type { Verdict } from '../check/result.ts';
import { frontEnds } from '../front-ends.ts';
import { InputError } from '../program/input-error.ts';
import type { Language } from '../program/language.ts';
import { refusalReport } from '../report/json.ts';
import { showPosition, snippet } from '../report/source.ts';
import { styleOf } from '../report/style.ts';
import { version } from '../version.ts';
import { isColourful } from './terminal.ts';

export const Exit = { OK: 0, ERROR: 1, BAD_INPUT: 2, INCOMPLETE: 3, INTERNAL: 70, INTERRUPTED: 130 } as const;

export function exitCodeOf(verdict: Verdict): number {
  if (verdict === 'error') return Exit.ERROR;
  return verdict === 'incomplete' ? Exit.INCOMPLETE : Exit.OK;
}

/** Says on standard error why there is no result, and of bad input with `--json` also on standard output; gives the exit code. */
export function reportProblem(problem: unknown, isJson: boolean): number {
  if (problem instanceof InputError) {
    process.stderr.write(inputProblem(problem));
    if (isJson) writeRefusal(problem);
    return Exit.BAD_INPUT;
  }
  if (problem instanceof CutShort) {
    process.stderr.write(`heddle: ${problem.message}\n`);
    return Exit.INCOMPLETE;
  }
  const stack = problem instanceof Error ? (problem.stack ?? problem.message) : String(problem);
  process.stderr.write(
    `heddle: internal error in Heddle ${version}, please report it with this text and the program:\n${stack}\n`,
  );
  return Exit.INTERNAL;
}

/** What is bad about the input, for programs. */
export function writeRefusal(problem: Pick<InputError, 'message' | 'position'>): void {
  process.stdout.write(`${JSON.stringify(refusalReport(problem, process.cwd()), null, 2)}\n`);
}

/** The search ended without a result for a reason that lies outside of Heddle and the program. */
export class CutShort extends Error {
  override readonly name = 'CutShort';
}

/** A line of the source that is longer says nothing to a reader. */
const LONGEST_LINE = 500;

function inputProblem(problem: InputError): string {
  const { message } = problem;
  const position = problem.shown === undefined ? problem.position : undefined;
  const style = styleOf(isColourful(process.stderr));
  const where = position === undefined ? '' : `${showPosition(position, process.cwd())}: `;
  const quoted =
    position === undefined ? [] : snippet(position, columnsIn(position.file), style).map((line) => `  ${line}`);
  const lines = quoted.some((line) => line.length > LONGEST_LINE) ? [] : quoted;
  const [first, ...more] = message.split('\n');
  return `${[`heddle: ${where}${first}`, ...lines, ...more].join('\n')}\n`;
}

/** What is included has other endings than what a front end starts from; where columns are bytes there are such files. */
function columnsIn(file: string): Language['columns'] {
  const frontEnd = Object.values(frontEnds).find(({ extensions }) => extensions.includes(extname(file)));
  return frontEnd?.language.columns ?? 'bytes';
}
