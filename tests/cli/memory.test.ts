/** Memory: what a search needs, and what happens where there is not enough. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import type { CheckReport } from '../../src/report/schema.ts';
import { ensureBuilt, fixture, heddle, root } from './heddle.ts';

beforeAll(ensureBuilt, 300_000);

describe('where memory is short', () => {
  const env = { NODE_OPTIONS: '--max-old-space-size=50' };

  test.each(['trust', 'optimal'])('%s ends with a verdict', { timeout: 120_000 }, async (algorithm) => {
    const args = ['check', fixture('long-thread.ts'), '--algorithm', algorithm];
    const { code, stdout, stderr } = await heddle([...args, '--timeout', '100'], { env });
    expect(stderr).toBe('');
    expect(code).toBe(3);
    expect(stdout).toMatch(/^◐ incomplete: no error in 0 executions, but memory ran short before all were explored/);
    expect(stdout).toContain('NODE_OPTIONS=--max-old-space-size=8000 heddle …');
  });

  test('a search that needs little goes on until the limit', async () => {
    const args = ['check', fixture('long.ts'), '--algorithm', 'optimal', '--max-executions', '5000', '--json'];
    const { code, stdout } = await heddle(args, { env: { NODE_OPTIONS: '--max-old-space-size=30' } });
    expect(code).toBe(3);
    const report = JSON.parse(stdout) as CheckReport;
    expect(report).toMatchObject({ stoppedBy: 'executions', executions: { complete: 5000 } });
  });

  test('also where there is no time to notice: the worker is lost, and no more than that', async () => {
    const { code, stdout, stderr } = await heddle(['check', fixture('hoards.ts'), '--json'], {
      env: { ...env, HEDDLE_PATIENCE_MS: '50000' },
    });
    expect(stderr).toBe('');
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'incomplete', stoppedBy: 'memory' });
  });
});

/**
 * The heap that is left of a search of lastzero(14) after so many executions, in bytes, each without garbage. What threads do is forgotten
 * early: it would be as much as is usually kept only much later.
 */
function heapAfter(algorithm: string, executions: readonly number[]): number[] {
  const url = (file: string): string => JSON.stringify(pathToFileURL(join(root, 'dist', file)).href);
  const script = `
    import { atomic, program, spawn } from ${url('index.js')};
    import { resolveOptions } from ${url('check/options.js')};
    import { executionsOf } from ${url('explore/explorer.js')};
    import { algorithms } from ${url('explore/registry.js')};
    import { Behaviours } from ${url('program/behaviours.js')};
    const N = 14;
    const lastzero = program(function* () {
      const array = Array.from({ length: N + 1 }, () => atomic(0));
      yield* spawn(function* () {
        let i = N;
        while ((yield* array[i].load()) !== 0) i--;
      });
      for (let j = 1; j <= N; j++) {
        yield* spawn(function* () {
          yield* array[j].store((yield* array[j - 1].load()) + 1);
        });
      }
    });
    const { algorithmOptions, ...options } = resolveOptions({ algorithm: '${algorithm}' }, lastzero.language);
    const behaviours = new Behaviours(lastzero, { maxStates: 1000 });
    const explorer = algorithms['${algorithm}'].make(behaviours, 'sc', { ...options, ...algorithmOptions });
    const used = ${JSON.stringify(executions)}.map((count) => {
      while (executionsOf(explorer.counts) < count) if (explorer.run(100)) throw new Error('too few executions');
      for (let i = 0; i < 3; i++) gc();
      return process.memoryUsage().heapUsed;
    });
    console.log(JSON.stringify(used));
  `;
  const run = spawnSync(process.execPath, ['--expose-gc', '--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(run.stderr).toBe('');
  return JSON.parse(run.stdout) as number[];
}

test.each(['trust', 'optimal', 'vc'])('with %s ten times the executions leave no more behind', (algorithm) => {
  const [first = 0, second = 0] = heapAfter(algorithm, [6000, 60_000]);
  expect(second - first).toBeLessThan(1_000_000); // code that is compiled meanwhile; a plan for each execution would be 50 million
});
