import { beforeAll, describe, expect, test } from 'vitest';
import { compareReportSchema } from '../../src/report/schema.ts';
import { ensureBuilt, fixture, heddle } from './heddle.ts';

beforeAll(ensureBuilt);

describe('compare', () => {
  test('runs every algorithm with every equivalence', async () => {
    const { code, stdout } = await heddle(['compare', fixture('verified.ts'), '--json']);
    expect(code).toBe(0);
    const report = compareReportSchema.parse(JSON.parse(stdout));
    expect(report.agree).toBe(true);
    const runs = report.runs.map(({ algorithm, equivalence, verdict }) => [algorithm, equivalence, verdict]);
    expect(runs).toEqual([
      ['trust', 'co', 'ok'],
      ['trust', 'rf', 'ok'],
      ['buster', undefined, 'ok'],
      ['bpor', undefined, 'ok'],
      ['vc', undefined, 'ok'],
      ['dc', undefined, 'ok'],
      ['optimal', undefined, 'ok'],
      ['source', undefined, 'ok'],
      ['dpor', undefined, 'ok'],
      ['dfs', undefined, 'ok'],
    ]);
  });

  test('prints an aligned table; exit code 1 for an error', async () => {
    const { code, stdout } = await heddle(['compare', fixture('counter.ts'), '--algorithms', 'trust']);
    expect(code).toBe(1);
    const masked = stdout.replaceAll(/ +(?:time|\d+ ms) +(?:executions\/s|[\d,]+)$/gm, ' …');
    expect(masked).toMatchInlineSnapshot(`
      "tests/fixtures/counter.ts (model sc)

      algorithm  equivalence  verdict            complete  blocked  redundant …
      trust      co           error (assertion)         1        0          0 …
      trust      rf           error (assertion)         1        0          0 …

      All found an error. To see it: heddle check tests/fixtures/counter.ts --model sc --algorithm trust
      "
    `);
  });

  test('a limit is said in the table; exit code 3', async () => {
    const { code, stdout } = await heddle(['compare', fixture('long.ts'), '--max-executions', '10']);
    expect(code).toBe(3);
    expect(stdout).toContain('incomplete (executions)');
    expect(stdout).toContain('No run came to its end');
  });
});

describe.concurrent('list', () => {
  test('has a line for each model, algorithm and equivalence', async () => {
    const { code, stdout } = await heddle(['list']);
    expect(code).toBe(0);
    for (const name of ['sc', 'trust', 'dfs', 'co', 'rf']) expect(stdout).toMatch(new RegExp(`^  ${name} +\\S`, 'm'));
  });

  test('--json', async () => {
    const { stdout } = await heddle(['list', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      algorithms: expect.arrayContaining([expect.objectContaining({ name: 'trust' })]),
    });
  });
});
