/** Places in memory and their values as a C programmer writes them: `queue.items[2]`, `&node#1`, `NULL`. */
import type { CType, Member } from '../ir/debug.ts';
import { doubleOfBits, floatOfBits } from './encoding.ts';

/** Shows what a cell of a type and size holds. */
export type Shower = (value: unknown, type: CType | undefined, size: number) => string;

export interface Named {
  readonly name: string;
  /** Of what lies there, if all of it is one thing. */
  readonly type: CType | undefined;
}

/**
 * The part of an object of `total` bytes that lies at `offset`. An object larger than its type is an array of it (memory
 * from malloc). Size 0: the largest thing that starts there.
 */
export function nameInside(name: string, type: CType | undefined, offset: number, size: number, total: number): Named {
  if (type === undefined) {
    const isWhole = offset === 0 && (size === total || size <= 0);
    return { name: isWhole ? name : `${name}+${offset}`, type: undefined };
  }
  const whole = sizeOfC(type);
  if (whole !== undefined && whole > 0 && total >= 2 * whole) {
    const index = Math.floor(offset / whole);
    return walk(`${name}[${index}]`, type, offset - index * whole, size);
  }
  return walk(name, type, offset, size);
}

/** The synchronisation object at `offset`: as `nameInside`, but not the struct that begins with it. */
export function nameOfSync(name: string, type: CType | undefined, offset: number, total: number): string {
  return nameInside(name, type, offset, SYNC, total).name;
}

/** In place of a size: stop at what is a synchronisation object of its own. */
const SYNC = -1;

function isSync(type: CType): boolean {
  return type.kind !== 'struct' || /^(pthread_|mtx_|cnd_|sem_|once_|tss_|thrd_)/.test(type.name ?? '');
}

function walk(start: string, startType: CType, startOffset: number, size: number): Named {
  let name = start;
  let type: CType | undefined = startType;
  let offset = startOffset;
  for (;;) {
    if (type === undefined) return { name: offset === 0 ? name : `${name}+${offset}`, type };
    if (offset === 0 && (size === 0 || (size === sizeOfC(type) && isScalar(type)))) return { name, type };
    if (size === SYNC && offset === 0 && type.kind !== 'array' && isSync(type)) return { name, type };
    if (type.kind === 'array') {
      const element: CType | undefined = type.element();
      const each: number | undefined = element === undefined ? undefined : sizeOfC(element);
      if (each === undefined || each === 0) return { name: `${name}+${offset}`, type: undefined };
      const index = Math.floor(offset / each);
      if (offset === index * each && size > each) return { name: `${name}[${index}…]`, type: undefined };
      name += `[${index}]`;
      offset -= index * each;
      type = element;
    } else if (type.kind === 'struct') {
      const member: Member | undefined = memberAt(type.members(), offset, size);
      if (member === undefined) return { name: offset === 0 ? name : `${name}+${offset}`, type: undefined };
      if (member.name !== undefined) name += `.${member.name}`;
      offset -= member.offset;
      type = member.isBitField ? undefined : member.type;
      if (member.isBitField) return { name, type: undefined };
    } else {
      return { name: offset === 0 ? name : `${name}+${offset}`, type: undefined };
    }
  }
}

/** The member that an access goes to; of the members of a union, one of the size of the access rather than another. */
function memberAt(members: readonly Member[], offset: number, size: number): Member | undefined {
  const covering = members.filter((m) => {
    const length = m.isBitField ? 1 : ((m.type === undefined ? undefined : sizeOfC(m.type)) ?? 0);
    return m.offset <= offset && offset < m.offset + Math.max(1, length);
  });
  return covering.find((m) => m.type !== undefined && m.offset === offset && sizeOfC(m.type) === size) ?? covering[0];
}

/** Where the scalars of a type begin; none if it is too large or not known. */
export function scalarOffsets(type: CType, at = 0, found: number[] = []): number[] {
  if (found.length > 10_000) return found;
  if (type.kind === 'struct') {
    for (const { type: member, offset } of type.members())
      if (member !== undefined) scalarOffsets(member, at + offset, found);
  } else if (type.kind === 'array') {
    const element = type.element();
    const size = element === undefined ? undefined : sizeOfC(element);
    if (element !== undefined && size !== undefined && size > 0) {
      for (let i = 0; i < (type.count ?? 0); i++) scalarOffsets(element, at + i * size, found);
    }
  } else found.push(at);
  return found;
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
      return showBase(value, type.encoding, size);
    default:
      return String(value);
  }
}

function showPointer(address: number, place: (address: number) => string | undefined): string {
  if (address === 0) return 'NULL';
  return place(address) ?? `0x${(address >>> 0).toString(16)}`;
}

/** A number that could only be an address is shown as one. */
function showUntyped(value: number | bigint, size: number, place: (address: number) => string | undefined): string {
  const isAddress = size === 4 && typeof value === 'number' && value > 0xffff;
  return (isAddress ? place(value) : undefined) ?? String(value);
}

function showBase(value: number | bigint, encoding: string, size: number): string {
  if (encoding === 'float') {
    if (size === 4) return String(floatOfBits(Number(value)));
    return size === 8 ? String(doubleOfBits(BigInt(value))) : String(value);
  }
  if (encoding === 'bool') return value ? 'true' : 'false';
  if (encoding === 'unsigned' || encoding === 'unsigned char') return String(BigInt.asUintN(size * 8, BigInt(value)));
  return String(value);
}
