/** Options that only some algorithms have: what follows from their declarations. */
import { Command, Option } from 'commander';
import { describe, expect, test } from 'vitest';
import { algorithmFor, algorithmValues, checkedValue, unusualOptions } from '../../src/check/algorithm-options.ts';
import { addAlgorithmOptions, givenAlgorithmOptions, givenFor, variantsOf } from '../../src/cli/algorithm-flags.ts';
import { flag, oneOf, wholeNumber } from '../../src/explore/options.ts';
import { type AlgorithmEntry, algorithmOptions, algorithms } from '../../src/explore/registry.ts';

describe('the registry', () => {
  test.each(algorithmOptions.map((declared) => [declared.name, declared] as const))(
    '%s has one name and one declaration everywhere',
    (name, { option, algorithms: having }) => {
      expect(new Option(option.flags).attributeName()).toBe(name);
      for (const algorithm of having) expect((algorithms[algorithm] as AlgorithmEntry).options[name]).toBe(option);
    },
  );
});

test('values: those of the algorithm, as given or by default; others are refused', () => {
  expect(algorithmValues('trust', {})).toEqual({ equivalence: 'co' });
  expect(algorithmValues('optimal', { ifaa: false })).toEqual({ ifaa: false, observers: false });
  expect(algorithmValues('dfs', {})).toEqual({ boundType: 'preemption', iterate: false });
  expect(() => algorithmValues('trust', { ifaa: true })).toThrow(
    '--no-ifaa is an option of bpor, optimal, source and dpor, not of trust.',
  );
  expect(() => algorithmValues('trust', { equivalence: 'fr' })).toThrow('Did you mean rf?');
});

test('the algorithm for what is given: the first that has all of it', () => {
  expect(algorithmFor({})).toBe('trust');
  expect(algorithmFor({ equivalence: 'rf' })).toBe('trust');
  expect(algorithmFor({ bound: 2 })).toBe('buster');
  expect(algorithmFor({ iterate: true })).toBe('buster');
  expect(algorithmFor({ fairBound: 1 })).toBe('bpor');
  expect(algorithmFor({ bound: 2, fairBound: 1 })).toBe('bpor');
  expect(algorithmFor({ iterate: true, boundType: 'fair' })).toBe('bpor');
});

test('those that are not as by default are told', () => {
  expect(unusualOptions({ equivalence: 'co', ifaa: true })).toEqual([]);
  expect(unusualOptions({ equivalence: 'rf', ifaa: false })).toEqual(['equivalence rf', 'no-ifaa']);
});

describe('kinds of options', () => {
  test('a flag', () => {
    expect(flag('--no-x', '').byDefault).toBe(true);
    expect(flag('--x', '').byDefault).toBe(false);
    expect(checkedValue(flag('--x', ''), true)).toBe(true);
    expect(() => checkedValue(flag('--no-x', ''), 'off')).toThrow('x must be true or false, not "off".');
  });

  test('a whole number', () => {
    const bound = wholeNumber('--bound <k>', 'at most k preemptions', { least: 0, byDefault: undefined });
    expect(checkedValue(bound, 0)).toBe(0);
    for (const wrong of [-1, 1.5, Number.NaN]) {
      expect(() => checkedValue(bound, wrong)).toThrow(`bound must be a whole number from 0, not ${wrong}.`);
    }
  });

  test('one of several names', () => {
    const type = oneOf('--bound-type <name>', 'what is bounded', 'Bounds', { preemption: '…', fair: '…' });
    expect(type.byDefault).toBe('preemption');
    expect(checkedValue(type, 'fair')).toBe('fair');
    expect(() => checkedValue(type, 'fare')).toThrow('unknown bound-type "fare"; there is preemption, fair.');
  });
});

describe('on the command line', () => {
  test('only what was written counts as given', () => {
    expect(givenAlgorithmOptions({ ifaa: true })).toEqual({});
    expect(givenAlgorithmOptions({ ifaa: false, equivalence: 'rf' })).toEqual({ ifaa: false, equivalence: 'rf' });
  });

  test('several algorithms are given those that they have, each with what is to be compared', () => {
    const given = { ifaa: false };
    expect(givenFor('trust', given, ['trust', 'optimal'])).toEqual({});
    expect(givenFor('optimal', given, ['trust', 'optimal'])).toEqual(given);
    expect(variantsOf('source', given)).toEqual([given]);
    expect(variantsOf('optimal', given)).toEqual([
      { ...given, observers: false },
      { ...given, observers: true },
    ]);
    expect(variantsOf('trust', {})).toEqual([{ equivalence: 'co' }, { equivalence: 'rf' }]);
    expect(variantsOf('trust', { equivalence: 'rf' })).toEqual([{ equivalence: 'rf' }]);
    expect(() => variantsOf('trust', givenFor('trust', given, ['trust']))).toThrow('not of trust');
  });

  test('help says which algorithms have them', () => {
    const help = addAlgorithmOptions(new Command()).helpInformation().replaceAll(/\s+/g, ' ');
    expect(help).toContain('--equivalence <name> for trust: which executions count as one, co or rf (default: co)');
    expect(help).toContain(
      '--no-ifaa for bpor, optimal, source and dpor: updates of one variable are never independent',
    );
  });
});
