/** What an explorer finds fails in a process that knows nothing but the program and the trace. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Finding } from '../../src/explore/explorer.ts';
import type { Program } from '../../src/program/operation.ts';
import { traceText } from '../../src/report/trace.ts';
import { ensureBuilt, folderWith, heddle, root } from '../cli/heddle.ts';
import { randomProgram } from '../random/programs.ts';
import { toHeddle } from '../random/to-heddle.ts';
import { weakenedProgram } from '../random/weaken.ts';
import { wideProgram } from '../random/wide.ts';
import { byTier } from '../tier.ts';
import { isBare, kinds } from './kit/kinds.ts';
import { begun, type ExplorerUnderTest, everyExplorer } from './kit/laws.ts';
import { traceOfFinding } from './kit/replay.ts';

beforeAll(ensureBuilt, 300_000);

/** By the file and name of what makes them. Programs come by the public front end, as those of users do. */
const makers = [
  ['programs.ts', 'randomProgram', randomProgram],
  ['wide.ts', 'wideProgram', wideProgram],
  ['weaken.ts', 'weakenedProgram', weakenedProgram],
] as const;
const tried = byTier({ normal: makers.slice(0, 1), long: [...makers] });
const count = byTier({ normal: 1, long: 5 });

describe.each(everyExplorer.map((x) => [x.name, x] as const))('%s', (_, x) => {
  test.each(tried)(`${count} programs of %s that fail`, { timeout: 600_000 }, async (file, name, make) => {
    for (let seed = 90_000_000, left = count; left > 0; seed++) {
      const ast = make(seed);
      if (isBare(ast) || kind.truths(ast) === 'too large') continue;
      const finding = lastFinding(x, toHeddle(ast));
      if (finding === undefined) continue;
      left--;
      await expectReplay({ file, name, seed }, toHeddle(ast), finding);
    }
  });
});

const kind = kinds['random programs'];

/** Of the last of its models; the last finding is the one whose search has seen most. */
function lastFinding(x: ExplorerUnderTest, program: Program): Finding | undefined {
  const model = x.models.at(-1) ?? 'sc';
  const equivalence = x.claim.visits === 'values' ? 'values' : 'co';
  const { explorer } = begun(x, { kind, program }, { model, choice: 'co', ifaa: true, equivalence });
  while (!explorer.run(1000));
  return explorer.findings.at(-1);
}

interface Source {
  readonly file: string;
  readonly name: string;
  readonly seed: number;
}

async function expectReplay({ file, name, seed }: Source, program: Program, finding: Finding): Promise<void> {
  const folder = folderWith({
    'program.ts': `import { ${name} } from '${root}tests/random/${file}';
import { toHeddle } from '${root}tests/random/to-heddle.ts';
export default toHeddle(${name}(${seed}));
`,
  });
  const trace = join(folder, 'trace.json');
  writeFileSync(trace, traceText(traceOfFinding(program, finding, join(folder, 'program.ts'), trace)));
  const { code, stdout, stderr } = await heddle(['replay', trace]);
  expect(code, `seed ${seed}: ${finding.kind} ${finding.message}\n${stdout}\n${stderr}`).toBe(1);
  rmSync(folder, { recursive: true });
}
