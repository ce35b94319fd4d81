/** Places in memory and their values as a C programmer writes them: `queue.items[2]`, `&node#1`, `NULL`. */
import type { CType, Member } from '../ir/debug.ts';
import { doubleOfBits, floatOfBits } from './encoding.ts';

/** Shows what a cell of a type and size holds. */
export type Shower = (value: unknown, type: CType | undefined, size: number) => string;

export interface Named {
  readonly name: string;
  /** Of what lies there, if all of it is one thing. */
  readonly type: CType | undefined;
  /** If it has bit-fields: these. */
  readonly fields?: readonly BitField[];
}

interface BitField {
  readonly name: string | undefined;
  /** Its first bit in the cell. */
  readonly first: number;
  readonly count: number;
  readonly isSigned: boolean;
}

/**
 * The part of an object of `total` bytes that lies at `offset`. An object larger than its type is an array of it (memory
 * from malloc). Size 0: the largest thing that starts there.
 */
export function nameInside(name: string, type: CType | undefined, offset: number, size: number, total: number): Named {
  const isThat = (at: CType): boolean => size === 0 || (size === sizeOfC(at) && (isScalar(at) || isBeyondScalars(at)));
  return find(name, type, offset, size, total, isThat);
}

/** `count` bytes at `offset`, which may be several things: a struct, an array, a part of one. */
export function nameOfRange(
  name: string,
  type: CType | undefined,
  offset: number,
  count: number,
  total: number,
): string {
  if (offset === 0 && count === total) return name;
  return find(name, type, offset, count, total, (at) => count === sizeOfC(at)).name;
}

/** `isThat`: whether something that starts at `offset` is it. */
function find(
  name: string,
  type: CType | undefined,
  offset: number,
  size: number,
  total: number,
  isThat: (at: CType) => boolean,
): Named {
  if (type === undefined) {
    const isWhole = offset === 0 && (size === total || size <= 0);
    return { name: isWhole ? name : `${name}+${offset}`, type: undefined };
  }
  if (offset === 0 && size === 0) return { name, type };
  const whole = sizeOfC(type);
  if (whole === undefined || whole === 0 || total < 2 * whole || hasTail(type, total))
    return walk(name, type, offset, size, isThat);
  const index = Math.floor(offset / whole);
  return walk(`${name}[${index}]`, type, offset - index * whole, size, isThat);
}

/** Whether memory of `total` bytes is one struct with an array of any length at its end, rather than an array of such structs. */
function hasTail(type: CType, total: number): boolean {
  if (type.kind !== 'struct' || type.isUnion) return false;
  const last = type.members().at(-1)?.type;
  if (last?.kind !== 'array') return false;
  return last.size === 0 || (last.count === 1 && total % type.size !== 0); // the way before C99
}

/** The synchronisation object at `offset`: as `nameInside`, but not the struct that begins with it. */
export function nameOfSync(name: string, type: CType | undefined, offset: number, total: number): string {
  return find(name, type, offset, SYNC, total, (at) => at.kind !== 'array' && isSync(at)).name;
}

/** In place of a size: it has its own, and is no array. */
const SYNC = -1;

function isSync(type: CType): boolean {
  return type.kind !== 'struct' || isSyncStruct(type);
}

/** Its members are nobody's business. */
function isSyncStruct(type: CType): boolean {
  return type.kind === 'struct' && /^(pthread_|mtx_|cnd_|sem_|once_|tss_|thrd_)/.test(type.name ?? '');
}

function walk(
  start: string,
  startType: CType,
  startOffset: number,
  size: number,
  isThat: (at: CType) => boolean,
): Named {
  let name = start;
  let type: CType | undefined = startType;
  let offset = startOffset;
  for (;;) {
    if (type === undefined) return { name: offset === 0 ? name : `${name}+${offset}`, type };
    if (offset === 0 && isThat(type)) return { name, type };
    if (isSyncStruct(type)) return { name: `${name}+${offset}`, type: undefined };
    if (type.kind === 'array') {
      const element: CType | undefined = type.element();
      const each: number | undefined = element === undefined ? undefined : sizeOfC(element);
      if (each === undefined || each === 0) return { name: `${name}+${offset}`, type: undefined };
      const index = Math.floor(offset / each);
      if (offset === index * each && size > each) return rangeOf(name, type, index, Math.ceil(size / each), size);
      name += `[${index}]`;
      offset -= index * each;
      type = element;
    } else if (type.kind === 'struct') {
      const member: Member | undefined = memberAt(type.members(), offset, size);
      if (member === undefined) return { name: offset === 0 ? name : `${name}+${offset}`, type: undefined };
      const fields = member.isBitField ? fieldsIn(type.members(), offset, size) : [];
      if (fields.length > 0) return withFields(name, fields);
      if (member.name !== undefined) name += `.${member.name}`;
      offset -= member.offset;
      type = member.isBitField ? undefined : member.type;
      if (member.isBitField) return { name, type: undefined };
    } else {
      return { name: offset === 0 ? name : `${name}+${offset}`, type: undefined };
    }
  }
}

function rangeOf(
  name: string,
  array: Extract<CType, { kind: 'array' }>,
  first: number,
  count: number,
  size: number,
): Named {
  const type: CType = { kind: 'array', size, count, element: array.element };
  return { name: `${name}[${first}..${first + count - 1}]`, type };
}

/** The bit-fields that share the bytes. */
function fieldsIn(members: readonly Member[], offset: number, size: number): BitField[] {
  return members.flatMap(({ name, type, bits }) => {
    const first = (bits?.first ?? 0) - offset * 8;
    if (bits === undefined || first < 0 || first + bits.count > size * 8) return [];
    return [{ name, first, count: bits.count, isSigned: type?.kind === 'base' && type.encoding.startsWith('signed') }];
  });
}

function withFields(start: string, fields: readonly BitField[]): Named {
  const names = fields.map(({ name }) => name ?? '');
  return { name: `${start}.${names.length === 1 ? names[0] : `{${names.join(', ')}}`}`, type: undefined, fields };
}

/** The values of bit-fields in a cell, in the order of their names. */
export function showFields(value: unknown, fields: readonly BitField[]): string {
  if (typeof value !== 'number' && typeof value !== 'bigint') return String(value);
  const values = fields.map(({ first, count, isSigned }) => {
    const bits = BigInt(value) >> BigInt(first);
    return String(isSigned ? BigInt.asIntN(count, bits) : BigInt.asUintN(count, bits));
  });
  return values.length === 1 ? (values[0] as string) : `{${values.join(', ')}}`;
}

/**
 * The member that an access goes to; of the members of a union, one of the size of the access rather than another, or else one that
 * has something of that size inside.
 */
function memberAt(members: readonly Member[], offset: number, size: number): Member | undefined {
  const covering = members.filter((m, i) => {
    if (i === members.length - 1 && m.type?.kind === 'array' && m.offset <= offset) return true; // it may be of any length
    const length = m.isBitField ? 1 : ((m.type === undefined ? undefined : sizeOfC(m.type)) ?? 0);
    return m.offset <= offset && offset < m.offset + Math.max(1, length);
  });
  const alike = covering.filter((m) => m.type !== undefined && m.offset === offset && sizeOfC(m.type) === size);
  const [first = covering.find((m) => hasScalar(m.type, offset - m.offset, size)) ?? covering[0]] = alike;
  return alike.find((m) => m.type !== undefined && isScalar(m.type)) ?? first;
}

/** Whether a scalar of this size lies at an offset. */
function hasScalar(type: CType | undefined, offset: number, size: number): boolean {
  if (type === undefined || offset < 0) return false;
  if (type.kind === 'struct') return type.members().some((m) => hasScalar(m.type, offset - m.offset, size));
  if (type.kind !== 'array') return offset === 0 && sizeOfC(type) === size;
  const element = type.element();
  const each = element === undefined ? 0 : (sizeOfC(element) ?? 0);
  return each >= size && hasScalar(element, offset % each, size);
}

/** Where the scalars of a type begin; those that come first if it is too large. */
export function scalarOffsets(type: CType): number[] {
  return scalarsIn(type, MOST_SCALARS).map(({ offset }) => offset);
}

const MOST_SCALARS = 10_000;

interface Scalar {
  readonly offset: number;
  readonly type: CType;
}

/** The scalars of a type, at least `most` of them if there are more; of a union, those of all its members. */
function scalarsIn(type: CType, most: number, at = 0, found: Scalar[] = [], members = membersOf): Scalar[] {
  if (found.length > most) return found;
  if (type.kind === 'struct') {
    for (const { type: member, offset } of members(type))
      if (member !== undefined) scalarsIn(member, most, at + offset, found, members);
  } else if (type.kind === 'array') {
    const element = type.element();
    const size = element === undefined ? undefined : sizeOfC(element);
    if (element !== undefined && size !== undefined && size > 0) {
      for (let i = 0; i < (type.count ?? 0) && found.length <= most; i++)
        scalarsIn(element, most, at + i * size, found);
    }
  } else found.push({ offset: at, type });
  return found;
}

type Struct = Extract<CType, { kind: 'struct' }>;

const membersOf = (type: Struct): readonly Member[] => type.members();

/** Of a union the first member that is as large as all of it. */
function membersShown(type: Struct): readonly Member[] {
  const all = type.members();
  const largest = all.filter((member) => member.type !== undefined && sizeOfC(member.type) === type.size);
  return type.isUnion ? largest.slice(0, 1) : all;
}

const LARGEST_SCALAR = 16;

/** Whether nothing in it is a scalar as large as all of it. */
function isBeyondScalars(type: CType): boolean {
  const size = sizeOfC(type) ?? 0;
  const scalars = scalarsIn(type, size > LARGEST_SCALAR ? 1 : LARGEST_SCALAR);
  return scalars.length > 1 && scalars.every((scalar) => sizeOfC(scalar.type) !== size);
}

function isScalar(type: CType): boolean {
  return type.kind === 'base' || type.kind === 'pointer' || type.kind === 'enum';
}

function sizeOfC(type: CType): number | undefined {
  return type.kind === 'function' ? undefined : type.size;
}

/** The word for a type in the name of an object: `node` for `struct node`. */
export function wordFor(type: CType | undefined): string | undefined {
  if (type === undefined) return undefined;
  switch (type.kind) {
    case 'base':
    case 'struct':
    case 'enum':
      return type.name;
    case 'pointer':
      return 'pointer';
    case 'array':
      return wordFor(type.element());
    case 'function':
      return undefined;
  }
}

/** What a cell holds, by its type; `place` names an address. */
export function showHeld(
  value: unknown,
  type: CType | undefined,
  size: number,
  place: (address: number) => string | undefined,
): string {
  if (typeof value !== 'number' && typeof value !== 'bigint') return String(value);
  if (type === undefined) return showUntyped(value, size, place);
  switch (type.kind) {
    case 'pointer':
      return showPointer(Number(value), place);
    case 'enum':
      return type.names.get(BigInt(value)) ?? String(value);
    case 'base':
      return showBase(value, type, size);
    case 'struct':
    case 'array':
      return showParts(BigInt(value), type, place);
    default:
      return String(value);
  }
}

const MOST_PARTS = 4;

/** What was never read or written but as a whole. */
function showParts(value: bigint, type: CType, place: (address: number) => string | undefined): string {
  const text = isText(type) ? textOf(bytesOf(value, type.size)) : undefined;
  if (text !== undefined) return text;
  const parts = scalarsIn(type, MOST_PARTS, 0, [], membersShown).map(({ offset, type: part }) => {
    const size = sizeOfC(part) ?? 0;
    const held = BigInt.asIntN(size * 8, value >> BigInt(offset * 8));
    return showHeld(size <= 4 ? Number(held) : held, part, size, place);
  });
  return listed(parts, MOST_PARTS);
}

function isText(type: CType): type is Extract<CType, { kind: 'array' }> {
  const element = type.kind === 'array' ? type.element() : undefined;
  return element?.kind === 'base' && element.size === 1;
}

/** `{1, 2, 3}`, the first ones if there are many. */
export function listed(values: readonly string[], most: number): string {
  return `{${values.slice(0, most).join(', ')}${values.length > most ? ', …' : ''}}`;
}

function showPointer(address: number, place: (address: number) => string | undefined): string {
  if (address === 0) return 'NULL';
  return place(address) ?? `0x${(address >>> 0).toString(16)}`;
}

/** A number that could only be an address is shown as one. */
function showUntyped(value: number | bigint, size: number, place: (address: number) => string | undefined): string {
  const isAddress = size === 4 && typeof value === 'number' && value > 0xffff;
  if (isAddress) return place(value) ?? String(value);
  const isNumber = size <= 2 || size === 4 || size === 8;
  return (isNumber ? undefined : textOf(bytesOf(BigInt(value), size))) ?? String(value);
}

function bytesOf(value: bigint, size: number): number[] {
  return Array.from({ length: size }, (_, i) => Number(BigInt.asUintN(8, value >> BigInt(i * 8))));
}

const MOST_CHARACTERS = 24;

const isSpace = (byte: number): boolean => byte === 0x09 || byte === 0x0a || byte === 0x0d;

/** Bytes as a string of C, if they can be read as one, up to its end. */
export function textOf(bytes: readonly number[]): string | undefined {
  const end = bytes.indexOf(0);
  const characters = end < 0 ? bytes : bytes.slice(0, end);
  const isText = characters.length > 0 && characters.every((byte) => (byte >= 0x20 && byte < 0x7f) || isSpace(byte));
  if (!isText || bytes.slice(characters.length).some((byte) => byte !== 0)) return undefined;
  const text = String.fromCharCode(...characters.slice(0, MOST_CHARACTERS));
  return JSON.stringify(characters.length > MOST_CHARACTERS ? `${text}…` : text);
}

function showBase(value: number | bigint, { name, encoding }: Extract<CType, { kind: 'base' }>, size: number): string {
  if (name === 'char' && value >= 0x20 && value < 0x7f) return `'${String.fromCharCode(Number(value))}'`;
  if (encoding === 'float') {
    if (size === 4) return String(floatOfBits(Number(value)));
    return size === 8 ? String(doubleOfBits(BigInt(value))) : String(value);
  }
  if (encoding === 'bool') return value ? 'true' : 'false';
  if (encoding === 'unsigned' || encoding === 'unsigned char') return String(BigInt.asUintN(size * 8, BigInt(value)));
  return String(value);
}
