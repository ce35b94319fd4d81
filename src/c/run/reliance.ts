/**
 * What leaving out rounds of loops relies on (rounds.ts), and whether that is so. A thread does not know what others do. So a round in
 * which it takes a mutex and gives it back is left out at first, as if nobody could see it. If then, in whatever execution, a trylock
 * of another thread fails and something comes of that, the program has learned that this mutex is seen while it is held, how often
 * and by whom, and the search starts over: from then on so many such rounds count.
 */
import type { KnowledgeScope, Learned } from '../../program/knowledge.ts';
import type { Location } from '../../program/location.ts';
import { ProgramRefined, type SourcePosition } from '../../program/operation.ts';
import type { Glimpse, RoundsKnowledge } from './knowledge.ts';
import { addressOf } from './objects.ts';

export class Reliance {
  /** By the address of the mutex, then by thread: how often one has found it busy in an execution, at most, and something came of it. */
  readonly #glimpses = new Map<number, Map<number, number>>();
  /** The mutexes that were taken and given back in rounds that were left out. */
  readonly #relied = new Set<number>();
  /** Where the loops are whose rounds were left out. */
  readonly #left = new Set<string>();

  constructor({ glimpses, relied }: RoundsKnowledge) {
    for (const glimpse of glimpses) this.#note(glimpse);
    for (const address of relied) this.#relied.add(address);
  }

  /** How often others may see the mutex held in rounds of a thread, in one execution. */
  glimpsesOf(mutex: Location, thread: number): number {
    let sum = 0;
    for (const [other, times] of this.#glimpses.get(addressOf(mutex)) ?? []) if (other !== thread) sum += times;
    return sum;
  }

  /** Rounds are left out in which the mutex was taken and given back. */
  rely(mutex: Location): void {
    this.#relied.add(addressOf(mutex));
  }

  /** A thread has found the mutex busy for the n-th time, and does not just try again. */
  glimpse(mutex: Location, thread: number, times: number): void {
    const address = addressOf(mutex);
    if (!this.#note({ mutex: address, thread, times }) || !this.#relied.has(address)) return;
    this.#relied.clear();
    this.#left.clear();
    throw new ProgramRefined();
  }

  leaveOut(position: SourcePosition | undefined): void {
    if (position !== undefined) this.#left.add(placeOf(position));
  }

  /** Whether rounds of the loop were left out. */
  hasLeftOut(position: SourcePosition | undefined): boolean {
    return position !== undefined && this.#left.has(placeOf(position));
  }

  /** undefined: nothing. */
  knowledge(scope: KnowledgeScope): RoundsKnowledge | undefined {
    const glimpses = this.#all();
    const relied = scope === 'search' ? [...this.#relied] : [];
    return glimpses.length + relied.length === 0 ? undefined : { glimpses, relied };
  }

  /** Takes in what another process knows: see `Program.learn`. Void is what relied on less than is known now. */
  learn(other: RoundsKnowledge): Learned {
    const theirs = new Reliance(other);
    const isNew = other.relied.some((address) => !this.#relied.has(address));
    for (const address of other.relied) this.#relied.add(address);
    const learned = other.glimpses.filter((glimpse) => this.#note(glimpse));
    const isVoid =
      learned.some(({ mutex }) => this.#relied.has(mutex)) ||
      this.#all().some((glimpse) => this.#relied.has(glimpse.mutex) && theirs.#note(glimpse));
    if (isVoid) this.#relied.clear();
    return isVoid ? 'void' : isNew || learned.length > 0 ? 'new' : 'known';
  }

  #all(): Glimpse[] {
    return [...this.#glimpses].flatMap(([mutex, threads]) =>
      [...threads].map(([thread, times]) => ({ mutex, thread, times })),
    );
  }

  /** Whether that is more than was known. */
  #note({ mutex, thread, times }: Glimpse): boolean {
    const threads = this.#glimpses.get(mutex) ?? new Map<number, number>();
    if ((threads.get(thread) ?? 0) >= times) return false;
    this.#glimpses.set(mutex, threads.set(thread, times));
    return true;
  }
}

function placeOf({ file, line, column }: SourcePosition): string {
  return `${line}:${column}:${file}`;
}
