import { describe, expect, test } from 'vitest';
import type { IrFunction } from '../../../src/c/ir/module.ts';
import { printModule } from '../../../src/c/ir/printer.ts';
import { i32 } from '../../../src/c/ir/types.ts';
import { fixtureNames, fixtureText, instructionsOf, onlyFunction, parse } from './texts.ts';

const heading = `; test.ll
target datalayout = "e-m:e-p:32:32-p10:8:8-p20:8:8-i64:64-i128:128-n32:64-S128-ni:1:10:20"
target triple = "wasm32-unknown-wasip1"
`;

/** The variables with what holds them. */
function variablesOf(fn: IrFunction): string[] {
  return [...fn.variables].map(([{ name }, variable]) => `${name} ${variable.name} ${variable.type?.kind}`).sort();
}

/** Text that is printed as it is. */
const canonical = `
%pair = type { i32, [2 x i8] }
%tight = type <{ i8, %pair }>
%"odd name" = type {}
@text = internal constant [5 x i8] c"a\\0A\\22\\5C\\FF", align 1
@numbers = global { i1, i8, i64, float, double, double } { i1 true, i8 -56, i64 -9223372036854775808, float 1.5e+0, double -0.0e+0, double 0x7FF0000000000000 }, align 8
@tight = weak global %tight <{ i8 1, %pair { i32 2, [2 x i8] zeroinitializer } }>, align 1
@mine = thread_local global ptr getelementptr (%pair, ptr @"odd name", i32 0, i32 1), align 4
@"odd name" = external global %"odd name", align 1
@maybe = extern_weak global i32, align 4
@sum = global i32 add (i32 ptrtoint (ptr @text to i32), i32 3), align 4
@llvm.global_ctors = appending global [0 x { i32, ptr, ptr }] zeroinitializer, align 4
@also = alias [5 x i8], ptr @text
@weakly = weak alias [5 x i8], ptr @also

declare i32 @printf(ptr, ...)

declare extern_weak void @hook()

define weak i32 @f(i32 %x, ptr byval(%pair) %p, ...) {
entry:
  %slot = alloca i32, i32 3, align 4
  %a = add i32 %x, 1
  %b = zext i32 %a to i64
  %c = icmp ult i32 %a, 3
  %d = fcmp olt float 1.0e+0, 2.0e+0
  %e = select i1 %c, ptr %slot, ptr null
  %l = load atomic volatile i32, ptr %e acquire, align 4
  %q = load i32, ptr %e, align 2, !heddle.partial !{}
  %m = load i32, ptr %e, align 4, !heddle.copy !{}
  store volatile i32 %l, ptr %slot, align 1
  %r = atomicrmw nand ptr %slot, i32 5 acq_rel, align 4
  %w = cmpxchg weak ptr %slot, i32 %r, i32 undef seq_cst monotonic, align 4
  %o = extractvalue { i32, i1 } %w, 0
  %i = insertvalue { i32, i1 } %w, i32 %o, 0
  fence release
  %g = getelementptr %pair, ptr %p, i32 0, i32 1, i32 %o
  %v = call i32 (ptr, ...) @printf(ptr @text, i32 %o)
  %k = call i32 %g(ptr byval(%pair) %p)
  %n = fneg double 2.5e-1
  %z = freeze i32 %k
  %y = va_arg ptr %slot, i64
  %t = defined i32 %z, "the name"
  switch i32 %t, label %loop [
    i32 1, label %stop
    i32 -2, label %"odd name"
  ]

loop:
  %h = phi i32 [ 0, %entry ], [ %h, %loop ]
  visit [i32 %h]
  br i1 %d, label %loop, label %stop

stop:
  bound
  ret i32 0

"odd name":
  %0 = sub i32 %t, 1
  br label %1

1:
  %2 = mul i32 %0, %0
  unreachable
}
`;

test('text in the form that is printed is printed as it is', () => {
  expect(printModule(parse(canonical))).toBe(heading + canonical);
});

describe('what clang writes is printed, read and printed the same', () => {
  for (const name of fixtureNames) {
    test(name, () => {
      const module = parse(fixtureText(name));
      const printed = printModule(module);
      const again = parse(printed);
      expect(printModule(again)).toBe(printed);
      expect([...again.functions.keys()]).toEqual([...module.functions.keys()]);
      for (const [name, fn] of module.functions) {
        const other = again.functions.get(name)!;
        expect(other.position).toEqual(fn.position);
        expect(instructionsOf(other).map(({ op, position }) => [op, position])).toEqual(
          instructionsOf(fn).map(({ op, position }) => [op, position]),
        );
        expect(variablesOf(other)).toEqual(variablesOf(fn));
      }
      for (const [name, { sourceName, position }] of module.globals) {
        expect(again.globals.get(name)).toMatchObject({ sourceName, position });
      }
    });
  }
});

test('positions are shown as comments', () => {
  const text = `define void @f() !dbg !1 {
  ret void, !dbg !2
}
!0 = !DIFile(filename: "x.c", directory: "/")
!1 = distinct !DISubprogram(name: "f", file: !0, line: 5)
!2 = !DILocation(line: 7, column: 3, scope: !1)`;
  expect(printModule(parse(text))).toMatch(/^ {2}ret void, !dbg !3 +; x\.c:7:3$/m);
});

test('values that passes made get names, and names that are taken get numbers', () => {
  const fn = onlyFunction(parse('define i32 @f(i32 %x) {\nentry:\n  %a = add i32 %x, 1\n  ret i32 %a\n}'));
  const { instructions } = fn.blocks[0]!;
  const [add, ret] = instructions;
  const made = { kind: 'instruction', type: i32, position: undefined } as const;
  instructions.splice(
    1,
    0,
    { ...made, op: 'mul', name: '', operands: [add!, add!] },
    { ...made, op: 'xor', name: 'a', operands: [add!, add!] },
  );
  ret!.operands = [instructions[2]!];
  const module = { name: 'm', functions: new Map([['f', fn]]), globals: new Map(), aliases: new Map() };
  expect(printModule(module)).toContain(
    '  %a = add i32 %x, 1\n  %0 = mul i32 %a, %a\n  %a.1 = xor i32 %a, %a\n  ret i32 %a.1\n',
  );
});
