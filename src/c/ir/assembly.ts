/**
 * Inline assembly → the instructions that it stands for. Known are what programs with threads write in assembly: the atomic
 * instructions of x86 (as AT&T writes them), its fences, pauses and clock, and the barriers of ARM. Anything else is refused where an
 * execution gets there.
 *
 * A `lock` instruction is a sequentially consistent update, and a load or store by `mov` acquires or releases, if the compiler
 * may move nothing across (a "memory" clobber); without the clobber they are relaxed. A fence without it would order
 * nothing, so that is refused.
 *
 * The template is run on registers that hold values of the IR. Which register an operand is bound to stands at the end of the
 * template, where it is more than any: see src/c/compile/assembly.ts.
 */
import { sizeOf } from './layout.ts';
import type { CastOp, FunctionType, Instruction, IntPredicate, Ordering, Type, UpdateOp, Value } from './module.ts';
import { i1, i8, i32, i64, pointerType, sameType, voidType } from './types.ts';

export interface Assembly {
  /** As in the IR: `$0` is an operand, `$$` a dollar. */
  readonly template: string;
  readonly constraints: string;
  /** Of the result. */
  readonly type: Type;
  readonly operands: readonly Value[];
  /** What those operands point to that are addresses of memory operands. */
  readonly elementTypes: readonly (Type | undefined)[];
}

/** In this order; the result is a value of theirs or one that was there before. */
export interface Translated {
  readonly instructions: readonly Instruction[];
  readonly result: Value | undefined;
}

/** The function that reads the processor's clock. */
export const READ_CLOCK = '__rdtsc';

/** Begins what compiling adds to a template: the registers of the operands, with commas between. */
export const REGISTERS_MARK = '\n#registers ';

/** What cannot be translated, in words: its text as it was written, and why if there is more to say. */
export interface Untranslated {
  readonly problem: string;
}

export function translateAssembly(assembly: Assembly): Translated | Untranslated {
  try {
    return new Translation(assembly).run();
  } catch (error) {
    if (error instanceof Unknown) return { problem: `${textOf(assembly)}${error.message}` };
    throw error;
  }
}

/** Without what was added to it. */
function textOf({ template }: Assembly): string {
  const own = (template.split(REGISTERS_MARK)[0] as string).trim().replaceAll(/\s*;?\s*\n\s*/g, '; ');
  return own.replaceAll(/\$(?:(\$)|\{(\d+)(?::(\w))?\}|(?=\d))/g, (_, dollar = '', operand = '', letter = '') =>
    dollar === '$' ? '$' : `%${letter}${operand}`,
  );
}

class Unknown extends Error {}

function unknown(why = ''): never {
  throw new Unknown(why);
}

interface Memory {
  readonly address: Value;
  /** Undefined: the instruction says it. */
  readonly type: Type | undefined;
}

/** Where an operand is: in memory, in a register, or it is a number. */
type Place =
  | { readonly kind: 'memory'; readonly memory: Memory }
  | { readonly kind: 'register'; readonly name: string }
  | { readonly kind: 'number'; readonly value: bigint };

const ORDERED = { update: 'seq_cst', load: 'acquire', store: 'release' } as const;
const RELAXED: Ordering = 'monotonic';

const comments = /\/\*[\s\S]*?\*\/|(#|\/\/).*/g;
/** There `#` begins a number: `dmb #9`. */
const numbersOfArm = /\b(dmb|dsb|isb|hint)\b[^;\n]*#/;

/** What only takes time. */
const idle = /^(nop|pause|rep nop|yield|wfe|wfi|sev|sevl|isb( sy)?|hint [0-5])$/;
const fences: readonly (readonly [RegExp, Ordering])[] = [
  [/^(mfence|lock (add|or)[lq] \$\$0(x0)?, ?-?\d*\(%[er]sp\))$/, 'seq_cst'],
  [/^(dmb|dsb)( (sy|ish|osh|nsh))?$/, 'seq_cst'],
  // x86 keeps stores in order, and loads: what is left to order is what the compiler may move
  [/^lfence$/, 'acquire'],
  [/^sfence$/, 'release'],
  [/^(dmb|dsb) (ld|ishld|oshld|nshld)$/, 'acquire'],
];

const suffixes: Readonly<Record<string, Type>> = { b: i8, w: { kind: 'int', bits: 16 }, l: i32, q: i64 };

const updates: Readonly<Record<string, UpdateOp>> = { add: 'add', sub: 'sub', or: 'or', and: 'and', xor: 'xor' };

/** Of the last instruction: its result, or whether a compare-exchange did exchange. */
type Flags = { readonly kind: 'result'; readonly value: Value } | { readonly kind: 'exchanged'; readonly value: Value };

/** Names of conditions → what must hold of the result, compared with 0; only the first two are set by a compare-exchange. */
const conditions: Readonly<Record<string, IntPredicate>> = {
  e: 'eq',
  z: 'eq',
  ne: 'ne',
  nz: 'ne',
  s: 'slt',
  ns: 'sge',
};

const registerNames: Readonly<Record<string, string>> = {
  ...{ al: 'a', ax: 'a', eax: 'a', rax: 'a', bl: 'b', bx: 'b', ebx: 'b', rbx: 'b' },
  ...{ cl: 'c', cx: 'c', ecx: 'c', rcx: 'c', dl: 'd', dx: 'd', edx: 'd', rdx: 'd' },
};

class Translation {
  readonly #assembly: Assembly;
  readonly #instructions: Instruction[] = [];
  readonly #places: Place[] = [];
  readonly #outputs: { readonly place: Place; readonly flag: string | undefined; readonly type: Type }[] = [];
  readonly #registers = new Map<string, Value>();
  readonly #isOrdered: boolean;
  #flags: Flags | undefined;

  constructor(assembly: Assembly) {
    this.#assembly = assembly;
    this.#isOrdered = assembly.constraints.includes('~{memory}');
    this.#bind();
  }

  run(): Translated {
    for (const statement of this.#statements()) this.#execute(statement);
    return { instructions: this.#instructions, result: this.#result() };
  }

  // ----------------------------------------------------------------------------------------------------- operands

  /** Says where each operand is, and puts inputs into their registers. */
  #bind(): void {
    const { constraints, operands, elementTypes, type, template } = this.#assembly;
    const named = (template.split(REGISTERS_MARK)[1] ?? '').split(',');
    const all = constraints === '' ? [] : constraints.split(',').filter((text) => !text.startsWith('~'));
    const results = type.kind === 'struct' ? (type.fields ?? []) : type.kind === 'void' ? [] : [type];
    let next = 0;
    for (const [i, constraint] of all.entries()) {
      const isOutput = constraint.startsWith('=');
      const text = constraint.replace(/^=?&?/, '');
      const tied = /^\d+$/.test(text) ? this.#places[Number(text)] : undefined;
      const register = named[i] ?? '';
      let place: Place;
      if (text.startsWith('*')) {
        const memory = { address: operands[next] as Value, type: elementTypes[next] };
        place = { kind: 'memory', memory };
        next++;
      } else {
        const isFlag = register.startsWith('@');
        place = tied ?? { kind: 'register', name: register === '' || isFlag ? `operand ${i}` : register };
        if (isOutput) {
          const flag = isFlag ? register.replace(/^@cc/, '') : undefined;
          this.#outputs.push({ place, flag, type: results[this.#outputs.length] ?? unknown() });
        } else {
          const value = operands[next] as Value;
          next++;
          if (place.kind === 'register') this.#registers.set(place.name, value);
        }
      }
      this.#places.push(place);
    }
  }

  #result(): Value | undefined {
    const { type } = this.#assembly;
    if (type.kind === 'void') return undefined;
    const values = this.#outputs.map(({ place, flag, type }) => {
      if (flag !== undefined) return this.#converted(this.#condition(flag), type, true);
      return this.#converted(this.#valueIn(place), type);
    });
    if (type.kind !== 'struct') return values[0] ?? unknown();
    let whole: Value = { kind: 'undef', type };
    for (const [i, value] of values.entries()) {
      whole = this.#add({ ...base(type, [whole, value]), op: 'insertvalue', indices: [i] });
    }
    return whole;
  }

  // -------------------------------------------------------------------------------------------------- instructions

  /** Without comments, which go on to the end of the line; each with its `lock` or `rep`. */
  #statements(): string[] {
    const text = (this.#assembly.template.split(REGISTERS_MARK)[0] as string).toLowerCase();
    if (numbersOfArm.test(text)) unknown();
    const statements: string[] = [];
    let prefix = '';
    for (const line of text.replaceAll(comments, ' ').split(/[;\n]/)) {
      const statement = line.replaceAll(/\s+/g, ' ').trim();
      if (statement === '') continue;
      if (statement === 'lock' || statement === 'rep') prefix += `${statement} `;
      else {
        statements.push(prefix + statement);
        prefix = '';
      }
    }
    return prefix === '' ? statements : unknown();
  }

  #execute(statement: string): void {
    if (idle.test(statement)) return;
    const fence = fences.find(([pattern]) => pattern.test(statement))?.[1];
    if (fence !== undefined) {
      if (!this.#isOrdered) unknown(' (without a "memory" clobber the compiler may move accesses across it)');
      this.#add({ ...base(voidType, []), op: 'fence', ordering: fence, isSignal: false });
      if (statement.startsWith('lock ')) this.#flags = undefined; // they tell of what is on the stack
      return;
    }
    if (statement === 'rdtsc') {
      this.#readClock();
      return;
    }
    const [, lock, mnemonic = '', rest = ''] = /^(lock )?([a-z]+[0-9]*[a-z]*) ?(.*)$/.exec(statement) ?? unknown();
    const operands = operandsIn(rest);
    if (mnemonic.startsWith('set') && lock === undefined) this.#set(mnemonic.slice(3), operands);
    else if (/^movz(b[lwq]?|x)$/.test(mnemonic)) this.#widen(operands);
    else {
      const match = /^(mov|xchg|cmpxchg|xadd|add|sub|or|and|xor|inc|dec)([bwlq]?)$/.exec(mnemonic) ?? unknown();
      const width = match[2] === '' ? undefined : suffixes[match[2] as string];
      this.#operate(
        match[1] as string,
        width,
        lock !== undefined,
        operands.map((text) => this.#place(text)),
      );
    }
  }

  #operate(name: string, width: Type | undefined, isLocked: boolean, places: readonly Place[]): void {
    if (name === 'inc' || name === 'dec') {
      const [target = unknown()] = places;
      const one: Place = { kind: 'number', value: 1n };
      this.#update(name === 'inc' ? 'add' : 'sub', width, isLocked, one, target);
      return;
    }
    const [source = unknown(), target = unknown()] = places;
    if (places.length > 2) unknown();
    if (name === 'mov') this.#move(width, source, target);
    else if (name === 'xchg') this.#exchange(width, source, target);
    else if (name === 'cmpxchg') this.#compareExchange(width, isLocked, source, target);
    else if (name === 'xadd') this.#exchangeAdd(width, isLocked, source, target);
    else this.#update(updates[name] ?? unknown(), width, isLocked, source, target);
  }

  #move(width: Type | undefined, source: Place, target: Place): void {
    if (source.kind === 'memory') {
      if (target.kind !== 'register') unknown();
      const type = this.#typeOf(source.memory, width, undefined);
      const ordering = this.#isOrdered ? ORDERED.load : RELAXED;
      const load = { ...base(type, [source.memory.address]), op: 'load', ordering, volatile: false } as const;
      this.#write(target.name, this.#add({ ...load, align: sizeOf(type) }));
    } else if (target.kind === 'memory') {
      const type = this.#typeOf(target.memory, width, source);
      const ordering = this.#isOrdered ? ORDERED.store : RELAXED;
      const operands = [this.#operand(source, type), target.memory.address];
      this.#add({ ...base(voidType, operands), op: 'store', ordering, volatile: false, align: sizeOf(type) });
    } else if (target.kind === 'register') {
      this.#write(target.name, source.kind === 'number' ? numberOf(source.value, width ?? i32) : this.#valueIn(source));
    } else unknown();
  }

  #exchange(width: Type | undefined, first: Place, second: Place): void {
    const [register, target] = second.kind === 'memory' ? [first, second] : [second, first];
    if (register.kind !== 'register' || target.kind !== 'memory') unknown();
    const type = this.#typeOf(target.memory, width, register);
    this.#write(register.name, this.#rmw('xchg', target.memory, this.#operand(register, type), type));
  }

  /** The accumulator is compared with; if the values differ, it gets what was found. */
  #compareExchange(width: Type | undefined, isLocked: boolean, source: Place, target: Place): void {
    if (!isLocked || target.kind !== 'memory') unknown();
    const type = this.#typeOf(target.memory, width, source);
    const accumulator: Place = { kind: 'register', name: 'a' };
    const operands = [target.memory.address, this.#operand(accumulator, type), this.#operand(source, type)];
    const ordering = this.#isOrdered ? ORDERED.update : RELAXED;
    const result: Type = { kind: 'struct', name: undefined, packed: false, fields: [type, i1] };
    const done = this.#add({
      ...base(result, operands),
      ...{ op: 'cmpxchg', ordering, failureOrdering: ordering, weak: false, align: sizeOf(type) },
    });
    // the same as before, if the two were equal
    this.#write('a', this.#add({ ...base(type, [done]), op: 'extractvalue', indices: [0] }));
    this.#flags = { kind: 'exchanged', value: this.#add({ ...base(i1, [done]), op: 'extractvalue', indices: [1] }) };
  }

  #exchangeAdd(width: Type | undefined, isLocked: boolean, source: Place, target: Place): void {
    if (!isLocked || target.kind !== 'memory' || source.kind !== 'register') unknown();
    const type = this.#typeOf(target.memory, width, source);
    const operand = this.#operand(source, type);
    const old = this.#rmw('add', target.memory, operand, type);
    this.#flags = { kind: 'result', value: this.#add({ ...base(type, [old, operand]), op: 'add' }) };
    this.#write(source.name, old);
  }

  #update(operation: UpdateOp, width: Type | undefined, isLocked: boolean, source: Place, target: Place): void {
    if (
      target.kind === 'register' &&
      operation === 'xor' &&
      source.kind === 'register' &&
      source.name === target.name
    ) {
      const zero = numberOf(0n, width ?? i32);
      this.#registers.set(target.name, zero);
      this.#flags = { kind: 'result', value: zero };
      return;
    }
    if (!isLocked || target.kind !== 'memory' || operation === 'xchg') unknown();
    const type = this.#typeOf(target.memory, width, source);
    if (type.kind !== 'int') unknown();
    const operand = this.#operand(source, type);
    const old = this.#rmw(operation, target.memory, operand, type);
    const op = operation as 'add' | 'sub' | 'or' | 'and' | 'xor';
    this.#flags = { kind: 'result', value: this.#add({ ...base(type, [old, operand]), op }) };
  }

  #rmw(operation: UpdateOp, { address }: Memory, operand: Value, type: Type): Instruction {
    const ordering = this.#isOrdered ? ORDERED.update : RELAXED;
    return this.#add({
      ...base(type, [address, operand]),
      ...{ op: 'atomicrmw', operation, ordering, align: sizeOf(type) },
    });
  }

  /** The lower half is in one register, the upper one in another; on a processor of 32 bits both are one operand, `A`. */
  #readClock(): void {
    const signature: FunctionType = { kind: 'function', returns: i64, parameters: [], variadic: false };
    const callee: Value = { kind: 'symbol', type: pointerType, name: READ_CLOCK };
    const cycles = this.#add({ ...base(i64, [callee]), op: 'call', signature, byval: [] });
    const above = this.#add({ ...base(i64, [cycles, numberOf(32n, i64)]), op: 'lshr' });
    this.#registers.set('A', cycles);
    this.#registers.set('a', this.#converted(cycles, i32));
    this.#registers.set('d', this.#converted(above, i32));
  }

  /** A byte: 1 if the condition holds. */
  #set(condition: string, operands: readonly string[]): void {
    const [target = unknown()] = operands.map((text) => this.#place(text));
    if (target.kind !== 'register') unknown();
    this.#write(target.name, this.#converted(this.#condition(condition), i8, true));
  }

  #condition(name: string): Value {
    const flags = this.#flags ?? unknown();
    const predicate = Object.hasOwn(conditions, name) ? (conditions[name] as IntPredicate) : unknown();
    if (flags.kind === 'result') {
      return this.#add({ ...base(i1, [flags.value, numberOf(0n, flags.value.type)]), op: 'icmp', predicate });
    }
    if (predicate === 'eq') return flags.value;
    if (predicate !== 'ne') unknown();
    return this.#add({ ...base(i1, [flags.value, numberOf(0n, i1)]), op: 'icmp', predicate: 'eq' });
  }

  #widen(operands: readonly string[]): void {
    const [source = unknown(), target = unknown()] = operands.map((text) => this.#place(text));
    if (target.kind !== 'register') unknown();
    this.#registers.set(target.name, this.#converted(this.#converted(this.#valueIn(source), i8), i32, true));
  }

  // -------------------------------------------------------------------------------------------------------- values

  /** `$0`, `${0:b}`, `%eax`, `$$1`, `($0)` */
  #place(text: string): Place {
    const operand = /^\$(?:(\d+)|\{(\d+)(?::[a-z])?\})$/.exec(text);
    if (operand !== null) return this.#places[Number(operand[1] ?? operand[2])] ?? unknown();
    const number = /^\$\$(-?(?:0x[0-9a-f]+|\d+))$/.exec(text)?.[1];
    if (number !== undefined) {
      return { kind: 'number', value: number.startsWith('-') ? -BigInt(number.slice(1)) : BigInt(number) };
    }
    const register = /^%([a-z]+)$/.exec(text)?.[1];
    if (register !== undefined) return { kind: 'register', name: registerNames[register] ?? unknown() };
    const inner = /^(?:0?)\((.*)\)$/.exec(text)?.[1] ?? unknown();
    const address = this.#valueIn(this.#place(inner));
    return { kind: 'memory', memory: { address: this.#converted(address, pointerType), type: undefined } };
  }

  /**
   * How much of memory an instruction works on. `q` may be a `long`, which has 32 bits here; but an instruction for less than
   * the operand has would leave some of it out.
   */
  #typeOf({ type }: Memory, width: Type | undefined, source: Place | undefined): Type {
    if (type !== undefined) {
      if (width !== undefined && sizeOf(width) !== sizeOf(type) && width !== i64) unknown();
      if (type.kind === 'ptr' || (type.kind === 'int' && [8, 16, 32, 64].includes(type.bits))) return type;
      return unknown();
    }
    if (width !== undefined && width !== i64) return width;
    if (source?.kind !== 'register') return unknown();
    const value = this.#valueIn(source);
    return value.type.kind === 'ptr' || value.type.kind === 'int' ? value.type : unknown();
  }

  #operand(place: Place, type: Type): Value {
    return place.kind === 'number' ? numberOf(place.value, type) : this.#converted(this.#valueIn(place), type);
  }

  #valueIn(place: Place): Value {
    if (place.kind !== 'register') return unknown();
    return this.#registers.get(place.name) ?? unknown();
  }

  /** Of a register that held more bits, those above are kept; but writing 32 of them clears the others. */
  #write(register: string, value: Value): void {
    const before = this.#registers.get(register)?.type;
    const isPart = before?.kind === 'int' && value.type.kind === 'int' && before.bits > value.type.bits;
    if (!isPart) {
      this.#registers.set(register, value);
      return;
    }
    const whole = this.#converted(value, before, true);
    if (sizeOf(value.type) >= 4) {
      this.#registers.set(register, whole);
      return;
    }
    const above = numberOf(-1n << BigInt(8 * sizeOf(value.type)), before);
    const kept = this.#add({ ...base(before, [this.#registers.get(register) as Value, above]), op: 'and' });
    this.#registers.set(register, this.#add({ ...base(before, [kept, whole]), op: 'or' }));
  }

  /** What a register holds, as a type that has no more bits, unless the others are known to be 0. */
  #converted(value: Value, type: Type, isZeroAbove = false): Value {
    if (sameType(value.type, type)) return value;
    const cast = (op: CastOp): Value => this.#add({ ...base(type, [value]), op });
    if (value.type.kind === 'ptr' && type.kind === 'int' && type.bits === 32) return cast('ptrtoint');
    if (value.type.kind === 'int' && type.kind === 'ptr' && value.type.bits === 32) return cast('inttoptr');
    if (value.type.kind !== 'int' || type.kind !== 'int') return unknown();
    if (value.kind === 'int-constant') return numberOf(value.value, type);
    if (value.type.bits > type.bits) return cast('trunc');
    return isZeroAbove ? cast('zext') : unknown();
  }

  #add(instruction: Instruction): Instruction {
    this.#instructions.push(instruction);
    return instruction;
  }
}

function base(type: Type, operands: Value[]) {
  return { kind: 'instruction', type, name: '', position: undefined, operands } as const;
}

function numberOf(value: bigint, type: Type): Value {
  if (type.kind !== 'int') return value === 0n && type.kind === 'ptr' ? { kind: 'null', type } : unknown();
  return { kind: 'int-constant', type, value: type.bits === 1 ? value & 1n : BigInt.asIntN(type.bits, value) };
}

/** Between commas that stand in no parentheses. */
function operandsIn(text: string): string[] {
  return text === '' ? [] : text.split(/,(?![^(]*\))/).map((part) => part.trim());
}
