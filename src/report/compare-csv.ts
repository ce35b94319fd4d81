/** The runs of `heddle compare` as comma-separated values (RFC 4180), one line for each. */
import { reductionOf, searchOf } from './compare.ts';
import type { CheckReport } from './schema.ts';

const columns: Readonly<Record<string, (run: CheckReport, runs: readonly CheckReport[]) => string | number>> = {
  program: ({ program }) => program,
  model: ({ model }) => model,
  algorithm: ({ algorithm }) => algorithm,
  search: searchOf,
  verdict: ({ verdict }) => verdict,
  stoppedBy: ({ stoppedBy }) => stoppedBy ?? '',
  complete: ({ executions }) => executions.complete,
  blocked: ({ executions }) => executions.blocked,
  erroneous: ({ executions }) => executions.erroneous,
  redundant: ({ executions }) => executions.redundant,
  reduction: (run, runs) => reductionOf(run, runs) ?? '',
  seconds: ({ elapsedMs }) => Math.round(elapsedMs) / 1000,
};

export function compareCsv(runs: readonly CheckReport[]): string {
  const lines = runs.map((run) => Object.values(columns).map((cell) => quoted(String(cell(run, runs)))));
  return [Object.keys(columns), ...lines].map((cells) => `${cells.join(',')}\r\n`).join('');
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
