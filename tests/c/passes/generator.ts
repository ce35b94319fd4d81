/**
 * Random functions as text: local variables of all widths, structs and arrays, arithmetic, phis, and any control flow,
 * irreducible and with edges that are there twice. All of them end: each block uses up fuel.
 */
export interface Generated {
  readonly text: string;
  /** The source's variables. */
  readonly variables: readonly string[];
}

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed * 2654435761 + 1) >>> 0;
  }

  /** 0 to count - 1 (mulberry32). */
  below(count: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % count;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }
}

const widths = [8, 16, 32, 64] as const;
const ops = ['add', 'sub', 'mul', 'and', 'or', 'xor', 'shl', 'lshr', 'ashr', 'udiv', 'sdiv', 'urem', 'srem'] as const;
const predicates = ['eq', 'ne', 'ugt', 'uge', 'ult', 'ule', 'sgt', 'sge', 'slt', 'sle'] as const;
const structFields = [32, 8, 64] as const;

interface BlockText {
  readonly name: string;
  readonly lines: string[];
  /** Its values by width. */
  readonly values: Map<number, string[]>;
  targets: string[];
  terminator: string;
  /** The name of the last block of its text, where control leaves it. */
  last: string;
}

/** With `isSet`, all variables are set at the beginning. */
export function generate(seed: number, isSet: boolean): Generated {
  return new Generator(new Random(seed), isSet).run();
}

class Generator {
  readonly #random: Random;
  readonly #isSet: boolean;
  /** The variables and structs that are set at the beginning. */
  readonly #set = new Set<string>();
  readonly #scalars: { readonly name: string; readonly bits: number }[] = [];
  #structs = 0;
  #arrays = 0;
  #values = 0;

  constructor(random: Random, isSet: boolean) {
    this.#random = random;
    this.#isSet = isSet;
  }

  run(): Generated {
    const random = this.#random;
    const entry: string[] = ['  %fuel = alloca i32', '  store i32 40, ptr %fuel'];
    for (let i = 0; i < 2 + random.below(5); i++) {
      const variable = { name: `v${i}`, bits: random.pick(widths) };
      this.#scalars.push(variable);
      entry.push(`  %${variable.name} = alloca i${variable.bits}`);
      if (this.#isSet || random.chance(50)) {
        this.#set.add(variable.name);
        entry.push(`  store i${variable.bits} ${random.below(100)}, ptr %${variable.name}`);
      }
    }
    this.#structs = random.below(3);
    for (let i = 0; i < this.#structs; i++) {
      entry.push(`  %s${i} = alloca %s`);
      if (this.#isSet || random.chance(40)) {
        this.#set.add(`s${i}`);
        entry.push(this.#fill(`s${i}`, 16));
      }
    }
    // An index that is not constant keeps an array in memory, where a load of it stays.
    this.#arrays = this.#isSet ? random.below(3) : 0;
    for (let i = 0; i < this.#arrays; i++) entry.push(`  %a${i} = alloca [4 x i32]`, this.#fill(`a${i}`, 16));
    entry.push('  br label %b0');

    const names = Array.from({ length: 1 + random.below(8) }, (_, i) => `b${i}`);
    const blocks = names.map((name) => this.#block(name, names));
    const phis = this.#phis(blocks);
    const body = blocks.map(({ name, lines, terminator }) =>
      [`${name}:`, ...phis.get(name)!, ...this.#useFuel(name), ...lines, terminator].join('\n'),
    );
    const text = [
      '%s = type { i32, i8, i64 }',
      'declare void @llvm.memset.p0.i32(ptr, i8, i32, i1)',
      'declare void @llvm.memcpy.p0.p0.i32(ptr, ptr, i32, i1)',
      'define i64 @f(i32 %p, i64 %q) {',
      'entry:',
      ...entry,
      ...body,
      ...this.#exit(),
      '}',
      '',
    ].join('\n');
    const structs = Array.from({ length: this.#structs }, (_, i) => `s${i}`);
    const arrays = Array.from({ length: this.#arrays }, (_, i) => `a${i}`);
    return { text, variables: [...this.#scalars.map(({ name }) => name), ...structs, ...arrays] };
  }

  #fill(name: string, size: number): string {
    const byte = this.#random.pick([0, 0, 1, -1]);
    return `  call void @llvm.memset.p0.i32(ptr %${name}, i8 ${byte}, i32 ${size}, i1 false)`;
  }

  /** Phis come before: the fuel is looked at in a block of its own behind them. */
  #useFuel(name: string): string[] {
    return [
      `  %${name}.fuel = load i32, ptr %fuel`,
      `  %${name}.left = sub i32 %${name}.fuel, 1`,
      `  store i32 %${name}.left, ptr %fuel`,
      `  %${name}.out = icmp slt i32 %${name}.fuel, 0`,
      `  br i1 %${name}.out, label %exit, label %${name}.go`,
      `${name}.go:`,
    ];
  }

  #fresh(): string {
    return `%t${this.#values++}`;
  }

  #block(name: string, names: readonly string[]): BlockText {
    const random = this.#random;
    const values = new Map<number, string[]>([
      [1, []],
      [8, []],
      [16, []],
      [32, ['%p', `%${name}.phi`]],
      [64, ['%q']],
    ]);
    const block: BlockText = { name, lines: [], values, targets: [], terminator: '', last: `${name}.go` };
    const count = random.below(8);
    for (let i = 0; i < count; i++) this.#statement(block);
    this.#terminate(block, names);
    return block;
  }

  #statement(block: BlockText): void {
    const random = this.#random;
    const kind = random.below(13);
    if (kind < 3) this.#loadScalar(block);
    else if (kind < 6) this.#storeScalar(block);
    else if (kind === 6) this.#structAccess(block);
    else if (kind === 7) this.#arrayAccess(block);
    else if (kind === 8) this.#cast(block);
    else if (kind === 9) this.#choose(block);
    else if (kind === 10) this.#pause(block);
    else this.#binary(block, random.pick(widths));
  }

  #value(block: BlockText, bits: number): string {
    const known = block.values.get(bits)!;
    if (known.length > 0 && !this.#random.chance(25)) return this.#random.pick(known);
    if (bits === 1) return this.#random.pick(['true', 'false']);
    return String(this.#random.pick([0, 1, -1, 2, 7, this.#random.below(120)]));
  }

  #define(block: BlockText, bits: number, text: string): string {
    const name = this.#fresh();
    block.lines.push(`  ${name} = ${text}`);
    block.values.get(bits)!.push(name);
    return name;
  }

  #binary(block: BlockText, bits: number): void {
    const op = this.#random.pick(this.#random.chance(80) ? ops.slice(0, 9) : ops);
    this.#define(block, bits, `${op} i${bits} ${this.#value(block, bits)}, ${this.#value(block, bits)}`);
  }

  #loadScalar(block: BlockText): void {
    const { name, bits } = this.#random.pick(this.#scalars);
    // Most functions should come to their end.
    if (!this.#isReturned(name)) return;
    this.#define(block, bits, `load i${bits}, ptr %${name}`);
  }

  #storeScalar(block: BlockText): void {
    const { name, bits } = this.#random.pick(this.#scalars);
    block.lines.push(`  store i${bits} ${this.#value(block, bits)}, ptr %${name}`);
  }

  #structAccess(block: BlockText): void {
    if (this.#structs === 0) return;
    const random = this.#random;
    const struct = `%s${random.below(this.#structs)}`;
    if (random.chance(20)) {
      const other = `%s${random.below(this.#structs)}`;
      block.lines.push(`  call void @llvm.memcpy.p0.p0.i32(ptr ${struct}, ptr ${other}, i32 16, i1 false)`);
      return;
    }
    if (random.chance(10)) {
      block.lines.push(this.#fill(struct.slice(1), 16));
      return;
    }
    const field = random.below(3);
    const bits = structFields[field]!;
    const pointer = this.#fresh();
    block.lines.push(`  ${pointer} = getelementptr %s, ptr ${struct}, i32 0, i32 ${field}`);
    if (random.chance(50)) this.#define(block, bits, `load i${bits}, ptr ${pointer}`);
    else block.lines.push(`  store i${bits} ${this.#value(block, bits)}, ptr ${pointer}`);
  }

  #arrayAccess(block: BlockText): void {
    if (this.#arrays === 0) return;
    const random = this.#random;
    const array = random.below(this.#arrays);
    // The first one is only indexed by constants.
    let index = String(random.below(4));
    if (array > 0) {
      index = this.#fresh();
      block.lines.push(`  ${index} = and i32 ${this.#value(block, 32)}, 3`);
    }
    const pointer = this.#fresh();
    block.lines.push(`  ${pointer} = getelementptr [4 x i32], ptr %a${array}, i32 0, i32 ${index}`);
    if (random.chance(50)) this.#define(block, 32, `load i32, ptr ${pointer}`);
    else block.lines.push(`  store i32 ${this.#value(block, 32)}, ptr ${pointer}`);
  }

  #cast(block: BlockText): void {
    const [from, to] = [this.#random.pick(widths), this.#random.pick(widths)];
    if (from === to) {
      this.#define(
        block,
        1,
        `icmp ${this.#random.pick(predicates)} i${from} ${this.#value(block, from)}, ${this.#value(block, from)}`,
      );
    } else {
      const op = from > to ? 'trunc' : this.#random.pick(['zext', 'sext']);
      this.#define(block, to, `${op} i${from} ${this.#value(block, from)} to i${to}`);
    }
  }

  #choose(block: BlockText): void {
    const bits = this.#random.pick(widths);
    const condition = this.#value(block, 1);
    this.#define(
      block,
      bits,
      `select i1 ${condition}, i${bits} ${this.#value(block, bits)}, i${bits} ${this.#value(block, bits)}`,
    );
    if (this.#random.chance(50)) return;
    const number = this.#define(block, 32, `zext i1 ${condition} to i32`);
    this.#define(block, 1, `icmp ${this.#random.pick(['eq', 'ne'])} i32 ${number}, ${this.#random.below(2)}`);
  }

  /** A loop that ends. What it computes is mostly not used. */
  #pause(block: BlockText): void {
    const random = this.#random;
    const name = this.#fresh().slice(1);
    const [start, step, predicate] = random.pick([
      [0, 1, 'slt'],
      [0, 1, 'ult'],
      [7, -1, 'sgt'],
      [7, -1, 'ugt'],
      [0, 1, 'ne'],
    ] as const);
    block.lines.push(
      `  %${name}.limit = and i8 ${this.#value(block, 8)}, 7`,
      `  br label %${name}.loop`,
      `${name}.loop:`,
      `  %${name}.i = phi i8 [ ${start}, %${block.last} ], [ %${name}.next, %${name}.loop ]`,
      `  %${name}.sum = phi i8 [ ${this.#value(block, 8)}, %${block.last} ], [ %${name}.more, %${name}.loop ]`,
      `  %${name}.next = add i8 %${name}.i, ${step}`,
      `  %${name}.more = ${random.pick(ops.slice(0, 6))} i8 %${name}.sum, %${name}.i`,
      `  %${name}.on = icmp ${predicate} i8 %${name}.i, %${name}.limit`,
      `  br i1 %${name}.on, label %${name}.loop, label %${name}.end`,
      `${name}.end:`,
    );
    block.last = `${name}.end`;
    if (random.chance(25)) block.values.get(8)!.push(`%${name}.${random.pick(['i', 'more'])}`);
  }

  #terminate(block: BlockText, names: readonly string[]): void {
    const random = this.#random;
    const all = [...names, 'exit'];
    const target = () => random.pick(all);
    const kind = random.below(10);
    if (kind < 3) {
      block.targets = [target()];
      block.terminator = `  br label %${block.targets[0]}`;
    } else if (kind < 8) {
      block.targets = [target(), target()];
      const condition = this.#value(block, 1);
      block.terminator = `  br i1 ${condition}, label %${block.targets[0]}, label %${block.targets[1]}`;
    } else {
      block.targets = [target(), target(), target(), target()];
      const cases = block.targets.slice(1).map((name, i) => `i32 ${i - 1}, label %${name}`);
      block.terminator = `  switch i32 ${this.#value(block, 32)}, label %${block.targets[0]} [ ${cases.join(' ')} ]`;
    }
  }

  /** One phi for each block, with a value that its predecessor knows; the same one for all edges from there. */
  #phis(blocks: readonly BlockText[]): Map<string, string[]> {
    const phis = new Map<string, string[]>();
    for (const { name } of blocks) {
      const incoming: string[] = name === 'b0' ? ['[ 5, %entry ]'] : [];
      for (const from of blocks) {
        if (!from.targets.includes(name)) continue;
        const value = this.#value(from, 32);
        for (const target of from.targets) if (target === name) incoming.push(`[ ${value}, %${from.last} ]`);
      }
      // A block that nobody goes to.
      phis.set(name, [
        incoming.length === 0 ? `  %${name}.phi = add i32 1, 2` : `  %${name}.phi = phi i32 ${incoming.join(', ')}`,
      ]);
    }
    return phis;
  }

  #isReturned(name: string): boolean {
    return this.#set.has(name) || this.#random.chance(10);
  }

  /** Returns a mixture of all variables that are surely set, and of some others. */
  #exit(): string[] {
    const lines = ['exit:'];
    let sum = '0';
    for (const { name, bits } of this.#scalars) {
      if (!this.#isReturned(name)) continue;
      lines.push(`  %x.${name} = load i${bits}, ptr %${name}`);
      let wide = `%x.${name}`;
      if (bits < 64) {
        wide = `%w.${name}`;
        lines.push(`  ${wide} = sext i${bits} %x.${name} to i64`);
      }
      lines.push(`  %m.${name} = mul i64 ${sum}, 31`, `  %n.${name} = add i64 %m.${name}, ${wide}`);
      sum = `%n.${name}`;
    }
    for (let i = 0; i < this.#structs; i++) {
      if (!this.#isReturned(`s${i}`)) continue;
      lines.push(
        `  %g.${i} = getelementptr %s, ptr %s${i}, i32 0, i32 2`,
        `  %y.${i} = load i64, ptr %g.${i}`,
        `  %z.${i} = xor i64 ${sum}, %y.${i}`,
      );
      sum = `%z.${i}`;
    }
    for (let i = 0; i < this.#arrays; i++) {
      lines.push(
        `  %h.${i} = getelementptr [4 x i32], ptr %a${i}, i32 0, i32 1`,
        `  %i.${i} = load i32, ptr %h.${i}`,
        `  %j.${i} = zext i32 %i.${i} to i64`,
        `  %k.${i} = add i64 ${sum}, %j.${i}`,
      );
      sum = `%k.${i}`;
    }
    return [...lines, `  ret i64 ${sum}`];
  }
}
