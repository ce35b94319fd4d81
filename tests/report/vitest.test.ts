import '../../src/vitest.ts';
import { expect, test } from 'vitest';
import { load } from './reports.ts';

test('toBeVerified', async () => {
  const [verified, counter] = [await load('verified'), await load('counter')];
  expect(verified).toBeVerified();
  expect(verified).toBeVerified({ algorithm: 'dfs' });
  expect(counter).not.toBeVerified();
  expect(() => expect(counter).toBeVerified()).toThrow(
    /^expected the program to be verified\n\n✘ error: assertion failed[\s\S]*counter\.ts:12:3[\s\S]*x → 0 \(initial\)/,
  );
  expect(() => expect(verified).not.toBeVerified()).toThrow(
    /^expected the program not to be verified\n\n✔ verified: 2 executions/,
  );
});

test('a search that was cut short verifies nothing', async () => {
  expect(await load('verified')).not.toBeVerified({ maxExecutions: 1 });
});

test('toFailWith', async () => {
  const [race, verified] = [await load('race'), await load('verified')];
  expect(race).toFailWith('race');
  expect(race).not.toFailWith('deadlock');
  expect(race).not.toFailWith('race', { races: false });
  expect(() => expect(race).toFailWith('assertion')).toThrow(
    /^expected the program to fail with assertion\n\n✘ error: data race/,
  );
  expect(() => expect(verified).toFailWith('race')).toThrow(/✔ verified/);
});

test('what is no program, or no kind of error, is said', async () => {
  const verified = await load('verified');
  expect(() => expect(42).toBeVerified()).toThrow('not a program');
  // @ts-expect-error: a kind that does not exist
  expect(() => expect(verified).toFailWith('crash')).toThrow('there is no error kind "crash"');
});
