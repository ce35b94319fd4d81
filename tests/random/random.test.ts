/** Random programs are well formed, shrink to well-formed ones, and mean the same to the oracle and to Heddle. */
import { describe, expect, test } from 'vitest';
import { oracle } from '../oracle/classes.ts';
import { allInterleavings, type Interleaving } from '../oracle/interleavings.ts';
import { isWellFormed, type ProgramAst, statementsOf, UNUSED } from '../oracle/language.ts';
import { memoryProgram } from './memory.ts';
import { minimise, randomProgram, show, shrink } from './programs.ts';
import { failureKey, toHeddle } from './to-heddle.ts';
import { waitingProgram } from './waiting.ts';

const seeds = Array.from({ length: 1000 }, (_, seed) => seed);

describe('random programs', () => {
  test('are well formed, and the same for the same seed', () => {
    for (const seed of seeds) {
      const program = randomProgram(seed);
      expect(isWellFormed(program)).toBe(true);
      expect(randomProgram(seed)).toEqual(program);
    }
  });

  test('shrink to smaller ones that are well formed', { timeout: 60_000 }, () => {
    for (const seed of seeds.slice(0, 200)) {
      const program = randomProgram(seed);
      for (const smaller of shrink(program)) {
        expect(isWellFormed(smaller)).toBe(true);
        expect(show(smaller)).not.toBe(show(program));
        expect(show(smaller).length).toBeLessThanOrEqual(show(program).length);
      }
    }
  });

  test('are minimised to what matters', () => {
    const locks = (program: ProgramAst) => show(program).includes('m.lock()');
    const program = seeds.map(randomProgram).find(locks);
    if (program === undefined) throw new Error('no program with a lock');
    const minimal = minimise(program, locks);
    expect(
      show(minimal)
        .split('\n')
        .filter((line) => line.includes('lock') || line.includes('load')),
    ).toHaveLength(1);
  });
});

test('programs with objects are well formed, and have every kind of misuse and innocent ones', {
  timeout: 60_000,
}, () => {
  const found = new Map<string, number>();
  for (const seed of seeds.slice(0, 400)) {
    const program = memoryProgram(seed);
    expect(isWellFormed(program)).toBe(true);
    const truth = oracle(program, { maxInterleavings: 500 });
    if (truth === 'too large') continue;
    const errors = [...truth.races, ...truth.misuses, ...truth.leaks].map((error) => error.replace(/ .*/, ''));
    const isMixed = [...truth.races].some((race) => race.slice(5) in program.atomics);
    const features = [...errors, isMixed ? 'mixed race' : '', errors.length === 0 ? 'innocent' : ''];
    for (const feature of new Set(features)) found.set(feature, (found.get(feature) ?? 0) + 1);
  }
  for (const feature of ['use-after-free', 'double-free', 'leak', 'race', 'mixed race', 'innocent']) {
    expect(found.get(feature), feature).toBeGreaterThan(10);
  }
});

test('programs that wait are well formed, and have what makes waiting hard', { timeout: 60_000 }, () => {
  const found = new Map<string, number>();
  const note = (feature: string, isThere: boolean) => found.set(feature, (found.get(feature) ?? 0) + (isThere ? 1 : 0));
  for (const seed of seeds.slice(0, 400)) {
    const program = waitingProgram(seed);
    expect(isWellFormed(program)).toBe(true);
    expect(waitingProgram(seed)).toEqual(program);
    const truth = oracle(program, { maxInterleavings: 300 });
    if (truth === 'too large') continue;
    const statements = [...statementsOf(program.main)];
    const awaits = statements.filter(({ kind }) => kind === 'awaitUntil' || kind === 'awaitUpdate');
    const updates = statements.filter((each) => each.kind === 'fetchAdd');
    const commuting = (location: string) =>
      updates.filter((each) => each.location === location && each.register === UNUSED).length;
    const stuck = [...truth.coClasses.values()].filter(({ example }) => example.awaited.length > 0).length;
    note('awaits', awaits.length > 0);
    note(
      'awaits next to two updates that commute',
      awaits.some((each) => 'location' in each && commuting(each.location) > 1),
    );
    note(
      'updates whose results are used next to others',
      updates.some(({ register, location }) => register !== UNUSED && commuting(location) > 0),
    );
    note('waits that end in some executions and not in others', stuck > 0 && stuck < truth.coClasses.size);
    for (const kind of ['awaitUpdate', 'lock', 'tryLock', 'join', 'compareExchange', 'assume'])
      note(
        kind,
        statements.some((each) => each.kind === kind),
      );
  }
  const least = { awaits: 300, 'awaits next to two updates that commute': 100 };
  for (const [feature, count] of found) {
    expect(count, feature).toBeGreaterThan((least as Record<string, number>)[feature] ?? 20);
  }
});

test('Heddle threads do what the oracle says', { timeout: 60_000 }, () => {
  let replayed = 0;
  for (const seed of seeds.slice(0, 500)) {
    const program = randomProgram(seed);
    const interleavings = allInterleavings(program, 100);
    if (interleavings === 'too large') continue;
    for (const interleaving of interleavings) {
      expect(
        replay(program, interleaving),
        `seed ${seed}\n${show(program)}\n${interleaving.schedule.join(' ')}`,
      ).toEqual(expected(interleaving));
      replayed += 1;
    }
  }
  expect(replayed).toBeGreaterThan(1000);
});

interface Replay {
  readonly labels: readonly string[];
  readonly returns: Readonly<Record<string, number>>;
  readonly failures: readonly string[];
  readonly memory: Readonly<Record<string, number>>;
}

function expected({ steps, failures, observed }: Interleaving): Replay {
  const { returns, memory } = observed;
  return { labels: steps.map((step) => step.label), returns, failures: failures.toSorted(), memory };
}

type HeddleThread = ReturnType<ReturnType<typeof toHeddle>['start']>;
type Operation = ReturnType<HeddleThread['resume']>;

interface Running {
  readonly thread: HeddleThread;
  next: Operation;
  spawned: number;
}

/** Runs the threads of the Heddle program by the schedule, over the simplest possible memory. */
function replay(program: ProgramAst, { schedule }: Interleaving): Replay {
  const paths: string[] = [];
  const threads = new Map<string, Running>();
  const memory: Record<string, number> = {};
  const labels: string[] = [];

  const start = (path: string, thread: HeddleThread): number => {
    threads.set(path, { thread, next: thread.resume(undefined), spawned: 0 });
    return paths.push(path) - 1;
  };

  /** Performs the operation; gives the label and the answer. */
  const perform = (path: string, running: Running, choice: number): [string, unknown] => {
    const operation = running.next;
    const location = 'location' in operation ? (operation.location.name ?? '?') : '';
    const initial = 'location' in operation ? operation.location.initial : 0;
    memory[location] ??= initial as number;
    const value = memory[location];
    switch (operation.kind) {
      case 'load':
        return [`load ${location}`, value];
      case 'store':
        memory[location] = operation.value as number;
        return [`store ${location}`, undefined];
      case 'update':
        memory[location] = operation.apply(value) as number;
        return [`${operation.name} ${location}`, value];
      case 'compare-exchange':
        if (value === operation.expected) memory[location] = operation.desired as number;
        return [`compare-exchange ${location}`, value];
      case 'await-load':
        expect(operation.until(value)).toBe(true);
        return [`await-load ${location}`, value];
      case 'lock':
        expect(value).toBe(0);
        memory[location] = 1;
        return [`lock ${location}`, undefined];
      case 'unlock':
        memory[location] = 0;
        return [`unlock ${location}`, undefined];
      case 'trylock':
        memory[location] = 1;
        return [`trylock ${location}`, value === 0 ? 0 : -1];
      case 'spawn': {
        const child = `${path}.${running.spawned}`;
        running.spawned += 1;
        return [`spawn ${child}`, start(child, operation.start(0))];
      }
      case 'join': {
        const target = paths[operation.thread] ?? '?';
        const end = threads.get(target)?.next;
        if (end?.kind !== 'end') throw new Error(`join of ${target}, which has not ended`);
        return [`join ${target}`, end.value];
      }
      case 'choose':
        return ['choose', choice];
      case 'fence':
      case 'yield':
      case 'block':
        return [operation.kind, undefined];
      default:
        throw new Error(`${operation.kind} is not a step`);
    }
  };

  start('0', toHeddle(program).start());
  for (const entry of schedule) {
    const [path = '', choice = '0'] = entry.split('=');
    const running = threads.get(path);
    if (running === undefined) throw new Error(`no thread ${path}`);
    const [label, answer] = perform(path, running, Number(choice));
    labels.push(label);
    if (label !== 'block') running.next = running.thread.resume(answer);
  }

  delete memory[''];
  const returns: Record<string, number> = {};
  const failures: string[] = [];
  for (const [path, { next }] of threads) {
    if (next.kind === 'end') returns[path] = next.value as number;
    if (next.kind === 'fail') failures.push(failureKey(next.failure.kind, next.failure.message, path));
  }
  return { labels, returns, failures: failures.sort(), memory };
}
