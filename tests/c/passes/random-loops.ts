/**
 * Random programs with loops, as LLVM IR: two threads over two shared variables. Each has a few blocks that lead to each other as
 * chance will have it, back to the first one or to one in between as well, so that there are inner loops, loops with several
 * ways back and ways in, impure paths, variables that some paths change. Locals are small numbers in stack slots; promotion makes
 * phis of them. Main returns all that is left in the end as one number.
 */
import { Random } from '../../random/prng.ts';

const shared = ['@x', '@y'];
const locals = ['%a', '%b', '%c'];

/** With `isWeak`, accesses have all kinds of memory orders; else all are seq_cst. */
export function randomLoops(seed: number, isWeak = false): string {
  const random = new Random(seed);
  const failures: string[] = [];
  const first = new ThreadText(random, 0, failures, isWeak).loop();
  const second = random.chance(0.35)
    ? new ThreadText(random, 1, failures, isWeak).loop()
    : new ThreadText(random, 1, failures, isWeak).straight();
  const texts = failures.map((name) => `@${name} = constant [${name.length + 1} x i8] c"${name}\\00", align 1`);
  return `@x = global i32 ${random.between(0, 1)}, align 4
@y = global i32 0, align 4
@r0 = global i32 0, align 4
@r1 = global i32 0, align 4
${texts.join('\n')}
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(ptr, ptr)
declare i32 @sched_yield()
declare void @__VERIFIER_assume(i32)
declare void @__assert_fail(ptr, ptr, i32, ptr)
${first}
${second}
define i32 @main() {
entry:
  %t0 = alloca ptr, align 4
  %t1 = alloca ptr, align 4
  %c0 = call i32 @pthread_create(ptr %t0, ptr null, ptr @thread0, ptr null)
  %c1 = call i32 @pthread_create(ptr %t1, ptr null, ptr @thread1, ptr null)
  %h0 = load ptr, ptr %t0, align 4
  %h1 = load ptr, ptr %t1, align 4
  %j0 = call i32 @pthread_join(ptr %h0, ptr null)
  %j1 = call i32 @pthread_join(ptr %h1, ptr null)
  %x = load atomic i32, ptr @x seq_cst, align 4
  %y = load atomic i32, ptr @y seq_cst, align 4
  %r0 = load i32, ptr @r0, align 4
  %r1 = load i32, ptr @r1, align 4
  %m0 = mul i32 %x, 1000
  %s0 = add i32 %m0, %y
  %m1 = mul i32 %s0, 100
  %s1 = add i32 %m1, %r0
  %m2 = mul i32 %s1, 100
  %s2 = add i32 %m2, %r1
  ret i32 %s2
}
`;
}

class ThreadText {
  readonly #random: Random;
  readonly #number: number;
  readonly #failures: string[];
  readonly #isWeak: boolean;
  readonly #lines: string[] = [];
  readonly #failing: string[] = [];
  #values = 0;

  constructor(random: Random, number: number, failures: string[], isWeak: boolean) {
    this.#random = random;
    this.#number = number;
    this.#failures = failures;
    this.#isWeak = isWeak;
  }

  straight(): string {
    this.#begin();
    for (let i = this.#random.between(2, 3); i > 0; i--) this.#sharedStatement();
    this.#line('br label %exit');
    return this.#end();
  }

  loop(): string {
    const random = this.#random;
    this.#begin();
    const count = random.between(1, 5);
    this.#line('br label %b0');
    for (let i = 0; i < count; i++) {
      this.#lines.push(`b${i}:`);
      for (let n = random.between(0, 2); n > 0; n--) this.#statement();
      this.#terminator(i, count);
    }
    return this.#end();
  }

  #begin(): void {
    this.#lines.push(`define ptr @thread${this.#number}(ptr %arg) {`, 'entry:');
    for (const local of locals) this.#line(`${local} = alloca i32, align 4`);
    for (const local of locals) this.#line(`store i32 ${this.#random.between(0, 1)}, ptr ${local}, align 4`);
  }

  /** Some of the locals matter in the end. */
  #end(): string {
    this.#lines.push('exit:');
    let result = this.#value('add i32 0, 0');
    for (const local of locals) {
      if (this.#random.chance(0.2)) continue;
      const scaled = this.#value(`mul i32 ${result}, 4`);
      result = this.#value(`add i32 ${scaled}, ${this.#read(local)}`);
    }
    this.#line(`store i32 ${result}, ptr @r${this.#number}, align 4`);
    this.#line('ret ptr null');
    return [...this.#lines, ...this.#failing, '}'].join('\n');
  }

  #terminator(i: number, count: number): void {
    const random = this.#random;
    if (random.chance(0.12)) this.#assert(i);
    const isLast = i === count - 1;
    const ahead = () => (isLast ? '%exit' : `%b${random.between(i + 1, count - 1)}`);
    const target = () => {
      if (isLast) return '%b0';
      return random.weighted([3, ahead()], [2.5, '%b0'], [1, '%exit'], [2, `%b${random.between(0, i)}`]);
    };
    // The function must be able to end.
    const safe = random.chance(0.3) ? '%exit' : ahead();
    if (!isLast && random.chance(0.3)) {
      this.#line(`br label ${ahead()}`);
      return;
    }
    const targets = random.chance(0.5) ? [safe, target()] : [target(), safe];
    if (targets[0] === targets[1]) this.#line(`br label ${targets[0]}`);
    else if (random.chance(0.1)) this.#switch(targets as [string, string]);
    else this.#line(`br i1 ${this.#condition()}, label ${targets[0]}, label ${targets[1]}`);
  }

  #switch([usual, other]: [string, string]): void {
    const cases = `i32 0, label ${other} i32 2, label ${other}`;
    this.#line(`switch i32 ${this.#read(this.#random.pick(locals))}, label ${usual} [ ${cases} ]`);
  }

  #assert(i: number): void {
    const name = `f${this.#number}${i}`;
    this.#failures.push(name);
    this.#line(`br i1 ${this.#condition()}, label %ok${i}, label %fail${i}`);
    this.#failing.push(`fail${i}:`, `  call void @__assert_fail(ptr @${name}, ptr @${name}, i32 1, ptr @${name})`);
    this.#failing.push('  unreachable');
    this.#lines.push(`ok${i}:`);
  }

  #condition(): string {
    const random = this.#random;
    const predicate = random.pick(['eq', 'ne', 'slt', 'sge', 'ult', 'ugt']);
    const right = random.chance(0.2) ? this.#read(random.pick(locals)) : String(random.between(0, 2));
    const one = this.#value(`icmp ${predicate} i32 ${this.#read(random.pick(locals))}, ${right}`);
    if (!random.chance(0.2)) return one;
    const other = this.#value(`icmp eq i32 ${this.#read(random.pick(locals))}, ${random.between(0, 2)}`);
    return this.#value(`${random.pick(['and', 'or'])} i1 ${one}, ${other}`);
  }

  #statement(): void {
    const random = this.#random;
    const kind = random.weighted(
      [5, 'shared'],
      [2, 'set'],
      [1, 'compute'],
      [0.5, 'yield'],
      [0.3, 'assume'],
      [0.5, 'fence'],
      [0.5, 'fault'],
    );
    switch (kind) {
      case 'shared':
        this.#sharedStatement();
        break;
      case 'set':
        this.#write(
          random.pick(locals),
          random.chance(0.5) ? String(random.between(0, 2)) : this.#read(random.pick(locals)),
        );
        break;
      case 'compute': {
        const sum = this.#value(`add i32 ${this.#read(random.pick(locals))}, ${random.between(0, 2)}`);
        this.#write(random.pick(locals), this.#value(`and i32 ${sum}, 3`));
        break;
      }
      case 'yield':
        this.#value('call i32 @sched_yield()');
        break;
      case 'assume':
        this.#line(`call void @__VERIFIER_assume(i32 ${this.#value(`zext i1 ${this.#condition()} to i32`)})`);
        break;
      case 'fence':
        this.#line(`fence ${this.#order('acquire', 'release', 'acq_rel')}`);
        break;
      case 'fault': {
        const pointer = this.#value(`select i1 ${this.#condition()}, ptr ${random.pick(shared)}, ptr null`);
        this.#write(
          random.pick(locals),
          this.#value(`load atomic i32, ptr ${pointer} ${this.#order('monotonic', 'acquire')}, align 4`),
        );
        break;
      }
    }
  }

  #sharedStatement(): void {
    const random = this.#random;
    const variable = random.pick(shared);
    const local = random.pick(locals);
    const operand = () => (random.chance(0.6) ? String(random.between(0, 2)) : this.#read(random.pick(locals)));
    const update = () => this.#order('monotonic', 'acquire', 'release', 'acq_rel');
    switch (random.weighted([6, 'load'], [2, 'store'], [1, 'update'], [2, 'xchg'], [2, 'cas'])) {
      case 'load':
        this.#write(
          local,
          this.#value(`load atomic i32, ptr ${variable} ${this.#order('monotonic', 'acquire')}, align 4`),
        );
        break;
      case 'store':
        this.#line(`store atomic i32 ${operand()}, ptr ${variable} ${this.#order('monotonic', 'release')}, align 4`);
        break;
      case 'update': {
        const old = this.#value(
          `atomicrmw ${random.pick(['add', 'or', 'and', 'max', 'umin'])} ptr ${variable}, i32 ${operand()} ${update()}, align 4`,
        );
        this.#write(local, this.#value(`and i32 ${old}, 3`));
        break;
      }
      case 'xchg': {
        const old = this.#value(`atomicrmw xchg ptr ${variable}, i32 ${operand()} ${update()}, align 4`);
        this.#write(local, this.#value(`and i32 ${old}, 3`));
        break;
      }
      case 'cas': {
        const pair = this.#value(
          `cmpxchg ptr ${variable}, i32 ${operand()}, i32 ${operand()} ${update()} ${this.#order('monotonic', 'acquire')}, align 4`,
        );
        const success = this.#value(`extractvalue { i32, i1 } ${pair}, 1`);
        this.#write(local, this.#value(`zext i1 ${success} to i32`));
        if (random.chance(0.4)) this.#write(random.pick(locals), this.#value(`extractvalue { i32, i1 } ${pair}, 0`));
        break;
      }
    }
  }

  /** Any of these or seq_cst. */
  #order(...weaker: readonly string[]): string {
    return this.#isWeak ? this.#random.pick([...weaker, 'seq_cst']) : 'seq_cst';
  }

  #read(local: string): string {
    return this.#value(`load i32, ptr ${local}, align 4`);
  }

  #write(local: string, value: string): void {
    this.#line(`store i32 ${value}, ptr ${local}, align 4`);
  }

  #value(instruction: string): string {
    const name = `%v${this.#values++}`;
    this.#line(`${name} = ${instruction}`);
    return name;
  }

  #line(text: string): void {
    this.#lines.push(`  ${text}`);
  }
}
