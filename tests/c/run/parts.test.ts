/** Atomic accesses to parts of what is accessed atomically as a whole, from source to verdict. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileC } from '../../../src/c/compile/compile.ts';
import { parseModule } from '../../../src/c/ir/parser.ts';
import { type CProgramOptions, cProgram } from '../../../src/c/program.ts';
import { type CheckOptions, checkSync } from '../../../src/index.ts';
import { labelContext, labelOf } from '../../../src/report/label.ts';
import { buffering, parts, shown, tooLarge } from './parts-programs.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-parts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const header = `#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#line 1
`;
const broken = (name: string): string => `${name}-broken`;
const sources: Readonly<Record<string, string>> = Object.fromEntries([
  ...Object.entries(parts).flatMap(([name, { code }]) => [
    [name, header + code],
    [broken(name), `#define BROKEN\n${header}${code}`],
  ]),
  ['shown', header + shown],
  ['buffered', header + buffering('relaxed')],
  ['drained', header + buffering('seq_cst')],
  ['too-large', header + tooLarge],
]);
const texts = new Map<string, string>();

beforeAll(async () => {
  const names = Object.keys(sources);
  for (const name of names) writeFileSync(join(folder, `${name}.c`), sources[name] as string);
  const { modules } = await compileC(
    names.map((name) => `${name}.c`),
    { cwd: folder },
  );
  for (const [i, { text }] of modules.entries()) texts.set(names[i] as string, text);
}, 120_000);

function run(name: string, options: CheckOptions = {}, program: Partial<CProgramOptions> = {}) {
  const module = parseModule(texts.get(name) as string, `${name}.c`);
  return checkSync(cProgram([module], { name, ...program }), options);
}

const weak = ['ra', 'rc11'] as const;

describe('accesses to parts', () => {
  test.each(Object.entries(parts))('%s', (name, { kind, isFineUnderSc }) => {
    for (const model of weak) {
      for (const equivalence of ['co', 'rf'] as const) {
        const found = run(name, { model, equivalence });
        expect([model, equivalence, found.verdict, ...found.errors]).toEqual([model, equivalence, 'ok']);
        const wrong = run(broken(name), { model, equivalence });
        expect([model, equivalence, wrong.errors[0]?.kind]).toEqual([model, equivalence, kind]);
      }
    }
    for (const model of ['tso', 'pso'] as const) {
      for (const equivalence of ['co', 'rf'] as const) {
        const found = run(name, { model, equivalence });
        expect([model, equivalence, found.verdict, ...found.errors]).toEqual([model, equivalence, 'ok']);
        if (isFineUnderSc) continue;
        const wrong = run(broken(name), { model, equivalence });
        expect([model, equivalence, wrong.errors[0]?.kind]).toEqual([model, equivalence, kind]);
      }
    }
    for (const algorithm of ['trust', 'optimal', 'source', 'dfs'] as const) {
      const found = run(name, { model: 'sc', algorithm, timeout: 20 });
      expect([algorithm, found.verdict, ...found.errors]).toEqual([algorithm, 'ok']);
      const wrong = run(broken(name), { model: 'sc', algorithm, timeout: 20 });
      expect([algorithm, wrong.errors[0]?.kind]).toEqual([algorithm, isFineUnderSc ? undefined : kind]);
    }
  });

  test('have as many executions with all algorithms that count alike', () => {
    for (const name of Object.keys(parts)) {
      const [trust, optimal] = (['trust', 'optimal'] as const).map(
        (algorithm) => run(name, { model: 'sc', algorithm }).executions.complete,
      );
      expect([name, optimal]).toEqual([name, trust]);
    }
  });

  test('are assumed to be in one order, where a model is weaker than that', () => {
    const assumption = 'atomic accesses to parts of lock.word are in one order, as accesses to the whole are';
    for (const model of ['tso', 'pso', ...weak] as const)
      expect(run('a-ticket-lock-of-halves', { model }).assumptions).toContain(assumption);
    expect(run('a-ticket-lock-of-halves', { model: 'sc' }).assumptions).not.toContain(assumption);
  });

  test('may fail for no reason', () => {
    const name = 'a-compare-exchange-of-a-part-that-fails';
    expect(run(name, {}, { spuriousCas: true }).errors[0]?.kind).toBe('assertion');
  });

  test('are no fences under tso and pso, where the stores of another size are none', () => {
    for (const model of ['tso', 'pso'] as const) {
      expect([model, run('buffered', { model }).errors[0]?.kind]).toEqual([model, 'assertion']);
      expect([model, run('drained', { model }).verdict]).toEqual([model, 'ok']);
    }
  });

  test('of a word that is larger than any other are refused', () => {
    expect(() => run('too-large')).toThrow(
      'atomic accesses to pair that overlap: together they are to 24 bytes, more than 16',
    );
  });

  test('are shown by the name and the value of the part', () => {
    const result = run('shown');
    const [error] = result.errors;
    const context = labelContext(error!, result);
    const steps = error!.execution.steps.filter(({ op }) => op !== 'spawn');
    expect(steps.map((step) => labelOf(step, context))).toEqual([
      'lock.word = 65536',
      'lock.pending = 7',
      'fetch_add lock.tail 1→3',
      'lock.pending → 7',
      'cas lock.locked 0→3 ✓',
    ]);
    const race = run(broken('ordinary-accesses-to-other-bytes')).errors[0];
    expect(race?.message).toMatch(/^data race on lock\.(owner|locked|pending): /);
  });
});
