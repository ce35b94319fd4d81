/**
 * What is known of a function of the library besides what it does. Each function carries its facts where it is defined;
 * passes and the code generator ask for them by name (`factsOf` in index.ts). What is not said is taken to be the worst:
 * it keeps all addresses, changes memory and may fail.
 */
export interface Facts {
  /** What becomes of the addresses that it is given: of all alike, or by the number of the argument. Otherwise: kept. */
  readonly captures?: Capture | Readonly<Record<number, Capture>>;
  /** Otherwise: changes. */
  readonly effect?: Effect;
  readonly role?: Role;
  /** What it is given makes no difference. */
  readonly ignoresArguments?: true;
  /** Nobody misses a call whose result is not needed: it never fails, and what it does, no other thread can notice. */
  readonly isIdle?: true;
}

/** What becomes of an address that is passed as an argument. */
export type Capture =
  /** Read or written through during the call, and forgotten. */
  | 'used'
  /** So, and the result may be derived from it. */
  | 'returned'
  /** May be kept where other threads find it, or stand for an object that they share. */
  | 'kept';

export type Effect =
  /** It computes its result, and nobody misses a call whose result is not needed. For intrinsics only: see `hasEffect`. */
  | 'none'
  /** It changes nothing and never fails, but is more than a computation: time passes, a value is chosen. */
  | 'harmless'
  /** It changes nothing, and fails if the address is bad. */
  | 'reads'
  /** It changes nothing if its result is not 0. */
  | 'tries'
  | 'changes';

/** What passes and the code generator do something of their own with. */
export type Role =
  /** Of the function that one argument points to. */
  | 'starts-thread'
  /** The thread goes on only if the one argument is not 0, which is no error. */
  | 'assumes'
  /** The result is a new object of the heap, of a type that C does not say. */
  | 'allocates'
  /** No code follows from it: an object begins or ends to live. */
  | 'marks-lifetime'
  /** To the first argument from the second, as many bytes as the third says. */
  | 'copies'
  /** The first argument with the second, as many bytes as the third says. */
  | 'fills'
  /** Compiled code writes it out: only there the arguments are known that a list is to hold. */
  | 'lists-arguments'
  /** Compiled code has the first argument in its place. */
  | 'gives-argument';

export function captureOf({ captures = 'kept' }: Facts, index: number): Capture {
  return typeof captures === 'string' ? captures : (captures[index] ?? 'kept');
}
