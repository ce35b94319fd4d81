/**
 * Values by number, equal numbers for values that Object.is finds equal: explorers compare and store integers only. Objects may have
 * copies, one for each run of a thread, which all have one number: see copies.ts.
 */
export class Values {
  readonly #byId: unknown[] = [undefined];
  readonly #ids = new Map<unknown, number>([[undefined, 0]]);
  #minusZero = -1; // Map finds 0 and -0 equal, Object.is does not
  /** The numbers of objects that have copies, by copy. */
  readonly #copies = new WeakMap<object, number>();
  /** How many were made: states keep them. */
  copyCount = 0;
  /** Whether a value came by whose identity depends on the run that made it (an object, a function, a symbol), and that has no copies. */
  sawIdentity: boolean;

  constructor(sawIdentity = false) {
    this.sawIdentity = sawIdentity;
  }

  get hasCopies(): boolean {
    return this.copyCount > 0;
  }

  idOf(value: unknown): number {
    if (value === 0 && Object.is(value, -0)) return this.#idOfMinusZero();
    const known = this.#ids.get(value) ?? (this.hasCopies ? this.idOfCopy(value) : undefined);
    if (known !== undefined) return known;
    this.see(value);
    const id = this.#byId.length;
    this.#byId.push(value);
    this.#ids.set(value, id);
    return id;
  }

  /** The value came by, though it has no number yet. */
  see(value: unknown): void {
    if (hasIdentity(value) && this.idOfCopy(value) === undefined) this.sawIdentity = true;
  }

  valueOf(id: number): unknown {
    return this.#byId[id];
  }

  /** The number of a new object, its own first copy. */
  addObject(value: object): number {
    const id = this.#byId.length;
    this.#byId.push(value);
    this.addCopy(id, value);
    return id;
  }

  addCopy(id: number, copy: object): void {
    this.copyCount++;
    this.#copies.set(copy, id);
  }

  /** The number of the object that this is a copy of; undefined: of none. */
  idOfCopy(value: unknown): number | undefined {
    return typeof value === 'object' && value !== null ? this.#copies.get(value) : undefined;
  }

  #idOfMinusZero(): number {
    if (this.#minusZero < 0) {
      this.#minusZero = this.#byId.length;
      this.#byId.push(-0);
    }
    return this.#minusZero;
  }
}

/** The number of `undefined`, the answer to operations that have none. */
export const NO_ANSWER = 0;

function hasIdentity(value: unknown): boolean {
  const type = typeof value;
  return (type === 'object' && value !== null) || type === 'function' || type === 'symbol';
}
