/** The errors that an explorer found against those that the oracle knows. */
import type { Explorer, Finding } from '../../../src/explore/explorer.ts';
import type { ProgramAst } from '../../oracle/language.ts';
import { failureKey } from '../../random/to-heddle.ts';
import type { Truth } from './truth.ts';

/** In the words of the oracle; a thread's path is left out: one place in the source is one error. */
export function errorsFound({ findings, warnings }: Explorer, ast: ProgramAst): string[] {
  const objects = Object.keys(ast.objects ?? {});
  // the k-th object has k bytes: see to-operations.ts
  const leaks = warnings.map(({ message }) => `leak ${objects[Number.parseInt(message, 10) - 1]}`);
  return [...new Set(findings.map(errorInWords)), ...leaks];
}

/** `inOrder`: uses after free are those that come after the free. */
export function errorsExpected(truth: Truth, races: boolean, inOrder = false): Set<string> {
  return new Set([
    ...[...truth.failures].map(withoutPath),
    ...[...truth.outcomes].filter((outcome) => outcome === 'deadlock' || outcome === 'livelock'),
    ...(races ? truth.races : []),
    ...((inOrder ? truth.misusesInOrder : undefined) ?? truth.misuses),
    ...truth.leaks,
  ]);
}

/** The error in the words of the oracle. */
export function errorInWords({ kind, message }: Pick<Finding, 'kind' | 'message'>): string {
  switch (kind) {
    case 'race':
      return `race ${/accesses to (\S+) that/.exec(message)?.[1]}`;
    case 'use-after-free':
      return `use-after-free ${/access to (\S+) that/.exec(message)?.[1]}`;
    case 'double-free':
      return `double-free ${/^(\S+) is freed/.exec(message)?.[1]}`;
    case 'deadlock':
    case 'livelock':
      return kind;
    default:
      return withoutPath(failureKey(kind, message, '0'));
  }
}

export const withoutPath = (key: string): string => key.replace(/ \S+$/, '');
