import { expect, test } from 'vitest';
import type { Module } from '../../../src/c/ir/module.ts';
import { verifyModule } from '../../../src/c/ir/verifier.ts';
import { type OptimiseOptions, optimise, passes } from '../../../src/c/passes/index.ts';
import { markCopies } from '../../../src/c/passes/transformations/copies.ts';
import { unroll } from '../../../src/c/passes/transformations/unroll.ts';
import { generate, Random } from './generator.ts';
import { interpret, type Outcome } from './interpreter.ts';
import { declare, functionOf, instructionsOf, parse, show } from './show.ts';

const argumentLists = [
  [0n, 0n],
  [1n, -1n],
  [-7n, 1234567890123n],
  [3n, 8n],
];

function load(seed: number, isSet: boolean): Module {
  const { text, variables } = generate(seed, isSet);
  const m = parse(text);
  declare(functionOf(m), ...variables);
  return m;
}

function outcomes(m: Module): Outcome[] {
  return argumentLists.map((args) => interpret(functionOf(m), args));
}

function compare(seed: number, isSet: boolean, change: (m: Module) => void): Module {
  const m = load(seed, isSet);
  const expected = outcomes(m);
  const before = show(functionOf(m));
  change(m);
  const context = `seed ${seed}:\n${before}\nbecame\n${show(functionOf(m))}`;
  expect(() => verifyModule(m), context).not.toThrow();
  expect(outcomes(m), context).toEqual(expected);
  return m;
}

const both = [true, false];

test('optimised functions do what they did: 1,000 random functions', () => {
  let returned = 0;
  let left = 0;
  for (let seed = 1; seed <= 1000; seed++) {
    const m = compare(seed, seed % 2 === 0, (module) => optimise(module));
    if (outcomes(m)[0]!.kind === 'returned') returned++;
    left += instructionsOf(functionOf(m)).filter(({ op, name }) => op === 'alloca' && !name.startsWith('a')).length;
  }
  // The test tests something: functions come to their ends, and all scalars and structs are promoted.
  expect(returned).toBeGreaterThan(400);
  expect(left).toBe(0);
});

test('what was never set is copied, and found where it is used: 500 random functions', () => {
  const found = { copied: 0, uninitialised: 0 };
  for (let seed = 7001; seed <= 7500; seed++) {
    const strict = outcomes(load(seed, false));
    const m = load(seed, false);
    markCopies(functionOf(m), true);
    const expected = outcomes(m);
    const before = show(functionOf(m));
    optimise(m, { copiesUnset: true });
    expect(outcomes(m), `seed ${seed}:\n${before}\nbecame\n${show(functionOf(m))}`).toEqual(expected);
    for (const [i, { kind }] of expected.entries()) {
      if (kind === 'uninitialised') found.uninitialised++;
      else if (strict[i]!.kind === 'uninitialised') found.copied++;
    }
  }
  expect(found.copied).toBeGreaterThan(5);
  expect(found.uninitialised).toBeGreaterThan(100);
});

test('each pass alone keeps the meaning, in any order: 500 random functions', () => {
  for (let seed = 2001; seed <= 2500; seed++) {
    const random = new Random(seed);
    compare(seed, true, (module) => {
      for (let i = 0; i < 6; i++) passes[random.pick(Object.keys(passes))]!(functionOf(module), module);
    });
  }
});

test('a second run changes nothing', () => {
  for (let seed = 3001; seed <= 3200; seed++) {
    const m = load(seed, true);
    optimise(m);
    const once = show(functionOf(m));
    optimise(m);
    expect(show(functionOf(m)), `seed ${seed}`).toBe(once);
  }
});

test.each(both)('a large bound changes nothing: 500 random functions (optimised: %s)', (isOptimised) => {
  const options: OptimiseOptions = { unroll: 1000 };
  for (let seed = 4001; seed <= 4500; seed++) {
    compare(seed, seed % 2 === 0, (module) => {
      if (isOptimised) optimise(module, options);
      else unroll(functionOf(module), 1000);
    });
  }
});

test('a small bound cuts executions off and changes no others: 500 random functions', () => {
  let cut = 0;
  for (let seed = 5001; seed <= 5500; seed++) {
    const m = load(seed, true);
    const expected = outcomes(m);
    unroll(functionOf(m), 3);
    verifyModule(m);
    for (const [i, outcome] of outcomes(m).entries()) {
      if (outcome.kind === 'bound') cut++;
      else expect(outcome, `seed ${seed}`).toEqual(expected[i]);
    }
  }
  expect(cut).toBeGreaterThan(100);
});

test('with a bound every function ends, even one that has no other end: 300 random functions', () => {
  for (let seed = 6001; seed <= 6300; seed++) {
    const { text } = generate(seed, true);
    // The fuel never runs out.
    const m = parse(text.replaceAll(/(%b\d+\.left) = sub i32 (%b\d+\.fuel), 1/g, '$1 = add i32 $2, 0'));
    unroll(functionOf(m), 2);
    verifyModule(m);
    for (const args of argumentLists) interpret(functionOf(m), args, 5_000_000);
  }
});
