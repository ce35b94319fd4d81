/** Calls of library functions that passes put in. */
import type { FunctionType, Instruction, IrFunction, Module, Value } from '../../ir/module.ts';
import { pointerType, voidType } from '../../ir/types.ts';

/** A call without a result, at the place of `f`'s definition; the callee is declared if the module does not know it. */
export function newCall(module: Module, f: IrFunction, name: string, args: readonly Value[]): Instruction {
  const parameters = args.map((arg) => arg.type);
  const signature: FunctionType = { kind: 'function', returns: voidType, parameters, variadic: false };
  if (!module.functions.has(name)) module.functions.set(name, declaration(name, signature));
  return {
    kind: 'instruction',
    op: 'call',
    type: voidType,
    name: '',
    position: f.position,
    operands: [{ kind: 'symbol', type: pointerType, name }, ...args],
    signature,
    byval: args.map(() => undefined),
  };
}

function declaration(name: string, signature: FunctionType): IrFunction {
  return {
    name,
    signature,
    parameters: signature.parameters.map((type, index) => ({
      kind: 'parameter',
      type,
      name: '',
      index,
      byval: undefined,
    })),
    blocks: [],
    position: undefined,
    isInternal: false,
    isWeak: false,
    variables: new Map(),
  };
}
