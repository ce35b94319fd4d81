/** The source's types from DWARF descriptions in metadata. They may be recursive, so parts are looked at when asked for. */
import type { CType, Encoding, Member } from './debug.ts';
import type { Metadata } from './metadata.ts';
import { type MetadataNode, numberField, stringField, wordsField } from './metadata-nodes.ts';

const encodings: Readonly<Record<string, Encoding>> = {
  DW_ATE_signed: 'signed',
  DW_ATE_unsigned: 'unsigned',
  DW_ATE_boolean: 'bool',
  DW_ATE_float: 'float',
  DW_ATE_signed_char: 'signed char',
  DW_ATE_unsigned_char: 'unsigned char',
  DW_ATE_UTF: 'unsigned',
};

/** They say how an object may be used, not what is in it. */
const transparentTags = new Set([
  'DW_TAG_typedef',
  'DW_TAG_const_type',
  'DW_TAG_volatile_type',
  'DW_TAG_restrict_type',
  'DW_TAG_atomic_type',
  'DW_TAG_immutable_type',
]);

const longestChain = 1000;

export class DebugTypes {
  readonly #metadata: Metadata;
  /** By node, then by the typedef's name that a struct without a tag gets: each type is one object. */
  readonly #known = new Map<MetadataNode, Map<string | undefined, CType | undefined>>();

  constructor(metadata: Metadata) {
    this.#metadata = metadata;
  }

  /** The type that a field of a node refers to; undefined for void, and for what is missing or unknown. */
  ofField(node: MetadataNode, field: string): CType | undefined {
    let type = this.#metadata.follow(node, field);
    let typedefName: string | undefined;
    for (let i = 0; type !== undefined && transparentTags.has(tagOf(type)); i++) {
      if (i === longestChain) return undefined;
      // Qualifiers may stand between a typedef and its struct; the innermost typedef is the one that names it.
      if (tagOf(type) === 'DW_TAG_typedef') typedefName = stringField(type, 'name');
      type = this.#metadata.follow(type, 'baseType');
    }
    return type && this.#ofNode(type, typedefName);
  }

  #ofNode(node: MetadataNode, typedefName: string | undefined): CType | undefined {
    let byName = this.#known.get(node);
    if (byName === undefined) {
      byName = new Map();
      this.#known.set(node, byName);
    }
    const key = stringField(node, 'name') === undefined ? typedefName : undefined;
    if (!byName.has(key)) byName.set(key, this.#make(node, typedefName));
    return byName.get(key);
  }

  #make(node: MetadataNode, typedefName: string | undefined): CType | undefined {
    const size = bytes(numberField(node, 'size'));
    const name = stringField(node, 'name') ?? typedefName;
    if (node.name === 'DIBasicType') return baseType(node, name ?? '', size);
    if (node.name === 'DISubroutineType') return { kind: 'function' };
    switch (tagOf(node)) {
      case 'DW_TAG_pointer_type':
        return { kind: 'pointer', size, to: lazy(() => this.ofField(node, 'baseType')) };
      case 'DW_TAG_structure_type':
      case 'DW_TAG_union_type':
      case 'DW_TAG_class_type': {
        const isUnion = tagOf(node) === 'DW_TAG_union_type';
        return { kind: 'struct', name, isUnion, size, members: lazy(() => this.#members(node)) };
      }
      case 'DW_TAG_enumeration_type':
        return { kind: 'enum', name, size, names: this.#enumerators(node) };
      case 'DW_TAG_array_type':
        return this.#array(node, size);
      default:
        return undefined;
    }
  }

  #members(node: MetadataNode): Member[] {
    return this.#metadata
      .tuple(node, 'elements')
      .filter((member) => tagOf(member) === 'DW_TAG_member')
      .map((member) => {
        const first = Math.max(0, numberField(member, 'offset') ?? 0);
        const isBitField = wordsField(member, 'flags').includes('DIFlagBitField');
        return {
          name: stringField(member, 'name'),
          type: this.ofField(member, 'baseType'),
          offset: Math.floor(first / 8),
          isBitField,
          ...(isBitField ? { bits: { first, count: numberField(member, 'size') ?? 0 } } : {}),
        };
      });
  }

  #enumerators(node: MetadataNode): Map<bigint, string> {
    const names = new Map<bigint, string>();
    for (const enumerator of this.#metadata.tuple(node, 'elements')) {
      const name = stringField(enumerator, 'name');
      const value = enumerator.fields.get('value');
      // Of several names for one value the first is shown.
      if (name !== undefined && value?.kind === 'number' && !names.has(value.value)) names.set(value.value, name);
    }
    return names;
  }

  /** One array for each dimension; the innermost has the element's type. */
  #array(node: MetadataNode, size: number): CType {
    const counts = this.#metadata.tuple(node, 'elements').map((range) => {
      const count = numberField(range, 'count');
      return count === undefined || count < 0 ? undefined : count;
    });
    const [count, ...inner] = counts;
    let element = lazy(() => this.ofField(node, 'baseType'));
    const product = counts.reduce((product: number, n) => product * (n ?? 1), 1);
    let innerSize = product === 0 ? 0 : Math.floor(size / product);
    for (const innerCount of inner.reverse()) {
      innerSize *= innerCount ?? 1;
      const row: CType = { kind: 'array', size: innerSize, count: innerCount, element };
      element = () => row;
    }
    return { kind: 'array', size, count, element };
  }
}

function baseType(node: MetadataNode, name: string, size: number): CType | undefined {
  const [encoding = ''] = wordsField(node, 'encoding');
  if (encoding === 'DW_ATE_complex_float') return complexType(name, size);
  const known = encodings[encoding];
  return known === undefined ? undefined : { kind: 'base', name, size, encoding: known };
}

/** A complex number is shown as its two parts. */
function complexType(name: string, size: number): CType {
  const part: CType = { kind: 'base', name: size === 8 ? 'float' : 'double', size: size / 2, encoding: 'float' };
  const members: Member[] = [
    { name: 'real', type: part, offset: 0, isBitField: false },
    { name: 'imag', type: part, offset: size / 2, isBitField: false },
  ];
  return { kind: 'struct', name, isUnion: false, size, members: () => members };
}

function tagOf(node: MetadataNode): string {
  return wordsField(node, 'tag')[0] ?? '';
}

function bytes(bits: number | undefined): number {
  return bits === undefined || bits < 0 ? 0 : Math.ceil(bits / 8);
}

/** Asked for once: what it gives is the same object each time. */
function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
