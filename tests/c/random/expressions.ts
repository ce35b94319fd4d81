/**
 * Expressions without undefined behaviour. Each integer expression carries the interval of its values, so that signed
 * arithmetic is written as it is where it cannot overflow and through unsigned types where it could.
 */
import type { Context, CType, Field, Variable } from './context.ts';
import {
  anyInteger,
  bitFieldType,
  bool,
  common,
  double,
  type FloatType,
  float,
  formatOf,
  greatestOf,
  type IntegerType,
  int,
  integerTypes,
  leastOf,
  literal,
  promoted,
  type Scalar,
  sizeOf,
  unsignedLong,
  unsignedOf,
} from './scalars.ts';

export interface IntegerExpression {
  readonly text: string;
  readonly type: IntegerType;
  readonly least: bigint;
  readonly greatest: bigint;
  /** Evaluating it twice is the same as once. */
  readonly isPure: boolean;
}

export interface FloatExpression {
  readonly text: string;
  readonly type: FloatType;
  readonly isPure: boolean;
}

/** A scalar lvalue. */
export interface Place {
  readonly text: string;
  readonly type: Scalar;
  readonly least: bigint;
  readonly greatest: bigint;
  readonly isConst: boolean;
  readonly hasAddress: boolean;
  readonly level: number;
  readonly isWriteOnly: boolean;
}

export const isFloat = (type: CType): type is FloatType => type.kind === 'float';

// Places

/** A scalar part of a variable. */
export function partOf(c: Context, variable: Variable): Place {
  return descend(c, variable, variable.text, variable.type, undefined);
}

function descend(c: Context, variable: Variable, text: string, type: CType, field: Field | undefined): Place {
  if (type.kind === 'array') {
    return descend(c, variable, `${text}[${indexBelow(c, type.length)}]`, type.of, field);
  }
  if (type.kind === 'struct') {
    const chosen = c.random.pick(type.fields);
    const inner = { ...chosen, isWriteOnly: chosen.isWriteOnly || field?.isWriteOnly === true };
    // A member of a union shares its bytes with members of other types, which a pointer would not tell.
    const hasAddress = variable.hasAddress && !type.isPacked && !type.isUnion;
    return descend(c, { ...variable, hasAddress }, `${text}.${chosen.name}`, chosen.type, inner);
  }
  const width = field?.width;
  const [least, greatest] =
    type.kind === 'integer' ? rangeOf(width === undefined ? type : { ...type, bits: width }) : [0n, 0n];
  return {
    text,
    type: type.kind === 'integer' && width !== undefined ? bitFieldType(type, width) : type,
    least: variable.greatest === undefined ? least : 0n,
    greatest: variable.greatest ?? greatest,
    isConst: variable.isConst,
    hasAddress: variable.hasAddress && width === undefined,
    level: variable.level,
    isWriteOnly: field?.isWriteOnly ?? false,
  };
}

const rangeOf = (type: IntegerType): [bigint, bigint] => [leastOf(type), greatestOf(type)];

/** An index into an array, in bounds by itself. */
export function indexBelow(c: Context, length: number): string {
  const { random } = c;
  const counters = c.variables.filter((v) => v.greatest !== undefined && v.greatest < BigInt(length));
  if (counters.length > 0 && random.chance(0.6)) return random.pick(counters).text;
  if (random.chance(0.5)) return `${random.between(0, length - 1)}`;
  const simple = c.variables.filter((v) => v.type.kind === 'integer' && v.type.bits > 1);
  if (simple.length === 0) return '0';
  return `(unsigned)${random.pick(simple).text} % ${length}u`;
}

/** Some scalar in scope that satisfies `wanted`; undefined if none was found soon. */
export function place(c: Context, wanted: (p: Place) => boolean): Place | undefined {
  if (c.pointers.length > 0 && c.random.chance(0.15)) {
    const pointer = c.random.pick(c.pointers);
    const [least, greatest] = pointer.to.kind === 'integer' ? rangeOf(pointer.to) : [0n, 0n];
    const text = c.random.chance(0.8) ? `(*${pointer.name})` : `${pointer.name}[0]`;
    const found = {
      text,
      type: pointer.to,
      least,
      greatest,
      isConst: false,
      hasAddress: true,
      level: pointer.level,
      isWriteOnly: false,
    };
    if (wanted(found)) return found;
  }
  if (c.variables.length === 0) return undefined;
  for (let attempt = 0; attempt < 8; attempt++) {
    const found = partOf(c, c.random.pick(c.variables));
    if (wanted(found)) return found;
  }
  return undefined;
}

const isReadableInteger = (p: Place) => p.type.kind === 'integer' && !p.isWriteOnly;

// Integers

export function integerLiteral(c: Context, wanted?: IntegerType): IntegerExpression {
  const { random } = c;
  const type = promoted(wanted ?? anyInteger(random));
  const [least, greatest] = rangeOf(type);
  const near = random.pick([0n, 0n, least, greatest, 1n << BigInt(random.between(0, type.bits - 1)), 100n]);
  const bits = (BigInt(random.between(0, 0xffffffff)) << 32n) | BigInt(random.between(0, 0xffffffff));
  let value = random.weighted(
    [3, BigInt(random.between(-20, 200))],
    [2, near + BigInt(random.between(-2, 2))],
    [2, type.isSigned ? BigInt.asIntN(type.bits, bits) : BigInt.asUintN(type.bits, bits)],
  );
  if (value < least || value > greatest) value = BigInt(random.between(0, 127));
  const isHex = value >= 0n && !type.isSigned && random.chance(0.4);
  const isCharacter = value > 47n && value < 58n && type === int;
  const text = isHex
    ? literal(value, type).replace(/^\d+/, `0x${value.toString(16)}`)
    : isCharacter
      ? `'${String.fromCharCode(Number(value))}'`
      : literal(value, type);
  return { text, type, least: value, greatest: value, isPure: true };
}

export function integer(c: Context, depth: number, isPure = false): IntegerExpression {
  const { random } = c;
  if (depth <= 0) return integerLeaf(c);
  switch (
    random.weighted(
      [8, 'binary'],
      [2, 'shift'],
      [2, 'compare'],
      [2, 'logic'],
      [1.5, 'unary'],
      [1.5, 'conditional'],
      [2, 'cast'],
      [2, 'reduce'],
      [0.7, 'from float'],
      [0.3, 'comma'],
      [0.3, 'sizeof'],
      [isPure ? 0 : 1.5, 'call'],
      [1.5, 'leaf'],
    )
  ) {
    case 'binary': {
      const operator = random.pick(['+', '-', '*', '/', '%', '&', '|', '^'] as const);
      return binary(operator, integer(c, depth - 1, isPure), integer(c, depth - 1, isPure));
    }
    case 'shift':
      return shift(c, integer(c, depth - 1, isPure), integer(c, depth - 2, isPure));
    case 'compare':
      return compare(c, depth, isPure);
    case 'logic': {
      const left = integer(c, depth - 1, isPure);
      const right = integer(c, depth - 1, isPure);
      const text = `(${left.text} ${random.pick(['&&', '||'])} ${right.text})`;
      return truth(text, left.isPure && right.isPure);
    }
    case 'unary': {
      const operand = integer(c, depth - 1, isPure);
      const kind = random.pick(['-', '~', '!', '+'] as const);
      if (kind === '!') return truth(`(!${operand.text})`, operand.isPure);
      if (kind === '-')
        return binary('-', { ...integerLiteral(c), text: '0', type: int, least: 0n, greatest: 0n }, operand);
      const type = promoted(operand.type);
      if (kind === '+') return within(`(+${operand.text})`, type, operand.least, operand.greatest, operand.isPure);
      return within(`(~${operand.text})`, type, -operand.greatest - 1n, -operand.least - 1n, operand.isPure);
    }
    case 'conditional': {
      const condition = integer(c, depth - 1, isPure);
      const whenTrue = integer(c, depth - 1, isPure);
      const whenFalse = integer(c, depth - 1, isPure);
      const type = common(whenTrue.type, whenFalse.type);
      const parts = [converted(whenTrue, type), converted(whenFalse, type)] as const;
      const least = parts[0].least < parts[1].least ? parts[0].least : parts[1].least;
      const greatest = parts[0].greatest > parts[1].greatest ? parts[0].greatest : parts[1].greatest;
      const text = `(${condition.text} ? ${whenTrue.text} : ${whenFalse.text})`;
      return within(text, type, least, greatest, condition.isPure && whenTrue.isPure && whenFalse.isPure);
    }
    case 'cast':
      return cast(integer(c, depth - 1, isPure), anyInteger(random));
    case 'reduce':
      return reduce(c, integer(c, depth - 1, isPure));
    case 'from float':
      return fromFloat(floating(c, depth - 1, isPure), anyInteger(random));
    case 'comma': {
      const last = integer(c, depth - 1, isPure);
      return { ...last, text: `(${integer(c, 1, true).text}, ${last.text})`, type: promoted(last.type) };
    }
    case 'sizeof': {
      const type = anyInteger(random);
      const size = BigInt(sizeOf(type));
      return { text: `sizeof(${type.name})`, type: unsignedLong, least: size, greatest: size, isPure: true };
    }
    case 'call':
      return (callOf(c, (type) => type.kind === 'integer', depth) as IntegerExpression | undefined) ?? integerLeaf(c);
    case 'leaf':
      return integerLeaf(c);
  }
}

function integerLeaf(c: Context): IntegerExpression {
  const found = c.random.chance(0.8) ? place(c, isReadableInteger) : undefined;
  return found === undefined ? integerLiteral(c) : read(found);
}

export function read(p: Place): IntegerExpression {
  if (p.type.kind !== 'integer') throw new Error(`${p.text} is no integer`);
  return { text: p.text, type: p.type, least: p.least, greatest: p.greatest, isPure: true };
}

const truth = (text: string, isPure: boolean): IntegerExpression => ({
  text,
  type: int,
  least: 0n,
  greatest: 1n,
  isPure,
});

/** An expression of this type whose values are in the interval, or anywhere if that does not fit. */
function within(text: string, type: IntegerType, least: bigint, greatest: bigint, isPure: boolean): IntegerExpression {
  const [from, to] = rangeOf(type);
  return least >= from && greatest <= to
    ? { text, type, least, greatest, isPure }
    : { text, type, least: from, greatest: to, isPure };
}

function converted(e: IntegerExpression, type: IntegerType): IntegerExpression {
  return within(e.text, type, e.least, e.greatest, e.isPure);
}

export function cast(e: IntegerExpression, type: IntegerType): IntegerExpression {
  const text = `((${type.name})${e.text})`;
  return type.name === '_Bool' ? { ...truth(text, e.isPure), type } : within(text, type, e.least, e.greatest, e.isPure);
}

/** Values small enough for signed arithmetic. */
export function reduce(c: Context, e: IntegerExpression): IntegerExpression {
  const { random } = c;
  const amount = BigInt(random.pick([3, 7, 10, 100, 255, 1000, 4095]));
  const right: IntegerExpression = { text: `${amount}`, type: int, least: amount, greatest: amount, isPure: true };
  return binary(random.chance(0.5) ? '%' : '&', e, right);
}

type Operator = '+' | '-' | '*' | '/' | '%' | '&' | '|' | '^';

export function binary(operator: Operator, left: IntegerExpression, right: IntegerExpression): IntegerExpression {
  const type = common(left.type, right.type);
  const isPure = left.isPure && right.isPure;
  let a = converted(left, type);
  let b = converted(right, type);
  if (operator === '/' || operator === '%') {
    if (b.least <= 0n && b.greatest >= 0n) b = nonZero(b, type);
    const overflows = type.isSigned && a.least === leastOf(type) && b.least <= -1n && b.greatest >= -1n;
    if (overflows) a = within(`(${a.text} >> 1)`, type, a.least >> 1n, a.greatest >> 1n, a.isPure);
    const text = `(${a.text} ${operator} ${b.text})`;
    const most = operator === '/' ? larger(a) : larger(b) - 1n;
    const least = a.least >= 0n && (operator === '%' || b.least >= 0n) ? 0n : -most;
    return within(text, type, least, most, isPure);
  }
  const text = `(${a.text} ${operator} ${b.text})`;
  if (operator === '&' || operator === '|' || operator === '^') {
    const [least, greatest] = bitwise(operator, a, b, type);
    return within(text, type, least, greatest, isPure);
  }
  const ends = [a.least, a.greatest].flatMap((x) => [b.least, b.greatest].map((y) => arithmetic(operator, x, y)));
  const least = ends.reduce((x, y) => (x < y ? x : y));
  const greatest = ends.reduce((x, y) => (x > y ? x : y));
  if (!type.isSigned || (least >= leastOf(type) && greatest <= greatestOf(type))) {
    return within(text, type, least, greatest, isPure);
  }
  const wide = unsignedOf(type).name;
  const [from, to] = rangeOf(type);
  const safe = `((${type.name})((${wide})${a.text} ${operator} (${wide})${b.text}))`;
  return { text: safe, type, least: from, greatest: to, isPure };
}

function nonZero(e: IntegerExpression, type: IntegerType): IntegerExpression {
  const least = e.least >= 0n ? 1n : leastOf(type);
  // Odd, so never 0; the interval is wider than need be, but it must tell that 0 is not in it.
  return { ...e, text: `(${e.text} | 1)`, type, least, greatest: e.greatest | 1n };
}

const larger = (e: IntegerExpression): bigint => {
  const magnitude = (x: bigint) => (x < 0n ? -x : x);
  return magnitude(e.least) > magnitude(e.greatest) ? magnitude(e.least) : magnitude(e.greatest);
};

function arithmetic(operator: Operator, x: bigint, y: bigint): bigint {
  return operator === '+' ? x + y : operator === '-' ? x - y : x * y;
}

function bitwise(operator: Operator, a: IntegerExpression, b: IntegerExpression, type: IntegerType): [bigint, bigint] {
  if (operator === '&') {
    const tops = [a, b].filter((e) => e.least >= 0n).map((e) => e.greatest);
    if (tops.length > 0) return [0n, tops.reduce((x, y) => (x < y ? x : y))];
  } else if (a.least >= 0n && b.least >= 0n) {
    const top = a.greatest > b.greatest ? a.greatest : b.greatest;
    return [0n, (1n << BigInt(top.toString(2).length)) - 1n];
  }
  return rangeOf(type);
}

export function shift(c: Context, value: IntegerExpression, amount: IntegerExpression): IntegerExpression {
  const { random } = c;
  const type = promoted(value.type);
  const count = random.chance(0.5) ? `${random.between(0, type.bits - 1)}` : `(${amount.text} & ${type.bits - 1})`;
  const isPure = value.isPure && amount.isPure;
  const [from, to] = rangeOf(type);
  if (random.chance(0.5)) {
    const greatest = value.greatest > 0n ? value.greatest : 0n;
    return within(`(${value.text} >> ${count})`, type, value.least < 0n ? value.least : 0n, greatest, isPure);
  }
  const fits = !type.isSigned || (value.least >= 0n && /^\d+$/.test(count) && value.greatest << BigInt(count) <= to);
  if (fits) return { text: `(${value.text} << ${count})`, type, least: from, greatest: to, isPure };
  const text = `((${type.name})((${unsignedOf(type).name})${value.text} << ${count}))`;
  return { text, type, least: from, greatest: to, isPure };
}

function compare(c: Context, depth: number, isPure: boolean): IntegerExpression {
  const operator = c.random.pick(['==', '!=', '<', '<=', '>', '>=']);
  if (c.random.chance(0.2)) {
    const left = floating(c, depth - 1, isPure);
    const right = c.random.chance(0.5) ? floating(c, depth - 1, isPure) : integer(c, depth - 1, isPure);
    return truth(`(${left.text} ${operator} ${right.text})`, left.isPure && right.isPure);
  }
  const left = integer(c, depth - 1, isPure);
  const right = integer(c, depth - 1, isPure);
  return truth(`(${left.text} ${operator} ${right.text})`, left.isPure && right.isPure);
}

/** A conversion that is only done where the value fits: elsewhere it is undefined. */
function fromFloat(e: FloatExpression, type: IntegerType): IntegerExpression {
  if (type.name === '_Bool') return { ...truth(`((_Bool)${e.text})`, e.isPure), type };
  const text = `${converterOf(type, e.type)}(${e.text})`;
  return { text, type, least: leastOf(type), greatest: greatestOf(type), isPure: e.isPure };
}

const converterOf = (to: IntegerType, from: FloatType): string => `${from.name}_to_${to.name.replaceAll(' ', '_')}`;

/** The functions that do such conversions, for all types. */
export const converters: string = [float, double]
  .flatMap((from) => integerTypes.filter((type) => type !== bool).map((to) => converter(to, from)))
  .join('');

function converter(to: IntegerType, from: FloatType): string {
  // Both bounds are exact in either type.
  const condition = `x >= ${leastOf(to)}.0 && x < ${greatestOf(to) + 1n}.0`;
  return `static ${to.name} ${converterOf(to, from)}(${from.name} x) { return ${condition} ? (${to.name})x : 7; }\n`;
}

// Floating point

export function floating(c: Context, depth: number, isPure = false): FloatExpression {
  const { random } = c;
  if (depth <= 0) return floatLeaf(c);
  switch (
    random.weighted(
      [6, 'binary'],
      [2, 'from'],
      [1, 'negate'],
      [1, 'cast'],
      [1, 'conditional'],
      [1, 'math'],
      [2, 'leaf'],
      [isPure ? 0 : 1, 'call'],
    )
  ) {
    case 'binary': {
      const left = floating(c, depth - 1, isPure);
      const right = random.chance(0.7) ? floating(c, depth - 1, isPure) : integer(c, depth - 1, isPure);
      const type = left.type === float && (right.type.kind === 'integer' || right.type === float) ? float : double;
      return {
        text: `(${left.text} ${random.pick(['+', '-', '*', '/'])} ${right.text})`,
        type,
        isPure: left.isPure && right.isPure,
      };
    }
    case 'from': {
      const type = random.chance(0.7) ? double : float;
      const operand = integer(c, depth - 1, isPure);
      return { text: `((${type.name})${operand.text})`, type, isPure: operand.isPure };
    }
    case 'negate': {
      const operand = floating(c, depth - 1, isPure);
      return { ...operand, text: `(-${operand.text})` };
    }
    case 'cast': {
      const type = random.chance(0.5) ? double : float;
      const operand = floating(c, depth - 1, isPure);
      return { ...operand, text: `((${type.name})${operand.text})`, type };
    }
    case 'conditional': {
      const condition = integer(c, depth - 1, isPure);
      const whenTrue = floating(c, depth - 1, isPure);
      const whenFalse = floating(c, depth - 1, isPure);
      const type = whenTrue.type === float && whenFalse.type === float ? float : double;
      const text = `(${condition.text} ? ${whenTrue.text} : ${whenFalse.text})`;
      return { text, type, isPure: condition.isPure && whenTrue.isPure && whenFalse.isPure };
    }
    case 'math': {
      const operand = floating(c, depth - 1, isPure);
      const name = random.pick(['fabs', 'floor', 'ceil', 'trunc', 'sqrt', 'round']);
      return { text: `${name}(${operand.text})`, type: double, isPure: operand.isPure };
    }
    case 'call':
      return (callOf(c, isFloat, depth) as FloatExpression | undefined) ?? floatLeaf(c);
    case 'leaf':
      return floatLeaf(c);
  }
}

function floatLeaf(c: Context): FloatExpression {
  const { random } = c;
  const found = random.chance(0.7) ? place(c, (p) => p.type.kind === 'float' && !p.isWriteOnly) : undefined;
  if (found !== undefined) return { text: found.text, type: found.type as FloatType, isPure: true };
  const digits = random.pick([
    '0.0',
    '1.0',
    '0.5',
    '-1.0',
    '0.1',
    '3.14159',
    '1e10',
    '-2.5e-3',
    '65536.0',
    '123456789.0',
  ]);
  const type = random.chance(0.7) ? double : float;
  return { text: `(${digits}${type === float ? 'f' : ''})`, type, isPure: true };
}

// Any type

/** A value that is stored or passed: never a NaN, whose sign and payload the two runs need not share. */
export function scalar(c: Context, type: Scalar, depth: number, isPure = false): string {
  if (type.kind === 'integer') {
    if (c.random.chance(0.1)) return fromFloat(floating(c, depth - 1, isPure), type).text;
    return integer(c, depth, isPure).text;
  }
  if (c.random.chance(0.25)) return `${reduce(c, integer(c, depth - 1, isPure)).text}`;
  const value = floating(c, depth, isPure).text;
  return `${type === float ? 'tame_float' : 'tame'}(${value})`;
}

/** A call of a function that gives a value of the wanted type, if there is one that can be afforded. */
export function callOf(
  c: Context,
  wanted: (type: CType) => boolean,
  depth: number,
): IntegerExpression | FloatExpression | undefined {
  const candidates = c.functions.filter((f) => wanted(f.returns) && c.canAfford(f.cost));
  if (candidates.length === 0) return undefined;
  const callee = c.random.pick(candidates);
  c.spend(callee.cost);
  const text = `${callee.name}(${callee.parameters.map((type) => argument(c, type, depth - 1)).join(', ')})`;
  const type = callee.returns;
  if (type.kind === 'float') return { text, type, isPure: false };
  if (type.kind !== 'integer') return undefined;
  return { text, type, least: leastOf(type), greatest: greatestOf(type), isPure: false };
}

export function argument(c: Context, type: CType, depth: number): string {
  if (type.kind === 'integer' || type.kind === 'float') return scalar(c, type, Math.min(depth, 2));
  const same = c.variables.filter((v) => v.type === type);
  if (same.length > 0) return c.random.pick(same).text;
  if (type.kind === 'array') throw new Error('arrays are not passed by value');
  return `(${type.name}){0}`;
}

/** A printf that shows the given values. */
export function printOf(c: Context, label: string, values: readonly (IntegerExpression | FloatExpression)[]): string {
  const formats = values.map((v) => formatOf(v.type, c.random));
  const args = values.map((v) => (v.type.kind === 'float' ? `tame(${v.text})` : v.text));
  return `printf(${[`"${label} ${formats.join(' ')}\\n"`, ...args].join(', ')});`;
}
