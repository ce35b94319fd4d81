/**
 * What a search finds does not depend on how it came there: every algorithm judges alike, and an execution that fails does so
 * again in a program that has seen nothing else.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { compileC } from '../../src/c/compile/compile.ts';
import { parseModule } from '../../src/c/ir/parser.ts';
import { type CProgram, cProgram } from '../../src/c/program.ts';
import { type AlgorithmName, algorithms } from '../../src/explore/registry.ts';
import { checkSync } from '../../src/index.ts';
import { identityOf } from '../../src/program/identity.ts';
import { replayable, replayInFreshProcess } from './fresh-process.ts';

const folder = fileURLToPath(new URL('../fixtures', import.meta.url));
const names = Object.keys(algorithms) as AlgorithmName[];

/** By file and macros: the IR. */
const texts = new Map<string, string>();

beforeAll(async () => {
  for (const define of ['LESS', 'MORE']) {
    const files = ['float-adds.c', 'thread-identity.c', 'heap-order.c'];
    const { modules } = await compileC(files, { cwd: folder, defines: [define] });
    for (const [i, { text }] of modules.entries()) texts.set(`${files[i]} ${define}`, text);
  }
}, 120_000);

function program(file: string, define = 'LESS'): CProgram {
  return cProgram([parseModule(texts.get(`${file} ${define}`) as string, join(folder, file))], { name: file });
}

/** The line that is marked so. */
function markedLine(file: string): number {
  return (
    readFileSync(join(folder, file), 'utf8')
      .split('\n')
      .findIndex((line) => line.endsWith('// fails')) + 1
  );
}

describe('additions of floats do not commute', () => {
  test.each(names)('%s', (algorithm) => {
    const { errors } = checkSync(program('float-adds.c'), { model: 'sc', algorithm });
    expect(errors.map(({ kind, location }) => [kind, location?.line])).toEqual([
      ['assertion', markedLine('float-adds.c')],
    ]);
  });
});

describe('what pthread_self gives does not depend on the search', () => {
  test.each(names)('%s', (algorithm) => {
    const failing = ['LESS', 'MORE'].flatMap((define) =>
      checkSync(program('thread-identity.c', define), { model: 'sc', algorithm, keepGoing: true }).errors.map(
        ({ execution }) => [define, ...execution.steps.slice(-2).map(({ readText }) => readText)],
      ),
    );
    const [left, right] = ['0.0.0', '0.1.0'].map(identityOf) as [number, number];
    const hex = (identity: number): string => `0x${identity.toString(16)}`;
    expect(failing).toEqual([[left < right ? 'MORE' : 'LESS', hex(left), hex(right)]]);
  });
});

describe('an execution fails again where nothing else was seen', () => {
  const failing = [
    ['float-adds.c', 'LESS'],
    ['heap-order.c', 'LESS'],
    ['thread-identity.c', identityOf('0.0.0') < identityOf('0.1.0') ? 'MORE' : 'LESS'],
  ] as const;

  test('with every algorithm', async () => {
    const traces = failing.flatMap(([file, define]) =>
      names.map((algorithm) => {
        const searched = program(file, define);
        const result = checkSync(searched, { model: 'sc', algorithm });
        const module = { text: texts.get(`${file} ${define}`) as string, file: join(folder, file) };
        return replayable(`${file} ${algorithm}`, searched, result, [module]);
      }),
    );
    expect(await replayInFreshProcess(traces)).toEqual({});
  });
});
