/** The scalar types of C on wasm32: their ranges, how they combine, how their values are written and printed. */
import type { Random } from '../../random/prng.ts';

export interface IntegerType {
  readonly kind: 'integer';
  /** As it is written; typedefs of one type are several entries. */
  readonly name: string;
  readonly bits: number;
  readonly isSigned: boolean;
  /** Conversion rank: _Bool 0, char 1, short 2, int 3, long 4, long long 5. */
  readonly rank: number;
}

export interface FloatType {
  readonly kind: 'float';
  readonly name: 'float' | 'double';
}

export type Scalar = IntegerType | FloatType;

function integer(name: string, bits: number, isSigned: boolean, rank: number): IntegerType {
  return { kind: 'integer', name, bits, isSigned, rank };
}

export const int = integer('int', 32, true, 3);
export const unsigned = integer('unsigned', 32, false, 3);
export const long = integer('long', 32, true, 4);
export const unsignedLong = integer('unsigned long', 32, false, 4);
export const longLong = integer('long long', 64, true, 5);
export const unsignedLongLong = integer('unsigned long long', 64, false, 5);
export const bool = integer('_Bool', 1, false, 0);
export const unsignedChar = integer('unsigned char', 8, false, 1);
export const double: FloatType = { kind: 'float', name: 'double' };
export const float: FloatType = { kind: 'float', name: 'float' };

export const integerTypes: readonly IntegerType[] = [
  int,
  unsigned,
  long,
  unsignedLong,
  longLong,
  unsignedLongLong,
  bool,
  unsignedChar,
  integer('char', 8, true, 1),
  integer('signed char', 8, true, 1),
  integer('short', 16, true, 2),
  integer('unsigned short', 16, false, 2),
  integer('int8_t', 8, true, 1),
  integer('uint8_t', 8, false, 1),
  integer('int16_t', 16, true, 2),
  integer('uint16_t', 16, false, 2),
  integer('int32_t', 32, true, 3),
  integer('uint32_t', 32, false, 3),
  integer('int64_t', 64, true, 5),
  integer('uint64_t', 64, false, 5),
  integer('size_t', 32, false, 4),
];

export function anyInteger(random: Random): IntegerType {
  return random.chance(0.3) ? int : random.pick(integerTypes);
}

export function anyScalar(random: Random): Scalar {
  return random.weighted<Scalar>([5, anyInteger(random)], [1, double], [0.5, float]);
}

export const sizeOf = (type: Scalar): number =>
  type.kind === 'float' ? (type.name === 'float' ? 4 : 8) : type.bits === 1 ? 1 : type.bits / 8;

export const leastOf = (type: IntegerType): bigint => (type.isSigned ? -(1n << BigInt(type.bits - 1)) : 0n);
export const greatestOf = (type: IntegerType): bigint => (1n << BigInt(type.bits - (type.isSigned ? 1 : 0))) - 1n;

/** What an operand of this type becomes before arithmetic. */
export function promoted(type: IntegerType): IntegerType {
  return type.rank < int.rank ? int : canonical(type);
}

/** What a bit-field counts as: if int holds all its values it promotes to int, whatever its type says. */
export function bitFieldType(type: IntegerType, width: number): IntegerType {
  if (width > int.bits) return type;
  return width < int.bits ? { ...type, rank: 2 } : { ...type, rank: int.rank, bits: int.bits };
}

/** Without the typedef. */
function canonical(type: IntegerType): IntegerType {
  const known = [int, unsigned, long, unsignedLong, longLong, unsignedLongLong];
  return known.find((k) => k.rank === type.rank && k.isSigned === type.isSigned) ?? type;
}

/** The usual arithmetic conversions. */
export function common(a: IntegerType, b: IntegerType): IntegerType {
  const x = promoted(a);
  const y = promoted(b);
  if (x.isSigned === y.isSigned) return x.rank >= y.rank ? x : y;
  const [signed, other] = x.isSigned ? [x, y] : [y, x];
  if (other.rank >= signed.rank) return other;
  return signed.bits > other.bits ? signed : unsignedOf(signed);
}

export function unsignedOf(type: IntegerType): IntegerType {
  const { rank } = promoted(type);
  return rank === 3 ? unsigned : rank === 4 ? unsignedLong : unsignedLongLong;
}

/** A constant of a promoted type. */
export function literal(value: bigint, type: IntegerType): string {
  if (value < 0n) {
    // The least value has no literal of its own: its magnitude does not fit.
    if (value === leastOf(type)) return `(-${-(value + 1n)}${suffixOf(type)} - 1)`;
    return `(-${-value}${suffixOf(type)})`;
  }
  return `${value}${suffixOf(type)}`;
}

function suffixOf(type: IntegerType): string {
  return `${type.isSigned ? '' : 'u'}${['', 'l', 'll'][type.rank - 3] ?? ''}`;
}

/** A printf conversion that shows every bit of a value of this type. */
export function formatOf(type: Scalar, random: Random): string {
  if (type.kind === 'float') return random.chance(0.8) ? '%.17g' : random.pick(['%.9g', '%.3f', '%e', '%g']);
  const size = type.rank === 5 ? 'll' : type.rank === 4 ? (type.name === 'size_t' ? 'z' : 'l') : '';
  if (type.rank < int.rank && random.chance(0.3)) {
    const narrow = type.rank === 2 ? 'h' : type.rank === 1 ? 'hh' : '';
    return `%${narrow}${type.isSigned ? random.pick(['d', 'i']) : random.pick(['u', 'x'])}`;
  }
  const conversion = type.isSigned ? random.pick(['d', 'd', 'd', 'i']) : random.pick(['u', 'u', 'x', 'o']);
  const flags = ['08', '-6', '5', '0', ...(type.isSigned ? ['+', ' '] : []), ...(conversion === 'x' ? ['#'] : [])];
  return `%${random.chance(0.8) ? '' : random.pick(flags)}${size}${conversion}`;
}
