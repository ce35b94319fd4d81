/**
 * Is there a coherence order that makes RC11's psc acyclic (see `psc.ts`), if only program order and reads-from are known?
 *
 * Coherence must respect what release/acquire forces (`writes-before.ts`): what is to be ordered are the blocks of each location.
 * psc is a relation among the seq_cst accesses and fences, called nodes here. A part of it does not depend on coherence. And
 * whenever one block comes before another, psc leads from all nodes in a set of the first, its `starts`, to all in a set of the
 * second, its `ends`; and from all in its `startFences` to all in the other's `endFences`.
 *
 * The order of the blocks and the paths of psc are kept transitively closed. First every order is derived whose opposite would
 * close a cycle; then pairs of blocks that are left, as far as psc depends on them, are tried both ways. The result depends on
 * program order and reads-from only, because threads and indices say what is tried first.
 */
import { type EventId, type Graph, Kind } from '../graph/graph.ts';
import { type Column, grown, NONE } from '../program/columns.ts';
import { Order, strengthOf } from '../program/orders.ts';
import { BitMatrix } from './bit-matrix.ts';
import type { HappensBeforeClocks } from './happens-before.ts';
import { EventStack } from './model.ts';
import type { MayBeLast } from './reads-from.ts';
import type { WritesBefore } from './writes-before.ts';

/** A pair of blocks that was put in one order, and all as it was before. */
interface Choice {
  readonly before: number;
  readonly after: number;
  readonly later: Column;
  readonly paths: Column;
}

/** More than one thread. */
const MANY = -2;

export class PscSearch {
  readonly #g: Graph;
  readonly #hb: HappensBeforeClocks;
  readonly #writesBefore: WritesBefore;
  /** By thread: how many of its events take part. */
  #limit: Column = new Int32Array(8);

  /** The nodes as events, and the numbers of the fences among them. */
  readonly #nodes = new EventStack();
  readonly #fences = new EventStack();
  /** By event: the number of the node, or NONE; by location: its number, if `#locations` says the same. */
  #numberOf: Column = new Int32Array(64);
  /** By node: the last event before it, and the first after it, in program order that does not access its location. */
  #elsewherePrev: Column = new Int32Array(64);
  #elsewhereNext: Column = new Int32Array(64);
  /** By node: the nodes that psc leads to. */
  readonly #paths = new BitMatrix();

  /** The locations that coherence matters for. */
  readonly #locations = new EventStack();
  /** By location: the thread that accesses it. */
  #accessedBy: Column = new Int32Array(64);
  /** How many writes these have. */
  #rows = 0;
  /** By location: the row of its initialising write; the other writes have the rows after that, by thread and index. */
  readonly #firstRow = new EventStack();
  /** By row: the last write of the block that starts with this row's write; NONE if none does. A block is known by its row. */
  readonly #tails = new EventStack();
  /** By block: the blocks that come after it. */
  readonly #later = new BitMatrix();
  /** By block: nodes. */
  readonly #starts = new BitMatrix();
  readonly #startFences = new BitMatrix();
  readonly #ends = new BitMatrix();
  readonly #endFences = new BitMatrix();
  /** By access of the location that is looked at: the fences before it, and after it. */
  readonly #fencesBefore = new BitMatrix();
  readonly #fencesAfter = new BitMatrix();
  readonly #reached = new BitMatrix();

  constructor(g: Graph, hb: HappensBeforeClocks, writesBefore: WritesBefore) {
    this.#g = g;
    this.#hb = hb;
    this.#writesBefore = writesBefore;
  }

  /** Looks at a part of the graph. False if psc is empty there, or coherence makes no difference to it. */
  lookAt(limit: Column): boolean {
    const g = this.#g;
    if (this.#limit.length < g.stride) this.#limit = grown(this.#limit, g.stride);
    for (let t = 0; t < g.stride; t++) this.#limit[t] = limit[t]!;
    this.#locations.length = 0;
    if (this.#numberOf.length < g.length) {
      this.#numberOf = grown(this.#numberOf, g.length);
      this.#accessedBy = grown(this.#accessedBy, g.length);
    }
    let count = 0;
    for (let t = 0; t < g.stride; t++) {
      if (g.last[t] === NONE) continue;
      for (let e = g.first[t]!; e !== NONE && g.index[e]! < limit[t]!; e = g.poNext[e]!) {
        if (strengthOf(g.order[e]!) === Order.SEQ_CST) count++;
        if (this.#isAccess(e)) this.#collectLocation(g.location[e]!, t);
      }
    }
    if (count < 2) return false;
    this.#dropPrivate();
    return this.#locations.length > 0;
  }

  #collectLocation(init: EventId, t: number): void {
    if (this.#locationOf(init) !== NONE) {
      if (this.#accessedBy[init] !== t) this.#accessedBy[init] = MANY;
      return;
    }
    this.#numberOf[init] = this.#locations.length;
    this.#accessedBy[init] = t;
    this.#locations.push(init);
  }

  /**
   * Leaves out the locations whose writes happen before or after all other accesses. There, co and fr add nothing to what hb says,
   * and a path of psc that leads by way of such an access exists without it.
   */
  #dropPrivate(): void {
    const locations = this.#locations;
    const { length } = locations;
    locations.length = 0;
    for (let n = 0; n < length; n++) {
      const init = locations.items[n]!;
      if (this.#accessedBy[init] !== MANY) continue;
      if (this.#writesBefore.lookAt(init, this.#limit) && !this.#writesBefore.isContested()) continue;
      this.#numberOf[init] = locations.length;
      locations.push(init);
    }
  }

  #collectNodes(): void {
    const g = this.#g;
    this.#nodes.length = 0;
    this.#fences.length = 0;
    this.#rows = this.#locations.length;
    for (let t = 0; t < g.stride; t++) {
      if (g.last[t] === NONE) continue;
      for (let e = g.first[t]!; e !== NONE && g.index[e]! < this.#limit[t]!; e = g.poNext[e]!) {
        this.#numberOf[e] = NONE;
        if (g.kind[e] === Kind.WRITE && this.#locationOf(g.location[e]!) !== NONE) this.#rows++;
        if (strengthOf(g.order[e]!) !== Order.SEQ_CST) continue;
        const isFence = g.kind[e] === Kind.LOCAL;
        if (!isFence && this.#locationOf(g.location[e]!) === NONE) continue;
        this.#numberOf[e] = this.#nodes.length;
        if (isFence) this.#fences.push(this.#nodes.length);
        this.#nodes.push(e);
      }
    }
  }

  /** The number of a location that coherence matters for; NONE for others. */
  #locationOf(init: EventId): number {
    const n = this.#numberOf[init]!;
    return n >= 0 && n < this.#locations.length && this.#locations.items[n] === init ? n : NONE;
  }

  /** Whether there is such a coherence order for what `lookAt` looked at. */
  find(mayBeLast?: MayBeLast): boolean {
    if (!this.#start()) return false;
    if (mayBeLast === undefined) return this.#saturate() && this.#search();
    return this.#searchWithLast(0, mayBeLast);
  }

  /** The last write of a location in the order that was found; NONE if nothing was to be found there. */
  lastWrite(init: EventId): EventId {
    const n = this.#locationOf(init);
    if (n === NONE) return NONE;
    for (let row = this.#endRow(n) - 1; ; row--) {
      if (this.#tails.items[row] !== NONE && this.#later.isEmpty(row)) return this.#tails.items[row]!;
    }
  }

  /**
   * Pushes the writes, but initialising ones, of the locations that coherence matters for in the order that was found. Blocks that it
   * leaves open have nothing to do with psc. Returns whether the location of e is among them.
   */
  pushWrites(e: EventId, out: EventStack): boolean {
    for (let n = 0; n < this.#locations.length; n++) {
      this.#writesBefore.lookAt(this.#locations.items[n]!, this.#limit);
      this.#pushLocation(n, out);
    }
    return this.#locationOf(this.#g.location[e]!) !== NONE;
  }

  /** A block comes before those that come after it have fewer after them: the order is transitively closed. */
  #pushLocation(location: number, out: EventStack): void {
    const { writes } = this.#writesBefore;
    const first = this.#firstRow.items[location]!;
    const end = this.#endRow(location);
    for (let most = end - first; most >= 0; most--) {
      for (let row = first; row < end; row++) {
        if (this.#tails.items[row] === NONE || this.#later.count(row) !== most) continue;
        for (let m = row - first; m !== NONE; m = this.#writesBefore.nextInBlock(m)) {
          if (m !== 0) out.push(writes.items[m]!);
        }
      }
    }
  }

  // --------------------------------------------------------------------------- what does not depend on coherence

  #isAccess(e: EventId): boolean {
    return this.#g.kind[e] === Kind.READ || this.#g.kind[e] === Kind.WRITE;
  }

  #isFence(node: number): boolean {
    return this.#g.kind[this.#nodes.items[node]!] === Kind.LOCAL;
  }

  /** Builds the sets, the paths and the order that is forced; false if there can be no coherence order. */
  #start(): boolean {
    this.#collectNodes();
    this.#findNeighbours();
    this.#startPaths();
    const rows = this.#rows;
    const nodes = this.#nodes.length;
    this.#later.reset(rows, rows);
    this.#starts.reset(rows, nodes);
    this.#startFences.reset(rows, nodes);
    this.#ends.reset(rows, nodes);
    this.#endFences.reset(rows, nodes);
    this.#reached.reset(2, nodes);
    this.#tails.length = 0;
    this.#firstRow.length = 0;
    for (let n = 0; n < this.#locations.length; n++) if (!this.#startLocation(this.#locations.items[n]!)) return false;
    for (let n = 0; n < this.#locations.length; n++) this.#closeLater(n);
    return this.#closePaths();
  }

  #findNeighbours(): void {
    const g = this.#g;
    const { items, length } = this.#nodes;
    if (this.#elsewherePrev.length < length) {
      this.#elsewherePrev = grown(this.#elsewherePrev, length);
      this.#elsewhereNext = grown(this.#elsewhereNext, length);
    }
    for (let i = 0; i < length; i++) {
      const e = items[i]!;
      let before = this.#g.eventBefore(e);
      while (before !== NONE && this.#isSameLocation(before, e)) before = this.#g.eventBefore(before);
      this.#elsewherePrev[i] = before;
      let after = g.poNext[e]!;
      while (after !== NONE && this.#isSameLocation(after, e)) after = g.poNext[after]!;
      this.#elsewhereNext[i] = after;
    }
  }

  #isSameLocation(a: EventId, b: EventId): boolean {
    return this.#isAccess(a) && this.#isAccess(b) && this.#g.location[a] === this.#g.location[b];
  }

  #startPaths(): void {
    const { length } = this.#nodes;
    this.#paths.reset(length, length);
    for (let i = 0; i < length; i++) {
      for (let j = 0; j < length; j++) if (i !== j && this.#leads(i, j)) this.#paths.add(i, j);
    }
  }

  /** Whether psc leads from one node to another because of po and hb, and no access in between but the nodes counts. */
  #leads(i: number, j: number): boolean {
    const g = this.#g;
    const x = this.#nodes.items[i]!;
    const y = this.#nodes.items[j]!;
    if (this.#isFence(i))
      return this.#isFence(j) ? this.#hb.happensBefore(x, y) : this.#isUpTo(x, this.#g.eventBefore(y));
    if (g.thread[x] === g.thread[y]) return g.index[x]! < g.index[y]!;
    if (this.#isFence(j)) return this.#follows(x, g.poNext[x]!, y);
    if (g.location[x] === g.location[y] && this.#hb.happensBefore(x, y)) return true;
    return this.#follows(x, this.#elsewhereNext[i]!, this.#elsewherePrev[j]!);
  }

  /** Whether `next`, or if x's thread has no such event, one that joins that thread, is e or happens before e. */
  #follows(x: EventId, next: EventId, e: EventId): boolean {
    const g = this.#g;
    if (next !== NONE) return this.#isUpTo(next, e);
    for (let join = g.joiners[g.thread[x]!]!; join !== NONE; join = g.readNext[join]!) {
      if (this.#isUpTo(join, e)) return true;
    }
    return false;
  }

  #isUpTo(a: EventId, b: EventId): boolean {
    return b !== NONE && (a === b || this.#hb.happensBefore(a, b));
  }

  // ------------------------------------------------------------------------------------------------ blocks and sets

  #endRow(location: number): number {
    return location + 1 < this.#locations.length ? this.#firstRow.items[location + 1]! : this.#tails.length;
  }

  #startLocation(init: EventId): boolean {
    const writesBefore = this.#writesBefore;
    if (!writesBefore.lookAt(init, this.#limit)) return false;
    const first = this.#tails.length;
    this.#firstRow.push(first);
    for (let n = 0; n < writesBefore.writes.length; n++) {
      const isFirst = writesBefore.blockOf(writesBefore.writes.items[n]!) === n;
      this.#tails.push(isFirst ? writesBefore.tailOf(n) : NONE);
    }
    if (this.#fences.length > 0) this.#findFences();
    this.#fillSets(first);
    this.#mergeBlocks(first);
    writesBefore.forEachPair((before, after) => this.#later.add(first + before, first + after));
    return true;
  }

  /** The fences before and after each access, and what they add to psc: paths by way of accesses to one location. */
  #findFences(): void {
    const { accesses: items, count: length } = this.#writesBefore;
    this.#fencesBefore.reset(length, this.#nodes.length);
    this.#fencesAfter.reset(length, this.#nodes.length);
    for (let i = 0; i < length; i++) {
      for (let k = 0; k < this.#fences.length; k++) {
        const f = this.#fences.items[k]!;
        if (this.#hb.happensBefore(this.#nodes.items[f]!, items[i]!)) this.#fencesBefore.add(i, f);
        else if (this.#hb.happensBefore(items[i]!, this.#nodes.items[f]!)) this.#fencesAfter.add(i, f);
      }
    }
    for (let i = 0; i < length; i++) {
      for (let j = 0; j < length; j++) if (i !== j) this.#passOn(i, j);
    }
  }

  /** [Fsc]; hb; hb|loc; [Esc] and its reverse, and [Fsc]; hb; rf; hb; [Fsc]. */
  #passOn(i: number, j: number): void {
    const g = this.#g;
    const a = this.#writesBefore.accesses[i]!;
    const b = this.#writesBefore.accesses[j]!;
    if (g.kind[b] === Kind.READ && g.rf[b] === a) this.#lead(this.#fencesBefore, i, this.#fencesAfter, j);
    const from = this.#numberOf[a]!;
    const to = this.#numberOf[b]!;
    if ((from === NONE && to === NONE) || !this.#hb.happensBefore(a, b)) return;
    if (from !== NONE) this.#paths.addAll(from, this.#fencesAfter, j);
    if (to === NONE) return;
    for (let k = 0; k < this.#fences.length; k++) {
      const f = this.#fences.items[k]!;
      if (this.#fencesBefore.has(i, f)) this.#paths.add(f, to);
    }
  }

  /** psc leads from all nodes of one set to all of another; paths are not closed. */
  #lead(froms: BitMatrix, i: number, tos: BitMatrix, j: number): void {
    for (let node = 0; node < this.#nodes.length; node++) if (froms.has(i, node)) this.#paths.addAll(node, tos, j);
  }

  /** The sets of each write, in its row: by co and fr, psc leads from it and its reads to later writes. */
  #fillSets(first: number): void {
    const g = this.#g;
    const { accesses, count } = this.#writesBefore;
    for (let i = 0; i < count; i++) {
      const e = accesses[i]!;
      const isWrite = g.kind[e] === Kind.WRITE;
      const row = first + this.#writesBefore.numberOf(isWrite ? e : g.rf[e]!);
      const node = this.#numberOf[e]!;
      if (node !== NONE) this.#starts.add(row, node);
      if (node !== NONE && isWrite) this.#ends.add(row, node);
      if (this.#fences.length === 0) continue;
      this.#starts.addAll(row, this.#fencesBefore, i);
      this.#startFences.addAll(row, this.#fencesBefore, i);
      if (isWrite) this.#ends.addAll(row, this.#fencesAfter, i);
      this.#endFences.addAll(row, this.#fencesAfter, i);
    }
  }

  /** Within a block the order is known; the sets of all its writes go into the row of the first. */
  #mergeBlocks(first: number): void {
    const writesBefore = this.#writesBefore;
    for (let n = 0; n < writesBefore.writes.length; n++) {
      if (this.#tails.items[first + n] === NONE) continue;
      for (let w = writesBefore.nextInBlock(n); w !== NONE; w = writesBefore.nextInBlock(w)) {
        const block = first + n;
        const row = first + w;
        this.#lead(this.#starts, block, this.#ends, row);
        this.#lead(this.#startFences, block, this.#endFences, row);
        this.#starts.addAll(block, this.#starts, row);
        this.#startFences.addAll(block, this.#startFences, row);
        this.#ends.addAll(block, this.#ends, row);
        this.#endFences.addAll(block, this.#endFences, row);
      }
    }
  }

  #closeLater(location: number): void {
    const later = this.#later;
    const first = this.#firstRow.items[location]!;
    const end = this.#endRow(location);
    for (let k = first; k < end; k++) {
      for (let i = first; i < end; i++) if (later.has(i, k)) later.addAll(i, later, k);
    }
    for (let i = first; i < end; i++) {
      for (let j = first; j < end; j++) {
        if (!later.has(i, j)) continue;
        this.#lead(this.#starts, i, this.#ends, j);
        this.#lead(this.#startFences, i, this.#endFences, j);
      }
    }
  }

  /** False if psc is cyclic. */
  #closePaths(): boolean {
    const paths = this.#paths;
    const { length } = this.#nodes;
    for (let k = 0; k < length; k++) {
      for (let i = 0; i < length; i++) if (paths.has(i, k)) paths.addAll(i, paths, k);
    }
    for (let i = 0; i < length; i++) if (paths.has(i, i)) return false;
    return true;
  }

  // --------------------------------------------------------------------------------------------------------- search

  /** Derives every order whose opposite would close a cycle; false if both do. */
  #saturate(): boolean {
    for (let changed = true; changed; ) {
      changed = false;
      for (let n = 0; n < this.#locations.length; n++) {
        const result = this.#saturateLocation(n);
        if (result === 'cycle') return false;
        if (result === 'changed') changed = true;
      }
    }
    return true;
  }

  #saturateLocation(location: number): 'same' | 'changed' | 'cycle' {
    const end = this.#endRow(location);
    let result: 'same' | 'changed' = 'same';
    for (let j = this.#firstRow.items[location]!; j < end; j++) {
      if (this.#tails.items[j] === NONE) continue;
      this.#reach(0, this.#ends, j);
      this.#reach(1, this.#endFences, j);
      for (let i = this.#firstRow.items[location]!; i < end; i++) {
        if (!this.#isOpen(i, j) || !this.#closesCycle(i)) continue;
        if (!this.#order(j, i)) return 'cycle';
        result = 'changed';
        this.#reach(0, this.#ends, j);
        this.#reach(1, this.#endFences, j);
      }
    }
    return result;
  }

  /** Whether i and j are blocks whose order is not known. */
  #isOpen(i: number, j: number): boolean {
    if (i === j || this.#tails.items[i] === NONE || this.#tails.items[j] === NONE) return false;
    return !this.#later.has(i, j) && !this.#later.has(j, i);
  }

  /** Leaves in `reached` what is in a set of block j, or can be reached from there. */
  #reach(which: number, sets: BitMatrix, j: number): void {
    this.#reached.clear(which);
    this.#reached.addAll(which, sets, j);
    for (let node = 0; node < this.#nodes.length; node++) {
      if (sets.has(j, node)) this.#reached.addAll(which, this.#paths, node);
    }
  }

  /** Whether there would be a cycle if block i came before the one that `reached` is about. */
  #closesCycle(i: number): boolean {
    return this.#reached.meets(0, this.#starts, i) || this.#reached.meets(1, this.#startFences, i);
  }

  /** Block i comes before j; false if that closes a cycle. */
  #order(i: number, j: number): boolean {
    const later = this.#later;
    const location = this.#locationOf(this.#g.location[this.#tails.items[i]!]!);
    const first = this.#firstRow.items[location]!;
    const end = this.#endRow(location);
    for (let a = first; a < end; a++) {
      if (a !== i && !later.has(a, i)) continue;
      for (let b = first; b < end; b++) {
        if ((b !== j && !later.has(j, b)) || later.has(a, b)) continue;
        later.add(a, b);
        if (!this.#extend(this.#starts, a, this.#ends, b)) return false;
        if (!this.#extend(this.#startFences, a, this.#endFences, b)) return false;
      }
    }
    return true;
  }

  /** psc leads from all nodes of one set to all of another; paths stay closed. False if that closes a cycle. */
  #extend(froms: BitMatrix, i: number, tos: BitMatrix, j: number): boolean {
    if (froms.isEmpty(i) || tos.isEmpty(j)) return true;
    const paths = this.#paths;
    this.#reach(0, tos, j);
    for (let node = 0; node < this.#nodes.length; node++) {
      if (!froms.has(i, node) && !paths.meets(node, froms, i)) continue;
      paths.addAll(node, this.#reached, 0);
      if (paths.has(node, node)) return false;
    }
    return true;
  }

  /** Tries the pairs that are left, one way and then the other. (A loop: there may be many.) */
  #search(): boolean {
    const choices: Choice[] = [];
    for (let isConsistent = true; ; ) {
      if (isConsistent) {
        const choice = this.#nextChoice();
        if (choice === undefined) return true;
        choices.push(choice);
        isConsistent = this.#order(choice.before, choice.after) && this.#saturate();
        continue;
      }
      const choice = choices.pop();
      if (choice === undefined) return false;
      this.#later.restore(choice.later);
      this.#paths.restore(choice.paths);
      isConsistent = this.#order(choice.after, choice.before) && this.#saturate();
    }
  }

  /** The first pair of blocks whose order is not known and has to do with psc. */
  #nextChoice(): Choice | undefined {
    for (let n = 0; n < this.#locations.length; n++) {
      const end = this.#endRow(n);
      for (let i = this.#firstRow.items[n]!; i < end; i++) {
        for (let j = i + 1; j < end; j++) {
          if (!this.#isOpen(i, j) || (!this.#matters(i, j) && !this.#matters(j, i))) continue;
          return { before: i, after: j, later: this.#later.copy(), paths: this.#paths.copy() };
        }
      }
    }
    return undefined;
  }

  #matters(i: number, j: number): boolean {
    if (!this.#starts.isEmpty(i) && !this.#ends.isEmpty(j)) return true;
    return !this.#startFences.isEmpty(i) && !this.#endFences.isEmpty(j);
  }

  /** Tries, for each location from n on that not every write may end, each block as the last one. */
  #searchWithLast(n: number, mayBeLast: MayBeLast): boolean {
    if (n === this.#locations.length) return this.#saturate() && this.#search();
    const first = this.#firstRow.items[n]!;
    const end = this.#endRow(n);
    const blocks: number[] = [];
    for (let row = first; row < end; row++) if (this.#tails.items[row] !== NONE) blocks.push(row);
    if (blocks.every((row) => mayBeLast(this.#tails.items[row]!))) return this.#searchWithLast(n + 1, mayBeLast);
    const later = this.#later.copy();
    const paths = this.#paths.copy();
    for (const last of blocks.toReversed()) {
      if (!mayBeLast(this.#tails.items[last]!) || !this.#later.isEmpty(last)) continue;
      const isLast = blocks.every((row) => row === last || this.#later.has(row, last) || this.#order(row, last));
      if (isLast && this.#searchWithLast(n + 1, mayBeLast)) return true;
      this.#later.restore(later);
      this.#paths.restore(paths);
    }
    return false;
  }
}
