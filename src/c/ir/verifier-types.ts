/** Whether the operands of one instruction or constant have the types that it needs. */
import {
  binaryOps,
  type CastOp,
  type Constant,
  castOps,
  type FunctionType,
  type Instruction,
  type Ordering,
  type Type,
  type Value,
} from './module.ts';
import { i1, i32, partType, sameType, typeText } from './types.ts';

/** What is wrong with it; undefined if nothing is. */
type Verdict = string | undefined;

const binaryNames: ReadonlySet<string> = new Set(binaryOps);
const castNames: ReadonlySet<string> = new Set(castOps);
const floatOps: ReadonlySet<string> = new Set(['fadd', 'fsub', 'fmul', 'fdiv', 'frem']);

/** How many operands an instruction has, where that does not depend on it. */
const operandCounts: Readonly<Record<string, number>> = {
  fneg: 1,
  freeze: 1,
  icmp: 2,
  fcmp: 2,
  select: 3,
  load: 1,
  store: 2,
  atomicrmw: 2,
  cmpxchg: 3,
  fence: 0,
  extractvalue: 1,
  insertvalue: 2,
  va_arg: 1,
  defined: 1,
  performed: 0,
  unreachable: 0,
};

export function problemOfInstruction(instruction: Instruction, returns: Type): Verdict {
  const { op, operands, type } = instruction;
  const count = binaryNames.has(op) ? 2 : castNames.has(op) ? 1 : operandCounts[op];
  if (count !== undefined && operands.length !== count) return `has ${operands.length} operands instead of ${count}`;
  for (const { type: used } of operands) {
    if (used.kind === 'void' || used.kind === 'function') return `an operand is of type ${typeText(used)}`;
  }
  const [first, second, third] = operands as [Value, Value, Value];
  switch (instruction.op) {
    case 'fneg':
      return all(isFloat(first.type) || 'needs a floating-point number', same(type, first.type));
    case 'freeze':
    case 'defined':
      return all(same(type, first.type));
    case 'icmp':
      return all(
        first.type.kind === 'int' || first.type.kind === 'ptr' || 'compares integers or pointers',
        same(first.type, second.type),
        same(type, i1),
      );
    case 'fcmp':
      return all(
        isFloat(first.type) || 'compares floating-point numbers',
        same(first.type, second.type),
        same(type, i1),
      );
    case 'select':
      return all(same(first.type, i1), same(second.type, third.type), same(type, second.type));
    case 'phi':
      return all(
        operands.length === instruction.blocks.length || 'has not one value for each block',
        ...operands.map((operand) => same(operand.type, type)),
      );
    case 'alloca':
      return all(
        operands.length <= 1 || 'has more than one count',
        first === undefined || first.type.kind === 'int' || 'the count is not an integer',
        pointer(type),
      );
    case 'load':
      return all(pointer(first.type), accessOrdering(instruction.ordering, type, ['release', 'acq_rel']));
    case 'store':
      return all(pointer(second.type), accessOrdering(instruction.ordering, first.type, ['acquire', 'acq_rel']));
    case 'atomicrmw':
      return all(
        pointer(first.type),
        same(type, second.type),
        updateType(instruction.operation, type),
        rmw(instruction.ordering),
      );
    case 'cmpxchg':
      return all(
        pointer(first.type),
        same(second.type, third.type),
        second.type.kind === 'int' || second.type.kind === 'ptr' || 'exchanges integers or pointers',
        atomicType(second.type),
        (type.kind === 'struct' && type.fields?.length === 2 && sameType(type.fields[0]!, second.type)) ||
          'the result is of another type',
        rmw(instruction.ordering),
        rmw(instruction.failureOrdering),
        !['release', 'acq_rel'].includes(instruction.failureOrdering) || 'the failure order cannot release',
      );
    case 'fence':
      return all(
        ['acquire', 'release', 'acq_rel', 'seq_cst'].includes(instruction.ordering) || 'a fence has no such order',
      );
    case 'getelementptr':
      return all(
        first === undefined ? 'has no pointer' : pointer(first.type),
        problemOfIndices(instruction.sourceType, operands.slice(1)),
      );
    case 'extractvalue':
      return all(same(partType(first.type, instruction.indices), type));
    case 'insertvalue':
      return all(same(partType(first.type, instruction.indices), second.type), same(type, first.type));
    case 'call':
      return problemOfCall(instruction.signature, operands, instruction.byval.length, type);
    case 'va_arg':
      return all(pointer(first.type));
    case 'br':
      return all(
        operands.length <= 1 || 'has more than one condition',
        instruction.targets.length === operands.length + 1 || 'has not the right number of targets',
        first === undefined || same(first.type, i1),
      );
    case 'switch':
      return problemOfSwitch(operands, instruction.targets.length);
    case 'ret':
      if (returns.kind === 'void') return operands.length === 0 ? undefined : 'gives a value, but the function is void';
      return operands.length === 1 ? text(same(first.type, returns)) : 'gives no value';
    case 'assume': {
      const count = instruction.reason === 'loop' ? 2 : 1;
      if (operands.length !== count) return `has ${operands.length} operands instead of ${count}`;
      return all(same(first.type, i1), second === undefined || second.type.kind === 'int' || 'needs a number');
    }
    case 'performed':
      return type.kind === 'int' && type.bits === 32 ? undefined : 'is not of type i32';
    case 'bound':
      if (operands.length > 1) return `has ${operands.length} operands instead of 1`;
      return all(first === undefined || same(first.type, i32));
    case 'visit':
    case 'unreachable':
      return undefined;
    default:
      return castNames.has(op)
        ? problemOfCast(op as CastOp, first.type, type)
        : all(problemOfBinary(op, first.type, second.type), same(type, first.type));
  }
}

/** `isSymbol` says whether a global name is defined. */
export function problemOfConstant(constant: Constant, isSymbol: (name: string) => boolean): Verdict {
  switch (constant.kind) {
    case 'symbol':
      return isSymbol(constant.name) ? undefined : `@${constant.name} is not defined`;
    case 'aggregate':
      return firstProblem(constant.elements, isSymbol);
    case 'expression': {
      const { op, operands, type } = constant;
      const [first, second] = operands as [Constant, Constant];
      const inside = firstProblem(operands, isSymbol);
      if (inside !== undefined) return inside;
      if (op === 'getelementptr') return problemOfIndices(constant.sourceType as Type, operands.slice(1));
      return castNames.has(op)
        ? problemOfCast(op as CastOp, first.type, type)
        : problemOfBinary(op, first.type, second.type);
    }
    default:
      return undefined;
  }
}

function firstProblem(constants: readonly Constant[], isSymbol: (name: string) => boolean): Verdict {
  for (const constant of constants) {
    const problem = problemOfConstant(constant, isSymbol);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemOfBinary(op: string, left: Type, right: Type): Verdict {
  const fits = floatOps.has(op) ? isFloat(left) : left.kind === 'int';
  return all(fits || `${op} does not work on ${typeText(left)}`, same(left, right));
}

function problemOfCast(op: CastOp, from: Type, to: Type): Verdict {
  return castFits(op, from, to) ? undefined : `${op} does not go from ${typeText(from)} to ${typeText(to)}`;
}

function castFits(op: CastOp, from: Type, to: Type): boolean {
  switch (op) {
    case 'trunc':
      return from.kind === 'int' && to.kind === 'int' && from.bits > to.bits;
    case 'zext':
    case 'sext':
      return from.kind === 'int' && to.kind === 'int' && from.bits < to.bits;
    case 'fptrunc':
      return from.kind === 'double' && to.kind === 'float';
    case 'fpext':
      return from.kind === 'float' && to.kind === 'double';
    case 'fptoui':
    case 'fptosi':
      return isFloat(from) && to.kind === 'int';
    case 'uitofp':
    case 'sitofp':
      return from.kind === 'int' && isFloat(to);
    case 'ptrtoint':
      return from.kind === 'ptr' && to.kind === 'int';
    case 'inttoptr':
      return from.kind === 'int' && to.kind === 'ptr';
    case 'bitcast':
      return sameType(from, to) || (bitsOf(from) !== undefined && bitsOf(from) === bitsOf(to));
  }
}

function bitsOf(type: Type): number | undefined {
  if (type.kind === 'int') return type.bits;
  return type.kind === 'float' ? 32 : type.kind === 'double' ? 64 : undefined;
}

/** The first index counts whole objects, the others lead into the object. */
function problemOfIndices(sourceType: Type, indices: readonly Value[]): Verdict {
  let type: Type | undefined = sourceType;
  for (const [i, index] of indices.entries()) {
    if (index.type.kind !== 'int') return 'an index is not an integer';
    if (i === 0) continue;
    if (type.kind === 'array') type = type.element;
    else if (type.kind === 'struct') {
      const field: Type | undefined =
        index.kind === 'int-constant' ? type.fields?.[Number(index.value)] : type.fields?.[0];
      if (field === undefined || (index.kind !== 'int-constant' && index.kind !== 'zero')) {
        return 'an index does not name a field of the struct';
      }
      type = field;
    } else return 'there are too many indices';
  }
  return undefined;
}

function problemOfCall(signature: FunctionType, operands: readonly Value[], byvals: number, type: Type): Verdict {
  const [callee, ...given] = operands;
  const { parameters, variadic } = signature;
  const countFits = variadic ? given.length >= parameters.length : given.length === parameters.length;
  if (callee === undefined || !countFits) return `has ${given.length} arguments, not ${parameters.length}`;
  return all(
    pointer(callee.type),
    byvals === given.length || 'does not say of each argument whether it is passed by value',
    ...parameters.map((parameter, i) => same((given[i] as Value).type, parameter)),
    same(type, signature.returns),
  );
}

function problemOfSwitch([value, ...cases]: readonly Value[], targets: number): Verdict {
  if (value?.type.kind !== 'int') return 'does not switch on an integer';
  if (targets !== cases.length + 1) return 'has not one target for each case';
  const seen = new Set<bigint>();
  for (const constant of cases) {
    if (constant.kind !== 'int-constant' || !sameType(constant.type, value.type)) return 'a case is not of its type';
    if (seen.has(constant.value)) return `has two cases ${constant.value}`;
    seen.add(constant.value);
  }
  return undefined;
}

function accessOrdering(ordering: Ordering, type: Type, forbidden: readonly Ordering[]): true | string {
  if (ordering === 'notatomic') return true;
  if (forbidden.includes(ordering)) return `cannot have the order ${ordering}`;
  return atomicType(type);
}

function atomicType(type: Type): true | string {
  const fits =
    type.kind === 'int'
      ? type.bits >= 8 && Number.isInteger(Math.log2(type.bits))
      : isFloat(type) || type.kind === 'ptr';
  return fits || `${typeText(type)} cannot be accessed atomically`;
}

function updateType(operation: string, type: Type): true | string {
  const fits =
    operation === 'xchg'
      ? true
      : ['fadd', 'fsub', 'fmax', 'fmin'].includes(operation)
        ? isFloat(type)
        : type.kind === 'int';
  return fits ? atomicType(type) : `${operation} does not work on ${typeText(type)}`;
}

function rmw(ordering: Ordering): true | string {
  return (ordering !== 'notatomic' && ordering !== 'unordered') || `cannot have the order ${ordering}`;
}

function isFloat(type: Type): boolean {
  return type.kind === 'float' || type.kind === 'double';
}

function pointer(type: Type): true | string {
  return type.kind === 'ptr' || `${typeText(type)} is not a pointer`;
}

function same(a: Type | undefined, b: Type): true | string {
  if (a === undefined) return 'the indices lead nowhere';
  return sameType(a, b) || `${typeText(a)} is not ${typeText(b)}`;
}

/** The first of some verdicts that is not good. */
function all(...verdicts: (boolean | Verdict)[]): Verdict {
  return verdicts.map(text).find((verdict) => verdict !== undefined);
}

function text(verdict: boolean | Verdict): Verdict {
  return typeof verdict === 'string' ? verdict : undefined;
}
