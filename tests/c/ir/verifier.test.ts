import { describe, expect, test } from 'vitest';
import { dominatorsOf } from '../../../src/c/ir/dominators.ts';
import type { Block, Instruction, IrFunction, Module, Type } from '../../../src/c/ir/module.ts';
import { i8, i32, voidType } from '../../../src/c/ir/types.ts';
import { verifyModule } from '../../../src/c/ir/verifier.ts';
import { fixtureNames, fixtureText, instructionsOf, parse } from './texts.ts';

const loop = `
@g = global i32 0
define i32 @f(i32 %n, ptr %p) {
entry:
  %start = load i32, ptr %p
  br label %head
head:
  %i = phi i32 [ %start, %entry ], [ %next, %body ]
  %c = icmp slt i32 %i, %n
  br i1 %c, label %body, label %end
body:
  %next = add i32 %i, 1
  store i32 %next, ptr %p
  %r = call i32 @f(i32 %next, ptr @g)
  br label %head
end:
  ret i32 %i
}
define void @other(i32 %x) {
entry:
  %y = add i32 %x, 1
  ret void
}`;

/** What the verifier says after a change to the module above. */
function problemsAfter(change: (parts: Parts) => void): string {
  const module = parse(loop);
  const fn = module.functions.get('f')!;
  const [entry, head, body, end] = fn.blocks as [Block, Block, Block, Block];
  const named = (name: string): Instruction => instructionsOf(fn).find((instruction) => instruction.name === name)!;
  change({ module, fn, entry, head, body, end, named });
  try {
    verifyModule(module);
  } catch (error) {
    expect(error).not.toHaveProperty('position');
    return String((error as Error).message).replace(/^.*\n/, '');
  }
  return '';
}

interface Parts {
  readonly module: Module;
  readonly fn: IrFunction;
  readonly entry: Block;
  readonly head: Block;
  readonly body: Block;
  readonly end: Block;
  readonly named: (name: string) => Instruction;
}

const base = { kind: 'instruction', name: '', position: undefined } as const;
const constant = (type: Type, value: bigint) => ({ kind: 'int-constant', type, value }) as const;

test('what the parser reads is valid', () => {
  expect(problemsAfter(() => {})).toBe('');
  for (const name of fixtureNames) verifyModule(parse(fixtureText(name)));
});

describe('blocks', () => {
  test('end with a terminator', () => {
    expect(problemsAfter(({ end }) => end.instructions.pop())).toContain('block end does not end with a terminator');
  });
  test('have no other one', () => {
    const problems = problemsAfter(({ end }) => {
      end.instructions.unshift({ ...base, op: 'unreachable', type: voidType, operands: [] });
    });
    expect(problems).toContain('block end has a terminator before its end');
  });
  test('are in the function once', () => {
    expect(problemsAfter(({ fn, end }) => fn.blocks.push(end))).toContain('a block is in the list of blocks twice');
    expect(problemsAfter(({ fn }) => fn.blocks.pop())).toContain(
      'block head goes to end, which is not in the function',
    );
  });
  test('nothing leads to the entry', () => {
    const problems = problemsAfter(({ body, entry }) => {
      const last = body.instructions.at(-1)!;
      if (last.op === 'br') last.targets = [entry];
    });
    expect(problems).toContain('the entry has a predecessor');
  });
  test('have instructions of their own', () => {
    const problems = problemsAfter(({ end, named }) => end.instructions.unshift(named('next')));
    expect(problems).toContain('%next (add) is in the module twice');
  });
});

describe('phis', () => {
  test('come first', () => {
    const problems = problemsAfter(({ head }) => head.instructions.splice(1, 0, head.instructions.shift()!));
    expect(problems).toContain('%i (phi) is a phi after other instructions');
  });
  test('have a value for each predecessor and for no other block', () => {
    const missing = problemsAfter(({ named }) => {
      const phi = named('i');
      if (phi.op === 'phi') phi.operands.pop();
      if (phi.op === 'phi') phi.blocks.pop();
    });
    expect(missing).toContain('%i (phi) has no value for its predecessor body');
    const extra = problemsAfter(({ named, end }) => {
      const phi = named('i');
      if (phi.op === 'phi') phi.operands.push(constant(i32, 1n));
      if (phi.op === 'phi') phi.blocks.push(end);
    });
    expect(extra).toContain('%i (phi) has a value for end, no predecessor');
  });
  test('have one value for a block, however often it is listed', () => {
    const twice = (value: bigint): string =>
      problemsAfter(({ named, entry }) => {
        const phi = named('i');
        if (phi.op !== 'phi') return;
        phi.operands[0] = constant(i32, 1n);
        phi.operands.push(constant(i32, value));
        phi.blocks.push(entry);
      });
    expect(twice(1n)).toBe('');
    expect(twice(2n)).toContain('%i (phi) has two values for entry');
  });
});

describe('uses', () => {
  test('come after definitions', () => {
    const problems = problemsAfter(({ body }) => {
      const [next, store] = body.instructions as [Instruction, Instruction];
      body.instructions.splice(0, 2, store, next);
    });
    expect(problems).toContain('store uses %next (add) where it is not defined');
  });
  test('are dominated by definitions', () => {
    const problems = problemsAfter(({ end, named }) => {
      end.instructions.at(-1)!.operands = [named('next')];
    });
    expect(problems).toContain('ret uses %next (add) where it is not defined');
  });
  test('of values that are gone', () => {
    const problems = problemsAfter(({ entry }) => entry.instructions.shift());
    expect(problems).toContain('%i (phi) uses %start (load), which is not in the function');
  });
  test('of parameters of another function', () => {
    const problems = problemsAfter(({ module, named }) => {
      named('next').operands[0] = module.functions.get('other')!.parameters[0]!;
    });
    expect(problems).toContain('%next (add) uses a parameter of another function');
  });
  test('of symbols that are gone', () => {
    expect(problemsAfter(({ module }) => module.globals.delete('g'))).toContain('%r (call): @g is not defined');
  });
  test('in code that is never reached may be anything that is in the function', () => {
    const problems = problemsAfter(({ fn, named }) => {
      const user: Instruction = { ...base, op: 'ret', type: voidType, operands: [named('next')] };
      fn.blocks.push({ name: 'dead', instructions: [user] });
    });
    expect(problems).toBe('');
  });
});

describe('types', () => {
  const cases: [string, (parts: Parts) => void, string][] = [
    ['of operands', ({ named }) => (named('next').operands[1] = constant(i8, 1n)), 'i32 is not i8'],
    ['of results', ({ named }) => ((named('next') as { type: Type }).type = i8), 'i8 is not i32'],
    ['of conditions', ({ named, head }) => (head.instructions.at(-1)!.operands = [named('i')]), 'i32 is not i1'],
    ['of pointers', ({ named }) => (named('start').operands = [named('i')]), 'i32 is not a pointer'],
    ['of results of the function', ({ end }) => (end.instructions[0]!.operands = []), 'gives no value'],
    ['numbers of arguments', ({ named }) => named('r').operands.pop(), 'has 1 arguments, not 2'],
    ['numbers of operands', ({ named }) => named('next').operands.pop(), 'has 1 operands instead of 2'],
    ['of arguments', ({ named }) => (named('r').operands[1] = constant(i8, 1n)), 'i8 is not i32'],
  ];
  for (const [what, change, expected] of cases) {
    test(what, () => expect(problemsAfter(change)).toContain(expected));
  }

  test('in instructions', () => {
    const wrong: [string, string][] = [
      ['%x = fadd i32 1, 2', 'fadd does not work on i32'],
      ['%x = xor float 1.0, 2.0', 'xor does not work on float'],
      ['%x = trunc i32 1 to i64', 'trunc does not go from i32 to i64'],
      ['%x = bitcast i32 1 to double', 'bitcast does not go from i32 to double'],
      ['%x = icmp eq float 1.0, 2.0', 'compares integers or pointers'],
      ['%x = fcmp oeq i32 1, 2', 'compares floating-point numbers'],
      ['%x = fneg i32 1', 'needs a floating-point number'],
      ['%x = select i1 true, i32 1, i64 2', 'i32 is not i64'],
      ['%x = alloca i32, float 1.0', 'the count is not an integer'],
      ['store atomic i32 1, ptr %p acquire, align 4', 'cannot have the order acquire'],
      ['store atomic i7 1, ptr %p release, align 4', 'i7 cannot be accessed atomically'],
      ['%x = atomicrmw fadd ptr %p, i32 1 seq_cst', 'fadd does not work on i32'],
      ['%x = atomicrmw add ptr %p, i32 1 unordered', 'cannot have the order unordered'],
      ['%x = cmpxchg ptr %p, i32 1, i32 2 seq_cst release', 'the failure order cannot release'],
      ['%x = cmpxchg ptr %p, float 1.0, float 2.0 seq_cst seq_cst', 'exchanges integers or pointers'],
      ['fence monotonic', 'a fence has no such order'],
      ['%x = getelementptr { i32, i32 }, ptr %p, i32 0, i32 2', 'an index does not name a field'],
      ['%x = getelementptr i32, ptr %p, i32 0, i32 2', 'there are too many indices'],
      ['%x = insertvalue { i32 } undef, i8 1, 0', 'i32 is not i8'],
      ['%x = call i32 (ptr, ...) @f()', 'has 0 arguments, not 1'],
      ['switch i32 1, label %end [ i32 1, label %end i32 1, label %end ]\nend:', 'has two cases 1'],
    ];
    for (const [instruction, expected] of wrong) {
      const text = `define void @f(ptr %p) {\nentry:\n  ${instruction}\n  ret void\n}`;
      expect(() => parse(text), instruction).toThrow(expected);
    }
  });
});

test('dominators of a loop with a way around it', () => {
  const text = `define void @f(i1 %c) {
a:
  br i1 %c, label %b, label %e
b:
  br label %c
c:
  br i1 %c, label %b, label %d
d:
  br label %e
e:
  ret void
x:
  br label %e
}`;
  const fn = parse(text).functions.get('f')!;
  const dominators = dominatorsOf(fn);
  const of = Object.fromEntries(fn.blocks.map((block) => [block.name, block]));
  const immediate = ['a', 'b', 'c', 'd', 'e'].map((name) => dominators.immediate(of[name]!)?.name);
  expect(immediate).toEqual([undefined, 'a', 'b', 'c', 'a']);
  expect(dominators.isReachable(of['x']!)).toBe(false);
  expect(dominators.dominates(of['b']!, of['d']!)).toBe(true);
  expect(dominators.dominates(of['d']!, of['b']!)).toBe(false);
  expect(dominators.dominates(of['d']!, of['e']!)).toBe(false);
  expect(dominators.dominates(of['e']!, of['e']!)).toBe(true);
});
