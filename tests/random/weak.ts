/**
 * Random small programs for weak memory models: two to four threads with accesses of all orders, fences, updates, branches, and
 * some of everything else. Half of them start from a litmus test, the shapes that tell models apart, and are changed here and there.
 */
import type { LoadOrder, ProgramAst, Statement, StoreOrder, UpdateOrder, Value } from '../oracle/language.ts';
import { Random } from './prng.ts';

/** By thread: R reads, W writes, U updates the location. A question mark: the rest is only done if what was read is not 0. */
const litmusTests: readonly (readonly string[])[] = [
  ['Wx Ry', 'Wy Rx'], // SB
  ['Wx Ry', 'Wy Rx'],
  ['Wx Ry', 'Wy Rx'],
  ['Wx Wy', 'Ry Rx'], // MP
  ['Wx Wy', 'Ry Rx'],
  ['Rx Wy', 'Ry Wx'], // LB
  ['Wx Wy', 'Ry Wx'], // S
  ['Wx Wy', 'Wy Rx'], // R
  ['Wx Wy', 'Wy Wx'], // 2+2W
  ['Wx', 'Wx', 'Rx Rx'], // CoRR
  ['Wx Rx', 'Wx Rx'], // CoWR
  ['Rx Wx', 'Rx Wx'], // CoRW
  ['Wx Rx Ry', 'Wy Ry Rx'], // SB with forwarding
  ['Wx', 'Rx Wy', 'Ry Rx'], // WRC
  ['Wx', 'Rx Ry', 'Wy Rx'], // RWC
  ['Wx', 'Rx Ry', 'Wy Rx'],
  ['Wx', 'Rx Wy', 'Ry Wx'], // WWC
  ['Wx Wy', 'Ry Rz', 'Wz Rx'], // W+RWC
  ['Wx Wy', 'Ry Wz', 'Rz Rx'], // ISA2
  ['Wx Wy', 'Wy Wz', 'Rz Rx'], // Z6.2
  ['Wx Wy', 'Wy Rz', 'Wz Rx'], // Z6.3
  ['Wx Wy', 'Uy Ry', 'Wy Rx'], // Z6.U
  ['Wx Wy', 'Ry Ry', 'Wy Rx'],
  ['Wx Ry', 'Wy Rz', 'Wz Rx'], // 3.SB
  ['Wx Wy', 'Wy Wz', 'Wz Wx'], // 3.2W
  ['Wx', 'Wy', 'Rx Ry', 'Ry Rx'], // IRIW
  ['Wx', 'Wy', 'Rx Ry', 'Ry Rx'],
  ['Wx', 'Ux', 'Ux Rx'],
  ['Wx Wy Uy', 'Ry Rx'], // release sequences
  ['Wx Wy', 'Uy', 'Ry Rx'],
  ['Wx Wy', 'Uy Ux', 'Ry Rx'],
];

/** The plain data d is published by way of other locations. */
const publications: readonly (readonly string[])[] = [
  ['Wd Wx', 'Rx? Rd'],
  ['Wd Wx', 'Rx? Rd'],
  ['Wd Wx', 'Ux? Wd'],
  ['Wd Wx', 'Ux', 'Rx? Rd'],
  ['Wd Wx Ux', 'Rx? Rd'],
  ['Wd Wx Wx', 'Rx? Wd'],
  ['Wd Wx', 'Rx? Wy', 'Ry? Rd'],
  ['Wd Wx Ry? Rd', 'Rx? Wd Wy'],
];

/** The same program for the same seed. */
export function randomWeakProgram(seed: number): ProgramAst {
  const random = new Random(Math.imul(seed, 0x9e3779b1) ^ 0x2545f491);
  for (;;) {
    const program = new WeakProgram(random).build();
    if (mostAccesses(program.main) <= 10) return program;
  }
}

/** How often an order is the weakest, one in between, the strongest. */
const orderings = {
  mixed: [1, 1, 1],
  relaxed: [7, 2, 1],
  paired: [1, 6, 1],
  strong: [0, 1, 6],
} as const;

/** One thread as it is made. */
interface Scope {
  nextRegister: number;
}

class WeakProgram {
  readonly #random: Random;
  readonly #ordering: readonly [number, number, number];
  /** The location whose accesses are all plain, if there is one; and how often others are. */
  readonly #shared: string | undefined;
  readonly #plainness: number;
  /** How often there is a fence between two accesses. */
  readonly #fencing: number;
  readonly #hasAwaits: boolean;
  readonly #hasAssumes: boolean;
  readonly #hasAsserts: boolean;
  readonly #hasMutex: boolean;
  readonly #hasObject: boolean;
  #nextAssert = 0;

  constructor(random: Random) {
    this.#random = random;
    this.#ordering = orderings[random.weighted([3, 'mixed'], [4, 'relaxed'], [1, 'paired'], [4, 'strong'])];
    this.#shared = random.chance(0.15) ? random.pick(['x', 'x', 'y']) : undefined;
    this.#plainness = random.weighted([8, 0], [1, 0.2]);
    this.#fencing = random.weighted([3, 0.1], [2, 0.3], [1, 0.9]);
    this.#hasAwaits = random.chance(0.15);
    this.#hasAssumes = random.chance(0.1);
    this.#hasAsserts = random.chance(0.3);
    this.#hasMutex = random.chance(0.12);
    this.#hasObject = random.chance(0.06);
  }

  build(): ProgramAst {
    const random = this.#random;
    const shape = random.weighted(
      [3, random.pick(publications)],
      [11, random.pick(litmusTests)],
      [6, this.#freeShape()],
    );
    const main = this.#together(shape.map((accesses) => this.#thread(accesses.split(' '))));
    const names = ['x', 'y', 'z', 'd'];
    const isShared = (name: string) => name === this.#shared || name === 'd';
    const initial = (some: readonly string[]) =>
      Object.fromEntries(some.map((name) => [name, random.chance(0.05) ? 1 : 0]));
    const program: ProgramAst = {
      atomics: initial(names.filter((name) => !isShared(name))),
      shared: initial(names.filter(isShared)),
      mutexes: this.#hasMutex ? ['m'] : [],
      main,
    };
    return this.#hasObject ? { ...program, objects: { o: [random.pick(['x', 'y'])] } } : program;
  }

  #freeShape(): string[] {
    const random = this.#random;
    const threads = random.weighted([5, 2], [5, 3], [1, 4]);
    const most = { 2: 4, 3: 3, 4: 2 }[threads];
    const locations = random.weighted([1, ['x']], [7, ['x', 'y']], [2, ['x', 'y', 'z']]);
    const access = () => random.weighted([5, 'R'], [5, 'W'], [2, 'U']) + random.pick(locations);
    return Array.from({ length: threads }, () => Array.from({ length: random.between(1, most) }, access).join(' '));
  }

  // ---------------------------------------------------------------------------------------------------- threads

  #thread(shape: readonly string[], scope: Scope = { nextRegister: 0 }): Statement[] {
    const random = this.#random;
    const body: Statement[] = [];
    for (const [index, access] of shape.entries()) {
      if (index > 0 && random.chance(this.#fencing)) body.push({ kind: 'fence', order: this.#fenceOrder() });
      body.push(...this.#access(access, scope));
      if (access.endsWith('?') && random.chance(0.9)) {
        const otherwise = this.#thread(shape.slice(index + 1), scope);
        return [
          ...body,
          { kind: 'if', register: Math.max(0, scope.nextRegister - 1), equals: 0, whenEqual: [], otherwise },
        ];
      }
      if (random.chance(0.04))
        body.push(...this.#access(random.pick(['R', 'W', 'U']) + random.pick(['x', 'y']), scope));
    }
    if (this.#hasMutex && random.chance(0.7)) this.#guard(body, scope);
    if (random.chance(0.15)) this.#branch(body, scope);
    if (random.chance(0.03)) body.splice(random.between(0, body.length), 0, { kind: 'yield' });
    if (random.chance(0.03)) {
      body.splice(random.between(0, body.length), 0, { kind: 'choose', count: 2, register: scope.nextRegister });
      scope.nextRegister += 1;
    }
    if (this.#hasObject && random.chance(0.4)) {
      body.splice(random.chance(0.7) ? body.length : random.between(0, body.length), 0, { kind: 'free', object: 'o' });
    }
    if (scope.nextRegister === 0) return body;
    const register = random.between(0, scope.nextRegister - 1);
    if (this.#hasAsserts && random.chance(0.4)) {
      const assertion: Statement = { kind: 'assert', register, not: random.between(0, 2), id: this.#nextAssert++ };
      body.splice(random.chance(0.7) ? body.length : random.between(0, body.length), 0, assertion);
    }
    if (random.chance(0.3)) body.push({ kind: 'return', register });
    return body;
  }

  #access(access: string, scope: Scope): Statement[] {
    const random = this.#random;
    const location = access.slice(1, 2);
    const isPlain = location === 'd' || location === this.#shared || random.chance(this.#plainness);
    let kind = access[0];
    if (random.chance(0.06)) kind = 'U';
    if (random.chance(0.04)) kind = random.pick(['R', 'W']);
    if (kind === 'W' || (isPlain && kind === 'U')) return [this.#store(location, isPlain, scope)];
    if (kind === 'U') return [this.#update(location, scope)];
    const register = scope.nextRegister++;
    if (isPlain) return [{ kind: 'plainLoad', location, register }];
    const order = this.#loadOrder();
    const op = random.pick(['==', '!=', '>='] as const);
    const condition = { op, constant: random.between(0, 2) };
    if (this.#hasAwaits && random.chance(0.35)) {
      if (random.chance(0.8)) return [{ kind: 'awaitUntil', location, condition, register, order }];
      const keep = random.chance(0.4) ? { op: '>=' as const, constant: random.between(0, 2) } : undefined;
      const sleeps = random.chance(0.5);
      return [{ kind: 'awaitUpdate', location, condition, keep, add: 1, sleeps, register, order: this.#updateOrder() }];
    }
    const load: Statement = { kind: 'load', location, register, order };
    return this.#hasAssumes && random.chance(0.35) ? [load, { kind: 'assume', register, condition }] : [load];
  }

  #store(location: string, isPlain: boolean, scope: Scope): Statement {
    const random = this.#random;
    const isDependent = scope.nextRegister > 0 && random.chance(0.12);
    const value: Value = isDependent
      ? { register: random.between(0, scope.nextRegister - 1), constant: 1 }
      : { constant: random.weighted([5, 1], [4, 2], [1, 0]) };
    return isPlain
      ? { kind: 'plainStore', location, value }
      : { kind: 'store', location, value, order: this.#storeOrder() };
  }

  #update(location: string, scope: Scope): Statement {
    const random = this.#random;
    const register = scope.nextRegister++;
    const order = this.#updateOrder();
    const kind = random.weighted([3, 'fetchAdd'], [2, 'exchange'], [4, 'compareExchange']);
    if (kind === 'fetchAdd') return { kind, location, add: 1, register, order };
    if (kind === 'exchange') return { kind, location, value: { constant: random.between(1, 2) }, register, order };
    const failureOrder = random.chance(0.5) ? this.#loadOrder() : undefined;
    const expected = random.weighted([5, 0], [3, 1], [1, 2]);
    return { kind, location, expected, desired: random.between(1, 2), register, order, failureOrder };
  }

  /** Puts a part of the thread into a critical section, or what should be one. */
  #guard(body: Statement[], scope: Scope): void {
    const random = this.#random;
    const from = random.between(0, Math.max(0, body.length - 1));
    const to = random.between(from, body.length);
    const section = body.slice(from, to);
    const unlock: Statement[] = random.chance(0.9) ? [{ kind: 'unlock', mutex: 'm' }] : [];
    if (random.chance(0.75)) {
      body.splice(from, to - from, { kind: 'lock', mutex: 'm' }, ...section, ...unlock);
      return;
    }
    const register = scope.nextRegister++;
    const taken: Statement = { kind: 'if', register, equals: 1, whenEqual: [...section, ...unlock], otherwise: [] };
    body.splice(from, to - from, { kind: 'tryLock', mutex: 'm', register }, taken);
  }

  /** What comes after some read depends on what was read. */
  #branch(body: Statement[], scope: Scope): void {
    const random = this.#random;
    const reads = [...body.keys()].filter((at) => 'register' in (body[at] as Statement) && body[at]?.kind !== 'assume');
    if (reads.length === 0) return;
    const at = random.pick(reads);
    const { register } = body[at] as Statement & { readonly register: number };
    const to = random.between(at + 1, body.length);
    const one = body.slice(at + 1, to);
    const other = random.chance(0.3) ? this.#access(random.pick(['R', 'W']) + random.pick(['x', 'y']), scope) : [];
    const [whenEqual, otherwise] = random.chance(0.5) ? [one, other] : [other, one];
    const equals = random.weighted([3, 0], [3, 1], [1, 2]);
    body.splice(at + 1, to - at - 1, { kind: 'if', register, equals, whenEqual, otherwise });
  }

  // ---------------------------------------------------------------------------------------------------- program

  /** Main starts the threads, and may itself be one of them. */
  #together(bodies: readonly Statement[][]): Statement[] {
    const random = this.#random;
    const threads = [...bodies];
    const own = random.chance(0.35) ? (threads.pop() as Statement[]) : [];
    const child = threads.length > 1 && random.chance(0.12) ? threads.pop() : undefined;
    const spawns = threads.map((body, slot): Statement => {
      const isParent = child !== undefined && slot === threads.length - 1;
      return { kind: 'spawn', slot, body: isParent ? this.#nested(body, child) : body };
    });
    // The last thread may start in the middle of what main does.
    const cut = random.chance(0.3) ? random.between(0, own.length) : 0;
    const main = [...spawns.slice(0, -1), ...own.slice(0, cut), ...spawns.slice(-1), ...own.slice(cut)];
    const anywhere = () => random.between(0, main.length);
    if (random.chance(0.08)) {
      main.splice(anywhere(), 0, ...this.#access(random.pick(['Rx', 'Wx', 'Wy']), { nextRegister: 20 }));
    }
    if (random.chance(0.05)) main.splice(anywhere(), 0, { kind: 'fence', order: this.#fenceOrder() });
    if (random.chance(0.02)) main.splice(anywhere(), 0, { kind: 'exit' });
    if (random.chance(0.08)) {
      const first = main.findIndex((statement) => statement.kind === 'spawn' && statement.slot === 0);
      main.splice(random.between(first + 1, main.length), 0, { kind: 'join', slot: 0, register: 19 });
    }
    if (random.chance(0.3) && main.at(-1)?.kind !== 'return') main.push(...this.#ending(threads.length));
    return main;
  }

  #nested(body: readonly Statement[], child: readonly Statement[]): Statement[] {
    const random = this.#random;
    const parent = [...body];
    const at = random.between(0, parent.length);
    parent.splice(at, 0, { kind: 'spawn', slot: 9, body: child });
    if (random.chance(0.4))
      parent.splice(random.between(at + 1, parent.length), 0, { kind: 'join', slot: 9, register: 9 });
    return parent;
  }

  #ending(slots: number): Statement[] {
    const random = this.#random;
    const body: Statement[] = [];
    for (let slot = 0; slot < slots; slot++)
      if (random.chance(0.8)) body.push({ kind: 'join', slot, register: 10 + slot });
    const reads = random.weighted([4, 0], [4, 1], [1, 2]);
    for (let read = 0; read < reads; read++) {
      body.push(...this.#access(`R${random.pick(['x', 'y'])}`, { nextRegister: 15 + read }));
    }
    if (this.#hasObject && random.chance(0.5)) body.push({ kind: 'free', object: 'o' });
    if (this.#hasAsserts && random.chance(0.5)) {
      body.push({ kind: 'assert', register: random.pick([10, 15]), not: random.between(0, 2), id: this.#nextAssert++ });
    }
    if (random.chance(0.3)) body.push({ kind: 'return', register: random.pick([10, 11, 15]) });
    return body;
  }

  // ----------------------------------------------------------------------------------------------------- orders

  #strength(): 0 | 1 | 2 {
    const [weak, middle, strong] = this.#ordering;
    return this.#random.weighted([weak, 0], [middle, 1], [strong, 2]);
  }

  #loadOrder(): LoadOrder {
    return (['relaxed', 'acquire', 'seq_cst'] as const)[this.#strength()];
  }

  #storeOrder(): StoreOrder {
    return (['relaxed', 'release', 'seq_cst'] as const)[this.#strength()];
  }

  #updateOrder(): UpdateOrder {
    const strength = this.#strength();
    if (strength === 1) return this.#random.pick(['acquire', 'release', 'acq_rel']);
    return strength === 0 ? 'relaxed' : 'seq_cst';
  }

  #fenceOrder(): UpdateOrder {
    return this.#random.weighted([1, 'relaxed'], [3, 'acquire'], [3, 'release'], [3, 'acq_rel'], [9, 'seq_cst']);
  }
}

/** The most accesses that an execution can have. */
function mostAccesses(body: readonly Statement[]): number {
  let count = 0;
  for (const statement of body) {
    if (statement.kind === 'spawn') count += mostAccesses(statement.body);
    else if (statement.kind === 'if') {
      count += Math.max(mostAccesses(statement.whenEqual), mostAccesses(statement.otherwise));
    } else if ('location' in statement || 'mutex' in statement || statement.kind === 'free') count += 1;
  }
  return count;
}
