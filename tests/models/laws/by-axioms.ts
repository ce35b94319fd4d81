/** The slowest model: it asks the axioms at every step. */
import type { EventId, Graph } from '../../../src/graph/graph.ts';
import type { ModelName } from '../../oracle/axioms.ts';
import { Anything } from './anything.ts';
import { axiomsAllow } from './axioms-of.ts';

export class ByAxioms extends Anything {
  readonly #axioms: ModelName;

  constructor(g: Graph, axioms: ModelName) {
    super(g);
    this.#axioms = axioms;
  }

  override added(_e: EventId, _isUpdate: boolean): boolean {
    return axiomsAllow(this.#axioms, this.g, 'co');
  }
}
