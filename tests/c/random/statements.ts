/** Statements: all end, none has undefined behaviour. */
import { anyType, declarator, localInitialiser } from './aggregates.ts';
import type { Context, CType, Pointer, StructType, Variable } from './context.ts';
import {
  argument,
  binary,
  floating,
  integer,
  integerLiteral,
  type Place,
  place,
  printOf,
  read,
  reduce,
  scalar,
} from './expressions.ts';
import { block, type Piece } from './pieces.ts';
import { bitFieldType, type IntegerType, int, promoted, unsigned, unsignedOf } from './scalars.ts';
import { scene } from './scenes.ts';

/** Where a statement stands: what may leave the construct around it. */
interface Around {
  readonly isLoop: boolean;
  readonly depth: number;
}

export const atTop: Around = { isLoop: false, depth: 0 };

export function statements(c: Context, count: number, around: Around = atTop): Piece[] {
  return Array.from({ length: count }, () => statement(c, around)).flat();
}

function statement(c: Context, around: Around): Piece[] {
  const { random } = c;
  c.spend(1);
  const nests = around.depth < 3;
  switch (
    random.weighted(
      [6, 'assign'],
      [3, 'declare'],
      [3, 'compound'],
      [1.5, 'increment'],
      [2, 'print'],
      [2, 'show'],
      [1.5, 'call'],
      [1, 'copy'],
      [1.5, 'point'],
      [0.7, 'side effect'],
      [around.isLoop ? 0.8 : 0, 'jump'],
      [nests ? 2 : 0, 'if'],
      [nests ? 2.5 : 0, 'loop'],
      [nests ? 1 : 0, 'switch'],
      [nests ? 0.5 : 0, 'goto'],
      [around.depth === 0 ? 2.5 : 0.4, 'scene'],
    )
  ) {
    case 'assign':
      return assign(c);
    case 'declare':
      return declaration(c);
    case 'compound':
      return compound(c);
    case 'increment':
      return increment(c);
    case 'print':
      return print(c);
    case 'show':
      return c.variables.length === 0 ? print(c) : show(c, random.pick(c.variables));
    case 'call':
      return call(c);
    case 'copy':
      return copy(c);
    case 'point':
      return point(c);
    case 'side effect':
      return sideEffect(c);
    case 'jump':
      return [`if (${integer(c, 1).text}) ${random.pick(['break', 'continue'])};`];
    case 'if':
      return branch(c, around);
    case 'loop':
      return loop(c, around);
    case 'switch':
      return choice(c, around);
    case 'goto':
      return leap(c, around);
    case 'scene':
      return c.canAfford(60) ? scene(c) : print(c);
  }
}

const isWritable = (p: Place) => !p.isConst;

function assign(c: Context): Piece[] {
  const target = place(c, isWritable);
  return target === undefined ? declaration(c) : [`${target.text} = ${scalar(c, target.type, 3)};`];
}

function declaration(c: Context): Piece[] {
  const { random } = c;
  const type = anyType(c);
  const name = c.name('v');
  const isStatic = random.chance(0.1);
  if (isStatic) {
    // Constants only; the value lives on from call to call.
    const value = type.kind === 'integer' ? integerLiteral(c, type).text : type.kind === 'float' ? '1.25' : '{0}';
    c.declare(name, type);
    return [`static ${declarator(type, name)} = ${value};`];
  }
  const lines: Piece[] = [];
  const isConst = random.chance(0.07);
  const isRegister = !isConst && type.kind === 'integer' && random.chance(0.05);
  const isVolatile = !isRegister && random.chance(0.08);
  const qualifier = isConst ? 'const ' : isRegister ? 'register ' : isVolatile ? 'volatile ' : '';
  if (type.kind === 'struct' && !type.isUnion && random.chance(0.3) && !isConst && !isVolatile) {
    lines.push(`${declarator(type, name)};`, ...fill(c, name, type));
  } else {
    lines.push(`${qualifier}${declarator(type, name)} = ${localInitialiser(c, type)};`);
  }
  // A pointer that is kept somewhere makes it an object that others could reach.
  if (random.chance(0.2) && !isRegister) lines.push(`keep = (const void *)&${name};`);
  c.declare(name, type, { isConst, hasAddress: !isConst && !isRegister && !isVolatile });
  return lines;
}

/** Sets every field of a struct that was declared without an initialiser. */
function fill(c: Context, text: string, type: CType): Piece[] {
  if (type.kind === 'integer' || type.kind === 'float') return [`${text} = ${scalar(c, type, 1)};`];
  if (type.kind === 'array') {
    return Array.from({ length: type.length }, (_, index) => fill(c, `${text}[${index}]`, type.of)).flat();
  }
  const fields = type.isUnion ? type.fields.slice(0, 1) : type.fields;
  return fields.flatMap((f) => fill(c, `${text}.${f.name}`, f.type));
}

function compound(c: Context): Piece[] {
  const target = place(c, (p) => isWritable(p) && !p.isWriteOnly);
  if (target === undefined) return declaration(c);
  const { random } = c;
  if (target.type.kind === 'float') {
    const operator = random.pick(['+', '-', '*', '/']);
    const lines = [`${target.text} ${operator}= ${floating(c, 2).text};`];
    return [...lines, `if (${target.text} != ${target.text}) ${target.text} = 2;`];
  }
  return [`${compoundText(c, target)};`];
}

function compoundText(c: Context, target: Place): string {
  const { random } = c;
  const type = target.type;
  if (type.kind !== 'integer') throw new Error(`${target.text} is no integer`);
  const operator = random.pick(['+', '-', '*', '&', '|', '^', '/', '%', '<<', '>>'] as const);
  const bits = promoted(type).bits;
  if (operator === '<<') {
    // Only a type that is unsigned after promotion may be shifted to the left whatever its value.
    if (promoted(type).isSigned) return `${target.text} ^= 1`;
    return `${target.text} <<= ${random.between(0, bits - 1)}`;
  }
  if (operator === '>>') return `${target.text} >>= (${integer(c, 1).text} & ${bits - 1})`;
  const value = integer(c, 2);
  if (operator === '/' || operator === '%') return `${target.text} ${operator}= ((${value.text} & 15) + 2)`;
  const direct = binary(operator, read(target), value);
  // The expression says whether it had to go through unsigned types.
  const isDirect = direct.text.startsWith(`(${target.text} `);
  return `${target.text} ${operator}= ${isDirect ? value.text : `(${unsignedOf(direct.type).name})${value.text}`}`;
}

function increment(c: Context): Piece[] {
  const target = place(c, (p) => isWritable(p) && p.type.kind === 'integer' && p.type.bits > 1);
  if (target === undefined) return declaration(c);
  const text = c.random.pick([`${target.text}++`, `++${target.text}`, `${target.text}--`, `--${target.text}`]);
  const wraps = target.type.kind === 'integer' && (!promoted(target.type).isSigned || target.type.rank < int.rank);
  if (wraps) return [`${text};`];
  return [`if (${target.text} > -1000 && ${target.text} < 1000) ${text};`];
}

/** A statement whose value and side effect are both used; nothing else in it touches what it changes. */
function sideEffect(c: Context): Piece[] {
  const { random } = c;
  const type = random.pick([int, unsignedOf(int)]);
  const name = c.name('e');
  const first = `${type.name} ${name} = ${reduce(c, integer(c, 2)).text};`;
  const second = c.name('e');
  const uses = random.pick([
    `${name}++ * 3`,
    `(${name} += 7, ${name} - 2)`,
    `--${name} & 31`,
    `(${name} = ${integer(c, 1).text} & 255) + 1`,
    `(${name} > 5 && ++${name} > 7) ? 1 : -1`,
    `({ int in = ${name}; ${name} = 3; in * 2; })`,
  ]);
  const lines = [first, `int ${second} = ${uses};`, `printf("%d %d\\n", (int)${name}, ${second});`];
  c.declare(name, type);
  c.declare(second, int);
  return lines;
}

function print(c: Context): Piece[] {
  const count = c.random.between(1, 5);
  const values = Array.from({ length: count }, () => (c.random.chance(0.2) ? floating(c, 2) : integer(c, 3)));
  return [printOf(c, c.prefix, values)];
}

function call(c: Context): Piece[] {
  const candidates = c.functions.filter((f) => c.canAfford(f.cost));
  if (candidates.length === 0) return print(c);
  const callee = c.random.pick(candidates);
  c.spend(callee.cost);
  const text = `${callee.name}(${callee.parameters.map((type) => argument(c, type, 2)).join(', ')})`;
  if (callee.returns.kind !== 'struct') return [`${text};`];
  const same = c.variables.filter((v) => v.type === callee.returns && !v.isConst);
  if (same.length > 0 && c.random.chance(0.6)) return [`${c.random.pick(same).text} = ${text};`];
  const name = c.name('v');
  c.declare(name, callee.returns);
  return [`${callee.returns.name} ${name} = ${text};`];
}

/** Struct assignment, memcpy, memmove and compound literals. */
function copy(c: Context): Piece[] {
  const { random } = c;
  const structs = c.variables.filter((v) => v.type.kind === 'struct');
  const target = structs.filter((v) => !v.isConst);
  if (target.length === 0) return declaration(c);
  const to = random.pick(target);
  const type = to.type as StructType;
  const from = random.pick(structs.filter((v) => v.type === type));
  if (random.chance(0.3)) return [`${to.text} = (${type.name})${localInitialiser(c, type)};`];
  if (random.chance(0.4) && to.hasAddress && from.hasAddress) {
    return [`memmove(&${to.text}, &${from.text}, sizeof(${type.name}));`];
  }
  return [`${to.text} = ${from.text};`];
}

/** Declares a pointer to a scalar, or turns one elsewhere. */
function point(c: Context): Piece[] {
  const { random } = c;
  if (c.pointers.length > 0 && random.chance(0.4)) {
    const pointer = random.pick(c.pointers);
    const target = place(c, (p) => isTarget(p, pointer));
    if (target === undefined) return [`*${pointer.name} = ${scalar(c, pointer.to, 2)};`];
    return [`${pointer.name} = &${target.text};`];
  }
  const target = place(c, isPointable);
  if (target === undefined) return declaration(c);
  const name = c.name('p');
  const lines: Piece[] = [`${target.type.name} *${name} = &${target.text};`];
  if (random.chance(0.2)) {
    lines.push(`${target.type.name} **${name}_ = &${name};`, `**${name}_ = ${scalar(c, target.type, 2)};`);
  }
  c.pointers.push({ name, to: target.type, level: c.level });
  return lines;
}

/** A pointer may only point to what lives as long as itself. */
const isTarget = (p: Place, pointer: Pointer) => isPointable(p) && p.type === pointer.to && p.level <= pointer.level;
const isPointable = (p: Place) => p.hasAddress && !p.isConst && !p.isWriteOnly;

function branch(c: Context, around: Around): Piece[] {
  const inner = { ...around, depth: around.depth + 1 };
  const condition = c.random.chance(0.8) ? integer(c, 2).text : floating(c, 2).text;
  const whenTrue = c.inScope(() => statements(c, c.random.between(1, 3), inner));
  if (c.random.chance(0.5)) return [block(`if (${condition}) {`, whenTrue)];
  const whenFalse = c.inScope(() => statements(c, c.random.between(1, 3), inner));
  return [block(`if (${condition}) {`, whenTrue), block('else {', whenFalse)];
}

function loop(c: Context, around: Around): Piece[] {
  const { random } = c;
  const count = random.between(1, 6);
  if (!c.canAfford(count * 8)) return print(c);
  const counter = c.name('i');
  const inner = { isLoop: true, depth: around.depth + 1 };
  const body = (type?: IntegerType): Piece[] =>
    c.repeated(count, () => {
      if (type !== undefined)
        c.declare(counter, type, { isConst: true, hasAddress: false, greatest: BigInt(count - 1) });
      return statements(c, random.between(1, 4), inner);
    });
  switch (random.pick(['up', 'up', 'down', 'while', 'do', 'endless'] as const)) {
    case 'up':
      return [block(`for (int ${counter} = 0; ${counter} < ${count}; ${counter}++) {`, body(int))];
    case 'down':
      return [block(`for (unsigned ${counter} = ${count}; ${counter}-- > 0; ) {`, body(unsigned))];
    case 'while':
      return [`int ${counter} = ${count};`, block(`while (${counter}-- > 0) {`, body())];
    case 'do':
      return [`int ${counter} = 0;`, block('do {', body(), `} while (++${counter} < ${count});`)];
    case 'endless':
      return [`long long ${counter} = 0;`, block('for (;;) {', [`if (++${counter} > ${count}) break;`, ...body()])];
  }
}

function choice(c: Context, around: Around): Piece[] {
  const { random } = c;
  // A break would leave the switch; a continue would be right, but need not be.
  const inner = { isLoop: false, depth: around.depth + 1 };
  const values = random.pick([
    ['0', '1', '2', '3'],
    ['-1', '0', '7', '100'],
    ['-2147483647 - 1', '0', '2147483647', "'a'"],
    ['0 ... 3', '5', '6 ... 9'],
    ['1ll << 40', '-1ll', '5', '0'],
  ]);
  const isWide = values[0] === '1ll << 40' || random.chance(0.2);
  const subject = random.chance(0.6) ? `(${integer(c, 2).text}) & 7` : integer(c, 2).text;
  const parts: Piece[] = values.flatMap((value): Piece[] => {
    const body = c.inScope(() => statements(c, random.between(0, 2), inner));
    const end: Piece[] = random.chance(0.6) ? ['break;'] : [];
    return [block(`case ${value}: {`, body), ...end];
  });
  const other = c.inScope(() => statements(c, random.between(0, 2), inner));
  const fallback = [block('default: {', other), 'break;'];
  const all = random.chance(0.7) ? [...parts, ...fallback] : [...fallback, ...parts];
  return [block(`switch (${isWide ? `(long long)(${subject})` : subject}) {`, all)];
}

function leap(c: Context, around: Around): Piece[] {
  const label = c.name('L');
  const inner = { isLoop: false, depth: around.depth + 1 };
  const body = c.inScope(() => statements(c, c.random.between(1, 3), inner));
  const other = c.inScope(() => statements(c, c.random.between(1, 2), inner));
  const jump = `if (${integer(c, 2).text}) goto ${label};`;
  return [block('{', [...body, jump, block('{', other)]), `${label}:;`];
}

/** Shows what all variables in scope hold. */
export function printAll(c: Context): Piece[] {
  return c.variables.flatMap((variable) => show(c, variable));
}

function show(c: Context, variable: Variable): Piece[] {
  const leaves = leavesOf(variable.text, variable.type).slice(0, 16);
  return leaves.length === 0 ? [] : [printOf(c, variable.text, leaves)];
}

function leavesOf(text: string, type: CType): ReturnType<typeof read>[] {
  if (type.kind === 'array') {
    return Array.from({ length: type.length }, (_, index) => leavesOf(`${text}[${index}]`, type.of)).flat();
  }
  if (type.kind === 'struct') {
    return type.fields.flatMap((f) => {
      if (f.isWriteOnly) return [];
      const leaves = leavesOf(`${text}.${f.name}`, f.type);
      const { width } = f;
      if (width === undefined || f.type.kind !== 'integer') return leaves;
      const type = bitFieldType(f.type, width);
      return leaves.map((leaf) => ({ ...leaf, type }));
    });
  }
  return [{ text, type, least: 0n, greatest: 0n, isPure: true } as ReturnType<typeof read>];
}
