/**
 * Matchers for Vitest. Import this file in a test, or name it in `setupFiles`:
 *
 *     import 'heddle/vitest';
 *     expect(counter).toBeVerified();
 *     expect(brokenCounter).toFailWith('assertion');
 */
import { cwd } from 'node:process';
import { expect } from 'vitest';
import { checkSync } from './check/check.ts';
import type { CheckOptions } from './check/options.ts';
import type { CheckResult } from './check/result.ts';
import { type FailureKind, failureKinds, type Program } from './program/operation.ts';
import { textReport } from './report/text.ts';

declare module 'vitest' {
  interface Matchers<T> {
    /** Every execution of the program was covered, or every one within the bound on preemptions asked for, and none of them fails. */
    toBeVerified(options?: CheckOptions): void;
    /** Some execution of the program fails with an error of this kind. */
    toFailWith(kind: FailureKind, options?: CheckOptions): void;
  }
}

interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

expect.extend({
  toBeVerified(program: Program, options?: CheckOptions): MatcherResult {
    const result = checkSync(program, options);
    const pass = result.verdict === 'ok' || isWithinAsked(result, options);
    return { pass, message: () => `expected the program ${pass ? 'not ' : ''}to be verified\n\n${report(result)}` };
  },

  toFailWith(program: Program, kind: FailureKind, options?: CheckOptions): MatcherResult {
    if (!failureKinds.includes(kind)) {
      throw new TypeError(
        `toFailWith: there is no error kind ${JSON.stringify(kind)}; there is ${failureKinds.join(', ')}`,
      );
    }
    const result = checkSync(program, options);
    const pass = result.errors.some((error) => error.kind === kind);
    return {
      pass,
      message: () => `expected the program ${pass ? 'not ' : ''}to fail with ${kind}\n\n${report(result)}`,
    };
  },
});

/** Whether nothing was left out but what the caller has bounded in so many words. */
function isWithinAsked({ verdict, bounds }: CheckResult, options: CheckOptions = {}): boolean {
  const { bound, boundType = 'preemption', fairBound } = options;
  const asked = {
    preemptions: boundType === 'preemption' && bound !== undefined,
    fairness: fairBound !== undefined || (boundType === 'fair' && bound !== undefined),
  };
  const isAsked = (name: string): boolean => name in asked && asked[name as keyof typeof asked];
  return verdict === 'bounded' && bounds.every(({ name, cut }) => cut === 0 || isAsked(name));
}

function report(result: CheckResult): string {
  return textReport(result, { colour: false, width: 120, cwd: cwd() });
}
