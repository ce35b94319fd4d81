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

/**
 * Begins what compiling adds to a template: the registers of the operands, with commas between. The last may be `long`, an
 * operand that is added: a number whose bits say which of the others are a `long`.
 */
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

/** What an operand was declared as, if that is known; a `long` has 64 bits on x86-64 and 32 here, as a pointer has. */
interface Declared {
  readonly type: Type | undefined;
  readonly isLong: boolean;
}

/** As suffixes of instructions say it: 8, 16, 32, 64 bits. */
type Width = 'b' | 'w' | 'l' | 'q';

interface Register extends Declared {
  readonly kind: 'register';
  readonly name: string;
  /** As its name (`%al`) or a modifier (`%b0`) says; undefined: as it was declared. */
  readonly width: Width | undefined;
}

interface Memory extends Declared {
  readonly kind: 'memory';
  readonly address: Value;
}

/** Where an operand is: in memory, in a register, or it is a number. */
type Place = Memory | Register | { readonly kind: 'number'; readonly value: bigint };

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

const bitsOf: Readonly<Record<Width, number>> = { b: 8, w: 16, l: 32, q: 64 };
const widths = Object.keys(bitsOf) as Width[];
const modifiers: Readonly<Record<string, Width>> = { b: 'b', w: 'w', k: 'l', q: 'q' };

type Operation = 'add' | 'sub' | 'or' | 'and' | 'xor';
const operations: Readonly<Record<string, Operation>> = {
  ...{ add: 'add', sub: 'sub', or: 'or', and: 'and', xor: 'xor' },
  ...{ inc: 'add', dec: 'sub' },
};

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

const registerNames: ReadonlyMap<string, readonly [name: string, width: Width]> = new Map(
  [...'abcd'].flatMap((name): [string, [string, Width]][] => [
    [`${name}l`, [name, 'b']],
    [`${name}x`, [name, 'w']],
    [`e${name}x`, [name, 'l']],
    [`r${name}x`, [name, 'q']],
  ]),
);

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
    const longs = this.#longs(all, named);
    let next = 0;
    for (const [i, constraint] of all.entries()) {
      const isOutput = constraint.startsWith('=');
      const text = constraint.replace(/^=?&?/, '');
      const tied = /^\d+$/.test(text) ? this.#places[Number(text)] : undefined;
      const register = named[i] ?? '';
      const isLong = ((longs >> BigInt(i)) & 1n) === 1n;
      if (text.startsWith('*')) {
        const address = operands[next] as Value;
        this.#places.push({ kind: 'memory', address, type: elementTypes[next], isLong });
        next++;
        continue;
      }
      const isFlag = register.startsWith('@');
      const name = tied?.kind === 'register' ? tied.name : register === '' || isFlag ? `operand ${i}` : register;
      if (isOutput) {
        const type = results[this.#outputs.length] ?? unknown();
        const place: Place = { kind: 'register', name, type, isLong, width: undefined };
        this.#outputs.push({ place, flag: isFlag ? register.replace(/^@cc/, '') : undefined, type });
        this.#places.push(place);
      } else {
        const value = operands[next] as Value;
        next++;
        const isNumber = /[in]/.test(text) && value.kind === 'int-constant';
        const place: Place = { kind: 'register', name, type: value.type, isLong, width: undefined };
        this.#places.push(isNumber ? { kind: 'number', value: value.value } : place);
        if (!isNumber) this.#registers.set(name, value);
      }
    }
  }

  /** The operands that are a `long`, as bits of a number, which compiling adds to the inputs if it matters. */
  #longs(constraints: readonly string[], named: readonly string[]): bigint {
    const at = named.indexOf('long');
    if (at < 0) return 0n;
    const before = constraints.slice(0, at).filter((text) => !text.startsWith('=') || text.includes('*')).length;
    const bits = this.#assembly.operands[before];
    return bits?.kind === 'int-constant' ? bits.value : unknown();
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
    const places = operandsIn(rest).map((text) => this.#place(text));
    const widening = /^movz(?:([bw])([wlq]?)|x)$/.exec(mnemonic);
    if (mnemonic.startsWith('set') && lock === undefined) this.#set(mnemonic.slice(3), places);
    else if (widening !== null && lock === undefined) {
      this.#widen(widening[1] as Width | undefined, (widening[2] || undefined) as Width | undefined, places);
    } else {
      const [, name = '', suffix] =
        /^(mov|xchg|cmpxchg|xadd|add|sub|or|and|xor|inc|dec)([bwlq]?)$/.exec(mnemonic) ?? unknown();
      this.#operate(name, (suffix || undefined) as Width | undefined, lock !== undefined, places);
    }
  }

  #operate(name: string, suffix: Width | undefined, isLocked: boolean, places: readonly Place[]): void {
    if (places.length !== (name === 'inc' || name === 'dec' ? 1 : 2)) unknown();
    const width = suffix ?? widthAmong(places);
    const type = typeAmong(places, width);
    const target = places.at(-1) as Place;
    const source: Place = places.length === 1 ? { kind: 'number', value: 1n } : (places[0] as Place);
    if (name === 'xchg') {
      this.#exchange(width, type, source, target);
      return;
    }
    if (target.kind === 'number') unknown();
    if (name === 'mov' && !isLocked) this.#move(width, type, source, target);
    else if (name === 'xor' && !isLocked && target.kind === 'register') this.#clear(type, source, target);
    // not locked, it would be two accesses
    else if (!isLocked || target.kind !== 'memory') unknown();
    else if (name === 'cmpxchg') this.#compareExchange(width, type, source, target);
    else if (name === 'xadd') this.#exchangeAdd(width, type, source, target);
    else this.#update(operations[name] ?? unknown(), width, type, source, target);
  }

  #move(width: Width, type: Type, source: Place, target: Register | Memory): void {
    if (source.kind === 'memory') {
      if (target.kind !== 'register') unknown();
      const ordering = this.#isOrdered ? ORDERED.load : RELAXED;
      const load = { ...base(type, [source.address]), op: 'load', ordering, volatile: false } as const;
      this.#write(target, this.#add({ ...load, align: sizeOf(type) }));
    } else if (target.kind === 'memory') {
      const ordering = this.#isOrdered ? ORDERED.store : RELAXED;
      const operands = [this.#operand(source, width, type), target.address];
      this.#add({ ...base(voidType, operands), op: 'store', ordering, volatile: false, align: sizeOf(type) });
    } else this.#write(target, this.#operand(source, width, type));
  }

  /** `xor` of a register with itself. */
  #clear(type: Type, source: Place, target: Register): void {
    if (source.kind !== 'register' || source.name !== target.name) unknown();
    const zero = numberOf(0n, type);
    this.#write(target, zero);
    this.#flags = { kind: 'result', value: zero };
  }

  #exchange(width: Width, type: Type, first: Place, second: Place): void {
    const [register, target] = second.kind === 'memory' ? [first, second] : [second, first];
    if (register.kind !== 'register' || target.kind !== 'memory') unknown();
    this.#write(register, this.#rmw('xchg', target, this.#operand(register, width, type), type));
  }

  /** The accumulator is compared with; if the values differ, it gets what was found. */
  #compareExchange(width: Width, type: Type, source: Place, target: Memory): void {
    if (source.kind !== 'register') unknown();
    const accumulator = this.#register('a', width);
    typeAmong([accumulator, target], width);
    // whether what is above is cleared depends on what is found
    if (width === 'l' && accumulator.type !== undefined && sizeOf(accumulator.type) > 4) unknown();
    const operands = [target.address, this.#operand(accumulator, width, type), this.#operand(source, width, type)];
    const ordering = this.#isOrdered ? ORDERED.update : RELAXED;
    const result: Type = { kind: 'struct', name: undefined, packed: false, fields: [type, i1] };
    const done = this.#add({
      ...base(result, operands),
      ...{ op: 'cmpxchg', ordering, failureOrdering: ordering, weak: false, align: sizeOf(type) },
    });
    // the same as before, if the two were equal
    this.#write(accumulator, this.#add({ ...base(type, [done]), op: 'extractvalue', indices: [0] }));
    this.#flags = { kind: 'exchanged', value: this.#add({ ...base(i1, [done]), op: 'extractvalue', indices: [1] }) };
  }

  #exchangeAdd(width: Width, type: Type, source: Place, target: Memory): void {
    if (source.kind !== 'register' || type.kind !== 'int') unknown();
    const operand = this.#operand(source, width, type);
    const old = this.#rmw('add', target, operand, type);
    this.#flags = { kind: 'result', value: this.#add({ ...base(type, [old, operand]), op: 'add' }) };
    this.#write(source, old);
  }

  #update(op: Operation, width: Width, type: Type, source: Place, target: Memory): void {
    if (type.kind !== 'int') unknown();
    const operand = this.#operand(source, width, type);
    const old = this.#rmw(op, target, operand, type);
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
  #set(condition: string, places: readonly Place[]): void {
    const [target] = places;
    if (places.length !== 1 || target?.kind !== 'register') unknown();
    typeAmong([target], 'b');
    this.#write(target, this.#converted(this.#condition(condition), i8, true));
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

  #widen(from: Width | undefined, to: Width | undefined, places: readonly Place[]): void {
    const [source, target] = places;
    if (places.length !== 2 || source?.kind !== 'register' || target?.kind !== 'register') unknown();
    const width = from ?? widthAmong([source]);
    const less = typeAmong([source], width);
    const more = typeAmong([target], to ?? widthAmong([target]));
    if (sizeOf(less) >= sizeOf(more) || sizeOf(less) > 2) unknown();
    this.#write(target, this.#converted(this.#operand(source, width, less), more, true));
  }

  // -------------------------------------------------------------------------------------------------------- values

  /** `$0`, `${0:b}`, `%eax`, `$$1`, `($0)` */
  #place(text: string): Place {
    const operand = /^\$(?:(\d+)|\{(\d+)(?::([a-z]))?\})$/.exec(text);
    if (operand !== null) {
      const place = this.#places[Number(operand[1] ?? operand[2])] ?? unknown();
      const modifier = operand[3];
      // both halves: no instruction but rdtsc is known that has them
      if (place.kind === 'register' && place.name === 'A') unknown();
      if (modifier === undefined) return place;
      const width = Object.hasOwn(modifiers, modifier) ? (modifiers[modifier] as Width) : unknown();
      return place.kind === 'register' ? { ...place, width } : place.kind === 'number' ? place : unknown();
    }
    const number = /^\$\$(-?)(0x[0-9a-f]+|0[0-7]*|[1-9]\d*)$/.exec(text);
    if (number !== null) {
      const value = BigInt((number[2] as string).replace(/^0(?=\d)/, '0o'));
      return { kind: 'number', value: number[1] === '-' ? -value : value };
    }
    const register = /^%([a-z]+)$/.exec(text)?.[1];
    if (register !== undefined) return this.#register(...(registerNames.get(register) ?? unknown()));
    const inner = this.#place(/^0?\((.*)\)$/.exec(text)?.[1] ?? unknown());
    if (inner.kind !== 'register' || inner.width === 'b' || inner.width === 'w') unknown();
    const address = this.#converted(this.#valueIn(inner), pointerType);
    return { kind: 'memory', address, type: undefined, isLong: false };
  }

  /** A register by its name, which an operand may be bound to. */
  #register(name: string, width: Width): Register {
    const isIt = (place: Place): place is Register => place.kind === 'register' && place.name === name;
    return { kind: 'register', type: undefined, isLong: false, ...this.#places.find(isIt), name, width };
  }

  #operand(place: Place, width: Width, type: Type): Value {
    if (place.kind !== 'number') return this.#converted(this.#valueIn(place), type);
    const { value } = place;
    // of 64 bits only 32 can be given
    const isIn = width === 'q' ? BigInt.asIntN(32, value) === value : isOfBits(value, bitsOf[width]);
    return isIn ? numberOf(value, type) : unknown();
  }

  #valueIn(place: Place): Value {
    if (place.kind !== 'register') return unknown();
    return this.#registers.get(place.name) ?? unknown();
  }

  /** Of a register that held more bits, those above are kept; but writing 32 of them clears the others. */
  #write({ name }: Register, value: Value): void {
    if (name === 'a' || name === 'd') this.#registers.delete('A');
    const before = this.#registers.get(name)?.type;
    if (before === undefined || sizeOf(before) <= sizeOf(value.type)) {
      this.#registers.set(name, value);
      return;
    }
    if (before.kind !== 'int' || value.type.kind !== 'int') unknown();
    const whole = this.#converted(value, before, true);
    if (sizeOf(value.type) >= 4) {
      this.#registers.set(name, whole);
      return;
    }
    const above = numberOf(-1n << BigInt(8 * sizeOf(value.type)), before);
    const kept = this.#add({ ...base(before, [this.#registers.get(name) as Value, above]), op: 'and' });
    this.#registers.set(name, this.#add({ ...base(before, [kept, whole]), op: 'or' }));
  }

  /** What a register holds, as a type that has no more bits, unless the others are known to be 0. */
  #converted(value: Value, type: Type, isZeroAbove = false): Value {
    if (sameType(value.type, type)) return value;
    const cast = (op: CastOp): Value => this.#add({ ...base(type, [value]), op });
    if (value.type.kind === 'ptr' && type.kind === 'int' && type.bits === 32) return cast('ptrtoint');
    if (value.type.kind === 'int' && type.kind === 'ptr' && value.type.bits === 32) return cast('inttoptr');
    if (value.type.kind !== 'int' || type.kind !== 'int') return unknown();
    const isLess = value.type.bits > type.bits;
    if (!isLess && !isZeroAbove) unknown();
    if (value.kind === 'int-constant') return numberOf(BigInt.asUintN(value.type.bits, value.value), type);
    return cast(isLess ? 'trunc' : 'zext');
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

function isOfBits(value: bigint, bits: number): boolean {
  return BigInt.asIntN(bits, value) === value || BigInt.asUintN(bits, value) === value;
}

function fits({ type, isLong }: Declared, width: Width): boolean {
  if (type?.kind === 'ptr') return width === 'l' || width === 'q';
  return type?.kind === 'int' && (type.bits === bitsOf[width] || (isLong && width === 'q'));
}

/** Of an instruction without a suffix: that of its registers. */
function widthAmong(places: readonly Place[]): Width {
  const registers = places.filter((place) => place.kind === 'register');
  const said = registers.find(({ width }) => width !== undefined)?.width;
  if (said !== undefined) return said;
  const [first] = registers;
  return first === undefined ? 'l' : (widths.find((width) => fits(first, width)) ?? unknown());
}

/** What an instruction of a width works on: what its operands were declared as, which all have to be of that width. */
function typeAmong(places: readonly Place[], width: Width): Type {
  const declared: Type[] = [];
  let isWhole = true;
  for (const place of places) {
    if (place.kind === 'number') continue;
    const isThrough = place.kind === 'memory' && place.type === undefined;
    if (isThrough) continue;
    const isFit = fits(place, width);
    if (place.kind === 'register' && place.width !== undefined) {
      if (place.width !== width) unknown();
      // a part of it, or more than it has
      if (!isFit && place.type !== undefined) isWhole = false;
    } else if (!isFit) unknown();
    if (isFit) declared.push(place.type as Type);
  }
  const isOfWidth = (type: Type): boolean => type.kind === 'int' && type.bits === bitsOf[width];
  const memory = places.find((place) => place.kind === 'memory');
  const type = memory?.type ?? declared[0];
  if (type !== undefined) return isWhole || isOfWidth(type) ? type : unknown();
  // through a pointer it may be a `long`
  return memory !== undefined && width === 'q' ? unknown() : { kind: 'int', bits: bitsOf[width] };
}

/** Between commas that stand in no parentheses. */
function operandsIn(text: string): string[] {
  return text === '' ? [] : text.split(/,(?![^(]*\))/).map((part) => part.trim());
}
