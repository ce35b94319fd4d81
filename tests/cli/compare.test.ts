import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { compareReportSchema } from '../../src/report/schema.ts';
import { ensureBuilt, fixture, folderWith, heddle } from './heddle.ts';

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

      algorithm               verdict            complete  blocked  redundant  reduction …
      trust                   error (assertion)         1        0          0 …
      trust --equivalence rf  error (assertion)         1        0          0 …

      All found an error. To see it: heddle check tests/fixtures/counter.ts --model sc --algorithm trust, with what else was given here.
      "
    `);
  });

  test('says how much less each explores than the one that explores the most; as a file and as a picture, too', async () => {
    const folder = folderWith({});
    const [csv, plot] = [join(folder, 'table.csv'), join(folder, 'table.svg')];
    const args = ['compare', fixture('store-buffering.ts'), '--algorithms', 'trust,optimal,dfs'];
    const { code, stdout } = await heddle([...args, '--csv', csv, '--plot', plot]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^optimal --observers +ok/m);
    const lines = readFileSync(csv, 'utf8').split('\r\n');
    expect(lines[0]).toMatch(/^program,model,algorithm,search,verdict,/);
    expect(lines.map((line) => line.split(',')[3])).toEqual([
      'search',
      'trust',
      'trust --equivalence rf',
      'optimal',
      'optimal --observers',
      'dfs',
      undefined,
    ]);
    expect(readFileSync(plot, 'utf8').match(/class="bar"/g)).toHaveLength(10); // two for each
  });

  test('the reduction is that of the searches which came to their end', async () => {
    const { stdout } = await heddle(['compare', fixture('verified.ts'), '--algorithms', 'trust,dfs']);
    const reductions = [...stdout.matchAll(/ ([\d.,]+) ×/g)].map(([, factor = '']) =>
      Number(factor.replaceAll(',', '')),
    );
    expect(reductions).toHaveLength(3);
    expect(reductions[2]).toBe(1);
    expect(reductions[0]).toBeGreaterThan(1);
  });

  test('where a file cannot be written, that is said before the search', async () => {
    const { code, stderr } = await heddle(['compare', fixture('verified.ts'), '--csv', '/no/such/folder/table.csv']);
    expect(code).toBe(2);
    expect(stderr).toContain('cannot write /no/such/folder/table.csv');
  });

  test('says which algorithms may miss what others have found', async () => {
    const { code, stdout } = await heddle([
      'compare',
      fixture('race.ts'),
      '--algorithms',
      'vc,trust,optimal',
      '--observers',
    ]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^optimal --observers +error \(race\)/m);
    expect(stdout).toContain('found an error of a kind that vc may miss.');
    expect(stdout).toContain('--algorithm trust, with');
  });

  test('a result never goes where the program, or another result, is', async () => {
    for (const places of [
      ['--csv', fixture('verified.ts')],
      ['--csv', '/tmp/x', '--plot', '/tmp/x'],
      ['--plot', ''],
    ]) {
      const { code, stderr } = await heddle(['compare', fixture('verified.ts'), ...places]);
      expect(code).toBe(2);
      expect(stderr).toContain('cannot write');
    }
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
