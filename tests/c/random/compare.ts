/** Programs run natively and under Heddle: the same output, or the smallest program found for which it is not. */
import type { Program } from '../../../src/program/operation.ts';
import { type CProgram, generate, sourceOf } from './generate.ts';
import { compileForHeddle, type HeddleRun, runUnderHeddle } from './heddle.ts';
import { compileNatively, type NativeRun, runNatively } from './native.ts';
import { countPieces, cuts } from './pieces.ts';

/** As it is, and with each phase in a thread of its own. */
export const modes: readonly (readonly string[])[] = [[], ['IN_THREADS']];

export interface Difference {
  readonly seed: number;
  readonly mode: readonly string[];
  readonly native: string;
  readonly heddle: string;
  readonly source: string;
}

/** A run starts over whenever it learns how memory is cut into pieces, so a file should not be too long. */
const PER_FILE = 8;

/** The first programs (one of each file at most) that differ, among those of the seeds from `from` on. */
export async function compareSeeds(from: number, count: number, mode: readonly string[]): Promise<Difference[]> {
  const batches: CProgram[][] = [];
  for (let at = from; at < from + count; at += PER_FILE) {
    const size = Math.min(PER_FILE, from + count - at);
    batches.push(Array.from({ length: size }, (_, index) => generate(at + index, index)));
  }
  const sources = batches.map(sourceOf);
  const programs = await compileForHeddle(sources, mode);
  const differences: Difference[] = [];
  for (const [index, batch] of batches.entries()) {
    const native = runNatively(await compileNatively(sources[index] as string, '-O0'));
    if (native.end !== 0) throw new Error(`a generated program ends with ${native.end}: seeds from ${batch[0]?.seed}`);
    const program = programs[index] as () => Program;
    const heddle = attempt(() => runUnderHeddle(program()));
    if (isSame(native, heddle)) continue;
    const culprit = firstDifferent(native.output, heddle.output);
    differences.push(await describe(batch[culprit] as CProgram, mode));
  }
  return differences;
}

/** The seeds whose programs do something else when they are optimised: a sign of undefined behaviour. */
export async function unstableSeeds(from: number, count: number): Promise<number[]> {
  const programs = Array.from({ length: count }, (_, index) => generate(from + index, index));
  const source = sourceOf(programs);
  const [plain, optimised] = [await compileNatively(source, '-O0'), await compileNatively(source, '-O2')];
  const [a, b] = [runNatively(plain), runNatively(optimised)];
  return a.end === 0 && b.end === 0 && a.output === b.output ? [] : [from + firstDifferent(a.output, b.output)];
}

const isSame = (native: NativeRun, heddle: HeddleRun): boolean =>
  native.output === heddle.output && heddle.end === native.end;

/** A refusal or a crash counts as an end. */
function attempt(run: () => HeddleRun): HeddleRun {
  try {
    return run();
  } catch (error) {
    const why =
      error instanceof Error ? (error.stack ?? error.message).split('\n').slice(0, 4).join('\n') : String(error);
    return { output: '', end: why, operations: 0 };
  }
}

/** The number of the program in whose part the outputs first differ. */
function firstDifferent(a: string, b: string): number {
  const [x, y] = [a, b].map((text) => text.split(/^(?===== )/m)) as [string[], string[]];
  const at = x.findIndex((part, index) => part !== y[index]);
  return Math.max(at < 0 ? x.length - 1 : at, 0);
}

async function runsOf(program: CProgram, mode: readonly string[]): Promise<{ native: NativeRun; heddle: HeddleRun }> {
  const source = sourceOf([program]);
  const native = runNatively(await compileNatively(source, '-O0'));
  let heddle: HeddleRun;
  try {
    const [compiled] = await compileForHeddle([source], mode);
    if (compiled === undefined) throw new Error('nothing was compiled');
    heddle = attempt(() => runUnderHeddle(compiled()));
  } catch (error) {
    heddle = attempt(() => {
      throw error;
    });
  }
  return { native, heddle };
}

async function describe(program: CProgram, mode: readonly string[]): Promise<Difference> {
  const smallest = await smallestLike(program, mode);
  const { native, heddle } = await runsOf(smallest, mode);
  return {
    seed: program.seed,
    mode,
    native: `${native.output}end ${native.end}`,
    heddle: `${heddle.output}end ${heddle.end}`,
    source: sourceOf([smallest]),
  };
}

/** Cuts pieces out of a program as long as the two runs still differ, and in the same way. */
async function smallestLike(program: CProgram, mode: readonly string[]): Promise<CProgram> {
  const kind = await kindOf(program, mode);
  if (kind === undefined) return program;
  const deadline = Date.now() + SHRINKING_MS;
  let smallest = program;
  for (let isSmaller = true; isSmaller && Date.now() < deadline; ) {
    isSmaller = false;
    for (const candidate of smaller(smallest)) {
      if (Date.now() > deadline) break;
      if ((await kindOf(candidate, mode)) !== kind) continue;
      smallest = candidate;
      isSmaller = true;
      break;
    }
  }
  return smallest;
}

const SHRINKING_MS = 120_000;

function* smaller(program: CProgram): Generator<CProgram, void, undefined> {
  for (const phase of program.phases) yield { ...program, phases: program.phases.filter((p) => p !== phase) };
  for (const pieces of cuts(program.pieces)) {
    if (countPieces(pieces) < countPieces(program.pieces)) yield { ...program, pieces };
  }
}

/** How the two runs differ, if they do and the native one is as it should be: optimised or not, it does the same. */
async function kindOf(program: CProgram, mode: readonly string[]): Promise<string | undefined> {
  try {
    const { native, heddle } = await runsOf(program, mode);
    if (native.end !== 0 || isSame(native, heddle)) return undefined;
    const optimised = runNatively(await compileNatively(sourceOf([program]), '-O2'));
    if (optimised.output !== native.output) return undefined;
    return heddle.end === 0
      ? 'output'
      : String(heddle.end)
          .replaceAll(/\d+|'[^']*'|p0_\w+/g, '#')
          .split('\n')[0];
  } catch {
    return undefined;
  }
}

export function show({ seed, mode, native, heddle, source }: Difference): string {
  const own = source.slice(source.indexOf('\n// seed'));
  return `seed ${seed} ${mode.join(' ')}\n--- natively\n${native}\n--- under Heddle\n${heddle}\n--- ${own}`;
}
