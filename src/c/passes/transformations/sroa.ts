/**
 * Scalar replacement of aggregates: a local struct or array that is only accessed in whole scalar parts, at constant
 * offsets, becomes a local variable for each part, which promote.ts then promotes. Whole structs may be set with memset
 * and copied with memcpy from each other or from constant memory.
 *
 * The loads that copy parts of structs are marked (`copies`): these are no reads of the program, so promote.ts does not check
 * them. Afterwards no such struct is left, and all new allocas can be promoted.
 */
import { type Leaf, leaves, sizeOf } from '../../ir/layout.ts';
import type { Constant, Instruction, IrFunction, Module, Value } from '../../ir/module.ts';
import { voidType } from '../../ir/types.ts';
import { constantOffset, fromBytes, loadConstant, placeInGlobal } from '../analyses/constants.ts';
import { factsOfIntrinsic, isLifetimeMark } from '../analyses/library-calls.ts';
import { memberPath } from '../analyses/member-paths.ts';
import {
  type Alloca,
  type Call,
  integerOf,
  type Load,
  Names,
  type Store,
  scalarBits,
  usersOf,
} from '../analyses/values.ts';
import { canConvert, isSingle } from './promote.ts';

/** Larger objects are tables: they are indexed by variables, or not worth it. */
const mostLeaves = 128;
const mostBytes = 1024;

interface Candidate {
  readonly alloca: Alloca;
  readonly leaves: readonly Leaf[];
  /** The offsets of all pointers into it. */
  readonly offsets: Map<Value, number>;
  readonly accesses: { readonly instruction: Load | Store; readonly leaf: number }[];
  /** memset, memcpy, memmove and lifetime marks. */
  readonly calls: Set<Call>;
  /** The variables that take its place, by leaf. */
  parts: Alloca[];
}

type Users = ReadonlyMap<Value, readonly Instruction[]>;

export function splitAggregates(f: IrFunction, m: Module): boolean {
  const entry = f.blocks[0];
  if (entry === undefined) return false;
  const users = usersOf(f);
  const candidates: Candidate[] = [];
  for (const instruction of entry.instructions) {
    const candidate = instruction.op === 'alloca' ? candidateFor(instruction, users) : undefined;
    if (candidate !== undefined) candidates.push(candidate);
  }
  const chosen = withSplittableCalls(candidates, m);
  if (chosen.size > 0) new Splitting(f, m, chosen).run();
  return chosen.size > 0;
}

function candidateFor(alloca: Alloca, users: Users): Candidate | undefined {
  const type = alloca.allocated;
  if ((type.kind !== 'struct' && type.kind !== 'array') || !isSingle(alloca)) return undefined;
  if (sizeOf(type) > mostBytes) return undefined;
  const parts = leaves(type);
  if (parts.length > mostLeaves || parts.some((leaf) => scalarBits(leaf.type) % 8 !== 0)) return undefined;
  const candidate: Candidate = {
    alloca,
    leaves: parts,
    offsets: new Map([[alloca, 0]]),
    accesses: [],
    calls: new Set(),
    parts: [],
  };
  const work: Value[] = [alloca];
  for (let pointer = work.pop(); pointer !== undefined; pointer = work.pop()) {
    for (const user of users.get(pointer) ?? []) {
      if (!addUse(candidate, pointer, user, work)) return undefined;
    }
  }
  return candidate;
}

function addUse(candidate: Candidate, pointer: Value, user: Instruction, work: Value[]): boolean {
  const offset = candidate.offsets.get(pointer)!;
  switch (user.op) {
    case 'getelementptr': {
      const step = constantOffset(user.sourceType, user.operands.slice(1));
      if (step === undefined || user.operands[0] !== pointer) return false;
      candidate.offsets.set(user, offset + step);
      work.push(user);
      return true;
    }
    case 'bitcast':
      candidate.offsets.set(user, offset);
      work.push(user);
      return true;
    case 'load':
    case 'store': {
      if (user.op === 'store' && user.operands[0] === pointer) return false;
      const type = user.op === 'load' ? user.type : user.operands[0]!.type;
      const leaf = candidate.leaves.findIndex((part) => part.offset === offset && canConvert(part.type, type));
      if (leaf < 0) return false;
      candidate.accesses.push({ instruction: user, leaf });
      return true;
    }
    case 'call':
      candidate.calls.add(user);
      return isLifetimeMark(user) ? offset === 0 : isSplittableKind(user);
    default:
      return false;
  }
}

function isSplittableKind(call: Call): boolean {
  const { role } = factsOfIntrinsic(call);
  return (role === 'copies' || role === 'fills') && integerOf(call.operands[3]) !== undefined;
}

function isMemset(call: Call): boolean {
  return factsOfIntrinsic(call).role === 'fills';
}

interface LeafRange {
  readonly candidate: Candidate;
  /** The leaves in it. */
  readonly first: number;
  readonly count: number;
  readonly offset: number;
}

/** The leaves that a call accesses through one of its pointers; undefined if it accesses some of them in part. */
function rangeOf(candidate: Candidate, pointer: Value, call: Call): LeafRange | undefined {
  const offset = candidate.offsets.get(pointer);
  if (offset === undefined) return undefined;
  const end = offset + Number(integerOf(call.operands[3])!);
  if (offset < 0 || end > sizeOf(candidate.alloca.allocated)) return undefined;
  let first = -1;
  let count = 0;
  for (const [i, leaf] of candidate.leaves.entries()) {
    const leafEnd = leaf.offset + scalarBits(leaf.type) / 8;
    if (leafEnd <= offset || leaf.offset >= end) continue;
    if (leaf.offset < offset || leafEnd > end) return undefined;
    if (first < 0) first = i;
    count++;
  }
  return { candidate, first: Math.max(first, 0), count, offset };
}

/** Gives up candidates until every call that is left can be split; with one struct go those that are copied to and from it. */
function withSplittableCalls(candidates: readonly Candidate[], m: Module): Map<Value, Candidate> {
  let chosen = new Set(candidates);
  for (;;) {
    const byPointer = pointersOf(chosen);
    const kept = new Set(
      [...chosen].filter((candidate) => [...candidate.calls].every((call) => canSplit(call, byPointer, m))),
    );
    if (kept.size === chosen.size) return byPointer;
    chosen = kept;
  }
}

function pointersOf(candidates: Iterable<Candidate>): Map<Value, Candidate> {
  const byPointer = new Map<Value, Candidate>();
  for (const candidate of candidates) for (const pointer of candidate.offsets.keys()) byPointer.set(pointer, candidate);
  return byPointer;
}

function canSplit(call: Call, byPointer: ReadonlyMap<Value, Candidate>, m: Module): boolean {
  if (isLifetimeMark(call)) return true;
  const to = rangeFor(call, call.operands[1]!, byPointer);
  if (to === undefined) return false;
  if (isMemset(call)) return leavesOf(to).every((leaf) => filledWith(call.operands[2]!, leaf) !== undefined);
  const from = call.operands[2]!;
  if (!byPointer.has(from)) return leavesOf(to).every((leaf) => constantFor(m, from, to, leaf) !== undefined);
  const source = rangeFor(call, from, byPointer);
  if (source === undefined || source.count !== to.count) return false;
  const sourceLeaves = leavesOf(source);
  return leavesOf(to).every((leaf, i) => {
    const other = sourceLeaves[i]!;
    return leaf.offset - to.offset === other.offset - source.offset && canConvert(other.type, leaf.type);
  });
}

function rangeFor(call: Call, pointer: Value, byPointer: ReadonlyMap<Value, Candidate>): LeafRange | undefined {
  const candidate = byPointer.get(pointer);
  return candidate === undefined ? undefined : rangeOf(candidate, pointer, call);
}

function leavesOf(range: LeafRange): readonly Leaf[] {
  return range.candidate.leaves.slice(range.first, range.first + range.count);
}

function filledWith(byte: Value, leaf: Leaf): Constant | undefined {
  const value = integerOf(byte);
  if (value === undefined) return undefined;
  const bytes = new Uint8Array(scalarBits(leaf.type) / 8).fill(Number(BigInt.asUintN(8, value)));
  return fromBytes(bytes, leaf.type);
}

/** What a memcpy from constant memory puts into a leaf. */
function constantFor(m: Module, from: Value, to: LeafRange, leaf: Leaf): Constant | undefined {
  const place = placeInGlobal(from);
  if (place === undefined) return undefined;
  const symbol: Constant = { kind: 'symbol', type: from.type, name: place.name };
  const offset: Constant = {
    kind: 'int-constant',
    type: { kind: 'int', bits: 32 },
    value: BigInt(place.offset + leaf.offset - to.offset),
  };
  const address: Constant = {
    kind: 'expression',
    type: from.type,
    op: 'getelementptr',
    sourceType: { kind: 'int', bits: 8 },
    operands: [symbol, offset],
  };
  return loadConstant(m, address, leaf.type);
}

class Splitting {
  readonly #f: IrFunction;
  readonly #m: Module;
  readonly #byPointer: ReadonlyMap<Value, Candidate>;
  readonly #names: Names;

  constructor(f: IrFunction, m: Module, byPointer: ReadonlyMap<Value, Candidate>) {
    this.#f = f;
    this.#m = m;
    this.#byPointer = byPointer;
    this.#names = new Names(f);
  }

  run(): void {
    const candidates = new Set(this.#byPointer.values());
    const calls = new Set<Instruction>();
    for (const candidate of candidates) {
      this.#makeParts(candidate);
      for (const { instruction, leaf } of candidate.accesses) {
        instruction.operands[instruction.operands.length - 1] = candidate.parts[leaf]!;
      }
      for (const call of candidate.calls) calls.add(call);
    }
    for (const block of this.#f.blocks) {
      block.instructions = block.instructions.flatMap((instruction) => {
        if (instruction.op === 'call' && calls.has(instruction)) return this.#split(instruction);
        const candidate = this.#byPointer.get(instruction);
        if (candidate === undefined) return [instruction];
        return instruction === candidate.alloca ? candidate.parts : [];
      });
    }
    for (const { alloca } of candidates) this.#f.variables.delete(alloca);
  }

  #makeParts(candidate: Candidate): void {
    const { alloca } = candidate;
    const source = this.#f.variables.get(alloca);
    for (const leaf of candidate.leaves) {
      const member = memberPath(source?.type, leaf.offset);
      const path = member?.path ?? `.${leaf.offset}`;
      const part: Alloca = {
        kind: 'instruction',
        op: 'alloca',
        type: alloca.type,
        name: this.#names.fresh(`${alloca.name}${path.replaceAll(/[[\]]/g, (c) => (c === '[' ? '.' : ''))}`),
        position: alloca.position,
        operands: [],
        allocated: leaf.type,
        align: scalarBits(leaf.type) / 8,
      };
      if (source !== undefined) {
        const name = member === undefined ? source.name : `${source.name}${path}`;
        this.#f.variables.set(part, { name, type: member?.type });
      }
      candidate.parts.push(part);
    }
  }

  #split(call: Call): Instruction[] {
    if (isLifetimeMark(call)) return this.#splitMark(call);
    const to = rangeFor(call, call.operands[1]!, this.#byPointer)!;
    const values: Value[] = [];
    const loads: Load[] = [];
    const source = isMemset(call) ? undefined : rangeFor(call, call.operands[2]!, this.#byPointer);
    for (const [i, leaf] of leavesOf(to).entries()) {
      if (source !== undefined) {
        const part = source.candidate.parts[source.first + i]!;
        const load = copyOf(part, call);
        loads.push(load);
        values.push(load);
      } else {
        const from = call.operands[2]!;
        values.push((isMemset(call) ? filledWith(from, leaf) : constantFor(this.#m, from, to, leaf))!);
      }
    }
    // All are read before one is written: the two may be the same struct.
    return [...loads, ...values.map((value, i) => storeOf(value, to.candidate.parts[to.first + i]!, call))];
  }

  #splitMark(call: Call): Instruction[] {
    const i = call.operands.findIndex((operand) => this.#byPointer.has(operand));
    return this.#byPointer.get(call.operands[i]!)!.parts.map((part) => ({
      ...call,
      operands: call.operands.map((operand, j) => (i === j ? part : operand)),
    }));
  }
}

function copyOf(part: Alloca, call: Call): Load {
  return {
    kind: 'instruction',
    op: 'load',
    type: part.allocated,
    name: '',
    position: call.position,
    operands: [part],
    ordering: 'notatomic',
    volatile: false,
    align: part.align,
    copies: true,
  };
}

function storeOf(value: Value, part: Alloca, call: Call): Store {
  return {
    kind: 'instruction',
    op: 'store',
    type: voidType,
    name: '',
    position: call.position,
    operands: [value, part],
    ordering: 'notatomic',
    volatile: false,
    align: part.align,
  };
}
