/** Text that is nearly right: it is a module, or it is refused with a message. Nothing else comes out, and it ends. */
import { expect, test } from 'vitest';
import type { Module } from '../../../src/c/ir/module.ts';
import { parseModule } from '../../../src/c/ir/parser.ts';
import { printModule } from '../../../src/c/ir/printer.ts';
import { InputError } from '../../../src/program/input-error.ts';
import { fixtureNames, fixtureText } from './texts.ts';

type Random = (below: number) => number;

/** Mulberry32: the same numbers in every run. */
function randomFrom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

type Mutation = (text: string, random: Random) => string;

const tokenPattern = /[\w.$]+|"[^"\n]*"|\s+|./g;

function editTokens(edit: (tokens: string[], at: number, random: Random) => void): Mutation {
  return (text, random) => {
    const tokens = text.match(tokenPattern) ?? [];
    edit(tokens, random(tokens.length), random);
    return tokens.join('');
  };
}

function editLines(edit: (lines: string[], at: number, random: Random) => void): Mutation {
  return (text, random) => {
    const lines = text.split('\n');
    edit(lines, random(lines.length), random);
    return lines.join('\n');
  };
}

const mutations: readonly Mutation[] = [
  editTokens((tokens, at) => tokens.splice(at, 1)),
  editTokens((tokens, at) => tokens.splice(at, 0, tokens[at]!)),
  editTokens((tokens, at, random) => {
    const other = random(tokens.length);
    [tokens[at], tokens[other]] = [tokens[other]!, tokens[at]!];
  }),
  editTokens((tokens, at, random) => tokens.splice(at, 1, tokens[random(tokens.length)]!)),
  editTokens((tokens, at, random) => tokens.splice(at, 1, String([0, 1, -1, 2 ** 31, 1e21, 4096][random(6)]))),
  editLines((lines, at) => lines.splice(at, 1)),
  editLines((lines, at) => lines.splice(at, 0, lines[at]!)),
  editLines((lines, at, random) => {
    const other = random(lines.length);
    [lines[at], lines[other]] = [lines[other]!, lines[at]!];
  }),
  (text, random) => text.slice(0, random(text.length)),
  (text, random) => {
    const at = random(text.length);
    return text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ (1 << random(8))) + text.slice(at + 1);
  },
];

/** Without most of its metadata a fixture is read much faster, and mutations hit what matters. */
function withoutPositions(text: string): string {
  return text
    .replaceAll(/, !dbg !\d+/g, '')
    .replaceAll(/^ +#dbg_.*\n/gm, '')
    .replaceAll(/^!\d+ = .*\n/gm, '');
}

function tryParse(text: string, what: string): Module | undefined {
  try {
    return parseModule(text, 'mutant.ll');
  } catch (error) {
    if (!(error instanceof InputError)) throw new Error(`${what}: ${String(error)}`, { cause: error });
    expect(error.position, what).toBeDefined();
    return undefined;
  }
}

for (const [kind, prepare, count] of [
  ['with debug information', (text: string) => text, 250],
  ['without debug information', withoutPositions, 900],
] as const) {
  for (const name of fixtureNames) {
    test(`${count} mutants of ${name} ${kind}`, () => {
      const original = prepare(fixtureText(name));
      let accepted = 0;
      for (let seed = 0; seed < count; seed++) {
        const random = randomFrom(seed * 7919 + name.length);
        let text = original;
        for (let n = random(3); n >= 0; n--) text = mutations[random(mutations.length)]!(text, random);
        const what = `seed ${seed}`;
        const module = tryParse(text, what);
        if (module === undefined) continue;
        accepted++;
        const printed = printModule(module);
        expect(printModule(parseModule(printed, 'mutant.ll')), what).toBe(printed);
      }
      // Both must be met often, else the mutations are too tame or too wild.
      expect(accepted).toBeGreaterThan(count / 50);
      expect(accepted).toBeLessThan(count);
    });
  }
}
