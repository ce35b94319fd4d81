/** Every example has the verdict that its opening comment promises, with every algorithm. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { type CheckError, type CheckOptions, checkSync, type FailureKind, type Program } from '../src/index.ts';

const folder = fileURLToPath(new URL('../examples/', import.meta.url));

const correct: Readonly<Record<string, readonly [complete: number, blocked: number, why: string]>> = {
  counter: [2, 0, 'the orders of two fetchAdds'],
  dekker: [
    8,
    0,
    'one thread sees that the other does not want: 3 each; both want and turn decides: 2, by who looks when',
  ],
  peterson: [
    4,
    6,
    'either thread first, let in by the other not wanting yet, or by its turn; else an assume stops one',
  ],
  'treiber-stack': [
    19,
    0,
    'pop before the borrower’s first, second, third change and after it: 2 + 4 + 5 + 8 with failed tries',
  ],
  'bounded-queue': [
    6,
    0,
    'two orders of the producers; the second waits for room once, or twice, or finds it after the lock',
  ],
  'double-checked-init': [4, 0, 'either user first; the other sees the flag at once, or under the lock'],
  'ticket-lock': [6, 0, 'the 3! orders in which three threads draw their tickets'],
  handshake: [1, 0, 'each step waits for the one before it'],
  philosophers: [6, 0, 'two orders at each of three forks, less the two that go round in a circle'],
  seqlock: [10, 0, 'read before or after the write: 2; torn, values of x and y 2 × 2, sequence number then 1 or 2: 8'],
};

const broken: Readonly<Record<string, FailureKind>> = {
  'counter-broken': 'assertion',
  'dekker-broken': 'race',
  'peterson-broken': 'assertion',
  'treiber-stack-broken': 'assertion',
  'bounded-queue-broken': 'assertion',
  'double-checked-init-broken': 'race',
  'ticket-lock-broken': 'livelock',
  'handshake-broken': 'livelock',
  'philosophers-broken': 'deadlock',
  'seqlock-broken': 'assertion',
};

const algorithms: readonly (readonly [string, CheckOptions])[] = [
  ['trust co', { algorithm: 'trust', equivalence: 'co' }],
  ['trust rf', { algorithm: 'trust', equivalence: 'rf' }],
  ['source', { algorithm: 'source' }],
  ['dpor', { algorithm: 'dpor' }],
  ['dfs', { algorithm: 'dfs' }],
];

async function load(name: string): Promise<Program> {
  const module = (await import(`../examples/${name}.ts`)) as { default: Program };
  return module.default;
}

function source(name: string): string {
  return readFileSync(`${folder}${name}.ts`, 'utf8');
}

/** The numbers of the lines that say where it fails. */
function markedLines(name: string): readonly number[] {
  return source(name)
    .split('\n')
    .flatMap((line, i) => (line.includes('// <- fails') ? [i + 1] : []));
}

/** Where the error is: of a race both accesses, of a standstill where threads wait for something else than another's end. */
function linesOf(error: CheckError): readonly (number | undefined)[] {
  if (error.racing !== undefined) return error.racing.map((step) => step.source?.line);
  if (error.kind !== 'deadlock' && error.kind !== 'livelock') return [error.location?.line];
  const waiting = error.execution.ends.filter((end) => end.state === 'waiting' && end.next?.op !== 'join');
  return waiting.map((end) => end.next?.source?.line);
}

test('every example is listed here', () => {
  const files = readdirSync(folder).filter((file) => file.endsWith('.ts'));
  expect(files.sort()).toEqual([...Object.keys(correct), ...Object.keys(broken)].map((name) => `${name}.ts`).sort());
});

test.each([...Object.keys(correct), ...Object.keys(broken)])(
  '%s, checked by optimal, has the verdict it should',
  async (name) => {
    const { verdict } = checkSync(await load(name), { algorithm: 'optimal' });
    expect(verdict).toBe(name in correct ? 'ok' : 'error');
  },
);

describe.each(Object.entries(correct))('%s', (name, [complete, blocked, why]) => {
  test.each(algorithms)('is verified by %s', async (_, options) => {
    const result = checkSync(await load(name), options);
    expect(result.errors).toEqual([]);
    expect(result.verdict).toBe('ok');
  });

  test(`has ${complete} complete and ${blocked} blocked executions: ${why}`, async () => {
    expect(checkSync(await load(name)).executions).toMatchObject({ complete, blocked });
  });
});

describe.each(Object.entries(broken))('%s', (name, kind) => {
  test.each(algorithms)(`fails with ${kind} where it says so, found by %s`, async (_, options) => {
    const result = checkSync(await load(name), options);
    expect(result.verdict).toBe('error');
    expect(result.errors.map((error) => error.kind)).toEqual([kind]);
    const [error] = result.errors as readonly [CheckError];
    expect(error.location?.file).toBe(`${folder}${name}.ts`);
    const lines = [...new Set(linesOf(error))].sort((a, b) => (a ?? 0) - (b ?? 0));
    expect(lines).toEqual(markedLines(name));
  });

  test('names that kind in its opening comment', () => {
    expect(source(name).slice(0, source(name).indexOf('*/'))).toContain(`\`${kind}\``);
  });
});

test('ticket-lock-broken has the race that its comment promises, for those who keep going', async () => {
  const { errors } = checkSync(await load('ticket-lock-broken'), { keepGoing: true });
  expect(new Set(errors.map((error) => error.kind))).toEqual(new Set(['livelock', 'race', 'assertion']));
});

test('every example opens with a comment of two to six lines', () => {
  for (const name of [...Object.keys(correct), ...Object.keys(broken)]) {
    const comment = source(name).slice(0, source(name).indexOf('*/')).split('\n');
    const text = comment.filter((line) => /^ \* \S/.test(line));
    expect(text.length, name).toBeGreaterThanOrEqual(2);
    expect(text.length, name).toBeLessThanOrEqual(6);
  }
});
