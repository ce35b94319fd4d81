/**
 * Types of the C source, from the debug information of a module: what is needed to name a place in memory as a programmer would
 * (`queue.items[2]`) and to show its value.
 */
export type CType =
  | { readonly kind: 'base'; readonly name: string; readonly size: number; readonly encoding: Encoding }
  /** `to` undefined: void. A function, so that recursive types end. */
  | { readonly kind: 'pointer'; readonly size: number; readonly to: () => CType | undefined }
  | {
      /** A struct or union; `name` is undefined for one without a tag (then a typedef's name is used if there is one). */
      readonly kind: 'struct';
      readonly name: string | undefined;
      readonly isUnion: boolean;
      readonly size: number;
      readonly members: () => readonly Member[];
    }
  /** `count` undefined: of unknown length. Several dimensions are arrays of arrays. */
  | {
      readonly kind: 'array';
      readonly size: number;
      readonly count: number | undefined;
      readonly element: () => CType | undefined;
    }
  | {
      readonly kind: 'enum';
      readonly name: string | undefined;
      readonly size: number;
      readonly names: ReadonlyMap<bigint, string>;
    }
  | { readonly kind: 'function' };

export type Encoding = 'signed' | 'unsigned' | 'bool' | 'float' | 'signed char' | 'unsigned char';

export interface Member {
  /** undefined for an anonymous struct or union inside. */
  readonly name: string | undefined;
  readonly type: CType | undefined;
  /** In bytes; of a bit-field: of the byte that it starts in. */
  readonly offset: number;
  readonly isBitField: boolean;
  /** Of a bit-field: its first bit in the struct, and how many it has. */
  readonly bits?: { readonly first: number; readonly count: number };
}
