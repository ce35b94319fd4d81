/**
 * The documentation says what is so. A code block whose info string has `check=VERDICT` is a program; it is checked, and
 * must have that verdict: `ok`, the kind of its error, or `refused` (an InputError). What may follow it:
 *
 * - `executions=N` in the same info string: so many executions are complete;
 * - `model=MODEL` there: it is checked under that model;
 * - `bound=K`, `fairBound=K` and `iterate` there: it is checked with these options, and `preemptions=N`: its error takes so many;
 * - a block `text message` after a refused program: a part of the message;
 * - a block `text output` after a program with `file=NAME`: the report on it, as `heddle check NAME` prints it.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { algorithmOptions } from '../src/explore/registry.ts';
import { frontEnds } from '../src/front-ends.ts';
import { type CheckOptions, type CheckResult, checkSync, InputError, type Program } from '../src/index.ts';
import { boundLine } from '../src/report/bounds.ts';
import { textReport } from '../src/report/text.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'heddle-docs-'));
afterAll(() => rmSync(folder, { recursive: true }));

const documents = ['.', 'docs', 'docs/algorithms', 'examples'].flatMap((place) =>
  readdirSync(join(root, place))
    .filter((file) => file.endsWith('.md'))
    .map((file) => join(place, file)),
);

interface Block {
  /** Where its text starts. */
  readonly line: number;
  readonly language: string;
  /** The words after the language; `key=value` or `key`. */
  readonly info: Readonly<Record<string, string>>;
  readonly text: string;
}

function blocksOf(markdown: string): Block[] {
  const fence = /^```(\S+)[ \t]*(.*)\n([\s\S]*?)^```$/gm;
  return [...markdown.matchAll(fence)].map((match) => {
    const [, language = '', words = '', text = ''] = match;
    const line = markdown.slice(0, match.index).split('\n').length + 1;
    const pairs = words.split(' ').map((word) => [...word.split('='), ''].slice(0, 2));
    return { line, language, info: Object.fromEntries(pairs), text };
  });
}

/** Each program is a file in a folder of its own, since its report quotes it. */
async function run({ text, info }: Block): Promise<{ result: CheckResult; report: string } | InputError> {
  const place = mkdtempSync(join(folder, 'program-'));
  const file = join(place, info['file'] ?? 'program.ts');
  writeFileSync(file, text);
  const { default: program } = (await import(file)) as { default: Program };
  try {
    const result = checkSync(program, optionsIn(info));
    const options = { colour: false, width: 120, cwd: place, mentionTrace: true };
    const lines = result.iterations.map((step) => `${boundLine(step)}\n`);
    return { result, report: lines.join('') + textReport(result, options) };
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
}

function optionsIn({ model, algorithm, bound, fairBound, iterate }: Block['info']): CheckOptions {
  return {
    ...(algorithm === undefined ? {} : { algorithm }),
    ...(model === undefined ? {} : { model }),
    ...(bound === undefined ? {} : { bound: Number(bound) }),
    ...(fairBound === undefined ? {} : { fairBound: Number(fairBound) }),
    ...(iterate === undefined ? {} : { iterate: true }),
  };
}

for (const document of documents) {
  const blocks = blocksOf(readFileSync(join(root, document), 'utf8'));

  for (const [i, block] of blocks.entries()) {
    const { check: expected, executions, preemptions } = block.info;
    if (expected === undefined) continue;
    const next = blocks[i + 1];
    test(`the program in line ${block.line} of ${document} has the verdict ${expected}`, async () => {
      const outcome = await run(block);
      if (outcome instanceof InputError) {
        expect(expected, outcome.message).toBe('refused');
        expect(next?.info, 'a block with the message follows').toHaveProperty('message');
        expect(outcome.message).toContain(next?.text.trim());
        return;
      }
      const { verdict, errors } = outcome.result;
      expect(verdict === 'error' ? errors.map((error) => error.kind).join() : verdict).toBe(expected);
      if (executions !== undefined) expect(outcome.result.executions.complete).toBe(Number(executions));
      if (preemptions !== undefined) expect(errors[0]?.preemptions).toBe(Number(preemptions));
      if (next?.info['output'] === undefined) return;
      expect(withoutTimes(next.text)).toBe(withoutTimes(outcome.report));
    });
  }
}

function withoutTimes(report: string): string {
  return report.replaceAll(/\b[\d.]+ m?s\b/g, 'TIME');
}

test('links within the documentation lead somewhere', () => {
  for (const document of documents) {
    const text = readFileSync(join(root, document), 'utf8').replaceAll(/^```[\s\S]*?^```$/gm, '');
    for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? document : join(dirname(document), path);
      expect(existsSync(join(root, file)), `${document} links to ${target}`).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(file), `${document} links to ${target}`).toContain(anchor);
    }
  }
});

/** The headings of a file, as anchors. */
function anchorsOf(file: string): string[] {
  const headings = readFileSync(join(root, file), 'utf8').matchAll(/^#+ (.*)$/gm);
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test('the README lists the options of heddle check, and no others', () => {
  const written = ['command-line.ts', 'flags.ts'].flatMap((file) => {
    const source = readFileSync(join(root, 'src/cli', file), 'utf8');
    return [...source.matchAll(/(?:\.option|new Option)\(\s*'(--[\w-]+)/g)].map(([, option]) => option);
  });
  const ofFrontEnds = Object.values(frontEnds).flatMap(({ options }) => options.map(({ flags }) => flags));
  const inTables = [...algorithmOptions.map(({ option }) => option.flags), ...ofFrontEnds];
  const declared = [
    ...written,
    ...inTables.filter((flags) => flags.startsWith('--')).map((flags) => flags.split(' ')[0]),
  ];
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const listed = [...readme.matchAll(/^\| `(--[\w-]+)/gm)].map(([, option]) => option);
  const elsewhere = ['--algorithms', '--models', '--csv', '--plot', '--step']; // of compare and replay, mentioned in the text
  for (const option of elsewhere) expect(readme).toContain(option);
  for (const flags of ofFrontEnds) expect(readme).toContain(`${flags.split(' ')[0]}`);
  expect(new Set([...listed, ...elsewhere])).toEqual(new Set(declared));
});

test('the private functions that the documentation names exist', () => {
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(root, 'src', file), 'utf8'));
  for (const document of documents) {
    const names = readFileSync(join(root, document), 'utf8').matchAll(/`(#\w+)`/g);
    for (const [, name = ''] of names) {
      const exists = sources.some((source) => source.includes(`${name}(`) || source.includes(`${name}:`));
      expect(exists, `${document} names ${name}`).toBe(true);
    }
  }
});

test('the files that the documentation names exist', () => {
  for (const document of documents) {
    const pattern = /`((?:src|tests|bench|examples|docs)\/[\w./-]*)`/g;
    for (const [, name = ''] of readFileSync(join(root, document), 'utf8').matchAll(pattern)) {
      if (/[A-Z]{3}/.test(name)) continue; // src/explore/NAME.ts
      expect(existsSync(join(root, name)), `${document} names ${name}`).toBe(true);
    }
  }
});
