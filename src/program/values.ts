/**
 * Values by number, equal numbers for values that Object.is finds equal: explorers compare and store integers only.
 */
export class Values {
  readonly #byId: unknown[] = [undefined];
  readonly #ids = new Map<unknown, number>([[undefined, 0]]);
  #minusZero = -1; // Map finds 0 and -0 equal, Object.is does not
  /** Whether a value came by whose identity depends on the run that made it (an object, a function, a symbol). */
  sawIdentity: boolean;

  constructor(sawIdentity = false) {
    this.sawIdentity = sawIdentity;
  }

  idOf(value: unknown): number {
    if (value === 0 && Object.is(value, -0)) return this.#idOfMinusZero();
    const known = this.#ids.get(value);
    if (known !== undefined) return known;
    if (hasIdentity(value)) this.sawIdentity = true;
    const id = this.#byId.length;
    this.#byId.push(value);
    this.#ids.set(value, id);
    return id;
  }

  /** The value came by, though it has no number yet. */
  see(value: unknown): void {
    if (hasIdentity(value)) this.sawIdentity = true;
  }

  valueOf(id: number): unknown {
    return this.#byId[id];
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
