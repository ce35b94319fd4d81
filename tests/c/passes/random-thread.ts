/**
 * The text of one thread of a random program in LLVM IR, statement by statement. Locals are small numbers in stack slots;
 * promotion makes phis of them.
 */
import type { Random } from '../../random/prng.ts';

const shared = ['@x', '@y'];
const locals = ['%a', '%b', '%c', '%d'];
const predicates = ['slt', 'sle', 'sgt', 'sge', 'ult', 'ule', 'ugt', 'uge'];

/** Updates, and operands with which they change nothing. */
const updates: Readonly<Record<string, number>> = {
  ...{ add: 0, sub: 0, or: 0, xor: 0, and: -1 },
  ...{ max: -1, min: 7, umax: 0, umin: -1 },
};

/** They give 0 if they got the lock. */
const tries: Readonly<Record<LockKind, string>> = {
  mutex: 'call i32 @pthread_mutex_trylock(ptr @m)',
  spin: 'atomicrmw xchg ptr @l, i32 1 acquire, align 4',
  semaphore: 'call i32 @sem_trywait(ptr @l)',
};

/** What the threads of one program have in common. */
export interface World {
  /** The names of assertions, to which threads add theirs. */
  readonly failures: string[];
  /** The number that loops mostly wait for. */
  readonly goal: number;
  /** Accesses have all memory orders. */
  readonly isWeak: boolean;
  /** Loops look under a lock, and others try whether it is held. */
  readonly isPolling: boolean;
  readonly lock: LockKind;
}

/** What sections are under: a mutex, or a location that is used as a lock, in `@l`. */
export type LockKind = 'mutex' | 'spin' | 'semaphore';

export class ThreadText {
  readonly random: Random;
  readonly goal: number;
  readonly isPolling: boolean;
  readonly #lock: LockKind;
  readonly #number: number;
  readonly #failures: string[];
  readonly #isWeak: boolean;
  readonly #lines: string[] = [];
  readonly #failing: string[] = [];
  /** What was read last; conditions are mostly about that. */
  #recent: readonly string[] = [];
  #values = 0;
  #labels = 0;

  constructor(random: Random, number: number, { failures, goal, isWeak, isPolling, lock }: World) {
    this.random = random;
    this.goal = goal;
    this.isPolling = isPolling;
    this.#lock = lock;
    this.#number = number;
    this.#failures = failures;
    this.#isWeak = isWeak;
  }

  get hasOwnLock(): boolean {
    return this.#lock !== 'mutex';
  }

  begin(): void {
    this.#lines.push(`define ptr @thread${this.#number}(ptr %arg) {`, 'entry:');
    for (const local of locals) this.line(`${local} = alloca i32, align 4`);
    for (const local of locals) this.set(local, String(this.random.between(0, 1)));
  }

  /** The text of the thread, which ends where control comes to `%exit`. Most of the locals matter in the end. */
  end(): string {
    this.block('exit');
    let result = this.value('add i32 0, 0');
    for (const local of locals) {
      if (this.random.chance(0.2)) continue;
      const scaled = this.value(`shl i32 ${result}, 3`);
      const low = this.value(`and i32 ${this.get(local)}, 7`);
      result = this.value(`or i32 ${scaled}, ${low}`);
    }
    this.line(`store i32 ${result}, ptr @r${this.#number}, align 4`);
    this.line('ret ptr null');
    return [...this.#lines, ...this.#failing, '}'].join('\n');
  }

  // ------------------------------------------------------------------------------------------------------------- text

  line(text: string): void {
    this.#lines.push(`  ${text}`);
  }

  value(instruction: string): string {
    const name = `%v${this.#values++}`;
    this.line(`${name} = ${instruction}`);
    return name;
  }

  label(): string {
    return `l${this.#labels++}`;
  }

  block(label: string): void {
    this.#lines.push(`${label}:`);
  }

  jump(label: string): void {
    this.line(`br label %${label}`);
  }

  branch(condition: string, then: string, otherwise: string): void {
    this.line(`br i1 ${condition}, label %${then}, label %${otherwise}`);
  }

  /** To one of two blocks, by the value of a local. */
  switch(usual: string, other: string): void {
    const cases = `i32 0, label %${other} i32 2, label %${other}`;
    this.line(`switch i32 ${this.get(this.#someLocal())}, label %${usual} [ ${cases} ]`);
  }

  get(local: string): string {
    return this.value(`load i32, ptr ${local}, align 4`);
  }

  set(local: string, value: string): void {
    this.line(`store i32 ${value}, ptr ${local}, align 4`);
  }

  // ------------------------------------------------------------------------------------------------------- conditions

  anyLocal(): string {
    return this.random.pick(locals);
  }

  /** A local that was read lately, mostly. */
  #someLocal(): string {
    const { random } = this;
    const [last] = this.#recent;
    if (last === undefined || random.chance(0.2)) return this.anyLocal();
    return random.chance(0.6) ? last : random.pick(this.#recent);
  }

  constant(): string {
    return String(this.random.weighted([3, 0], [4, 1], [3, 2], [0.4, -1], [0.4, 3]));
  }

  /** A condition on what was read lately that does not hold of the goal. */
  #conditionOffGoal(): string {
    const local = this.get(this.#someLocal());
    const isNot = this.random.chance(0.4);
    return this.value(`icmp ${isNot ? 'ne' : 'eq'} i32 ${local}, ${isNot ? this.goal : this.offGoal()}`);
  }

  offGoal(): number {
    return (this.goal + this.random.between(1, 2)) % 3;
  }

  /** A condition on what was read last that holds of the goal. */
  goalCondition(): string {
    const { goal, random } = this;
    const local = this.get(this.#recent[0] ?? this.anyLocal());
    const other = this.offGoal();
    const [predicate, bound] = random.weighted<readonly [string, number]>(
      [4, ['eq', goal]],
      [2, ['ne', other]],
      [1, [goal > other ? 'sgt' : 'slt', other]],
      [1, [goal > other ? 'uge' : 'ule', goal]],
    );
    return this.value(`icmp ${predicate} i32 ${local}, ${bound}`);
  }

  condition(): string {
    const { random } = this;
    if (random.chance(0.3)) return this.#conditionOffGoal();
    const one = this.#comparison();
    switch (random.weighted([8, 'one'], [1, 'and'], [1, 'or'], [0.5, 'not'], [0.5, 'select'], [0.5, 'number'])) {
      case 'one':
        return one;
      case 'and':
        return this.value(`and i1 ${one}, ${this.#comparison()}`);
      case 'or':
        return this.value(`or i1 ${one}, ${this.#comparison()}`);
      case 'not':
        return this.value(`xor i1 ${one}, true`);
      case 'select':
        return this.value(`select i1 ${one}, i1 ${this.#comparison()}, i1 ${random.pick(['true', 'false'])}`);
      case 'number':
        return this.value(`icmp ne i32 ${this.value(`zext i1 ${one} to i32`)}, 0`);
    }
  }

  #comparison(): string {
    const { random } = this;
    const predicate = random.weighted([4, 'eq'], [3, 'ne'], [3, random.pick(predicates)]);
    const local = this.get(this.#someLocal());
    const left = random.chance(0.1) ? this.value(`${random.pick(['add', 'sub'])} i32 ${local}, 1`) : local;
    const right = random.chance(0.15) ? this.get(this.#someLocal()) : this.constant();
    return this.value(`icmp ${predicate} i32 ${random.chance(0.1) ? `${right}, ${left}` : `${left}, ${right}`}`);
  }

  // ------------------------------------------------------------------------------------------------------- statements

  load(variable = this.random.pick(shared), local = this.anyLocal()): void {
    this.set(local, this.value(`load atomic i32, ptr ${variable} ${this.#order('monotonic', 'acquire')}, align 4`));
    this.#hasRead(local);
  }

  #hasRead(local: string): void {
    this.#recent = [local, ...this.#recent.filter((other) => other !== local)].slice(0, 2);
  }

  /** A load, or an update of some kind. */
  read(): void {
    if (this.random.chance(0.5)) this.load();
    else this.update();
  }

  /** Mostly of what nobody waits for. Some of them change nothing. */
  update(): void {
    const { random } = this;
    const variable = random.chance(0.7) ? '@y' : '@x';
    const local = this.anyLocal();
    switch (random.weighted([6, 'fetch'], [2, 'xchg'], [2, 'cas'])) {
      case 'fetch':
        this.#fetch(variable, local);
        break;
      case 'xchg': {
        const operand = this.#operand();
        this.set(local, this.value(`atomicrmw xchg ptr ${variable}, i32 ${operand} ${this.#updateOrder()}, align 4`));
        break;
      }
      case 'cas':
        this.#compareExchange(variable, local);
        break;
    }
    this.#hasRead(local);
  }

  #fetch(variable: string, local: string): void {
    const { random } = this;
    const operation = random.pick(Object.keys(updates));
    const operand = random.chance(0.25) ? String(updates[operation]) : this.#operand();
    this.set(
      local,
      this.value(`atomicrmw ${operation} ptr ${variable}, i32 ${operand} ${this.#updateOrder()}, align 4`),
    );
  }

  #compareExchange(variable: string, local: string): void {
    const orders = `${this.#updateOrder()} ${this.#order('monotonic', 'acquire')}`;
    const pair = this.value(
      `cmpxchg ptr ${variable}, i32 ${this.#operand()}, i32 ${this.#operand()} ${orders}, align 4`,
    );
    const success = this.value(`extractvalue { i32, i1 } ${pair}, 1`);
    this.set(local, this.value(`zext i1 ${success} to i32`));
    if (this.random.chance(0.4)) this.set(this.anyLocal(), this.value(`extractvalue { i32, i1 } ${pair}, 0`));
  }

  /** Mostly to what nobody waits for, of a number that nobody else writes. */
  write(variable = this.random.chance(0.75) ? '@y' : '@x', value = this.#written()): void {
    const order = this.#order('monotonic', 'release');
    this.line(`store atomic i32 ${value}, ptr ${variable} ${order}, align 4`);
  }

  /** What mostly this thread alone accesses: in memory, a variable of its own. */
  own(): void {
    const { random } = this;
    const number = random.chance(0.9) ? this.#number : 1 - this.#number;
    if (random.chance(0.4)) this.load(`@o${number}`);
    else this.write(`@o${number}`, random.chance(0.5) ? this.constant() : this.get(this.#someLocal()));
  }

  /** Something that the thread alone sees: mostly to a local that is not what was read last. */
  compute(): void {
    const { random } = this;
    const local = random.pick(locals.filter((each) => !this.#recent.includes(each)));
    switch (random.weighted([3, 'constant'], [1, 'copy'], [2, 'add'])) {
      case 'constant':
        this.set(local, this.constant());
        break;
      case 'copy':
        this.set(local, this.get(this.anyLocal()));
        break;
      case 'add': {
        const sum = this.value(`add i32 ${this.get(random.chance(0.6) ? local : this.anyLocal())}, 1`);
        this.set(local, this.value(`and i32 ${sum}, 3`));
        break;
      }
    }
  }

  assert(): void {
    const name = `f${this.#number}${this.#labels}`;
    const [right, wrong] = [this.label(), this.label()];
    this.#failures.push(name);
    this.branch(this.condition(), right, wrong);
    this.#failing.push(`${wrong}:`, `  call void @__assert_fail(ptr @${name}, ptr @${name}, i32 1, ptr @${name})`);
    this.#failing.push('  unreachable');
    this.block(right);
  }

  /** What fails for some values: an access through a pointer, or a division. */
  fault(): void {
    const { random } = this;
    const order = this.#order('monotonic', 'acquire');
    switch (random.weighted([2, 'null'], [2, 'bounds'], [1, 'division'], [1, 'update'])) {
      case 'null': {
        const pointer = this.value(`select i1 ${this.condition()}, ptr ${random.pick(shared)}, ptr null`);
        this.set(this.anyLocal(), this.value(`load atomic i32, ptr ${pointer} ${order}, align 4`));
        break;
      }
      case 'bounds': {
        const index = random.chance(0.3) ? String(random.between(0, 3)) : this.get(this.#someLocal());
        const pointer = this.value(`getelementptr [2 x i32], ptr @t, i32 0, i32 ${index}`);
        this.set(this.anyLocal(), this.value(`load atomic i32, ptr ${pointer} ${order}, align 4`));
        break;
      }
      case 'division':
        this.set(this.anyLocal(), this.value(`sdiv i32 2, ${this.get(this.#someLocal())}`));
        break;
      case 'update': {
        const pointer = this.value(`select i1 ${this.condition()}, ptr ${random.pick(shared)}, ptr null`);
        this.set(this.anyLocal(), this.value(`atomicrmw add ptr ${pointer}, i32 0 ${this.#updateOrder()}, align 4`));
        break;
      }
    }
  }

  /** Code between a trylock that got the mutex and its unlock, which may be forgotten. */
  trySection(inside: () => void): void {
    const [got, after] = [this.label(), this.label()];
    const result = this.value(tries[this.#lock]);
    const isFree = this.value(`icmp eq i32 ${result}, 0`);
    this.set(this.anyLocal(), this.value(`zext i1 ${isFree} to i32`));
    this.branch(isFree, got, after);
    this.block(got);
    if (this.random.chance(0.6)) {
      inside();
      this.unlock();
    }
    this.jump(after);
    this.block(after);
  }

  lock(): void {
    if (this.#lock !== 'spin') {
      this.value(this.#lock === 'mutex' ? 'call i32 @pthread_mutex_lock(ptr @m)' : 'call i32 @sem_wait(ptr @l)');
      return;
    }
    const [again, got] = [this.label(), this.label()];
    this.jump(again);
    this.block(again);
    const old = this.value(tries.spin);
    this.branch(this.value(`icmp eq i32 ${old}, 0`), got, again);
    this.block(got);
  }

  unlock(): void {
    if (this.#lock === 'mutex') this.value('call i32 @pthread_mutex_unlock(ptr @m)');
    else if (this.#lock === 'semaphore') this.value('call i32 @sem_post(ptr @l)');
    else
      this.line(
        `store atomic i32 0, ptr @l ${this.#isWeak && this.random.chance(0.1) ? 'monotonic' : 'release'}, align 4`,
      );
  }

  /** Looks whether the lock is held, or gives it back whoever has it. */
  meddle(): void {
    if (this.#lock === 'mutex') return;
    if (this.random.chance(0.2)) this.unlock();
    else if (this.#lock === 'spin') this.set(this.anyLocal(), this.value('load atomic i32, ptr @l seq_cst, align 4'));
    else this.trySection(() => {});
  }

  assume(): void {
    this.line(`call void @__VERIFIER_assume(i32 ${this.value(`zext i1 ${this.condition()} to i32`)})`);
  }

  /** Something that passes time. */
  pause(): void {
    if (this.random.chance(0.5)) this.value('call i32 @sched_yield()');
    else this.line(`fence ${this.#order('acquire', 'release', 'acq_rel')}`);
  }

  #written(): string {
    return this.random.chance(0.7) ? String(4 + (this.#values % 4)) : this.#operand();
  }

  #operand(): string {
    return this.random.chance(0.7) ? this.constant() : this.get(this.anyLocal());
  }

  #updateOrder(): string {
    return this.#order('monotonic', 'acquire', 'release', 'acq_rel');
  }

  /** Any of these or seq_cst. */
  #order(...weaker: readonly string[]): string {
    return this.#isWeak ? this.random.pick([...weaker, 'seq_cst']) : 'seq_cst';
  }
}
