/** How a programmer names a part of a variable: `.x`, `[2].next`. */
import type { CType, Member } from '../../ir/debug.ts';

export interface MemberPath {
  readonly path: string;
  readonly type: CType | undefined;
}

/** The path to the innermost part at an offset; undefined where the debug information does not say. */
export function memberPath(type: CType | undefined, offset: number): MemberPath | undefined {
  if (type === undefined) return undefined;
  let at: CType | undefined = type;
  let rest = offset;
  let path = '';
  while (at !== undefined) {
    if (at.kind === 'struct') {
      const start = rest;
      // The last one that begins here or before; of a union the first, which has the same offset as all others.
      const members: readonly Member[] = at.members().filter((member) => member.offset <= start);
      const member: Member | undefined = at.isUnion ? members[0] : members.at(-1);
      if (member === undefined) return undefined;
      // Which of the bit-fields that share these bytes is meant, nobody knows.
      if (member.isBitField) return { path, type: at };
      if (member.name !== undefined) path += `.${member.name}`;
      rest -= member.offset;
      at = member.type;
    } else if (at.kind === 'array') {
      const element = at.element();
      const size = element === undefined || !('size' in element) ? 0 : element.size;
      if (size === 0) return undefined;
      const index = Math.floor(rest / size);
      path += `[${index}]`;
      rest -= index * size;
      at = element;
    } else {
      break;
    }
  }
  return rest === 0 ? { path, type: at } : undefined;
}
