/** What is not supported is refused by name, with the line of the C source where there is one. */
import { describe, expect, test } from 'vitest';
import { parse, refusal } from './texts.ts';

/** An instruction at x.c:7:3, in a function at x.c:5. */
function refusalOf(instruction: string, heading = 'define void @f(ptr %p) !dbg !2'): string {
  return refusal(`${heading} {
entry:
  ${instruction}, !dbg !3
  ret void
}
!0 = !DIFile(filename: "x.c", directory: "/")
!2 = distinct !DISubprogram(name: "f", file: !0, line: 5)
!3 = !DILocation(line: 7, column: 3, scope: !2)
`);
}

describe('instructions', () => {
  const cases: [string, string][] = [
    ['%v = load <4 x i32>, ptr %p', 'a vector type'],
    ['%v = load <vscale x 4 x i32>, ptr %p', 'a scalable vector type'],
    ['%v = extractelement <4 x i32> undef, i32 0', 'a vector operation (extractelement)'],
    ['%v = load fp128, ptr %p', 'the type long double'],
    ['%v = load x86_fp80, ptr %p', 'the type long double (x86_fp80)'],
    ['%v = load half, ptr %p', 'the type half (_Float16)'],
    ['%v = call target("wasm.x") @f()', 'a target type'],
    ['%v = addrspacecast ptr %p to ptr addrspace(1)', 'a cast between address spaces (addrspacecast)'],
    ['indirectbr ptr %p, [label %entry]', 'a computed goto (indirectbr)'],
    ['store ptr blockaddress(@f, %entry), ptr %p', 'the address of a label (computed goto)'],
    ['invoke void @f()\n          to label %entry unwind label %entry', 'exception handling (invoke)'],
    ['%v = landingpad { ptr, i32 } cleanup', 'exception handling (landingpad)'],
    ['resume { ptr, i32 } undef', 'exception handling (resume)'],
    ['%v = catchpad within %x [ptr null]', 'exception handling (catchpad)'],
    ['callbr void asm "x", "!i"()\n          to label %entry [label %entry]', 'asm goto (callbr)'],
    ['%v = atomicrmw uinc_wrap ptr %p, i32 1 seq_cst', 'atomicrmw uinc_wrap'],
    ['call void @f(metadata !"x")', 'a metadata operand'],
    ['call void @f(ptr inalloca(i32) %p)', 'the attribute inalloca'],
  ];
  for (const [text, what] of cases) {
    test(text, () => expect(refusalOf(text)).toBe(`x.c:7:3: ${what} is not supported`));
  }

  test('without a position of its own: that of the variable, else of the function', () => {
    const text = (record: string): string => `define void @f() !dbg !2 {
  %x = alloca fp128, align 16
${record}  ret void
}
!0 = !DIFile(filename: "x.c", directory: "/")
!2 = distinct !DISubprogram(name: "f", file: !0, line: 5)
!3 = !DILocation(line: 6, column: 9, scope: !2)`;
    const record = '    #dbg_declare(ptr %x, !4, !DIExpression(), !3)\n';
    expect(refusal(text(record))).toBe('x.c:6:9: the type long double is not supported');
    expect(refusal(text(''))).toBe('x.c:5:1: the type long double is not supported');
  });

  test('in the heading of a function', () => {
    expect(refusalOf('unreachable', 'define void @f(fp128 %x) !dbg !2')).toBe(
      'x.c:5:1: the type long double is not supported',
    );
  });

  test('without debug information: the line of the text', () => {
    expect(refusal('define void @f() {\n  resume { ptr, i32 } undef\n}')).toBe(
      'test.ll:2:3: exception handling (resume) is not supported',
    );
  });
});

describe('variables', () => {
  test('have the position of their declaration', () => {
    const debug = `
!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "g", file: !2, line: 3)
!2 = !DIFile(filename: "x.c", directory: "/")`;
    expect(refusal(`@g = global fp128 0xL0, align 16, !dbg !0${debug}`)).toBe(
      'x.c:3:1: the type long double is not supported',
    );
  });

  test('tables of labels have that of the function', () => {
    const text = `@t = private constant [1 x ptr] [ptr blockaddress(@f, %a)]
define void @f() !dbg !1 {
a:
  ret void
}
!1 = distinct !DISubprogram(name: "f", file: !2, line: 3)
!2 = !DIFile(filename: "x.c", directory: "/")`;
    expect(refusal(text)).toBe('x.c:3:1: the address of a label (computed goto) is not supported');
  });

  test('parts of objects as aliases, indirect functions, assembly', () => {
    expect(refusal('@g = global i64 0\n@a = alias i32, getelementptr (i8, ptr @g, i32 4)')).toBe(
      'test.ll:2:17: expected a type, found ‘getelementptr’',
    );
    expect(refusal('@g = global i64 0\n@a = alias i32, ptr getelementptr (i8, ptr @g, i32 4)')).toContain(
      'an alias for a part of an object is not supported',
    );
    expect(refusal('@a = ifunc void (), ptr @r')).toContain('an indirect function (ifunc a) is not supported');
    expect(refusal('module asm ".globl x"')).toContain('assembly at file level is not supported');
  });
});

describe('what is never used does no harm', () => {
  test('declarations of functions and variables', () => {
    const module = parse(`
      %s = type { i32, fp128 }
      %t = type { [2 x %s], <4 x i32> }
      declare fp128 @powl(fp128, fp128) #0
      declare void @llvm.dbg.declare(metadata, metadata, metadata)
      declare void @takes(%s)
      @outside = external global %t, align 16
      @p = global [2 x ptr] [ptr @powl, ptr @outside]`);
    expect([...module.functions.keys()]).toEqual(['powl', 'llvm.dbg.declare', 'takes']);
    expect([...module.globals.keys()]).toEqual(['outside', 'p']);
  });

  test('a type that contains such a type is refused where it is used', () => {
    const types = '%s = type { i32, fp128 }\n%t = type { [2 x %s] }\n';
    expect(refusal(`${types}@g = global %t zeroinitializer`)).toBe(
      'test.ll:3:13: the type long double (in %t) is not supported',
    );
  });
});
