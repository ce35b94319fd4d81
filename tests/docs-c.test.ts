/**
 * What the documentation says about C is so. A block of C whose info string has `verdict=VERDICT` is a program of the name
 * `file=NAME`; it is checked, and must have that verdict: `ok`, `bounded`, the kind of its error, or `refused`. After it may
 * come a block `text output` with the report on it, as `heddle check NAME` prints it, or `text message` with a part of the
 * refusal. A block `text report=FILE` is the report on that example, and with `model=MODEL` under that model.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileC } from '../src/c/compile/compile.ts';
import { parseModule } from '../src/c/ir/parser.ts';
import { cProgram } from '../src/c/program.ts';
import { type CheckOptions, type CheckResult, checkSync, InputError } from '../src/index.ts';
import { failureKinds } from '../src/program/operation.ts';
import { textReport } from '../src/report/text.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'heddle-docs-c-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Block {
  readonly title: string;
  readonly info: Readonly<Record<string, string>>;
  readonly text: string;
}

function blocksOf(document: string): Block[] {
  const markdown = readFileSync(join(root, document), 'utf8');
  return [...markdown.matchAll(/^```(\S+)[ \t]*(.*)\n([\s\S]*?)^```$/gm)].map((match) => {
    const [, , words = '', text = ''] = match;
    const line = markdown.slice(0, match.index).split('\n').length + 1;
    const pairs = words.split(' ').map((word) => [...word.split('='), ''].slice(0, 2));
    return { title: `line ${line} of ${document}`, info: Object.fromEntries(pairs), text };
  });
}

const documents = ['.', 'docs', 'examples/c'].flatMap((place) =>
  readdirSync(join(root, place))
    .filter((file) => file.endsWith('.md'))
    .map((file) => join(place, file)),
);
const blocks = documents.flatMap(blocksOf);
const programs = blocks.filter(({ info }) => info['verdict'] !== undefined);
const reports = blocks.filter(({ info }) => info['report'] !== undefined);

/** Each program is a file in a folder of its own, since its report quotes it. */
const fileOf = (block: Block): string =>
  join(folder, String(programs.indexOf(block)), block.info['file'] ?? 'program.c');
const exampleOf = (block: Block): string => join(root, block.info['report'] as string);

/** By file: the IR. All are compiled in one run of the compiler. */
const compiled = new Map<string, string>();

beforeAll(async () => {
  for (const block of programs) {
    mkdirSync(dirname(fileOf(block)));
    writeFileSync(fileOf(block), block.text);
  }
  const { modules, warnings } = await compileC([...programs.map(fileOf), ...reports.map(exampleOf)], { cwd: root });
  expect(warnings).toBe('');
  for (const { name, text } of modules) compiled.set(name, text);
}, 120_000);

function run(file: string, options: CheckOptions = {}): CheckResult | InputError {
  try {
    return checkSync(cProgram([parseModule(compiled.get(file) as string, file)], { name: file }), options);
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
}

function expectReport(result: CheckResult, cwd: string, expected: string): void {
  const report = textReport(result, { colour: false, width: 120, cwd, mentionTrace: true });
  expect(withoutTimes(expected)).toBe(withoutTimes(report));
}

function withoutTimes(report: string): string {
  return report.replaceAll(/\b[\d.]+ m?s\b/g, 'TIME');
}

describe('programs', () => {
  for (const block of programs) {
    const expected = block.info['verdict'] as string;
    test(`the program in ${block.title} has the verdict ${expected}`, () => {
      const next = blocks[blocks.indexOf(block) + 1];
      const outcome = run(fileOf(block));
      if (outcome instanceof InputError) {
        expect(expected, outcome.message).toBe('refused');
        expect(next?.info, 'a block with the message follows').toHaveProperty('message');
        expect(outcome.message).toContain(next?.text.trim());
        return;
      }
      const { verdict, errors } = outcome;
      expect(verdict === 'error' ? errors.map((error) => error.kind).join() : verdict).toBe(expected);
      if (next?.info['output'] !== undefined) expectReport(outcome, dirname(fileOf(block)), next.text);
    });
  }
});

test.each(reports)('the report in $title is what Heddle says', (block) => {
  const { model } = block.info;
  const outcome = run(exampleOf(block), model === undefined ? {} : { model });
  if (outcome instanceof InputError) throw outcome;
  expectReport(outcome, root, block.text);
});

test('the manual explains every kind of error that C can have', () => {
  const listed = [...readFileSync(join(root, 'docs/c.md'), 'utf8').matchAll(/^\| `([a-z][a-z-]+)` +\|/gm)].map(
    ([, k]) => k,
  );
  const others = ['exception', 'livelock']; // of TypeScript; of awaits
  expect(new Set([...listed, ...others])).toEqual(new Set(failureKinds));
});
