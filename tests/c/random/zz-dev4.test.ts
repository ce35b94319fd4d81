import { appendFileSync } from 'node:fs';
import { test } from 'vitest';
import { compileC } from '../../../src/c/compile/compile.ts';
import { parseModule } from '../../../src/c/ir/parser.ts';
import { cProgram } from '../../../src/c/program.ts';
import { ProgramRefined } from '../../../src/program/operation.ts';
import { writeFileSync } from 'node:fs';
import { modes } from './compare.ts';
import { generate, sourceOf } from './generate.ts';
import { runUnderHeddle } from './heddle.ts';
import { compileNatively, runNatively } from './native.ts';
const log = (s: string) => appendFileSync('/tmp/h6/dev.log', `${s}\n`);
test('x', async () => {
  const from = Number(process.env['FROM'] ?? 0), n = Number(process.env['N'] ?? 10), per = Number(process.env['PER'] ?? 10), group = Number(process.env['GROUP'] ?? 5);
  const T: Record<string, number> = {};
  const timed = async <X>(name: string, f: () => Promise<X> | X): Promise<X> => { const t = performance.now(); const x = await f(); T[name] = (T[name] ?? 0) + performance.now() - t; return x; };
  for (let at = from; at < from + n; at += per * group) {
    const sources = Array.from({ length: group }, (_, g) => sourceOf(Array.from({ length: per }, (_, i) => generate(at + g * per + i, i))));
    const natives = [];
    for (const s of sources) { const m = await timed('native', () => compileNatively(s, '-O0')); natives.push(await timed('run native', () => runNatively(m))); }
    const files = sources.map((s, i) => { const f = `/tmp/h6/dev/x${process.pid}_${i}.c`; writeFileSync(f, s); return f; });
    for (const mode of modes) {
      let mods: { name: string; text: string }[];
      mods = [...(await timed('compile', () => compileC(files, { cwd: '/tmp/h6/dev', defines: mode }))).modules];
      for (const [i, { name, text }] of mods.entries()) {
        const a = natives[i]!;
        T['ir MB'] = (T['ir MB'] ?? 0) + text.length / 1e6;
        try {
          const module = await timed('parse', () => parseModule(text, name));
          const q = await timed('program', () => cProgram([module], { name }));
          let starts = 0;
          const wrapped = { ...q, name, start: () => { starts++; return q.start(); } };
          const b = await timed('run', () => runUnderHeddle(wrapped));
          T['starts'] = (T['starts'] ?? 0) + starts;
          T['ops'] = (T['ops'] ?? 0) + b.operations;
          const same = a.output === b.output && b.end === 0;
          if (!same) { const x = a.output.split('\n'), y = b.output.split('\n'); const d = x.findIndex((l, i) => l !== y[i]); let k = d; while (k > 0 && !x[k]!.startsWith('====')) k--; log(`  DIFF ${mode} seed ${at + i * per + Number(x[k]?.split(' ')[1])} end ${b.end} ${x[d]?.slice(0, 300)} ||| ${y[d]?.slice(0, 300)}`); }
        } catch (e) { log(`${at + i * per} ${mode} ${(e as Error).stack?.slice(0, 1500)}`); }
      }
    }
    log(`${at} ${JSON.stringify(Object.fromEntries(Object.entries(T).map(([k, v]) => [k, v | 0])))}`);
  }
}, 3000_000);
void ProgramRefined;
