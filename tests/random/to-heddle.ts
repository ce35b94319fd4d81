/** Programs of the oracle's language as programs of the public front end. */

import {
  type Atomic,
  assert,
  assume,
  atomic,
  awaitUntil,
  choose,
  fence,
  type Mutex,
  mutex,
  program,
  type Shared,
  shared,
  spawn,
  type ThreadHandle,
  yieldNow,
} from 'heddle';
import { applied, holds, nameOfUpdate, type ProgramAst, type Statement, type Value } from '../oracle/language.ts';

type HeddleProgram = ReturnType<typeof program>;
type ThreadBody<R> = ReturnType<Parameters<typeof spawn<[], R>>[0]>;

/** How numbers are stored: as they are, or as objects that each run of the program makes anew. */
interface Codec {
  encode(value: number): unknown;
  /** What is stored instead of `old`; a pure function, like `decode`. */
  replace(old: unknown, value: number): unknown;
  decode(stored: unknown): number;
  /** The same, for the thread that has got it. */
  receive(stored: unknown): number;
  /** What makes that of a thread which is spawned now. */
  ofThread(path: string): () => Codec;
}

const decodePlain = (stored: unknown): number => stored as number;
const plain: Codec = {
  encode: (value) => value,
  replace: (_, value) => value,
  decode: decodePlain,
  receive: decodePlain,
  ofThread: () => () => plain,
};

interface Box {
  readonly value: number;
}

const decodeBox = (stored: unknown): number => (stored as Box).value;

/** One box for each number, which all threads have from main; with `known`, main has shown them before there was another thread. */
function boxes(known: boolean): Codec {
  const least = -50;
  const table = Array.from({ length: 200 }, (_, i) => ({ value: i + least }));
  if (known) atomic(table);
  const encode = (value: number) => found(table[value - least], `box of ${value}`);
  const codec: Codec = {
    encode,
    replace: (_, value) => encode(value),
    decode: decodeBox,
    receive: decodeBox,
    ofThread: () => () => codec,
  };
  return codec;
}

interface NewBox extends Box {
  readonly owner: string;
  readonly index: number;
  readonly before: NewBox | undefined;
}

/**
 * A new box each time, with the one in it that its thread has got last, or had from its parent; unless one of these will do. A thread must
 * get its own boxes as it has made them.
 */
function newBoxes(owner: string, inherited?: NewBox): Codec {
  const made: NewBox[] = [];
  let last = inherited;
  const boxIn = (box: NewBox | undefined, value: number): NewBox | undefined =>
    box === undefined || box.value === value ? box : boxIn(box.before, value);
  const isMine = (box: NewBox | undefined): boolean => box?.owner !== owner || box.index < 0 || made[box.index] === box;
  return {
    encode(value) {
      const known = boxIn(last, value);
      if (known !== undefined) return known;
      const box: NewBox = { value, owner, index: made.length, before: last };
      made.push(box);
      return box;
    },
    replace: (old, value) => boxIn(old as NewBox, value) ?? { value, owner, index: -1, before: old },
    decode: decodeBox,
    receive(stored) {
      for (let box: NewBox | undefined = stored as NewBox; box !== undefined; box = box.before) {
        if (!isMine(box)) throw new Error('a thread got another object than it has made');
      }
      last = stored as NewBox;
      return decodeBox(stored);
    },
    ofThread(path) {
      const mine = last;
      return () => newBoxes(path, mine);
    },
  };
}

/** The locations of one run of the program. */
interface Locations {
  readonly codec: Codec;
  readonly atomics: ReadonlyMap<string, Atomic<unknown>>;
  readonly shared: ReadonlyMap<string, Shared<unknown>>;
  readonly mutexes: ReadonlyMap<string, Mutex>;
}

interface Local {
  readonly path: string;
  /** How many threads it has spawned. */
  spawned: number;
  readonly registers: number[];
  readonly handles: ThreadHandle<number>[];
}

/**
 * Values are objects, told apart by identity, which explorers must treat with more care: one for each number, which threads have from
 * main and may be the first to show, or which are shown before; or a new one each time, so that no compare-exchange would succeed.
 */
type Boxed = 'from main' | 'known' | 'new';

function codecOf(boxed: Boxed | undefined): Codec {
  if (boxed === undefined) return plain;
  return boxed === 'new' ? newBoxes('0') : boxes(boxed === 'known');
}

export function toHeddle(ast: ProgramAst, { boxed }: { readonly boxed?: Boxed } = {}): HeddleProgram {
  return program('random', function* main(): ThreadBody<number> {
    const codec = codecOf(boxed);
    const { encode } = codec;
    const locations: Locations = {
      codec,
      atomics: new Map(Object.entries(ast.atomics).map(([each, initial]) => [each, atomic(encode(initial), each)])),
      shared: new Map(Object.entries(ast.shared).map(([each, initial]) => [each, shared(encode(initial), each)])),
      mutexes: new Map(ast.mutexes.map((each) => [each, mutex(each)])),
    };
    return yield* runThread(locations, ast.main, [], '0', () => codec);
  });
}

/** A failure that Heddle reports, in the oracle's words: `kind message PATH`. */
export function failureKey(kind: string, message: string, path: string): string {
  const misused = kind === 'lock-misuse' ? /unlocks (\S+), which/.exec(message)?.[1] : undefined;
  return `${kind} ${misused === undefined ? message : `unlock ${misused}`} ${path}`;
}

function* runThread(
  locations: Locations,
  body: readonly Statement[],
  handles: readonly ThreadHandle<number>[],
  path: string,
  codec: () => Codec,
): ThreadBody<number> {
  return (
    (yield* runBody({ ...locations, codec: codec() }, body, {
      path,
      spawned: 0,
      registers: [],
      handles: [...handles],
    })) ?? 0
  );
}

/** Gives what the thread returned, if it did. */
function* runBody(locations: Locations, body: readonly Statement[], local: Local): ThreadBody<number | undefined> {
  const { registers, handles } = local;
  const { encode, decode, receive } = locations.codec;
  for (const statement of body) {
    switch (statement.kind) {
      case 'load':
        registers[statement.register] = receive(yield* atomicOf(locations, statement.location).load(statement.order));
        break;
      case 'store':
        yield* atomicOf(locations, statement.location).store(encode(evaluate(local, statement.value)), statement.order);
        break;
      case 'exchange': {
        const { location, register, value, order } = statement;
        registers[register] = receive(
          yield* atomicOf(locations, location).exchange(encode(evaluate(local, value)), order),
        );
        break;
      }
      case 'fetchAdd':
        registers[statement.register] = receive(yield* fetchAdd(locations, statement));
        break;
      case 'compareExchange': {
        const { location, register, expected, desired, order, failureOrder } = statement;
        registers[register] = receive(
          yield* atomicOf(locations, location).compareExchange(encode(expected), encode(desired), order, failureOrder),
        );
        break;
      }
      case 'awaitUntil': {
        const { location, register, condition, order } = statement;
        registers[register] = receive(
          yield* awaitUntil(atomicOf(locations, location), (value) => holds(condition, decode(value)), order),
        );
        break;
      }
      case 'plainLoad':
        registers[statement.register] = receive(yield* sharedOf(locations, statement.location).load());
        break;
      case 'plainStore':
        yield* sharedOf(locations, statement.location).store(encode(evaluate(local, statement.value)));
        break;
      case 'lock':
        yield* mutexOf(locations, statement.mutex).lock();
        break;
      case 'unlock':
        yield* mutexOf(locations, statement.mutex).unlock();
        break;
      case 'tryLock':
        registers[statement.register] = (yield* mutexOf(locations, statement.mutex).tryLock()) ? 1 : 0;
        break;
      case 'spawn': {
        const path = `${local.path}.${local.spawned++}`;
        const codec = locations.codec.ofThread(path);
        handles[statement.slot] = yield* spawn(runThread, locations, statement.body, [...handles], path, codec);
        break;
      }
      case 'join': {
        const handle = handles[statement.slot];
        if (handle === undefined) throw new Error(`join of the empty slot ${statement.slot}`);
        registers[statement.register] = yield* handle.join();
        break;
      }
      case 'fence':
        yield* fence(statement.order);
        break;
      case 'yield':
        yield* yieldNow();
        break;
      case 'choose':
        registers[statement.register] = yield* choose(statement.count);
        break;
      case 'if': {
        const isEqual = registerOf(local, statement.register) === statement.equals;
        const result = yield* runBody(locations, isEqual ? statement.whenEqual : statement.otherwise, local);
        if (result !== undefined) return result;
        break;
      }
      case 'assume':
        yield* assume(holds(statement.condition, registerOf(local, statement.register)));
        break;
      case 'assert':
        assert(registerOf(local, statement.register) !== statement.not, `assert ${statement.id}`);
        break;
      case 'return':
        return registerOf(local, statement.register);
      case 'awaitUpdate':
      case 'allocate':
      case 'free':
      case 'exit':
        throw new Error(`${statement.kind} has no place in the public front end: see to-operations.ts`);
    }
  }
  return undefined;
}

function registerOf(local: Local, register: number): number {
  return local.registers[register] ?? 0;
}

function evaluate(local: Local, value: Value): number {
  return (value.register === undefined ? 0 : registerOf(local, value.register)) + value.constant;
}

/** Boxed values have no fetchAdd; an update of the same effect stands in for it. */
function fetchAdd(locations: Locations, statement: Statement & { readonly kind: 'fetchAdd' }) {
  const { codec } = locations;
  const { location, add, order } = statement;
  const target = atomicOf(locations, location);
  if (codec === plain) return (target as Atomic<number>)[nameOfUpdate(statement)](add, order);
  return target.update((old) => codec.replace(old, applied(statement, codec.decode(old))), order);
}

function atomicOf(locations: Locations, name: string): Atomic<unknown> {
  return found(locations.atomics.get(name), name);
}

function sharedOf(locations: Locations, name: string): Shared<unknown> {
  return found(locations.shared.get(name), name);
}

function mutexOf(locations: Locations, name: string): Mutex {
  return found(locations.mutexes.get(name), name);
}

function found<T>(location: T | undefined, name: string): T {
  if (location === undefined) throw new Error(`no location ${name}`);
  return location;
}
