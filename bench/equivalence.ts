/**
 * `npm run bench -- --equivalence [--runs N] [--most N] [WORD…]`: what an execution costs with `--equivalence rf` against `co`, and whole
 * searches with either. For each model the first executions (`--most`, 300,000) of the larger sizes, as CPU time per execution; then the
 * long set to its end, as CPU time. Both alternately, each in a process of its own, of which the least of the runs counts (`--runs`, 1).
 * The ratio is how many times as long rf takes. What fits all WORDs is run: a program, a model, `each` for the one and `whole` for the
 * other.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { check } from 'heddle';
import { outputOf } from './apart.js';
import { c } from './c-programs.js';
import { type LongSearch, largeSet, longSet } from './long-set.js';

const own = fileURLToPath(import.meta.url);
const equivalences = ['co', 'rf'] as const;

interface Measured {
  readonly seconds: number;
  readonly executions: number;
}

async function measure(
  model: string,
  equivalence: string,
  most: string,
  file: string,
  defines: readonly string[],
): Promise<Measured> {
  const program = await c(file, ...defines);
  const limit = most === 'all' ? {} : { maxExecutions: Number(most) };
  const before = process.cpuUsage();
  const { executions } = await check(program, { model, equivalence, ...limit });
  const { user, system } = process.cpuUsage(before);
  return { seconds: (user + system) / 1e6, executions: executions.complete + executions.blocked };
}

/** Prints a line; returns how many times as long an execution and the whole take with rf. */
function compare(search: LongSearch, model: string, most: string, runs: number): readonly [number, number] {
  const best: Measured[] = [];
  for (let i = 0; i < runs; i++) {
    for (const [which, equivalence] of equivalences.entries()) {
      const measured = outputOf<Measured>(own, [model, equivalence, most, search.file, ...search.defines]);
      if (best[which] === undefined || measured.seconds < best[which].seconds) best[which] = measured;
    }
  }
  const [co, rf] = best as [Measured, Measured];
  const each = rf.seconds / rf.executions / (co.seconds / co.executions);
  const whole = rf.seconds / co.seconds;
  const cells = best.map(({ seconds, executions }) => `${seconds.toFixed(2)} s for ${executions}`.padStart(22));
  const name = `${search.file.replace('.c', '')} ${search.defines.join(' ')}`;
  const ratio = most === 'all' ? whole : each;
  console.log(`${name.padEnd(36)} ${model.padEnd(5)} ${cells.join(' ')} ${ratio.toFixed(2).padStart(7)}`);
  return [each, whole];
}

const geometricMean = (ratios: readonly number[]): number =>
  Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);

export function compareEquivalences(args: readonly string[]): void {
  const { values, positionals: words } = parseArgs({
    args: [...args],
    options: { runs: { type: 'string', default: '1' }, most: { type: 'string', default: '300000' } },
    allowPositionals: true,
  });
  const runs = Number(values.runs);
  for (const model of ['sc', 'rc11', 'tso', 'pso', 'ra']) {
    for (const [set, most] of [
      [largeSet, values.most],
      [longSet, 'all'],
    ] as const) {
      const picked = set.filter(({ file, defines }) => {
        const name = `${file} ${defines.join(' ')} ${model} ${most === 'all' ? 'whole' : 'each'}`;
        return words.every((word) => name.includes(word));
      });
      if (picked.length === 0) continue;
      console.log(`${model}: co, rf, ${most === 'all' ? 'whole searches' : 'for each execution'}`);
      const ratios = picked.map((search) => compare(search, model, most, runs)[most === 'all' ? 1 : 0]);
      console.log(`geometric mean, ${model}: ${geometricMean(ratios).toFixed(2)}`);
    }
  }
}

const [command, model, equivalence, most, file, ...defines] = process.argv.slice(2);
if (command === '--case' && process.argv[1] === own) {
  const measured = await measure(
    model as string,
    equivalence as string,
    most as string,
    file as string,
    defines as string[],
  );
  console.log(JSON.stringify(measured));
}
