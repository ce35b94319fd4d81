/**
 * Uses of freed objects. Elsewhere an access must *happen before* the free of its object; classes of values do not tell what happens before
 * what. Here it is an error if some execution has the access after the free: if the order has it so, or can be closed if it has.
 */
import { Step } from '../../program/behaviours.ts';
import { NONE } from '../../program/columns.ts';
import type { Execution } from '../../program/execution.ts';
import type { ClashKind, Findings } from '../findings.ts';
import type { AnnotatedOrder } from './annotated-order.ts';
import type { Closure } from './closure.ts';
import type { Realisation } from './realise.ts';

export class Misuses {
  readonly #order: AnnotatedOrder;
  readonly #closure: Closure;
  readonly #realisation: Realisation;
  readonly #findings: Findings;

  constructor(order: AnnotatedOrder, closure: Closure, realisation: Realisation, findings: Findings) {
    this.#order = order;
    this.#closure = closure;
    this.#realisation = realisation;
    this.#findings = findings;
  }

  /** Those that e, the last event, is part of. */
  look(e: number): void {
    const p = this.#order;
    const b = p.behaviours;
    if (!b.locationTable.hasLifetimes) return;
    const location = p.location[e]!;
    if (location === NONE) return;
    const lifetime = b.lifetimeOf(location);
    if (lifetime !== NONE) this.#forEachWrite(lifetime, (free) => this.#mayComeAfter(free, e));
    if (!p.writes(e) || !b.frees(p.before[e]!)) return;
    this.#forEachWrite(location, (other) => {
      if (other !== e) this.#found('double-free', other, e);
    });
    for (const part of b.partsOf(location)) {
      this.#forEachWrite(part, (access) => this.#mayComeAfter(e, access));
      for (let r = p.lastRead(part); r !== NONE; r = p.previousRead[r]!) this.#mayComeAfter(e, r);
    }
  }

  /** The join e, the last event, must be the only one of its thread, if the program says so. */
  lookAtJoin(e: number): void {
    const p = this.#order;
    const b = p.behaviours;
    if (!b.joinsOnce(p.before[e]!)) return;
    for (let other = 0; other < e; other++) {
      const s = p.before[other]!;
      if (b.step[s] === Step.JOIN && b.operand[s] === b.operand[p.before[e]!]) this.#found('abort', other, e);
    }
  }

  /** Whether anything is freed. */
  hasFrees(): boolean {
    const p = this.#order;
    const b = p.behaviours;
    if (!b.locationTable.hasLifetimes) return false;
    for (let e = 0; e < p.length; e++) if (p.writes(e) && b.frees(p.before[e]!)) return true;
    return false;
  }

  /** Threads that wait for ever look at memory again and again: at what was freed, if it was. The order has what that takes. */
  lookAtWaiting(): void {
    const p = this.#order;
    const b = p.behaviours;
    if (!b.locationTable.hasLifetimes) return;
    for (let t = 0; t < p.threadCount; t++) {
      const s = p.stateOf(t);
      if (s === NONE || b.step[s] !== Step.READ) continue;
      const lifetime = b.lifetimeOf(b.location[s]!);
      if (lifetime === NONE) continue;
      this.#forEachWrite(lifetime, (free) => {
        const access = { thread: p.thread[free]!, state: p.before[free]! };
        this.#findings.clash('use-after-free', access, { thread: t, state: s }, () => {
          this.#realisation.realise();
          return this.#realisation.witness();
        });
      });
    }
  }

  #forEachWrite(location: number, visit: (w: number) => void): void {
    const p = this.#order;
    for (let t = 0; t < p.threadCount; t++) {
      for (let w = p.lastWrite(location, t); w !== NONE; w = p.previousWrite[w]!) visit(w);
    }
  }

  /** If there is an execution in which the access comes after the free, that is a use after free. */
  #mayComeAfter(free: number, access: number): void {
    const p = this.#order;
    const mark = p.mark();
    if (p.order(free, access) && this.#closure.close()) this.#found('use-after-free', free, access);
    this.#closure.forget();
    p.undoOrders(mark);
  }

  #found(kind: ClashKind, one: number, other: number): void {
    const p = this.#order;
    this.#realisation.realise();
    const [a, b] = this.#realisation.isBefore(one, other) ? [one, other] : [other, one];
    const accessOf = (e: number) => ({ thread: p.thread[e]!, state: p.before[e]! });
    this.#findings.clash(kind, accessOf(a), accessOf(b), (): Execution => this.#realisation.witness(b));
  }
}
