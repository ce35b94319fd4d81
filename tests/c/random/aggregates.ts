/** Structs, unions, arrays, and initialisers of any type. */
import type { Context, CType, Field, StructType } from './context.ts';
import { integerLiteral, scalar } from './expressions.ts';
import { block, type Piece } from './pieces.ts';
import {
  anyScalar,
  bool,
  double,
  float,
  type IntegerType,
  int,
  integerTypes,
  longLong,
  type Scalar,
  unsigned,
  unsignedLongLong,
} from './scalars.ts';

/** `int x`, `struct s x[2][3]`. */
export function declarator(type: CType, name: string): string {
  if (type.kind === 'array') return declarator(type.of, `${name}[${type.length}]`);
  return `${type.name} ${name}`;
}

export function anyType(c: Context): CType {
  const { random } = c;
  if (random.chance(0.5)) return anyScalar(random);
  if (c.structs.length > 0 && random.chance(0.4)) return random.pick(c.structs);
  return anyArray(c);
}

export function anyArray(c: Context): CType & { kind: 'array' } {
  const { random } = c;
  const element = c.structs.length > 0 && random.chance(0.25) ? random.pick(c.structs) : anyScalar(random);
  const row = { kind: 'array', of: element, length: random.between(2, 6) } as const;
  return random.chance(0.75) ? row : { kind: 'array', of: row, length: random.between(2, 3) };
}

/** A new struct or union type at file scope. */
export function defineStruct(c: Context): StructType {
  const { random } = c;
  const kind = random.weighted([5, 'struct'], [2, 'bits'], [1, 'packed'], [1, 'wrapper'], [2, 'union'] as const);
  if (kind === 'union') return defineUnion(c);
  const name = `struct ${c.globalName('s')}`;
  const count = kind === 'wrapper' ? 1 : random.between(2, 6);
  const fields = Array.from({ length: count }, (_, index) => {
    const isBits = kind === 'bits' ? random.chance(0.8) : kind !== 'wrapper' && random.chance(0.08);
    return isBits ? bitField(c, `f${index}`) : plainField(c, `f${index}`);
  });
  const attribute = kind === 'packed' ? ' __attribute__((packed))' : '';
  return define(c, { kind: 'struct', name, isUnion: false, isPacked: kind === 'packed', fields }, attribute);
}

function define(c: Context, type: StructType, attribute: string): StructType {
  const lines: Piece[] = type.fields.map(
    (f) => `${declarator(f.type, f.name)}${f.width === undefined ? '' : ` : ${f.width}`};`,
  );
  if (type.fields.some((f) => f.width !== undefined) && c.random.chance(0.15)) lines.splice(1, 0, 'int : 0;');
  c.top.push(block(`${type.name} {`, lines, `}${attribute};`));
  c.structs.push(type);
  return type;
}

function plainField(c: Context, name: string): Field {
  const { random } = c;
  const nested = c.structs.filter((s) => s.fields.length < 5);
  const type: CType =
    nested.length > 0 && random.chance(0.2)
      ? random.pick(nested)
      : random.chance(0.2)
        ? { kind: 'array', of: anyScalar(random), length: random.between(2, 4) }
        : anyScalar(random);
  return { name, type, width: undefined, isWriteOnly: false };
}

function bitField(c: Context, name: string): Field {
  const { random } = c;
  const type = random.pick([int, unsigned, unsigned, bool, longLong, unsignedLongLong, ...integerTypes.slice(8, 14)]);
  const width = type === bool ? 1 : random.between(type.isSigned ? 2 : 1, type.bits);
  return { name, type, width, isWriteOnly: false };
}

/** Members that all have the same size and no padding: whatever was written, every other member can be read. */
function defineUnion(c: Context): StructType {
  const { random } = c;
  const name = `union ${c.globalName('u')}`;
  const isLarge = random.chance(0.5);
  const of = (bits: number): IntegerType => random.pick(integerTypes.filter((t) => t.bits === bits));
  const array = (bits: number): CType => ({ kind: 'array', of: of(bits), length: (isLarge ? 64 : 32) / bits });
  const types: CType[] = [of(isLarge ? 64 : 32), array(8), array(16), ...(isLarge ? [array(32)] : [of(32)])];
  const fields: Field[] = types.map((type, index) => ({
    name: `m${index}`,
    type,
    width: undefined,
    isWriteOnly: false,
  }));
  fields.push({ name: 'real', type: isLarge ? double : float, width: undefined, isWriteOnly: true });
  return define(c, { kind: 'struct', name, isUnion: true, isPacked: false, fields }, '');
}

/** An initialiser for a variable at file scope: constants only. */
export function constantInitialiser(c: Context, type: CType): string {
  return initialiser(c, type, (scalarType) => constant(c, scalarType));
}

function constant(c: Context, type: Scalar): string {
  const { random } = c;
  if (type.kind === 'float') {
    return random.pick(['0.0', '1.5', '-2.25', '1e-5', '3.0e8', '0.1', '(1.0 / 3)', '-0.0', '42']);
  }
  return random.chance(0.9) ? integerLiteral(c, type).text : `(sizeof(int) * ${random.between(1, 9)})`;
}

/** An initialiser inside a function. */
export function localInitialiser(c: Context, type: CType): string {
  return initialiser(c, type, (scalarType) => scalar(c, scalarType, 1));
}

function initialiser(c: Context, type: CType, value: (type: Scalar) => string): string {
  const { random } = c;
  if (type.kind === 'integer' || type.kind === 'float') return value(type);
  if (random.chance(0.1)) return '{0}';
  if (type.kind === 'array') {
    const count = random.chance(0.8) ? type.length : random.between(1, type.length);
    const items = Array.from({ length: count }, () => initialiser(c, type.of, value));
    if (random.chance(0.15)) return `{[${random.between(0, type.length - 1)}] = ${items[0]}}`;
    return `{${items.join(', ')}}`;
  }
  if (type.isUnion) {
    // The first member fills the whole union.
    const first = type.fields[0] as Field;
    return `{${random.chance(0.5) ? '' : `.${first.name} = `}${initialiser(c, first.type, value)}}`;
  }
  const count = random.chance(0.85) ? type.fields.length : random.between(1, type.fields.length);
  const chosen = type.fields.slice(0, count);
  const isDesignated = random.chance(0.3);
  const items = chosen.map((f) => `${isDesignated ? `.${f.name} = ` : ''}${initialiser(c, f.type, value)}`);
  if (isDesignated && random.chance(0.5)) items.reverse();
  return `{${items.join(', ')}}`;
}
