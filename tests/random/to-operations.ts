/**
 * Programs of the oracle's language as bare operations, the way a front end for another language makes them: locations that no
 * thread has made, objects with lifetimes, plain and atomic accesses to one location.
 */
import { cLanguage } from '../../src/c/language.ts';
import { extentOf } from '../../src/program/extent.ts';
import { Location } from '../../src/program/location.ts';
import {
  ALIVE,
  type Commuting,
  type Failure,
  KEEP,
  MUTEX_BUSY,
  type Operation,
  type Program,
  type Slice,
  type Thread,
} from '../../src/program/operation.ts';
import {
  applied,
  holds,
  loadPart,
  nameOfUpdate,
  objectOf,
  type ProgramAst,
  partOf,
  putPart,
  type Statement,
  takePart,
  UNUSED,
  type UpdateOrder,
  type Value,
} from '../oracle/language.ts';

type Run = Generator<Operation, number | undefined, unknown>;

class Failed extends Error {
  constructor(readonly failure: Failure) {
    super(failure.message);
  }
}

function failed(kind: Failure['kind'], message: string): Failed {
  return new Failed({ kind, message, position: undefined });
}

class OperationThread implements Thread {
  readonly #run: Run;

  constructor(run: Run) {
    this.#run = run;
  }

  resume(answer: unknown): Operation {
    try {
      const { done, value } = this.#run.next(answer);
      return done === true ? { kind: 'end', value: value ?? 0 } : value;
    } catch (error) {
      if (error instanceof Failed) return { kind: 'fail', failure: error.failure };
      throw error;
    }
  }
}

export function toOperations(ast: ProgramAst): Program {
  const places = placesOf(ast);
  return {
    name: 'random',
    language: cLanguage,
    start: () => new OperationThread(new Interpreter(ast, places, [], 0).run(ast.main)),
  };
}

interface Places {
  readonly locations: ReadonlyMap<string, Location>;
  readonly lifetimes: ReadonlyMap<string, Location>;
}

function placesOf(ast: ProgramAst): Places {
  const objects = Object.keys(ast.objects ?? {});
  const lifetimes = new Map(objects.map((name) => [name, new Location('lifetime', ALIVE, name, undefined)]));
  const lifetimeOf = (name: string) => lifetimes.get(objectOf(ast, name) ?? '');
  const all = [
    ...Object.entries(ast.atomics),
    ...Object.entries(ast.shared),
    ...ast.mutexes.map((m) => [m, 0] as const),
  ];
  const locations = all.map(([name, initial]) => {
    const kind = ast.mutexes.includes(name) ? 'mutex' : name in ast.shared ? 'shared' : 'atomic';
    return [name, new Location(kind, initial, name, undefined, lifetimeOf(name))] as const;
  });
  return { locations: new Map(locations), lifetimes };
}

/** An operation on a part of its location. */
function ofPart(operation: Operation, part: 0 | 1 | undefined): Operation {
  if (part === undefined || !('order' in operation) || operation.kind === 'fence') return operation;
  const slice: Slice = {
    extent: extentOf(part, 1, 2),
    get: (whole) => takePart(whole as number, part),
    put: (whole, written) => putPart(whole as number, part, written as number),
    name: () => `${operation.location.name}.${part}`,
    show: String,
  };
  if (operation.kind === 'store') return { ...operation, kind: 'store-part', slice };
  return operation.kind === 'update' ? { ...operation, slice, commutes: undefined } : { ...operation, slice };
}

class Interpreter {
  readonly #ast: ProgramAst;
  readonly #places: Places;
  readonly #registers: number[] = [];
  readonly #handles: number[];
  readonly #held = new Set<string>();
  readonly #self: number;

  constructor(ast: ProgramAst, places: Places, handles: readonly number[], self: number) {
    this.#ast = ast;
    this.#places = places;
    this.#handles = [...handles];
    this.#self = self;
  }

  /** Gives what the thread returned, if it did. */
  *run(body: readonly Statement[]): Run {
    for (const statement of body) {
      if (statement.kind === 'return') return this.#registers[statement.register] ?? 0;
      if (statement.kind === 'if') {
        const isEqual = this.#register(statement.register) === statement.equals;
        const result = yield* this.run(isEqual ? statement.whenEqual : statement.otherwise);
        if (result !== undefined) return result;
        continue;
      }
      this.#beforehand(statement);
      const operation = this.#operation(statement);
      if (operation === undefined) continue;
      const answer = yield ofPart(operation, partOf(statement));
      this.#afterwards(statement, answer);
    }
    return undefined;
  }

  #beforehand(statement: Statement): void {
    if (statement.kind === 'assert' && this.#register(statement.register) === statement.not) {
      throw failed('assertion', `assert ${statement.id}`);
    }
    if (statement.kind === 'unlock' && !this.#held.has(statement.mutex)) {
      throw failed('lock-misuse', `thread ${this.#self} unlocks ${statement.mutex}, which it does not hold`);
    }
  }

  /** The operation of a statement; undefined if it is none. */
  #operation(statement: Statement): Operation | undefined {
    const order = ('order' in statement ? statement.order : undefined) ?? 'seq_cst';
    switch (statement.kind) {
      case 'load':
        return { kind: 'load', location: this.#place(statement.location), order };
      case 'plainLoad':
        return { kind: 'load', location: this.#place(statement.location), order: 'plain' };
      case 'store':
        return { kind: 'store', location: this.#place(statement.location), order, value: this.#value(statement.value) };
      case 'plainStore': {
        const value = this.#value(statement.value);
        return { kind: 'store', location: this.#place(statement.location), order: 'plain', value };
      }
      case 'exchange': {
        const value = this.#value(statement.value);
        return this.#update(statement.location, order, 'exchange', value, () => value);
      }
      case 'fetchAdd': {
        const { location, add, bits, register } = statement;
        const apply = (old: unknown) => applied(statement, old as number);
        return this.#update(
          location,
          order,
          nameOfUpdate(statement),
          add,
          apply,
          register === UNUSED ? (bits ?? 'add') : undefined,
        );
      }
      case 'compareExchange': {
        const { expected, desired, failureOrder = loadPart(order) } = statement;
        const location = this.#place(statement.location);
        return { kind: 'compare-exchange', location, order, failureOrder, expected, desired, weak: false };
      }
      case 'awaitUntil': {
        const until = (value: unknown) => holds(statement.condition, value as number);
        const { assumed = false } = statement;
        return { kind: 'await-load', location: this.#place(statement.location), order, until, assumed };
      }
      case 'awaitUpdate':
        return this.#awaitUpdate(statement, order);
      case 'lock':
        return { kind: 'lock', location: this.#place(statement.mutex) };
      case 'tryLock':
        return { kind: 'trylock', location: this.#place(statement.mutex) };
      case 'unlock':
        return { kind: 'unlock', location: this.#place(statement.mutex) };
      case 'spawn': {
        const handles = [...this.#handles];
        const start = (self: number) =>
          new OperationThread(new Interpreter(this.#ast, this.#places, handles, self).run(statement.body));
        return { kind: 'spawn', name: '', start };
      }
      case 'join':
        return { kind: 'join', thread: this.#handles[statement.slot] as number };
      case 'allocate': {
        const size = 1 + Object.keys(this.#ast.objects ?? {}).indexOf(statement.object);
        return { kind: 'allocate', location: this.#lifetime(statement.object), size, isHeap: true };
      }
      case 'free':
        return { kind: 'free', location: this.#lifetime(statement.object) };
      case 'fence':
        return { kind: 'fence', order };
      case 'yield':
        return { kind: 'yield' };
      case 'choose':
        return { kind: 'choose', count: statement.count };
      case 'assume':
        return holds(statement.condition, this.#register(statement.register)) ? undefined : { kind: 'block' };
      case 'exit':
        return { kind: 'exit', status: 0 };
      default:
        return undefined;
    }
  }

  /** An exchange or a compare-exchange if it can be one. */
  #awaitUpdate(statement: Statement & { readonly kind: 'awaitUpdate' }, order: UpdateOrder): Operation {
    const { condition, keep, add, set, sleeps, assumed = false, rewrites = false } = statement;
    const common = { location: this.#place(statement.location), order, sleeps, assumed, rewrites };
    const until = (value: unknown) => holds(condition, value as number);
    if (set !== undefined && keep === undefined) {
      if (condition.op !== '==') return { kind: 'await-exchange', ...common, until, value: set };
      return { kind: 'await-compare-exchange', ...common, expected: condition.constant, desired: set };
    }
    const apply = (old: unknown) =>
      keep !== undefined && holds(keep, old as number) ? KEEP : (set ?? (old as number) + add);
    return { kind: 'await-update', name: 'wait', ...common, until, apply };
  }

  #afterwards(statement: Statement, answer: unknown): void {
    if (statement.kind === 'spawn') this.#handles[statement.slot] = answer as number;
    const isTaken = statement.kind === 'tryLock' && answer !== MUTEX_BUSY;
    if (statement.kind === 'lock' || isTaken) this.#held.add((statement as { mutex: string }).mutex);
    if (statement.kind === 'unlock') this.#held.delete(statement.mutex);
    if (statement.kind === 'tryLock') this.#registers[statement.register] = isTaken ? 1 : 0;
    else if ('register' in statement) this.#registers[statement.register] = answer as number;
  }

  #update(
    location: string,
    order: UpdateOrder,
    name: string,
    operand: number,
    apply: (old: unknown) => unknown,
    commutes?: Commuting,
  ): Operation {
    return { kind: 'update', name, location: this.#place(location), order, operand, apply, commutes };
  }

  #register(register: number): number {
    return this.#registers[register] ?? 0;
  }

  #value({ register, constant }: Value): number {
    return (register === undefined ? 0 : this.#register(register)) + constant;
  }

  #place(name: string): Location {
    return this.#places.locations.get(name) as Location;
  }

  #lifetime(object: string): Location {
    return this.#places.lifetimes.get(object) as Location;
  }
}
