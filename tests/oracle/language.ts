/**
 * A tiny language of concurrent programs: what the oracle enumerates and the random programs are written in.
 *
 * A thread is a list of statements over numbered registers, which all start at 0. Handle slots hold the threads that a
 * thread has spawned; a new thread starts with a copy of its parent's slots (as a closure would see them), so it can
 * also join a thread that its parent spawned before it.
 */

/** What may be asked of a value: `value op constant`. */
export interface Condition {
  readonly op: '==' | '!=' | '>=';
  readonly constant: number;
}

/** `constant`, or `register + constant`. */
export interface Value {
  readonly register?: number | undefined;
  readonly constant: number;
}

/** The memory orders of C11, by what may have them. Those that are left out are seq_cst. */
export type LoadOrder = 'relaxed' | 'acquire' | 'seq_cst';
export type StoreOrder = 'relaxed' | 'release' | 'seq_cst';
export type UpdateOrder = LoadOrder | StoreOrder | 'acq_rel';

/** A location may be accessed in parts: the low byte of its value is part 0, the next one part 1, and there are no others then. */
interface OfPart {
  readonly part?: 0 | 1 | undefined;
}

interface Ordered<Order> extends OfPart {
  readonly order?: Order | undefined;
}

export type Statement =
  // Atomics. `register` receives the value that was read; for an update, the old value.
  | (Ordered<LoadOrder> & { readonly kind: 'load'; readonly location: string; readonly register: number })
  | (Ordered<StoreOrder> & { readonly kind: 'store'; readonly location: string; readonly value: Value })
  | (Ordered<UpdateOrder> & {
      readonly kind: 'exchange';
      readonly location: string;
      readonly value: Value;
      readonly register: number;
    })
  /** With `bits`, it combines bits with `add` instead of adding it. */
  | (Ordered<UpdateOrder> & {
      readonly kind: 'fetchAdd';
      readonly location: string;
      readonly add: number;
      readonly bits?: 'and' | 'or' | 'xor' | undefined;
      readonly register: number;
    })
  /** One that fails is a load of `failureOrder`; if that is left out, of the load part of `order`. */
  | (Ordered<UpdateOrder> & {
      readonly kind: 'compareExchange';
      readonly location: string;
      readonly expected: number;
      readonly desired: number;
      readonly register: number;
      readonly failureOrder?: LoadOrder | undefined;
    })
  | (Ordered<LoadOrder> & {
      readonly kind: 'awaitUntil';
      readonly location: string;
      readonly condition: Condition;
      readonly assumed?: boolean | undefined;
      readonly register: number;
    })
  /**
   * Waits until `condition` holds, then adds `add`, or writes `set` if that is there; writes nothing if `keep` holds. With
   * `sleeps`, waiting for ever is a deadlock; with `assumed`, like an assume that does not hold. With `rewrites`, it writes what
   * it reads again and again while it waits.
   */
  | (Ordered<UpdateOrder> & {
      readonly kind: 'awaitUpdate';
      readonly location: string;
      readonly condition: Condition;
      readonly keep?: Condition | undefined;
      readonly add: number;
      readonly set?: number | undefined;
      readonly sleeps: boolean;
      readonly assumed?: boolean | undefined;
      readonly rewrites?: boolean | undefined;
      readonly register: number;
    })
  // Plain accesses: to plain shared variables, or to atomics.
  | (OfPart & { readonly kind: 'plainLoad'; readonly location: string; readonly register: number })
  | (OfPart & { readonly kind: 'plainStore'; readonly location: string; readonly value: Value })
  // Mutexes. tryLock leaves 1 (got it) or 0 in its register.
  | { readonly kind: 'lock'; readonly mutex: string }
  | { readonly kind: 'unlock'; readonly mutex: string }
  | { readonly kind: 'tryLock'; readonly mutex: string; readonly register: number }
  // Threads. join leaves what the thread returned in its register.
  | { readonly kind: 'spawn'; readonly slot: number; readonly body: readonly Statement[] }
  | { readonly kind: 'join'; readonly slot: number; readonly register: number }
  // Objects: what has to be freed, and frees it.
  | { readonly kind: 'allocate'; readonly object: string }
  | { readonly kind: 'free'; readonly object: string }
  | (Ordered<UpdateOrder> & { readonly kind: 'fence' })
  | { readonly kind: 'yield' }
  | { readonly kind: 'choose'; readonly count: number; readonly register: number }
  // Control.
  | {
      readonly kind: 'if';
      readonly register: number;
      readonly equals: number;
      readonly whenEqual: readonly Statement[];
      readonly otherwise: readonly Statement[];
    }
  | { readonly kind: 'assume'; readonly register: number; readonly condition: Condition }
  /** Fails if the register holds `not`. */
  | { readonly kind: 'assert'; readonly register: number; readonly not: number; readonly id: number }
  | { readonly kind: 'return'; readonly register: number }
  /** The program ends: see `Operation`. */
  | { readonly kind: 'exit' };

export interface ProgramAst {
  /** Names and initial values. */
  readonly atomics: Readonly<Record<string, number>>;
  readonly shared: Readonly<Record<string, number>>;
  readonly mutexes: readonly string[];
  /** By name, the locations that are part of it. They can be used from the start; `allocate` matters for leaks,
   * and under RA and RC11 for races. */
  readonly objects?: Readonly<Record<string, readonly string[]>>;
  readonly main: readonly Statement[];
}

export function partOf(statement: Statement): 0 | 1 | undefined {
  return 'part' in statement ? statement.part : undefined;
}

/** The bytes that a statement accesses, a bit for each. */
export function bytesOf(statement: Statement): number {
  const part = partOf(statement);
  return part === undefined ? 0b11 : 1 << part;
}

/** A part of a value; all of it, if that is undefined. */
export function takePart(value: number, part: 0 | 1 | undefined): number {
  return part === undefined ? value : (value >> (8 * part)) & 0xff;
}

/** A value with another part. */
export function putPart(value: number, part: 0 | 1 | undefined, written: number): number {
  return part === undefined ? written : (value & ~(0xff << (8 * part))) | ((written & 0xff) << (8 * part));
}

/** What is left of the order of an update that writes nothing. */
export function loadPart(order: UpdateOrder): LoadOrder {
  if (order === 'acq_rel') return 'acquire';
  return order === 'release' ? 'relaxed' : order;
}

export function holds(condition: Condition, value: number): boolean {
  switch (condition.op) {
    case '==':
      return value === condition.constant;
    case '!=':
      return value !== condition.constant;
    case '>=':
      return value >= condition.constant;
  }
}

type FetchAdd = Statement & { readonly kind: 'fetchAdd' };

/** What a fetchAdd writes where it finds `value`. */
export function applied({ add, bits }: FetchAdd, value: number): number {
  switch (bits) {
    case 'and':
      return value & add;
    case 'or':
      return value | add;
    case 'xor':
      return value ^ add;
    case undefined:
      return value + add;
  }
}

/** The name of the operation that it is. */
export function nameOfUpdate({ bits }: FetchAdd): 'fetchAdd' | 'fetchAnd' | 'fetchOr' | 'fetchXor' {
  return bits === undefined ? 'fetchAdd' : bits === 'and' ? 'fetchAnd' : bits === 'or' ? 'fetchOr' : 'fetchXor';
}

/** The object that a location is part of. */
export function objectOf(program: ProgramAst, location: string): string | undefined {
  return Object.entries(program.objects ?? {}).find(([, parts]) => parts.includes(location))?.[0];
}

/** Whether every location is declared, of the right kind, and every join comes after a spawn on the same slot. */
export function isWellFormed(program: ProgramAst): boolean {
  const objects = Object.keys(program.objects ?? {});
  const names = [...Object.keys(program.atomics), ...Object.keys(program.shared), ...program.mutexes, ...objects];
  return new Set(names).size === names.length && spawnedAfter(program, program.main, new Set()) !== 'ill-formed';
}

/** The slots that are certainly filled after `body`. */
function spawnedAfter(
  program: ProgramAst,
  body: readonly Statement[],
  before: ReadonlySet<number>,
): ReadonlySet<number> | 'ill-formed' {
  const filled = new Set(before);
  for (const statement of body) {
    switch (statement.kind) {
      case 'load':
      case 'store':
      case 'exchange':
      case 'fetchAdd':
      case 'compareExchange':
      case 'awaitUntil':
      case 'awaitUpdate':
        if (!(statement.location in program.atomics)) return 'ill-formed';
        break;
      case 'plainLoad':
      case 'plainStore':
        if (!(statement.location in program.shared || statement.location in program.atomics)) return 'ill-formed';
        break;
      case 'lock':
      case 'unlock':
      case 'tryLock':
        if (!program.mutexes.includes(statement.mutex)) return 'ill-formed';
        break;
      case 'allocate':
      case 'free':
        if (!(statement.object in (program.objects ?? {}))) return 'ill-formed';
        break;
      case 'choose':
        if (statement.count < 1) return 'ill-formed';
        break;
      case 'spawn':
        if (spawnedAfter(program, statement.body, filled) === 'ill-formed') return 'ill-formed';
        filled.add(statement.slot);
        break;
      case 'join':
        if (!filled.has(statement.slot)) return 'ill-formed';
        break;
      case 'if': {
        const afterEqual = spawnedAfter(program, statement.whenEqual, filled);
        const afterOther = spawnedAfter(program, statement.otherwise, filled);
        if (afterEqual === 'ill-formed' || afterOther === 'ill-formed') return 'ill-formed';
        for (const slot of afterEqual) if (afterOther.has(slot)) filled.add(slot);
        break;
      }
      default:
        break;
    }
  }
  return filled;
}

/** A register that no statement reads: a fetchAdd into it promises that its result is not used. */
export const UNUSED = 99;

/** Whether the results of some fetchAdds are not used. */
export function hasUnusedResults(program: ProgramAst): boolean {
  return [...statementsOf(program.main)].some(({ kind, ...rest }) => 'register' in rest && rest.register === UNUSED);
}

/** All statements, those of threads and branches too. */
export function* statementsOf(body: readonly Statement[]): Generator<Statement> {
  for (const statement of body) {
    yield statement;
    if (statement.kind === 'spawn') yield* statementsOf(statement.body);
    if (statement.kind === 'if') yield* statementsOf([...statement.whenEqual, ...statement.otherwise]);
  }
}
