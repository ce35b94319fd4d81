/**
 * Litmus tests as text, one line for each thread: programs of the oracle's language.
 *
 *   x = 1 rlx               store; a value is a number, a register, or a register + a number
 *   a = x acq               load
 *   a = add(x, 1) acq_rel   updates: add, swap(x, value), cas(x, expected, desired)
 *   a = cas(x, 0, 1) sc/rlx the second order is that of a cas that fails
 *   fence sc                orders: na (not atomic), rlx, acq, rel, acq_rel, sc
 *   await x == 1 acq        waits until it holds: ==, !=, >=
 *   lock m; unlock m; a = trylock m
 *   spawn t { … }; join t
 *   if a == 1 { … } else { … }
 *
 * Registers are a to h, locations w to z, mutexes m and n, threads t and u. A register belongs to the thread that names it.
 */
import type { Condition, ProgramAst, Statement, Value } from '../../oracle/language.ts';

/** The program that runs the threads, started by the main thread from the first to the last. */
export function litmusProgram(threads: readonly string[]): ProgramAst {
  const reader = new Reader(new Map());
  return programOf(reader, spawnAll(reader, threads));
}

/**
 * The same program, which runs to its end only with this outcome: the values of registers, and of memory in the end. All
 * other executions are stopped by an assume.
 */
export function programWithOutcome(threads: readonly string[], outcome: string): ProgramAst {
  const values = valuesOf(outcome);
  const reader = new Reader(values);
  const main = spawnAll(reader, threads);
  for (const slot of threads.keys()) main.push({ kind: 'join', slot, register: slot });
  for (const [name, constant] of values) {
    if (reader.registers.has(name)) continue;
    const location = reader.location(name);
    const register = threads.length;
    main.push({ kind: 'load', location, register });
    main.push({ kind: 'assume', register, condition: { op: '==', constant } });
  }
  return programOf(reader, main);
}

/** `a=0 x=2`, by name. */
function valuesOf(outcome: string): Map<string, number> {
  const values = new Map<string, number>();
  for (const part of outcome.split(' ')) {
    const [, name, value] = /^([a-z])=(\d+)$/.exec(part) ?? [];
    if (name === undefined) throw new Error(`litmus: an outcome is a list such as "a=0 x=2", not "${outcome}"`);
    values.set(name, Number(value));
  }
  return values;
}

function spawnAll(reader: Reader, threads: readonly string[]): Statement[] {
  return threads.map((text, slot) => ({ kind: 'spawn', slot, body: reader.thread(text) }));
}

function programOf({ locations, mutexes }: Reader, main: readonly Statement[]): ProgramAst {
  const atomics = Object.fromEntries([...locations].sort().map((name) => [name, 0]));
  return { atomics, shared: {}, mutexes: [...mutexes].sort(), main };
}

/** The orders by name, for what may have them. */
const awaitOrders = { rlx: 'relaxed', acq: 'acquire', sc: 'seq_cst' } as const;
const loadOrders = { na: 'plain', ...awaitOrders } as const;
const storeOrders = { na: 'plain', rlx: 'relaxed', rel: 'release', sc: 'seq_cst' } as const;
const updateOrders = { rlx: 'relaxed', acq: 'acquire', rel: 'release', acq_rel: 'acq_rel', sc: 'seq_cst' } as const;

/** A register that no thread names. */
const ignored = 99;

const isRegister = /^[a-h]$/;
const isLocation = /^[w-z]$/;
const isMutex = /^[mn]$/;
const isHandle = /^[tu]$/;
const isNumber = /^\d+$/;

/** Reads threads, and remembers the names in them. */
class Reader {
  readonly locations = new Set<string>();
  readonly mutexes = new Set<string>();
  readonly registers = new Set<string>();
  /** Threads stop at their end if a register has not the value that is wanted of it. */
  readonly #wanted: ReadonlyMap<string, number>;
  #text = '';
  #tokens: string[] = [];
  #at = 0;

  constructor(wanted: ReadonlyMap<string, number>) {
    this.#wanted = wanted;
  }

  thread(text: string): Statement[] {
    this.#text = text;
    this.#tokens = text.match(/\w+|[=!>]=|\S/g) ?? [];
    this.#at = 0;
    const body = this.#threadBody();
    if (this.#at < this.#tokens.length) throw this.#unexpected('the end');
    return body;
  }

  location(name: string): string {
    if (!isLocation.test(name)) throw new Error(`litmus: no thread has a register ${name}`);
    this.locations.add(name);
    return name;
  }

  // -------------------------------------------------------------------------------------------------- statements

  /** The body of a thread, with its own registers. */
  #threadBody(): Statement[] {
    const numbers = new Map<string, number>();
    const body = this.#body(numbers);
    for (const [name, register] of numbers) {
      if (this.registers.has(name)) throw new Error(`litmus: two threads have a register ${name}`);
      this.registers.add(name);
      const constant = this.#wanted.get(name);
      if (constant !== undefined) body.push({ kind: 'assume', register, condition: { op: '==', constant } });
    }
    return body;
  }

  #body(numbers: Map<string, number>): Statement[] {
    const body: Statement[] = [];
    do {
      if (this.#next() !== '}' && this.#next() !== undefined) body.push(this.#statement(numbers));
    } while (this.#takes(';'));
    return body;
  }

  #statement(numbers: Map<string, number>): Statement {
    if (this.#takes('fence')) return { kind: 'fence', order: this.#order(updateOrders) };
    if (this.#takes('lock')) return { kind: 'lock', mutex: this.#mutex() };
    if (this.#takes('unlock')) return { kind: 'unlock', mutex: this.#mutex() };
    if (this.#takes('await')) {
      const location = this.#location();
      const condition = this.#condition();
      return { kind: 'awaitUntil', location, condition, register: ignored, order: this.#order(awaitOrders) };
    }
    if (this.#takes('spawn')) {
      const slot = this.#slot();
      this.#expect('{');
      const body = this.#threadBody();
      this.#expect('}');
      return { kind: 'spawn', slot, body };
    }
    if (this.#takes('join')) return { kind: 'join', slot: this.#slot(), register: ignored };
    if (this.#takes('if')) return this.#if(numbers);
    return this.#assignment(numbers);
  }

  #if(numbers: Map<string, number>): Statement {
    const register = this.#register(numbers);
    this.#expect('==');
    const equals = this.#number();
    const whenEqual = this.#block(numbers);
    const otherwise = this.#takes('else') ? this.#block(numbers) : [];
    return { kind: 'if', register, equals, whenEqual, otherwise };
  }

  #block(numbers: Map<string, number>): Statement[] {
    this.#expect('{');
    const body = this.#body(numbers);
    this.#expect('}');
    return body;
  }

  #assignment(numbers: Map<string, number>): Statement {
    if (!isRegister.test(this.#next() ?? '')) {
      const location = this.#location();
      this.#expect('=');
      const value = this.#value(numbers);
      const order = this.#order(storeOrders);
      return order === 'plain' ? { kind: 'plainStore', location, value } : { kind: 'store', location, value, order };
    }
    const register = this.#register(numbers);
    this.#expect('=');
    if (this.#takes('trylock')) return { kind: 'tryLock', mutex: this.#mutex(), register };
    if (this.#takes('add')) return this.#add(register);
    if (this.#takes('swap')) return this.#swap(register, numbers);
    if (this.#takes('cas')) return this.#cas(register);
    const location = this.#location();
    const order = this.#order(loadOrders);
    return order === 'plain' ? { kind: 'plainLoad', location, register } : { kind: 'load', location, register, order };
  }

  #add(register: number): Statement {
    this.#expect('(');
    const location = this.#location();
    this.#expect(',');
    const add = this.#number();
    this.#expect(')');
    return { kind: 'fetchAdd', location, add, register, order: this.#order(updateOrders) };
  }

  #swap(register: number, numbers: Map<string, number>): Statement {
    this.#expect('(');
    const location = this.#location();
    this.#expect(',');
    const value = this.#value(numbers);
    this.#expect(')');
    return { kind: 'exchange', location, value, register, order: this.#order(updateOrders) };
  }

  #cas(register: number): Statement {
    this.#expect('(');
    const location = this.#location();
    this.#expect(',');
    const expected = this.#number();
    this.#expect(',');
    const desired = this.#number();
    this.#expect(')');
    const order = this.#order(updateOrders);
    const failureOrder = this.#takes('/') ? this.#order(awaitOrders) : undefined;
    return { kind: 'compareExchange', location, expected, desired, register, order, failureOrder };
  }

  // ------------------------------------------------------------------------------------------------------- parts

  #value(numbers: Map<string, number>): Value {
    if (isNumber.test(this.#next() ?? '')) return { constant: this.#number() };
    const register = this.#register(numbers);
    return { register, constant: this.#takes('+') ? this.#number() : 0 };
  }

  #condition(): Condition {
    const op = this.#take('a comparison', /^[=!>]=$/) as Condition['op'];
    return { op, constant: this.#number() };
  }

  #order<T>(allowed: Readonly<Record<string, T>>): T {
    const names = Object.keys(allowed);
    const order = allowed[this.#next() ?? ''];
    if (order === undefined) throw this.#unexpected(`a memory order (${names.join(', ')})`);
    this.#at += 1;
    return order;
  }

  #location(): string {
    return this.location(this.#take('a location (w to z)', isLocation));
  }

  #mutex(): string {
    const name = this.#take('a mutex (m or n)', isMutex);
    this.mutexes.add(name);
    return name;
  }

  /** Slots of their own: those of the main thread come first. */
  #slot(): number {
    return this.#take('a thread (t or u)', isHandle) === 't' ? 10 : 11;
  }

  #register(numbers: Map<string, number>): number {
    const name = this.#take('a register (a to h)', isRegister);
    const register = numbers.get(name) ?? numbers.size;
    numbers.set(name, register);
    return register;
  }

  #number(): number {
    return Number(this.#take('a number', isNumber));
  }

  // ------------------------------------------------------------------------------------------------------ tokens

  #next(): string | undefined {
    return this.#tokens[this.#at];
  }

  #takes(token: string): boolean {
    if (this.#next() !== token) return false;
    this.#at += 1;
    return true;
  }

  #take(what: string, pattern: RegExp): string {
    const token = this.#next();
    if (token === undefined || !pattern.test(token)) throw this.#unexpected(what);
    this.#at += 1;
    return token;
  }

  #expect(token: string): void {
    if (!this.#takes(token)) throw this.#unexpected(`"${token}"`);
  }

  #unexpected(what: string): Error {
    const next = this.#next();
    const found = next === undefined ? 'the end' : `"${next}"`;
    const read = this.#tokens.slice(0, this.#at).join(' ');
    return new Error(`litmus: expected ${what}, found ${found}, after "${read}" in "${this.#text}"`);
  }
}
