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
  decode(stored: unknown): number;
}

const plain: Codec = { encode: (value) => value, decode: (stored) => stored as number };

function boxes(): Codec {
  const least = -50;
  const table = Array.from({ length: 200 }, (_, i) => ({ value: i + least }));
  return {
    encode: (value) => found(table[value - least], `box of ${value}`),
    decode: (stored) => (stored as { value: number }).value,
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
  readonly registers: number[];
  readonly handles: ThreadHandle<number>[];
}

/** `boxed`: values are objects, told apart by identity, which explorers must treat with more care. */
export function toHeddle(ast: ProgramAst, { boxed = false } = {}): HeddleProgram {
  return program('random', function* main(): ThreadBody<number> {
    const codec = boxed ? boxes() : plain;
    const { encode } = codec;
    const locations: Locations = {
      codec,
      atomics: new Map(Object.entries(ast.atomics).map(([each, initial]) => [each, atomic(encode(initial), each)])),
      shared: new Map(Object.entries(ast.shared).map(([each, initial]) => [each, shared(encode(initial), each)])),
      mutexes: new Map(ast.mutexes.map((each) => [each, mutex(each)])),
    };
    return yield* runThread(locations, ast.main, []);
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
): ThreadBody<number> {
  return (yield* runBody(locations, body, { registers: [], handles: [...handles] })) ?? 0;
}

/** Gives what the thread returned, if it did. */
function* runBody(locations: Locations, body: readonly Statement[], local: Local): ThreadBody<number | undefined> {
  const { registers, handles } = local;
  const { encode, decode } = locations.codec;
  for (const statement of body) {
    switch (statement.kind) {
      case 'load':
        registers[statement.register] = decode(yield* atomicOf(locations, statement.location).load(statement.order));
        break;
      case 'store':
        yield* atomicOf(locations, statement.location).store(encode(evaluate(local, statement.value)), statement.order);
        break;
      case 'exchange': {
        const { location, register, value, order } = statement;
        registers[register] = decode(
          yield* atomicOf(locations, location).exchange(encode(evaluate(local, value)), order),
        );
        break;
      }
      case 'fetchAdd':
        registers[statement.register] = decode(yield* fetchAdd(locations, statement));
        break;
      case 'compareExchange': {
        const { location, register, expected, desired, order, failureOrder } = statement;
        registers[register] = decode(
          yield* atomicOf(locations, location).compareExchange(encode(expected), encode(desired), order, failureOrder),
        );
        break;
      }
      case 'awaitUntil': {
        const { location, register, condition, order } = statement;
        registers[register] = decode(
          yield* awaitUntil(atomicOf(locations, location), (value) => holds(condition, decode(value)), order),
        );
        break;
      }
      case 'plainLoad':
        registers[statement.register] = decode(yield* sharedOf(locations, statement.location).load());
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
      case 'spawn':
        handles[statement.slot] = yield* spawn(runThread, locations, statement.body, [...handles]);
        break;
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
  return target.update((old) => codec.encode(applied(statement, codec.decode(old))), order);
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
