/**
 * Random programs whose threads make objects, pass them on through variables and tell them apart: with parts, with variables as parts,
 * made before threads are spawned or by them. What they have seen is their outcome, as in tests/check/outcomes.ts.
 */
import type { Program } from '../../src/program/operation.ts';
import { type Atomic, atomic, choose, program, spawn, type ThreadHandle } from '../../src/typescript/api.ts';
import { withOutcomes } from '../check/outcomes.ts';
import { Random } from './prng.ts';

interface Node {
  readonly k: number;
  readonly a: Value;
  readonly b: Value;
  readonly own?: Atomic<Value> | undefined;
}
type Value = Node | undefined;

/** Of such objects no copies are made (src/program/copies.ts): all threads are run again together. */
class Instance implements Node {
  constructor(
    readonly k: number,
    readonly a: Value,
    readonly b: Value,
    readonly own?: Atomic<Value> | undefined,
  ) {}
}

export type Make = (k: number, a: Value, b: Value, own?: Atomic<Value>) => Node;
export const plain: Make = (k, a, b, own) => (own === undefined ? { k, a, b } : { k, a, b, own });
export const instance: Make = (k, a, b, own) => new Instance(k, a, b, own);

type Statement =
  | { readonly kind: 'load' | 'store' | 'exchange' | 'update' | 'exchange own'; readonly x: number; readonly r: number }
  | {
      readonly kind: 'compare-exchange';
      readonly x: number;
      readonly r: number;
      readonly s: number;
      readonly t: number;
    }
  | { readonly kind: 'make' | 'make own' | 'part'; readonly r: number; readonly s: number; readonly t: number }
  | { readonly kind: 'same'; readonly r: number; readonly s: number; readonly whenSame: readonly Statement[] }
  | { readonly kind: 'constant'; readonly r: number; readonly which: number }
  | { readonly kind: 'spawn'; readonly body: readonly Statement[] }
  | { readonly kind: 'join'; readonly r: number }
  | { readonly kind: 'choose'; readonly r: number };

const REGISTERS = 3;
const VARIABLES = 2;
/** Made: by the module; before all threads, as what a variable holds; before all threads; and that part of an object. */
const CONSTANTS = 4;

const ofModule: { [M in 'plain' | 'instance']: Node } = {
  plain: { k: 100, a: undefined, b: undefined },
  instance: new Instance(100, undefined, undefined),
};

function statement(random: Random, depth: number): Statement {
  const r = random.between(0, REGISTERS - 1);
  const s = random.between(0, REGISTERS - 1);
  const t = random.between(0, REGISTERS - 1);
  const x = random.between(0, VARIABLES - 1);
  return random.weighted<Statement>(
    [5, { kind: 'load', x, r }],
    [4, { kind: 'store', x, r }],
    [1, { kind: 'exchange', x, r }],
    [2, { kind: 'update', x, r }],
    [3, { kind: 'compare-exchange', x, r, s, t }],
    [4, { kind: 'make', r, s, t }],
    [1, { kind: 'make own', r, s, t }],
    [1, { kind: 'exchange own', x, r }],
    [3, { kind: 'part', r, s, t }],
    [2, { kind: 'same', r, s, whenSame: depth > 0 ? [statement(random, 0)] : [] }],
    [3, { kind: 'constant', r, which: random.between(0, CONSTANTS - 1) }],
    [depth > 0 ? 0.5 : 0, { kind: 'spawn', body: depth > 0 ? statements(random, 2, 0) : [] }],
    [0.5, { kind: 'join', r }],
    [0.5, { kind: 'choose', r }],
  );
}

function statements(random: Random, most: number, depth: number): readonly Statement[] {
  return Array.from({ length: random.between(1, most) }, () => statement(random, depth));
}

interface Shared {
  readonly variables: readonly Atomic<Value>[];
  readonly constants: readonly Node[];
  readonly make: Make;
}

/** What an object looks like: its parts, and which of them are the same. */
function shapeOf(value: unknown): string {
  const seen = new Map<unknown, number>();
  const show = (part: unknown): string => {
    if (typeof part !== 'object' || part === null) return String(part ?? '-');
    const known = seen.get(part);
    if (known !== undefined) return `#${known}`;
    seen.set(part, seen.size);
    if (!('k' in part)) return 'variable';
    const { k, a, b, own } = part as Node;
    return `${k}(${show(a)} ${show(b)}${own === undefined ? '' : ` ${show(own)}`})`;
  };
  return show(value);
}

interface Result {
  readonly notes: string;
  readonly value: Value;
}
type Body = ReturnType<Parameters<typeof spawn<[], Result>>[0]>;

function* run(body: readonly Statement[], shared: Shared, name: number, given: Value): Body {
  const registers: Value[] = [given];
  const children: ThreadHandle<Result>[] = [];
  const notes: string[] = [];
  yield* perform(body);
  for (const child of children) {
    const { notes: others, value } = yield* child.join();
    notes.push(`[${others}]`, shapeOf([value, registers[0]]));
  }
  return { notes: notes.join(' '), value: registers[1] };

  function* perform(list: readonly Statement[]): ReturnType<Parameters<typeof spawn<[], void>>[0]> {
    const { variables, constants, make } = shared;
    for (const one of list) {
      const note = (...values: unknown[]): unknown =>
        notes.push(shapeOf(values.length === 1 ? values[0] : { k: 0, a: values[0], b: values[1] }));
      switch (one.kind) {
        case 'load':
          registers[one.r] = yield* variables[one.x]!.load();
          note(registers[0], registers[one.r]);
          break;
        case 'store':
          yield* variables[one.x]!.store(registers[one.r]);
          break;
        case 'exchange':
          registers[one.r] = yield* variables[one.x]!.exchange(registers[one.r]);
          break;
        case 'update':
          registers[one.r] = yield* variables[one.x]!.update((old) => make(name * 10 + 7, old, registers[one.r]));
          break;
        case 'compare-exchange': {
          const was = yield* variables[one.x]!.compareExchange(
            registers[one.r],
            make(name * 10, registers[one.s], was0(registers[one.t])),
          );
          notes.push(String(was === registers[one.r]));
          break;
        }
        case 'make':
          registers[one.r] = make(name * 10 + one.r, registers[one.s], registers[one.t]);
          break;
        case 'make own':
          registers[one.r] = make(name * 10 + one.r, registers[one.s], undefined, atomic<Value>(registers[one.t]));
          break;
        case 'exchange own': {
          const { own } = registers[one.r] ?? {};
          if (own !== undefined) registers[one.r] = yield* own.exchange(registers[0]);
          break;
        }
        case 'part':
          registers[one.r] = registers[one.s]?.a ?? registers[one.t]?.b;
          break;
        case 'same':
          notes.push(String(registers[one.r] === registers[one.s]));
          if (registers[one.r] === registers[one.s]) yield* perform(one.whenSame);
          break;
        case 'constant':
          registers[one.r] = constants[one.which];
          break;
        case 'spawn':
          children.push(yield* spawn(run, one.body, shared, name * 3 + children.length + 1, registers[1]));
          break;
        case 'join': {
          const child = children.shift();
          if (child !== undefined) registers[one.r] = (yield* child.join()).value;
          break;
        }
        case 'choose':
          if ((yield* choose(2)) === 1) registers[one.r] = undefined;
          break;
      }
    }
  }
}

const was0 = (value: Value): Value => value?.a;

/** `isMainQuiet`: main makes nothing after it has spawned. */
export function objectsProgram(seed: number, make: Make, isMainQuiet = seed % 3 !== 0): Program {
  const random = new Random(Math.imul(seed + 1, 0x9e3779b1));
  const before = random.chance(0.4) ? statements(random, 2, 0) : [];
  const bodies = Array.from({ length: random.between(2, 3) }, () => statements(random, 4, 1));
  const main = isMainQuiet ? [] : statements(random, 2, 0);
  return withOutcomes(
    program('objects', function* () {
      const first = make(101, undefined, undefined);
      const base = make(102, first, undefined);
      const other = make(103, base, undefined);
      const constants = [make === plain ? ofModule.plain : ofModule.instance, base, other, first];
      const variables = [atomic<Value>(undefined, 'x'), atomic<Value>(base, 'y')];
      const shared = { variables, constants, make };
      const seen: string[] = [];
      seen.push((yield* run(before, shared, 0, undefined)).notes);
      const handles = [];
      for (const [i, body] of bodies.entries()) handles.push(yield* spawn(run, body, shared, i + 1, undefined));
      seen.push((yield* run(main, shared, 9, undefined)).notes);
      const values: Value[] = [];
      for (const handle of handles) {
        const { notes, value } = yield* handle.join();
        seen.push(notes);
        values.push(value);
      }
      for (const variable of variables) values.push(yield* variable.load());
      if (seed % 2 === 0) values.push(...constants);
      seen.push(shapeOf(values.reduce<Value>((list, value) => ({ k: 0, a: value, b: list }), undefined)));
      return seen.join(' | ');
    }),
  );
}
