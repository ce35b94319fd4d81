/** The examples for bounds: each command in their README and in the opening comments does what stands after its arrow. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { loadC } from '../src/c/index.ts';
import { type CheckError, type CheckOptions, checkSync, type Program } from '../src/index.ts';
import { byTier } from './tier.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = 'examples/bounding';
const files = readdirSync(join(root, folder));
const textOf = (file: string): string => readFileSync(join(root, folder, file), 'utf8');

const commands = files
  .filter((file) => /\.(c|md)$/.test(file))
  .flatMap((file) => [...textOf(file).matchAll(/^\W+npx heddle check (.*?) +→ (.*)$/gm)])
  .map(([, args = '', promised = '']) => [args, promised] as const);

interface Asked {
  readonly file: string;
  readonly defines: readonly string[];
  readonly options: CheckOptions;
}

const names: Readonly<Record<string, keyof CheckOptions>> = {
  '--algorithm': 'algorithm',
  '--model': 'model',
  '--bound': 'bound',
  '--fair-bound': 'fairBound',
};

function parse(args: string): Asked {
  const words = args.split(' ');
  const file = words.pop() as string;
  const options: Record<string, string | number> = {};
  const defines: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i] as string;
    const name = names[word];
    if (word.startsWith('-D')) defines.push(word.slice(2));
    else if (name === undefined) throw new Error(`${word} is not an option of these tests`);
    else {
      const value = words[++i] as string;
      options[name] = /^\d+$/.test(value) ? Number(value) : value;
    }
  }
  return { file, defines, options };
}

/** By file and macros: what the compiler has made of it. */
const compiled = new Map<string, Promise<Program>>();

async function load({ file, defines }: Asked): Promise<Program> {
  if (file.endsWith('.ts')) return ((await import(join(root, file))) as { default: Program }).default;
  const key = `${file} ${defines.join()}`;
  const program = compiled.get(key) ?? loadC(file, { cwd: root, defines });
  compiled.set(key, program);
  return program;
}

/** Where it is; of a deadlock, where threads wait for something else than another's end. */
function placeOf(error: CheckError): { readonly file?: string; readonly line?: number } | undefined {
  if (error.kind !== 'deadlock') return error.location;
  return error.execution.ends.find((end) => end.state === 'waiting' && end.next?.op !== 'join')?.next?.source;
}

/** To compile those in C takes longest: `npm test` has one of them. */
const tried = commands.filter(([args]) => byTier({ normal: !/(event|queens|regions)\.c$/.test(args), long: true }));

test.each(tried)('heddle check %s: %s', { timeout: 60_000 }, async (args, promised) => {
  const asked = parse(args);
  const { verdict, errors } = checkSync(await load(asked), asked.options);
  const [error] = errors;
  expect([verdict, ...errors.map(({ kind }) => kind)].join(' ')).toBe(promised.replace(/ at line \d+$/, ''));
  if (error === undefined || error.kind === 'livelock') return;
  const { file = '', line = 0 } = placeOf(error) ?? {};
  expect(textOf(basename(file)).split('\n')[line - 1]).toMatch(/\/\/ <- fails$/);
  const promisedLine = / at line (\d+)$/.exec(promised)?.[1];
  if (promisedLine !== undefined) expect(line).toBe(Number(promisedLine));
});

test('all have commands', () => {
  const run = new Set(commands.map(([args]) => basename(parse(args).file)));
  expect([...run].sort()).toEqual(files.filter((file) => !file.endsWith('.md')).sort());
});
