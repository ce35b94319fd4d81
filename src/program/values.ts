/**
 * Values by number, equal numbers for values that Object.is finds equal: explorers compare and store integers only.
 * Objects that are followed from run to run (followed-objects.ts) have one number for all runs.
 */
import { FollowedObjects, hasIdentity } from './followed-objects.ts';
import type { Location } from './location.ts';

export class Values {
  readonly #byId: unknown[] = [undefined];
  readonly #ids = new Map<unknown, number>([[undefined, 0]]);
  #minusZero = -1; // Map finds 0 and -0 equal, Object.is does not
  /** Whether a value came by whose identity depends on the run that made it (an object, a function, a symbol). */
  sawIdentity: boolean;
  /** Undefined: objects are those of one run. */
  readonly objects: FollowedObjects | undefined;

  /** `numberOf`: the number of a location; with it, objects are followed. */
  constructor(sawIdentity = false, numberOf?: (location: Location) => number) {
    this.sawIdentity = sawIdentity;
    if (numberOf === undefined) return;
    this.objects = new FollowedObjects({ byId: this.#byId, idOf: (value) => this.idOf(value), numberOf });
  }

  idOf(value: unknown): number {
    if (value === 0 && Object.is(value, -0)) return this.#idOfMinusZero();
    const known = this.#ids.get(value);
    if (known !== undefined) return known;
    if (hasIdentity(value)) {
      this.sawIdentity = true;
      if (this.objects !== undefined && typeof value !== 'symbol') return this.objects.idOf(value);
      if (this.objects !== undefined) this.objects.isLost = true;
    }
    const id = this.#byId.length;
    this.#byId.push(value);
    this.#ids.set(value, id);
    return id;
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
