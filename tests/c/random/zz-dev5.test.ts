import { readFileSync } from 'node:fs';
import { test } from 'vitest';
import { compileForHeddle, runUnderHeddle } from './heddle.ts';
import { compileNatively, runNatively } from './native.ts';
test('x', async () => {
  const source = readFileSync(process.env['FILE'] as string, 'utf8');
  const a = runNatively(await compileNatively(source, '-O0'));
  console.log(a.output, a.end);
  const [p] = await compileForHeddle([source], []);
  const b = runUnderHeddle(p!());
  console.log(b.output, b.end);
}, 3000_000);
