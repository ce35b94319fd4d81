/** Compiles one function: see emit.ts. */
import type { Commuting, MemoryOrder } from '../../program/operation.ts';
import { alignOf, fieldOffset, sizeOf } from '../ir/layout.ts';
import type {
  Block,
  CastOp,
  Constant,
  Instruction,
  IrFunction,
  Module,
  Ordering,
  Type,
  UpdateOp,
  Value,
} from '../ir/module.ts';
import type { Role } from '../library/facts.ts';
import { findLibraryFunction } from '../library/index.ts';
import { buildCfg, type CfgLoop, findLoops } from '../passes/analyses/cfg.ts';
import { mayShiftTooFar } from '../passes/analyses/effects.ts';
import type { Escape } from '../passes/analyses/escape.ts';
import { Liveness } from '../passes/analyses/liveness.ts';
import { isCopying, sourcesOfUndef, spreads } from '../passes/analyses/undefined.ts';
import { isUndef, type Load } from '../passes/analyses/values.ts';
import { type Assume, type Awaitable, assumesAfter, demandsSuccess } from '../passes/analyses/waits.ts';
import type { CValue, IfUnset } from '../runtime.ts';
import { constantValue, zeroOf } from './constants.ts';
import type { Tables } from './emit.ts';
import {
  binaryExpression,
  bitsOfType,
  castExpression,
  floatComparison,
  intComparison,
  updateExpression,
} from './emit-arithmetic.ts';
import type { Image } from './image.ts';
import { calledFunction, calledName, isLocalPointer, operatesAt } from './may-operate.ts';
import { isCallableAs } from './thread.ts';

/** States in which more values than this are used later on are hardly ever the same. */
const MOST_USED = 8;

export interface EmitContext {
  readonly module: Module;
  readonly escaping: Escape;
  readonly image: Image;
  readonly tables: Tables;
  /** The functions that are generators. */
  readonly operating: ReadonlySet<string>;
  readonly numbers: ReadonlyMap<string, number>;
}

export class FunctionEmitter {
  readonly #f: IrFunction;
  readonly #context: EmitContext;
  readonly #names = new Map<Instruction, string>();
  readonly #blockNumbers = new Map<Block, number>();
  readonly #used = new Set<Value>();
  /** The accesses that wait, and what for. */
  readonly #awaited = new Map<Instruction, Awaited>();
  /** Values that may never have been set: variables and results of functions; variables; copies of memory. */
  readonly #unset: ReadonlySet<Value>;
  readonly #undefs: ReadonlySet<Value>;
  readonly #copied: ReadonlySet<Value>;
  /** What something else is done with than to store it. */
  readonly #changed = new Set<Value>();
  readonly #lines: string[] = [];
  /** The loops in which the thread looks whether it is back where it was, and the variables for their stays, by what stands there. */
  readonly #stays = new Map<Instruction, { readonly name: string; readonly loop: CfgLoop }>();
  #liveness: Liveness | undefined;
  readonly #hasFrame: boolean;
  readonly #hasPrivate: boolean;

  constructor(f: IrFunction, context: EmitContext) {
    this.#f = f;
    this.#context = context;
    for (const [i, block] of f.blocks.entries()) this.#blockNumbers.set(block, i);
    const all = f.blocks.flatMap((block) => block.instructions);
    for (const [i, instruction] of all.entries()) {
      this.#names.set(instruction, `v${i}`);
      for (const [place, operand] of instruction.operands.entries()) {
        this.#used.add(operand);
        if (instruction.op !== 'store' || place !== 0) this.#changed.add(operand);
      }
    }
    for (const block of f.blocks) for (const awaited of awaitedIn(block)) this.#awaited.set(awaited.access, awaited);
    if (all.some(({ op }) => op === 'visit')) this.#findStays();
    this.#unset = madeOf(all, (value) => isUndef(value) || isResult(value), keepsBits);
    this.#undefs = madeOf(all, isUndef, spreads);
    this.#copied = madeOf(all, isCopying, spreads);
    const allocas = all.filter((instruction) => instruction.op === 'alloca');
    this.#hasFrame = allocas.some((alloca) => !context.escaping.isLocalAlloca(alloca));
    this.#hasPrivate =
      f.signature.variadic ||
      allocas.some((alloca) => context.escaping.isLocalAlloca(alloca)) ||
      all.some(isVariadicCall);
  }

  #findStays(): void {
    const { module, escaping, image, operating } = this.#context;
    const ofInner = new Set<Instruction>();
    for (const loop of findLoops(buildCfg(this.#f)).toReversed()) {
      const inside = [...loop.blocks].flatMap(({ instructions }) => instructions);
      const visit = inside.find((instruction) => instruction.op === 'visit' && !ofInner.has(instruction));
      if (visit === undefined) continue;
      ofInner.add(visit);
      if (inside.some((instruction) => operatesAt(instruction, module, escaping, image, operating)))
        this.#stays.set(visit, { name: `R${this.#stays.size}`, loop });
    }
    if (this.#stays.size > 0) image.hasRounds = true;
  }

  source(): string {
    const f = this.#f;
    const { operating, numbers } = this.#context;
    const parameters = f.parameters.map((_, i) => `a${i}`);
    if (f.signature.variadic) parameters.push('V');
    const star = operating.has(f.name) ? '*' : '';
    const names = [...this.#names].filter(([instruction]) => instruction.type.kind !== 'void').map(([, name]) => name);
    this.#line(`function${star} f${numbers.get(f.name)}(T${parameters.map((p) => `, ${p}`).join('')}) {`);
    names.push(...[...this.#stays.values()].map(({ name }) => name));
    if (names.length > 0) this.#line(`let ${names.join(', ')};`);
    this.#line(`T.enter(${this.#context.tables.site(f.position, f.name)});`);
    if (this.#hasPrivate) this.#line('const H = T.memory.height;');
    if (this.#hasFrame) this.#line(`const F = T.newFrame(${JSON.stringify(f.name)});`);
    this.#line('let B = 0;');
    this.#line('for (;;) switch (B) {');
    for (const block of f.blocks) this.#block(block);
    this.#line('}');
    this.#line('}');
    return this.#lines.join('\n');
  }

  #block(block: Block): void {
    this.#line(`case ${this.#blockNumbers.get(block)}: {`);
    for (const instruction of block.instructions) if (instruction.op !== 'phi') this.#instruction(instruction, block);
    this.#line('}');
  }

  #instruction(instruction: Instruction, block: Block): void {
    switch (instruction.op) {
      case 'br':
        this.#branch(instruction.operands[0], instruction.targets, block);
        break;
      case 'switch':
        this.#switch(instruction.operands, instruction.targets, block);
        break;
      case 'ret':
        this.#return(instruction);
        break;
      case 'unreachable':
        this.#line(`T.unreachable(${this.#site(instruction)});`);
        break;
      case 'bound':
        this.#line(`${this.#boundOf(instruction)};`);
        break;
      case 'assume':
        this.#line(`if (!${this.#value(instruction.operands[0] as Value)}) ${this.#stop(instruction)};`);
        break;
      case 'visit':
        this.#visit(instruction);
        break;
      case 'store':
        this.#line(`${this.#store(instruction.operands[1] as Value, instruction.operands[0] as Value, instruction)};`);
        break;
      case 'fence':
        if (instruction.isSignal) break;
        this.#line(
          `yield { kind: 'fence', order: '${orderOf(instruction.ordering)}', position: ${this.#site(instruction)}.position };`,
        );
        break;
      default: {
        const expression = this.#expression(instruction);
        const isVoid = instruction.type.kind === 'void';
        this.#line(isVoid ? `${expression};` : `${this.#names.get(instruction)} = ${expression};`);
      }
    }
  }

  /** A loop whose rounds are counted asks for leave only after more than a few. */
  #boundOf(bound: Instruction): string {
    const [rounds] = bound.operands;
    if (rounds === undefined) return `T.bound(${this.#site(bound)})`;
    const value = this.#value(rounds);
    return `if (${value} > T.openLoops.noted) T.boundAfter(${value}, ${this.#site(bound)})`;
  }

  #visit(visit: Instruction): void {
    const stay = this.#stays.get(visit);
    if (stay === undefined) return;
    const values = visit.operands.map((phi) => `, ${this.#value(phi)}`).join('');
    this.#line(`${stay.name} = T.visit(${stay.name}, ${this.#site(visit)}${values});`);
  }

  /** What a thread does for which an assume does not hold. */
  #stop(assume: Instruction & { op: 'assume' }): string {
    if (assume.reason === 'program') return `T.block(${this.#site(assume)})`;
    return `T.spin(${this.#value(assume.operands[1] as Value)}, ${this.#site(assume)})`;
  }

  // ------------------------------------------------------------------------------------------------- control flow

  #branch(condition: Value | undefined, targets: readonly Block[], from: Block): void {
    if (condition === undefined) {
      this.#goto(from, targets[0] as Block);
      return;
    }
    this.#line(`if (${this.#value(condition)}) {`);
    this.#goto(from, targets[0] as Block);
    this.#line('} else {');
    this.#goto(from, targets[1] as Block);
    this.#line('}');
  }

  #switch(operands: readonly Value[], targets: readonly Block[], from: Block): void {
    this.#line(`switch (${this.#value(operands[0] as Value)}) {`);
    for (let i = 1; i < operands.length; i++) {
      this.#line(`case ${this.#value(operands[i] as Value)}:`);
      this.#goto(from, targets[i] as Block);
    }
    this.#line('default:');
    this.#goto(from, targets[0] as Block);
    this.#line('}');
  }

  /** The phis of the target get their values, all at once. */
  #goto(from: Block, to: Block): void {
    for (const { name, loop } of this.#stays.values()) {
      if (loop.header === to && !loop.blocks.has(from)) this.#line(`${name} = undefined;`);
    }
    const phis = to.instructions.filter((instruction) => instruction.op === 'phi');
    const values = phis.map((phi) => this.#value(phi.operands[phi.blocks.indexOf(from)] as Value));
    if (phis.length === 1) this.#line(`${this.#names.get(phis[0] as Instruction)} = ${values[0]};`);
    else if (phis.length > 1) {
      this.#line(`{ const ${values.map((value, i) => `t${i} = ${value}`).join(', ')};`);
      this.#line(`${phis.map((phi, i) => `${this.#names.get(phi)} = t${i};`).join(' ')} }`);
    }
    this.#line(`B = ${this.#blockNumbers.get(to)}; continue;`);
  }

  #return(instruction: Instruction): void {
    const [value] = instruction.operands;
    if (this.#hasPrivate) this.#line('T.memory.pop(H);');
    if (this.#hasFrame) this.#line(`yield* T.endFrame(F, ${this.#site(instruction)});`);
    this.#line('T.leave();');
    this.#line(value === undefined ? 'return;' : `return ${this.#value(value)};`);
  }

  // -------------------------------------------------------------------------------------------------- expressions

  #expression(instruction: Instruction): string {
    const { operands, type } = instruction;
    const value = (i: number): string => this.#value(operands[i] as Value);
    const number = (i: number): string => this.#number(operands[i] as Value);
    switch (instruction.op) {
      case 'icmp':
        return `(${intComparison(instruction.predicate, (operands[0] as Value).type, number(0), number(1))} ? 1 : 0)`;
      case 'fcmp':
        return `(${floatComparison(instruction.predicate, value(0), value(1))} ? 1 : 0)`;
      case 'select':
        return `(${value(0)} ? ${value(1)} : ${value(2)})`;
      case 'fneg':
        return `(-${value(0)})`;
      case 'freeze':
        return `(${value(0)} ?? ${literal(zeroOf(type))})`;
      case 'performed':
        return 'T.performed';
      case 'defined':
        return `T.defined(${value(0)}, ${JSON.stringify(unsetMessage(instruction))}, ${this.#site(instruction)})`;
      case 'alloca':
        return this.#alloca(instruction, instruction.allocated, instruction.align);
      case 'load':
        if (this.#awaited.has(instruction)) return this.#awaitLoad(instruction);
        return this.#load(
          operands[0] as Value,
          type,
          instruction,
          orderOf(instruction.ordering),
          this.#ifUnset(instruction),
          instruction.unread === true,
        );
      case 'atomicrmw':
        return this.#awaited.has(instruction) ? this.#awaitUpdate(instruction) : this.#update(instruction);
      case 'cmpxchg':
        return this.#awaited.has(instruction) ? this.#awaitExchange(instruction) : this.#compareExchange(instruction);
      case 'getelementptr':
        return this.#elementAddress(instruction.sourceType, operands);
      case 'extractvalue':
        return `${value(0)}${instruction.indices.map((i) => `[${i}]`).join('')}`;
      case 'insertvalue':
        return `A.insert(${value(0)}, ${JSON.stringify(instruction.indices)}, ${value(1)})`;
      case 'call':
        return this.#call(instruction);
      case 'va_arg':
        return this.#variadicArgument(instruction);
      case 'add':
      case 'sub':
      case 'mul':
      case 'udiv':
      case 'sdiv':
      case 'urem':
      case 'srem':
      case 'shl':
      case 'lshr':
      case 'ashr':
      case 'and':
      case 'or':
      case 'xor':
      case 'fadd':
      case 'fsub':
      case 'fmul':
      case 'fdiv':
      case 'frem':
        return binaryExpression(instruction.op, type, number(0), number(1), this.#onFault(instruction));
      case 'trunc':
      case 'zext':
      case 'sext':
      case 'fptrunc':
      case 'fpext':
      case 'fptoui':
      case 'fptosi':
      case 'uitofp':
      case 'sitofp':
      case 'ptrtoint':
      case 'inttoptr':
      case 'bitcast':
        return this.#cast(instruction.op, operands[0] as Value, type);
      default:
        throw new Error(`${instruction.op} is no expression`);
    }
  }

  /** What was never set stays so; but what a function did not return only if its bits stay the same. */
  #cast(op: CastOp, value: Value, to: Type): string {
    if (isUndef(value)) return 'undefined';
    const isKept = bitsOfType(value.type) === bitsOfType(to) ? this.#unset.has(value) : this.#undefs.has(value);
    if (!isKept && !this.#copied.has(value)) return castExpression(op, value.type, to, this.#number(value));
    const shown = this.#value(value);
    return `(${shown} === undefined ? undefined : ${castExpression(op, value.type, to, shown)})`;
  }

  /** If the operation has no result for some operands, and these may be such: what happens then. */
  #onFault(instruction: Instruction): string | undefined {
    const { op, type, operands } = instruction;
    const second = operands[1] as Value;
    if (['sdiv', 'udiv', 'srem', 'urem'].includes(op)) {
      const isHarmless = second.kind === 'int-constant' && second.value !== 0n;
      return isHarmless ? undefined : `T.divisionByZero(${this.#site(instruction)})`;
    }
    if (!['shl', 'lshr', 'ashr'].includes(op) || !mayShiftTooFar(instruction)) return undefined;
    return `T.shiftByTooMuch(${bitsOfType(type)}, ${this.#site(instruction)})`;
  }

  #elementAddress(sourceType: Type, operands: readonly Value[]): string {
    let constant = 0;
    let type = sourceType;
    const terms = [this.#value(operands[0] as Value)];
    for (let i = 1; i < operands.length; i++) {
      const index = operands[i] as Value;
      if (i > 1 && type.kind === 'struct') {
        const field = Number((index as Constant & { value: bigint }).value);
        constant += fieldOffset(type, field);
        type = (type.fields as readonly Type[])[field] as Type;
        continue;
      }
      if (i > 1) type = (type as Type & { kind: 'array' }).element;
      const size = sizeOf(type);
      if (index.kind === 'int-constant') constant += Number(index.value) * size;
      else terms.push(`Math.imul(${this.#index(index)}, ${size})`);
    }
    if (constant !== 0) terms.push(String(constant));
    return terms.length === 1 ? (terms[0] as string) : `(${terms.join(' + ')} | 0)`;
  }

  #index(value: Value): string {
    return bitsOfType(value.type) > 32 ? `Number(BigInt.asIntN(32, ${this.#number(value)}))` : this.#value(value);
  }

  // ------------------------------------------------------------------------------------------------------- memory

  #alloca(instruction: Instruction, allocated: Type, align: number): string {
    const { escaping, image, tables } = this.#context;
    const [count] = instruction.operands;
    const isOne = count === undefined || (count.kind === 'int-constant' && count.value === 1n);
    const each = sizeOf(allocated);
    const size = isOne ? String(each) : `(${this.#index(count as Value)} * ${each})`;
    const site = this.#site(instruction);
    const alignment = Math.max(align, alignOf(allocated));
    if (escaping.isLocalAlloca(instruction)) return `T.privateObject(${size}, ${alignment}, ${site})`;
    const variable = this.#f.variables.get(instruction);
    const origin = image.objects.origin({
      name: variable?.name ?? `a temporary of ${this.#f.name}`,
      kind: 'stack',
      debugType: isOne ? variable?.type : undefined,
      type: allocated,
      site: { position: instruction.position ?? this.#f.position, functionName: this.#f.name },
    });
    return `T.stackObject(F, ${tables.origin(origin)}, ${size}, ${alignment}, ${site})`;
  }

  #ifUnset(load: Load): IfUnset {
    if (load.partial === true) return 'zero';
    if (load.copies !== true) return 'fails';
    return this.#changed.has(load) ? 'stays' : 'parts';
  }

  #load(pointer: Value, type: Type, at: Instruction, order: MemoryOrder, ifUnset: IfUnset, isUnread: boolean): string {
    if (type.kind === 'struct' || type.kind === 'array') return this.#loadAggregate(pointer, type, at);
    const p = this.#value(pointer);
    const rest = `${p}, ${this.#context.tables.type(type)}, ${this.#site(at)}`;
    const last = ifUnset === 'fails' ? '' : `, '${ifUnset}'`;
    const own = `T.loadPrivate(${rest}${last})`;
    if (this.#isLocal(pointer)) return own;
    const asked = `T.loading(${rest}, '${order}', ${isUnread}${this.#future(at)})`;
    const held = `${isKnown(order, rest)} ? T.take() : yield ${asked}`;
    return `(${p} < 0 ? ${own} : T.loaded(${held}, ${rest}, '${order}'${last}))`;
  }

  #store(pointer: Value, value: Value, at: Instruction & { ordering?: Ordering }): string {
    const { type } = value;
    if (type.kind === 'struct' || type.kind === 'array') return this.#storeAggregate(pointer, value, at);
    const p = this.#value(pointer);
    const [t, site] = [this.#context.tables.type(type), this.#site(at)];
    const rest = `${p}, ${t}, ${this.#value(value)}, ${site}`;
    const own = `T.storePrivate(${rest})`;
    if (this.#isLocal(pointer)) return own;
    const order = orderOf(at.ordering ?? 'notatomic');
    const known = isKnown(order, `${p}, ${t}, ${site}`);
    return `if (${p} < 0) ${own}; else if (${known}) T.take(); else yield T.storing(${rest}, '${order}'${this.#future(at)})`;
  }

  /**
   * `, T.future(…)`: all that the function still uses once the access was performed. What an access that reads is about counts, too: the
   * result is looked at in the light of it. A store has none.
   */
  #future(access: Instruction): string {
    this.#liveness ??= new Liveness(this.#f);
    const live = this.#liveness.after(access);
    if (live === undefined) return '';
    const used = new Set<Value>(live);
    used.delete(access);
    if (access.op !== 'store')
      for (const operand of access.operands) if (operand.kind === 'instruction') used.add(operand);
    if (used.size > MOST_USED) return '';
    const values = [...used].map((value) => `, ${this.#value(value)}`).join('');
    return `, T.future(${this.#context.tables.futures++}${values})`;
  }

  /** An aggregate is loaded and stored part by part. */
  #loadAggregate(pointer: Value, type: Type, at: Instruction): string {
    const parts = partsOf(type).map(({ offset, type: part }) => {
      const p = `(${this.#value(pointer)} + ${offset} | 0)`;
      return `yield* T.load(${p}, ${this.#context.tables.type(part)}, ${this.#site(at)})`;
    });
    return `[${parts.join(', ')}]`;
  }

  #storeAggregate(pointer: Value, value: Value, at: Instruction): string {
    const v = this.#value(value);
    const parts = partsOf(value.type).map(({ offset, type: part }, i) => {
      const p = `(${this.#value(pointer)} + ${offset} | 0)`;
      return `yield* T.store(${p}, ${this.#context.tables.type(part)}, ${v}[${i}], ${this.#site(at)})`;
    });
    return parts.join('; ');
  }

  #update(instruction: Instruction & { op: 'atomicrmw' }): string {
    const [pointer, operand] = instruction.operands as [Value, Value];
    const { type } = operand;
    const name = updateNames[instruction.operation] ?? instruction.operation;
    const p = this.#value(pointer);
    const [t, site] = [this.#context.tables.type(type), this.#site(instruction)];
    const apply = updateExpression(instruction.operation, type, 'o', this.#number(operand));
    const own = `T.updatePrivate(${p}, ${t}, (o) => ${apply}, ${site})`;
    if (this.#isLocal(pointer)) return own;
    const order = `'${orderOf(instruction.ordering)}'`;
    const args = [
      p,
      t,
      JSON.stringify(name),
      this.#number(operand),
      this.#applying(instruction),
      order,
      site,
      this.#used.has(instruction) ? 'undefined' : (commutes[instruction.operation] ?? 'undefined'),
      instruction.unread === true,
    ];
    const held = `T.left > 0 ? T.take() : yield T.updating(${args.join(', ')}${this.#future(instruction)})`;
    return `(${p} < 0 ? ${own} : T.loaded(${held}, ${p}, ${t}, ${site}, ${order}))`;
  }

  /** A function of the old value and the operand. It is called long after the operand's register has got another value. */
  #applying({ operation, type }: Instruction & { op: 'atomicrmw' }): string {
    return `(o, n) => ${updateExpression(operation, type, 'o', 'n')}`;
  }

  #compareExchange(instruction: Instruction & { op: 'cmpxchg' }): string {
    const [pointer, expected, desired] = instruction.operands as [Value, Value, Value];
    const p = this.#value(pointer);
    const [t, site] = [this.#context.tables.type(expected.type), this.#site(instruction)];
    const [wanted, written] = [this.#number(expected), this.#number(desired)];
    const pair = '((r) => [r.old, r.exchanged ? 1 : 0])';
    const own = `T.compareExchangePrivate(${p}, ${t}, ${wanted}, ${written}, ${site})`;
    if (this.#isLocal(pointer)) return `${pair}(${own})`;
    const order = `'${orderOf(instruction.ordering)}'`;
    const args = [p, t, wanted, written, order, `'${orderOf(instruction.failureOrdering)}'`, instruction.weak, site];
    const held = `T.left > 0 ? T.take() : yield T.exchanging(${args.join(', ')}${this.#future(instruction)})`;
    return `${pair}(${p} < 0 ? ${own} : T.exchanged(${held}, ${p}, ${t}, ${wanted}, ${site}, ${order}))`;
  }

  #awaitLoad(load: Instruction & { op: 'load' }): string {
    const { tables } = this.#context;
    const [pointer] = load.operands as [Value];
    const order = `'${orderOf(load.ordering)}'`;
    const args = [this.#value(pointer), tables.type(load.type), this.#wait(load), this.#site(load), order];
    return `yield* T.awaitLoad(${args.join(', ')})`;
  }

  #awaitUpdate(update: Instruction & { op: 'atomicrmw' }): string {
    const [pointer, operand] = update.operands as [Value, Value];
    const { type } = operand;
    const args = [
      this.#value(pointer),
      this.#context.tables.type(type),
      JSON.stringify(updateNames[update.operation] ?? update.operation),
      this.#number(operand),
      this.#applying(update),
      this.#wait(update),
      `'${orderOf(update.ordering)}'`,
      this.#site(update),
    ];
    return `yield* T.awaitUpdate(${args.join(', ')})`;
  }

  #awaitExchange(exchange: Instruction & { op: 'cmpxchg' }): string {
    const [pointer, expected, desired] = exchange.operands as [Value, Value, Value];
    const { assumes } = this.#awaited.get(exchange) as Awaited;
    const args = [
      this.#value(pointer),
      this.#context.tables.type(expected.type),
      this.#number(expected),
      this.#number(desired),
      demandsSuccess(exchange, assumes) ? 'true' : 'false',
      this.#wait(exchange),
      `'${orderOf(exchange.ordering)}'`,
      this.#site(exchange),
    ];
    return `yield* T.awaitExchange(${args.join(', ')})`;
  }

  /** What an access waits for: see `Wait` in thread.ts. */
  #wait(access: Instruction): string {
    const awaited = this.#awaited.get(access) as Awaited;
    const { assumes } = awaited;
    const until = this.#ofWhatIsRead(awaited, () =>
      assumes.map(({ operands }) => `${this.#value(operands[0] as Value)} === 1`).join(' && '),
    );
    if (assumes[0]?.reason === 'program') return `{ until: ${until} }`;
    // of an inner loop, if that goes round already
    const since = this.#ofWhatIsRead(awaited, () => {
      const each = assumes.map(({ operands: [condition, began] }) => {
        return `${this.#value(condition as Value)} === 1 ? -Infinity : ${this.#value(began as Value)}`;
      });
      return each.length === 1 ? (each[0] as string) : `Math.max(${each.join(', ')})`;
    });
    return `{ until: ${until}, loop: { position: ${this.#site(assumes[0] as Assume)}.position, since: ${since} } }`;
  }

  /**
   * What `result` says, with the registers that stand for it, as a function of what the access gives. What else it depends on
   * is handed over: the function is called when the registers have other values.
   */
  #ofWhatIsRead({ access, assumes, computation }: Awaited, result: () => string): string {
    const inside = new Set<Value>([access, ...computation]);
    const used = [...computation, ...assumes].flatMap(({ operands }) => operands);
    const outside = [...new Set(used)].filter(
      (value) => value.kind === 'instruction' && !inside.has(value),
    ) as Instruction[];
    const given = outside.map((value) => this.#value(value));
    const changed = [access, ...computation, ...outside];
    const names = changed.map((instruction) => [instruction, this.#names.get(instruction)] as const);
    this.#names.set(access, 'o');
    for (const [i, instruction] of outside.entries()) this.#names.set(instruction, `c${i}`);
    const lines = computation.map((instruction, i) => {
      const line = `const w${i} = ${this.#expression(instruction)};`;
      this.#names.set(instruction, `w${i}`);
      return line;
    });
    const text = `(o) => { ${lines.join(' ')} return ${result()}; }`;
    for (const [instruction, name] of names) this.#names.set(instruction, name as string);
    return outside.length === 0
      ? text
      : `((${outside.map((_, i) => `c${i}`).join(', ')}) => ${text})(${given.join(', ')})`;
  }

  #isLocal(pointer: Value): boolean {
    return isLocalPointer(pointer, this.#context.escaping, this.#context.image);
  }

  // -------------------------------------------------------------------------------------------------------- calls

  #call(instruction: Instruction & { op: 'call' }): string {
    const { module, image, operating, numbers } = this.#context;
    const callee = calledFunction(instruction, module, image);
    if (callee !== undefined) {
      if (!isCallableAs(callee.signature, instruction.signature)) return this.#indirectCall(instruction);
      const call = `f${numbers.get(callee.name)}(T${this.#arguments(instruction)})`;
      return operating.has(callee.name) ? `yield ${call}` : call; // see CThreadRun.resume
    }
    const name = calledName(instruction, image);
    if (name === undefined) return this.#indirectCall(instruction);
    return this.#libraryCall(name, instruction);
  }

  /** `, a, b, V` as the callee takes them: variadic arguments come as one object. */
  #arguments(instruction: Instruction & { op: 'call' }): string {
    const args = instruction.operands.slice(1);
    const { signature } = instruction;
    const fixed = signature.variadic ? signature.parameters.length : args.length;
    const shown = args.slice(0, fixed).map((arg) => this.#value(arg));
    if (signature.variadic) shown.push(this.#variadic(args.slice(fixed)));
    return shown.map((arg) => `, ${arg}`).join('');
  }

  #variadic(args: readonly Value[]): string {
    const types = args.map((arg) => this.#context.tables.type(arg.type)).join(', ');
    return `{ types: [${types}], values: [${args.map((arg) => this.#value(arg)).join(', ')}] }`;
  }

  #indirectCall(instruction: Instruction & { op: 'call' }): string {
    const { parameters, returns, variadic } = instruction.signature;
    const { tables } = this.#context;
    const shape = tables.type({ kind: 'function', parameters, returns, variadic });
    const callee = this.#value(instruction.operands[0] as Value);
    return `yield T.callableAs(${callee}, ${shape}, ${this.#site(instruction)}).run(T${this.#arguments(instruction)})`;
  }

  #libraryCall(name: string, instruction: Instruction & { op: 'call' }): string {
    const known = findLibraryFunction(name);
    const written = this.#writtenOut(known?.facts.role, instruction);
    if (written !== undefined) return written;
    const { tables } = this.#context;
    const args = instruction.operands.slice(1);
    const site = tables.callSite({
      position: instruction.position ?? this.#f.position,
      functionName: this.#f.name,
      argumentTypes: args.map((arg) => arg.type),
      returns: instruction.type,
      isResultUsed: this.#used.has(instruction),
    });
    if (known === undefined) return `T.unknownFunction(${JSON.stringify(name)}, ${site})`;
    const call = `${tables.libraryFunction(name, known)}(T, ${site}${args.map((arg) => `, ${this.#value(arg)}`).join('')})`;
    const run = known.kind === 'steps' ? `yield* ${call}` : call;
    return this.#isDeclared(name) ? run : `T.answerAsInt(${JSON.stringify(name)}, ${run}, ${site})`;
  }

  /** Otherwise clang has made up that it gives an int, whatever it takes. */
  #isDeclared(name: string): boolean {
    const { signature } = this.#context.module.functions.get(name) ?? {};
    return signature === undefined || !signature.variadic || signature.parameters.length > 0;
  }

  /** What stands in the place of a call, if that is more than a call. */
  #writtenOut(role: Role | undefined, instruction: Instruction & { op: 'call' }): string | undefined {
    const first = (): string => this.#value(instruction.operands[1] as Value);
    if (role === 'gives-argument') return first();
    if (role !== 'lists-arguments') return undefined;
    const pointer = this.#context.tables.type({ kind: 'ptr' });
    const site = this.#site(instruction);
    return `yield* T.store(${first()}, ${pointer}, T.variadicArguments(V.types, V.values, ${site}), ${site})`;
  }

  #variadicArgument(instruction: Instruction): string {
    const type = this.#context.tables.type(instruction.type);
    return `yield* T.nextVariadic(${this.#value(instruction.operands[0] as Value)}, ${type}, ${this.#site(instruction)})`;
  }

  // ------------------------------------------------------------------------------------------------------- values

  #value(value: Value): string {
    if (value.kind === 'instruction') return this.#names.get(value) as string;
    if (value.kind === 'parameter') return `a${value.index}`;
    return this.#constant(value);
  }

  /**
   * A value that arithmetic is done on: one that may never have been set counts as 0. A copy of such a one was checked before, but where it is
   * compared with what a variable was, and then it is another value than all that were set.
   */
  #number(value: Value): string {
    if (value.kind === 'undef') return literal(zeroOf(value.type));
    const shown = this.#value(value);
    const isZero = (this.#unset.has(value) || this.#undefs.has(value)) && !this.#copied.has(value);
    return isZero ? `(${shown} ?? ${literal(zeroOf(value.type))})` : shown;
  }

  #constant(constant: Constant): string {
    const { image } = this.#context;
    if (constant.kind === 'symbol') {
      const address = image.addressOf(constant.name);
      if (address !== undefined) return literal(address);
      if (image.isSharedThreadLocal(constant.name)) return `T.threadLocal(${JSON.stringify(constant.name)})`;
      return `T.unknownVariable(${JSON.stringify(constant.name)}, ${this.#context.tables.site(this.#f.position, this.#f.name)})`;
    }
    if (constant.kind === 'expression' && constant.op === 'getelementptr' && hasNoAddress(constant, image)) {
      return this.#elementAddress(constant.sourceType as Type, constant.operands);
    }
    return literal(constantValue(constant, (symbol) => image.addressOf(symbol) ?? 0));
  }

  #site(instruction: Instruction): string {
    return this.#context.tables.site(instruction.position ?? this.#f.position, this.#f.name);
  }

  #line(text: string): void {
    this.#lines.push(text);
  }
}

/** An access that waits, and how what it waits for is computed from what it reads. */
interface Awaited {
  readonly access: Awaitable;
  readonly assumes: readonly Assume[];
  readonly computation: readonly Instruction[];
}

function awaitedIn(block: Block): Awaited[] {
  return block.instructions.flatMap((access, i) => {
    if (!('awaits' in access) || access.awaits !== true) return [];
    const assumes = assumesAfter(block, i);
    if (assumes.length === 0) return [];
    const needed = new Set<Value>(assumes.flatMap(({ operands }) => operands));
    const last = block.instructions.indexOf(assumes.at(-1) as Assume);
    const computation: Instruction[] = [];
    for (const instruction of block.instructions.slice(i + 1, last).toReversed()) {
      if (!needed.has(instruction)) continue;
      computation.unshift(instruction);
      for (const operand of instruction.operands) needed.add(operand);
    }
    return [{ access, assumes, computation }];
  });
}

/** A function may end without a value. */
function isResult(value: Value): boolean {
  return value.kind === 'instruction' && value.op === 'call' && value.type.kind !== 'void';
}

/** The instructions among all, and what others that pass it on make of them and of constants. */
function madeOf(
  all: readonly Instruction[],
  isOne: (value: Value) => boolean,
  passesOn: (instruction: Instruction) => boolean,
): ReadonlySet<Value> {
  const found = new Set<Value>(all.filter(isOne));
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const instruction of all) {
      if (!passesOn(instruction)) continue;
      if (instruction.operands.some((operand) => isOne(operand) || found.has(operand))) found.add(instruction);
    }
  }
  return found;
}

function keepsBits({ op }: Instruction): boolean {
  return ['phi', 'select', 'bitcast', 'inttoptr', 'ptrtoint'].includes(op);
}

/** What is wrong if the value turns out to be unset. */
function unsetMessage({ variable, operands: [value] }: Instruction & { op: 'defined' }): string {
  const sources = sourcesOfUndef(value as Value);
  const [source] = sources;
  const isOwn = sources.has(variable);
  if (isOwn && sources.size === 1) return `${variable} is read before it was set`;
  const copied = sources.size === 1 && source !== undefined ? `${source}, which` : 'something that';
  return `${variable} is read${isOwn ? ' before it was set, or' : ', but'} it is a copy of ${copied} was never set`;
}

/** As source. Of integers alone: additions of floating-point numbers round, each time. */
const commutes: Partial<Record<UpdateOp, `'${Commuting}'`>> = {
  add: "'add'",
  sub: "'add'",
  and: "'and'",
  or: "'or'",
  xor: "'xor'",
};

/** Names of atomic updates as C programmers know them. */
const updateNames: Partial<Record<string, string>> = {
  xchg: 'exchange',
  add: 'fetch_add',
  sub: 'fetch_sub',
  and: 'fetch_and',
  or: 'fetch_or',
  xor: 'fetch_xor',
  nand: 'fetch_nand',
  fadd: 'fetch_add',
  fsub: 'fetch_sub',
};

const orders: Readonly<Record<Ordering, MemoryOrder>> = {
  notatomic: 'plain',
  unordered: 'relaxed',
  monotonic: 'relaxed',
  acquire: 'acquire',
  release: 'release',
  acq_rel: 'acq_rel',
  seq_cst: 'seq_cst',
};

/** Whether, in a replay, the next result is that of this access: an atomic one is always one operation. */
function isKnown(order: MemoryOrder, access: string): string {
  return order === 'plain' ? `T.left > 0 && T.isOne(${access})` : 'T.left > 0';
}

function orderOf(ordering: Ordering): MemoryOrder {
  return orders[ordering];
}

function isVariadicCall(instruction: Instruction): boolean {
  return instruction.op === 'call' && instruction.signature.variadic;
}

/** Whether it has the address of a variable that each thread has for itself, or that nobody defines. */
function hasNoAddress(constant: Constant, image: Image): boolean {
  if (constant.kind === 'symbol') return image.addressOf(constant.name) === undefined;
  return constant.kind === 'expression' && constant.operands.some((operand) => hasNoAddress(operand, image));
}

/** The direct parts of an aggregate; nested ones are not loaded as values by any code that clang makes of C. */
function partsOf(type: Type): { readonly offset: number; readonly type: Type }[] {
  if (type.kind === 'struct')
    return (type.fields ?? []).map((field, i) => ({ offset: fieldOffset(type, i), type: field }));
  if (type.kind !== 'array') throw new Error('not an aggregate');
  return Array.from({ length: type.count }, (_, i) => ({ offset: i * sizeOf(type.element), type: type.element }));
}

/** A value as JavaScript source. */
function literal(value: CValue): string {
  if (typeof value === 'bigint') return value < 0n ? `(${value}n)` : `${value}n`;
  if (typeof value === 'number') return Object.is(value, -0) ? '(-0)' : value < 0 ? `(${value})` : String(value);
  if (value === undefined || typeof value === 'string') return JSON.stringify(value) ?? 'undefined';
  return `[${value.map(literal).join(', ')}]`;
}
