/**
 * Litmus tests in one line, for tests: threads with | between them, accesses with their orders, and after || what memory holds in the
 * end. `Wx1.rel` writes 1, `Rx0.acq` reads 0, `Ux0>1.ar` finds 0 and leaves 1, `F.sc` is a fence. Orders: na, rlx, acq, rel, ar, sc.
 *
 * The program has a `complete` execution if and only if all reads may give these values.
 */
import type { ProgramAst, Statement, UpdateOrder } from './language.ts';

const orders: Readonly<Record<string, UpdateOrder>> = {
  rlx: 'relaxed',
  acq: 'acquire',
  rel: 'release',
  ar: 'acq_rel',
  sc: 'seq_cst',
};

export function litmus(text: string): ProgramAst {
  const [threads = '', end = ''] = text.split('||');
  const bodies = threads.split('|').map((thread) => words(thread).flatMap(accessOf));
  const main: Statement[] = bodies.map((body, slot) => ({ kind: 'spawn', slot, body }));
  if (end.trim() !== '') {
    bodies.forEach((_, slot) => {
      main.push({ kind: 'join', slot, register: 100 + slot });
    });
    main.push(...words(end).flatMap(finalValue));
  }
  const names = new Set([...text.matchAll(/[RWU]([a-z])/g)].map(([, name]) => name as string));
  const shared = new Set([...text.matchAll(/[RW]([a-z])\d\.na/g)].map(([, name]) => name as string));
  const zero = (some: Iterable<string>) => Object.fromEntries([...some].map((name) => [name, 0]));
  return {
    atomics: zero([...names].filter((name) => !shared.has(name))),
    shared: zero(shared),
    mutexes: [],
    main,
  };
}

function words(text: string): string[] {
  return text.split(' ').filter((word) => word !== '');
}

function accessOf(word: string, register: number): Statement[] {
  const [, kind, location = '', first, second, name = ''] =
    /^([RWUF])([a-z]?)(\d?)(?:>(\d))?\.(\w+)$/.exec(word) ?? fail(word);
  const order = orders[name];
  const expects: Statement = { kind: 'assume', register, condition: { op: '==', constant: Number(first) } };
  if (kind === 'F') return [{ kind: 'fence', order }];
  if (kind === 'W') {
    const value = { constant: Number(first) };
    if (name === 'na') return [{ kind: 'plainStore', location, value }];
    return [{ kind: 'store', location, value, order: order as 'relaxed' }];
  }
  if (kind === 'R') {
    if (name === 'na') return [{ kind: 'plainLoad', location, register }, expects];
    return [{ kind: 'load', location, register, order: order as 'relaxed' }, expects];
  }
  return [{ kind: 'exchange', location, value: { constant: Number(second) }, register, order }, expects];
}

function finalValue(equation: string, register: number): Statement[] {
  const [location = '', value] = equation.split('=');
  return [
    { kind: 'load', location, register },
    { kind: 'assume', register, condition: { op: '==', constant: Number(value) } },
  ];
}

function fail(word: string): never {
  throw new Error(`not an access: ${word}`);
}
