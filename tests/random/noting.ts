/**
 * Threads that note what they have read in variables of their own, as litmus tests do, and main, which looks at the notes of those that it
 * has joined: the ends of their executions need no events (`quiet-tail.ts`). In some of them another thread accesses a note after all.
 */
import type { ProgramAst, Statement } from '../oracle/language.ts';
import { Random } from './prng.ts';

const notes = ['a', 'b', 'c', 'p', 'q'];

export function notingProgram(seed: number): ProgramAst {
  const random = new Random(seed);
  const children = random.between(2, 3);
  const main: Statement[] = [];
  if (random.chance(0.2)) main.push(note(random, random.pick(notes)));
  for (let slot = 0; slot < children; slot++) {
    const own = notes.slice(slot, slot + 1).concat(random.chance(0.3) ? [random.pick(notes)] : []);
    const body: Statement[] = Array.from({ length: random.between(1, 2) }, () => access(random));
    for (let i = random.between(0, 3); i > 0; i--) body.push(note(random, random.pick(own)));
    if (random.chance(0.1)) body.push({ kind: 'fence' });
    if (random.chance(0.2)) body.push({ kind: 'return', register: random.between(0, 1) });
    main.push({ kind: 'spawn', slot, body });
  }
  if (random.chance(0.3)) main.push(access(random));
  for (let slot = 0; slot < children; slot++) {
    if (random.chance(0.85)) main.push({ kind: 'join', slot, register: random.between(0, 2) });
  }
  for (let i = random.between(0, 2); i > 0; i--) {
    main.push(look(random));
    if (random.chance(0.3)) main.push({ kind: 'assert', register: 0, not: random.between(1, 2), id: i });
    if (random.chance(0.2)) main.push({ kind: 'return', register: 0 });
  }
  return { atomics: { x: 0, y: 0, a: 0, b: 0, c: 0 }, shared: { p: 0, q: 0 }, mutexes: [], main };
}

const isPlain = (location: string): boolean => location === 'p' || location === 'q';

function access(random: Random): Statement {
  const location = random.pick(['x', 'y']);
  return random.weighted<Statement>(
    [3, { kind: 'load', location, register: random.between(0, 1) }],
    [3, { kind: 'store', location, value: { constant: random.between(1, 2) } }],
    [1, { kind: 'fetchAdd', location, add: 1, register: 0 }],
  );
}

/** A note that is written, or read again. */
function note(random: Random, location: string): Statement {
  const value = { register: random.between(0, 1), constant: random.between(0, 1) };
  if (random.chance(0.75)) return { kind: isPlain(location) ? 'plainStore' : 'store', location, value };
  const register = random.between(0, 1);
  return { kind: isPlain(location) ? 'plainLoad' : 'load', location, register };
}

function look(random: Random): Statement {
  const location = random.pick([...notes, 'x']);
  return { kind: isPlain(location) ? 'plainLoad' : 'load', location, register: 0 };
}
