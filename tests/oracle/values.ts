/**
 * Executions told apart by values alone: which value each read has read and which option each choose has taken, whoever wrote it. A
 * thread that does the same with the same values is in the same state, so this is what a search for local states has to visit.
 */
import type { Step } from './interleavings.ts';

/** `PATH:INDEX=VALUE` for each read and choose of the execution. */
export function valuesKey({ steps }: { readonly steps: readonly Step[] }): string {
  return steps
    .flatMap(({ id, value, choice }) =>
      value === undefined && choice === undefined ? [] : [`${id}=${value ?? choice}`],
    )
    .sort()
    .join(' ');
}
