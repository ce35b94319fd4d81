/**
 * `npm run bench -- --against REV [--runs N] [WORD…]`: this tree and another revision, alternately, on the long set. REV is built in
 * a temporary folder with the packages of this one. What is measured is the CPU time of a search, by all threads of its process,
 * without what comes before it (start-up, compiling C) and without a warm-up: the engine's own compiling counts. The ratio is how
 * many times as fast this tree is: of the least times of both, and beside it the least and the largest of the pairs. WORDs pick
 * programs and models. A verdict or a count that differs is an error.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { outputOf } from './apart.js';
import { longSet } from './long-set.js';

const root = fileURLToPath(new URL('../', import.meta.url));
const own = fileURLToPath(import.meta.url);

interface Measured {
  readonly seconds: number;
  /** Verdict and counts, as text. */
  readonly result: string;
}

/** In a process of its own, with the build of either revision. The program is that of this tree. */
async function measure(
  build: string,
  cacheFolder: string,
  model: string,
  file: string,
  defines: readonly string[],
): Promise<Measured> {
  const { loadC } = (await import(pathToFileURL(join(build, 'dist/c/index.js')).href)) as typeof import('heddle/c');
  const { check } = (await import(pathToFileURL(join(build, 'dist/index.js')).href)) as typeof import('heddle');
  const path = join(root, 'tests/conformance/programs', file);
  const program = await loadC(path, { defines, plp: false, await: false, cacheFolder });
  const before = process.cpuUsage();
  const { verdict, executions } = await check(program, { model });
  const { user, system } = process.cpuUsage(before);
  return { seconds: (user + system) / 1e6, result: `${verdict} ${JSON.stringify(executions)}` };
}

function buildOf(revision: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-bench-'));
  const archive = execFileSync('git', ['archive', revision], { cwd: root, maxBuffer: 1 << 30 });
  const tree = join(folder, 'tree');
  mkdirSync(tree);
  execFileSync('tar', ['-x', '-C', tree], { input: archive });
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
  execFileSync('npx', ['tsc', '-p', 'tsconfig.build.json'], { cwd: tree, stdio: 'inherit' });
  // what its own build runs of these; the others are for the command, which is not measured
  for (const script of ['scripts/copy-assets.mjs', 'scripts/inline-constants.mjs', 'scripts/compile-hot.mjs']) {
    if (existsSync(join(tree, script))) execFileSync(process.execPath, [script], { cwd: tree });
  }
  return folder;
}

const geometricMean = (ratios: readonly number[]): number =>
  Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);

/** How many times as fast this tree is as the build in the folder. */
function compare(folder: string, runs: number, model: string, name: string, args: readonly string[]): number {
  const times: [number[], number[]] = [[], []];
  const results = new Set<string>();
  for (let i = 0; i < runs; i++) {
    for (const [which, build] of [join(folder, 'tree'), root].entries()) {
      const { seconds, result } = outputOf<Measured>(own, [build, join(folder, 'cache'), model, ...args]);
      (times[which] as number[]).push(seconds);
      results.add(result);
    }
  }
  if (results.size > 1) throw new Error(`${name}, ${model}: the two differ:\n${[...results].join('\n')}`);
  const [before, after] = times;
  const pairs = before.map((time, i) => time / (after[i] as number));
  const ratio = Math.min(...before) / Math.min(...after);
  const spread = `${Math.min(...pairs).toFixed(2)} to ${Math.max(...pairs).toFixed(2)}`;
  const cells = [
    name.padEnd(36),
    model.padEnd(5),
    `${Math.min(...before).toFixed(3)} s`.padStart(9),
    `${Math.min(...after).toFixed(3)} s`.padStart(9),
    ratio.toFixed(2).padStart(6),
    spread.padStart(14),
  ];
  console.log(cells.join(' '));
  return ratio;
}

export function against(args: readonly string[]): void {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { runs: { type: 'string', default: '5' } },
    allowPositionals: true,
  });
  const [revision, ...words] = positionals;
  const runs = Number(values.runs);
  if (revision === undefined || !(runs >= 1)) throw new Error('usage: --against REV [--runs N] [WORD…]');
  const folder = buildOf(revision);
  try {
    console.log(`Node ${process.version}; CPU time of ${revision} and of this tree, ratio, spread of ${runs} pairs`);
    for (const model of ['sc', 'rc11']) {
      const ratios: number[] = [];
      for (const { file, defines } of longSet) {
        const name = `${file.replace('.c', '')} ${defines.join(' ')}`;
        if (words.length > 0 && !words.some((word) => `${name} ${model}`.includes(word))) continue;
        ratios.push(compare(folder, runs, model, name, [file, ...defines]));
      }
      if (ratios.length > 0) console.log(`geometric mean, ${model}: ${geometricMean(ratios).toFixed(2)}`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const [command, build, cacheFolder, model, file, ...defines] = process.argv.slice(2);
if (command === '--case' && process.argv[1] === own) {
  console.log(
    JSON.stringify(await measure(build as string, cacheFolder as string, model as string, file as string, defines)),
  );
}
