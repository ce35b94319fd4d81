/**
 * docs/memory-models.md: its drawings are executions that Heddle finds, its table is what it says, and so are the outputs of
 * `heddle compare --models`. After a change: `npx vitest run tests/docs-models.test.ts -u` draws anew.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compileC } from '../src/c/compile/compile.ts';
import { parseModule } from '../src/c/ir/parser.ts';
import { cProgram } from '../src/c/program.ts';
import { type CheckError, type CheckOptions, type CheckResult, checkSync } from '../src/index.ts';
import { models } from '../src/models/registry.ts';
import { compareModelsReport, compareModelsText } from '../src/report/compare-models.ts';
import { jsonReport } from '../src/report/json.ts';
import { drawExecution } from './docs-drawing.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = readFileSync(join(root, 'docs/memory-models.md'), 'utf8');

/** Rows `| name | `FILE MACROS` | no | yes | race | …`, with a column for each model. */
const table = [...page.matchAll(/^\| [^|`]*\| `([\w-]+\.c(?: -D\w+)*)` +\|(.*)\|$/gm)].map(
  ([, example = '', cells = '']) => [`memory-models/${example}`, cells.split('|').map((cell) => cell.trim())] as const,
);

/** Blocks `text compare=FILE` are what `heddle compare FILE --models --keep-going` prints. */
const comparisons = [...page.matchAll(/^```text compare=examples\/(\S+)\n([\s\S]*?)^```$/gm)].map(
  ([, example = '', text = '']) => [example, text] as const,
);

/** Model, name, program, and the variables that are drawn. */
const drawings = [
  ['sc', 'lost-update', 'c/counter.c', ['counter']],
  ['tso', 'store-buffering', 'memory-models/store-buffering.c', ['x', 'y']],
  ['pso', 'message-passing', 'memory-models/message-passing.c', ['message', 'flag']],
  ['ra', 'independent-reads', 'memory-models/independent-reads.c', ['x', 'y']],
  ['rc11', 'mixed', 'memory-models/store-buffering.c -DMIXED', ['x', 'y']],
  ['rc11', 'race', 'memory-models/relaxed-flag.c', ['message', 'flag']],
] as const;

const folder = mkdtempSync(join(tmpdir(), 'heddle-docs-models-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** By file below examples/ and macros: the IR. One run of the compiler has one set of flags, so macros stand in a file. */
const compiled = new Map<string, string>();
beforeAll(async () => {
  const examples = [...table, ...comparisons].map(([example]) => example);
  const names = [...new Set([...examples, ...drawings.map(([, , example]) => example)])];
  const files = names.map((name, i) => {
    const [file = '', ...macros] = name.split(' ');
    const lines = [
      ...macros.map((macro) => `#define ${macro.slice(2)}`),
      `#include "${join(root, 'examples', file)}"`,
      '',
    ];
    writeFileSync(join(folder, `${i}.c`), lines.join('\n'));
    return join(folder, `${i}.c`);
  });
  const { modules } = await compileC(files, { cwd: root });
  for (const [i, { text }] of modules.entries()) compiled.set(names[i] as string, text);
}, 120_000);

function run(example: string, options: CheckOptions): CheckResult {
  const name = `examples/${example}`;
  return checkSync(cProgram([parseModule(compiled.get(example) as string, name)], { name }), options);
}

test.each(drawings)('under %s, the drawing %s is an execution of %s', async (model, name, example, variables) => {
  const [, title = ''] = new RegExp(`!\\[(.*)\\]\\(images/${name}\\.svg\\)`).exec(page) ?? [];
  expect(title).not.toBe('');
  const [error] = run(example, { model }).errors;
  const drawing = drawExecution(error as CheckError, variables, title);
  await expect(drawing).toMatchFileSnapshot(`../docs/images/${name}.svg`);
});

test('the table has the examples', () => {
  expect(table.length).toBeGreaterThan(10);
});

test.each(table)('the table is right about %s', (example, cells) => {
  const found = Object.keys(models).map((model) => {
    const { verdict, errors } = run(example, { model, underSc: false });
    return verdict === 'ok' ? 'no' : errors[0]?.kind === 'race' ? 'race' : 'yes';
  });
  expect(found).toEqual(cells);
});

test.each(comparisons)('the comparison of models on %s is what Heddle says', (example, text) => {
  const reports = Object.keys(models).map((model) =>
    jsonReport(run(example, { model, keepGoing: true, underSc: false }), root),
  );
  const printed = compareModelsText(compareModelsReport(reports, Object.keys(models), true), true, { colour: false });
  expect(withoutTimes(text)).toBe(withoutTimes(printed));
});

function withoutTimes(text: string): string {
  return text.replaceAll(/ +[\d.]+ m?s\b/g, ' TIME').replaceAll(/ +time$/gm, ' TIME');
}
