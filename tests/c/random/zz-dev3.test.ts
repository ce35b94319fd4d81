import { writeFileSync } from 'node:fs';
import { test } from 'vitest';
import { generate, sourceOf } from './generate.ts';
import { compileNatively, runNatively } from './native.ts';

test('x', async () => {
  const source = sourceOf([generate(Number(process.env['SEED']), 0)]);
  writeFileSync('/tmp/h6/one.c', source);
  console.log(runNatively(await compileNatively(source, '-O0')).output);
}, 3000_000);
