import { describe, expect, test } from 'vitest';
import type { Constant } from '../../../src/c/ir/module.ts';
import { printModule } from '../../../src/c/ir/printer.ts';
import { typeText } from '../../../src/c/ir/types.ts';
import { brief, instructionsOf, parse, parseBody, refusal } from './texts.ts';

/** The initialiser of the only variable. */
function initializer(type: string, value: string): Constant {
  return parse(`@g = global ${type} ${value}\n`).globals.get('g')!.initializer!;
}

describe('constants', () => {
  test('integers are signed and of any width', () => {
    const cases: [string, string, bigint][] = [
      ['i32', '5', 5n],
      ['i32', '-1', -1n],
      ['i32', '4294967295', -1n],
      ['i8', '200', -56n],
      ['i1', 'true', 1n],
      ['i1', 'false', 0n],
      ['i1', '-1', 1n],
      ['i64', '-9223372036854775808', -(2n ** 63n)],
      ['i128', '1267650600228229401496703205376', 2n ** 100n],
      ['i16', 'u0xFFFF', -1n],
      ['i16', 's0xFF', -1n],
    ];
    for (const [type, text, value] of cases)
      expect(initializer(type, text)).toMatchObject({ kind: 'int-constant', value });
    expect(refusal('@g = global i8 256')).toBe('test.ll:1:16: 256 does not fit into i8');
  });

  test('floating-point numbers in decimal and as bits of a double', () => {
    const cases: [string, string, number][] = [
      ['double', '2.750000e+00', 2.75],
      ['double', '-0.0', -0],
      ['double', '0x7FF0000000000000', Infinity],
      ['double', '0x7FF8000000000000', Number.NaN],
      ['float', '1.500000e+00', 1.5],
      ['float', '0x3FB99999A0000000', Math.fround(0.1)],
    ];
    for (const [type, text, value] of cases)
      expect(initializer(type, text)).toMatchObject({ kind: 'float-constant', value });
    expect(refusal('@g = global float 0.1')).toBe('test.ll:1:19: 0.1 is not exactly a float');
    expect(refusal('@g = global i32 1.0')).toBe('test.ll:1:17: a floating-point number is not of type i32');
  });

  test('strings have escapes for bytes', () => {
    const bytes = [0x61, 0x0a, 0x22, 0x5c, 0x62, 0xff, 0];
    expect(initializer('[7 x i8]', String.raw`c"a\0A\22\\b\FF\00"`)).toMatchObject({
      kind: 'bytes',
      bytes: Uint8Array.from(bytes),
    });
    expect(refusal('@g = global [2 x i8] c"abc"')).toContain('a string of 3 bytes is not of type [2 x i8]');
  });

  test('null, zero, undefined', () => {
    expect(initializer('ptr', 'null').kind).toBe('null');
    expect(initializer('{ i32, ptr }', 'zeroinitializer').kind).toBe('zero');
    expect(initializer('i32', 'undef').kind).toBe('undef');
    expect(initializer('i32', 'poison').kind).toBe('undef');
  });

  test('aggregates have the parts of their type', () => {
    const value = initializer(
      '{ i32, [2 x i8], <{ i8, i32 }> }',
      '{ i32 1, [2 x i8] [i8 2, i8 3], <{ i8, i32 }> <{ i8 4, i32 5 }> }',
    );
    expect(value).toMatchObject({
      kind: 'aggregate',
      elements: [{ value: 1n }, { elements: [{ value: 2n }, { value: 3n }] }, {}],
    });
    for (const wrong of ['{ i32 1 }', '[i32 1, i32 2]', '{ i32 1, i8 2 }', '<{ i32 1, i32 2 }>']) {
      expect(refusal(`@g = global { i32, i32 } ${wrong}`)).toContain('the constant is not of type { i32, i32 }');
    }
  });

  test('expressions', () => {
    const text = `
      %s = type { i32, [4 x i16] }
      @a = global %s zeroinitializer
      @p = global ptr getelementptr inbounds nuw inrange(-4, 8) (%s, ptr @a, i32 0, i32 1, i32 2)
      @n = global i32 add (i32 ptrtoint (ptr @a to i32), i32 4)
      @t = global i8 trunc (i32 sub (i32 ptrtoint (ptr @p to i32), i32 ptrtoint (ptr @a to i32)) to i8)
      @i = global ptr inttoptr (i32 xor (i32 1, i32 2) to ptr)
      @b = global ptr bitcast (ptr dso_local_equivalent @f to ptr)
      declare void @f()`;
    const { globals } = parse(text);
    expect(globals.get('p')!.initializer).toMatchObject({
      kind: 'expression',
      op: 'getelementptr',
      sourceType: { name: 's' },
      operands: [{ kind: 'symbol', name: 'a' }, { value: 0n }, { value: 1n }, { value: 2n }],
    });
    expect(globals.get('n')!.initializer).toMatchObject({ op: 'add', operands: [{ op: 'ptrtoint' }, { value: 4n }] });
    expect(globals.get('t')!.initializer).toMatchObject({ op: 'trunc', type: { bits: 8 } });
    expect(globals.get('i')!.initializer).toMatchObject({ op: 'inttoptr', operands: [{ op: 'xor' }] });
    expect(globals.get('b')!.initializer).toMatchObject({ operands: [{ kind: 'symbol', name: 'f' }] });
    expect(refusal('@g = global i64 ptrtoint (ptr null to i32)')).toContain('the expression is of type i32, not i64');
    expect(refusal('@g = global i32 add (i32 1, i64 2)')).toContain('add needs two operands of one type');
  });
});

describe('global variables', () => {
  test('linkage, properties and defaults', () => {
    const { globals } = parse(`
      @plain = global i64 0
      @"a b" = private unnamed_addr constant [2 x i32] zeroinitializer, align 16
      @own = internal thread_local(initialexec) global i32 1, section "s", comdat($c), align 4, !unknown !0
      @common = common dso_local local_unnamed_addr addrspace(0) global i32 0, no_sanitize_address, partition "p"
      @outside = external hidden thread_local global i32
      @maybe = extern_weak global i32, align 4
      @0 = global i8 1
      $c = comdat any
      !0 = !{}`);
    const of = (name: string): object => {
      const { isConstant, isThreadLocal, isInternal, isWeak, align, initializer } = globals.get(name)!;
      return { isConstant, isThreadLocal, isInternal, isWeak, align, isDefined: initializer !== undefined };
    };
    const plain = {
      isConstant: false,
      isThreadLocal: false,
      isInternal: false,
      isWeak: false,
      align: 8,
      isDefined: true,
    };
    expect(of('plain')).toEqual(plain);
    expect(of('a b')).toEqual({ ...plain, isConstant: true, isInternal: true, align: 16 });
    expect(of('own')).toEqual({ ...plain, isThreadLocal: true, isInternal: true, align: 4 });
    expect(of('common')).toEqual({ ...plain, isWeak: true, align: 4 });
    expect(of('outside')).toEqual({ ...plain, isThreadLocal: true, isDefined: false, align: 1 });
    expect(of('maybe')).toEqual({ ...plain, isWeak: true, isDefined: false, align: 4 });
    expect(of('0')).toEqual({ ...plain, align: 1 });
  });

  test('lists for the linker are left out', () => {
    const text = '@x = global i32 0\n@llvm.used = appending global [1 x ptr] [ptr @x], section "llvm.metadata"';
    expect([...parse(text).globals.keys()]).toEqual(['x']);
  });

  test('aliases', () => {
    const module = parse('@a = alias i32, ptr @x\n@b = weak hidden alias i32, ptr @a\n@x = global i32 0');
    expect([...module.aliases]).toEqual([
      ['a', 'x'],
      ['b', 'a'],
    ]);
    expect([...module.weakAliases!]).toEqual(['b']);
    expect(refusal('@a = alias i32, ptr @b\n@b = alias i32, ptr @a')).toBe(
      'test.ll:1:1: the alias @a stands for itself',
    );
  });
});

describe('what does not matter is skipped', () => {
  test('at the top level', () => {
    const module = parse(`
      ; a comment
      source_filename = "x.c"
      target datalayout = "e-m:e-p:32:32-i64:64"
      target triple = "wasm32-unknown-wasip1"
      attributes #0 = { nounwind "k"="v" memory(none) { } }
      !llvm.module.flags = !{!0}
      !0 = !{i32 1, !"wchar_size", i32 4}
      !1 = distinct !DISomethingNew(field: 3, other: !{!0, !"x"}, flags: A | B, !DIExpression(DW_OP_deref))
      ^0 = module: (path: "", hash: (0, 0, 0, 0, 0))
      ^1 = blockcount: 5
      uselistorder ptr @f, { 1, 0 }
      declare !dbg !1 extern_weak fastcc noundef range(i32 0, 4) i32 @f(ptr noundef align 4 captures(none) %p, ...) #0 strange(new) personality ptr @f
      declare void @g(i32 immarg) "attribute"="value"`);
    expect([...module.functions.keys()]).toEqual(['f', 'g']);
    expect(typeText(module.functions.get('f')!.signature)).toBe('i32 (ptr, ...)');
    expect(module.functions.get('f')!.isWeak).toBe(true);
  });

  test('another target is refused: sizes would be wrong', () => {
    const text = 'target datalayout = "e-m:e-p270:32:32-p271:32:32-i64:64-f80:128-n8:16:32:64-S128"';
    expect(refusal(text)).toContain('the file is for another target');
  });

  test('flags, attributes and metadata of instructions', () => {
    const fn = parseBody(
      `  %a = add nuw nsw i32 %x, 1, !unknown !7
      %b = zext nneg i32 %a to i64
      %c = icmp samesign ult i32 %a, 3
      %d = or disjoint i32 %a, 4
      %e = fadd reassoc nnan ninf nsz arcp contract afn double 1.0, 2.0
      %f = musttail call fastcc noundef signext i32 (ptr, ...) @f(ptr noundef nonnull align 8 null, i32 5) #3 nounwind "x"="y" [ "bundle"(i32 1, ptr %p), "other"() ], !srcloc !9
      %g = getelementptr inbounds nuw i8, ptr %p, i32 1
      ret i32 %f
      uselistorder i32 %x, { 1, 0 }`,
      'define dso_local i32 @f(i32 %x, ptr %p, ...) local_unnamed_addr #0 section "s" align 4 gc "g" prefix i32 1',
    );
    expect(instructionsOf(fn).map(({ op }) => op)).toEqual([
      'add',
      'zext',
      'icmp',
      'or',
      'fadd',
      'call',
      'getelementptr',
      'ret',
    ]);
  });
});

describe('instructions', () => {
  test('memory accesses', () => {
    const fn = parseBody(
      `  %a = load i32, ptr %p
      %b = load volatile i16, ptr %p, align 1
      %c = load atomic volatile i32, ptr %p syncscope("singlethread") acquire, align 4
      store i32 %a, ptr %p, align 2
      store atomic ptr %p, ptr %p release, align 4
      %d = atomicrmw volatile umax ptr %p, i32 %a syncscope("x") acq_rel, align 4
      %e = atomicrmw xchg ptr %p, i64 3 monotonic
      %f = cmpxchg weak volatile ptr %p, i32 %a, i32 1 seq_cst monotonic, align 4
      fence syncscope("singlethread") seq_cst
      fence acq_rel
      %g = cmpxchg ptr %p, i32 1, i32 2 syncscope("singlethread") acq_rel acquire
      %v = va_arg ptr %p, double
      ret void`,
      'define void @f(ptr %p)',
    );
    expect(instructionsOf(fn)).toMatchObject([
      { op: 'load', ordering: 'notatomic', volatile: false, align: 4 },
      { op: 'load', ordering: 'notatomic', volatile: true, align: 1, type: { bits: 16 } },
      { op: 'load', ordering: 'monotonic', volatile: true, align: 4 }, // to other threads
      { op: 'store', ordering: 'notatomic', align: 2 },
      { op: 'store', ordering: 'release', align: 4 },
      { op: 'atomicrmw', operation: 'umax', ordering: 'acq_rel', type: { bits: 32 } },
      { op: 'atomicrmw', operation: 'xchg', ordering: 'monotonic', align: 8, type: { bits: 64 } },
      {
        op: 'cmpxchg',
        weak: true,
        ordering: 'seq_cst',
        failureOrdering: 'monotonic',
        type: { fields: [{ bits: 32 }, { bits: 1 }] },
      },
      { op: 'fence', ordering: 'seq_cst', isSignal: true },
      { op: 'fence', ordering: 'acq_rel', isSignal: false },
      { op: 'cmpxchg', weak: false, ordering: 'monotonic', failureOrdering: 'monotonic' },
      { op: 'va_arg', type: { kind: 'double' } },
      { op: 'ret' },
    ]);
  });

  test('aggregates, selections, conversions', () => {
    const fn = parseBody(
      `  %a = insertvalue { i32, [2 x i8] } undef, i8 3, 1, 0
      %b = extractvalue { i32, [2 x i8] } %a, 1
      %c = select i1 true, float 1.0, float 2.0
      %d = fpext float %c to double
      %e = fptosi double %d to i64
      %f = fneg double %d
      %g = freeze i64 %e
      %h = fcmp uno double %d, %f
      %i = ptrtoaddr ptr null to i32
      ret void`,
    );
    expect(instructionsOf(fn).map(({ op, type }) => `${op} ${typeText(type)}`)).toEqual([
      'insertvalue { i32, [2 x i8] }',
      'extractvalue [2 x i8]',
      'select float',
      'fpext double',
      'fptosi i64',
      'fneg double',
      'freeze i64',
      'fcmp i1',
      'ptrtoint i32',
      'ret void',
    ]);
  });

  test('stack objects', () => {
    const fn = parseBody(
      '  %a = alloca { i8, i64 }\n  %b = alloca i32, i32 5, align 16\n  %c = alloca i8, align 1, addrspace(0)\n  ret void',
    );
    expect(instructionsOf(fn).slice(0, 3)).toMatchObject([
      { align: 8, operands: [] },
      { align: 16, operands: [{ value: 5n }] },
      { align: 1, operands: [] },
    ]);
  });

  test('calls of functions, pointers and variadic functions, with arguments by value', () => {
    const module = parse(`
      %big = type { [8 x i32] }
      declare i32 @printf(ptr, ...)
      define void @f(ptr sret(%big) align 4 %r, ptr noundef byval(%big) align 4 %b, ptr %g) {
        %1 = tail call i32 (ptr, ...) @printf(ptr null, i32 1, double 2.0)
        call void %g(ptr byval(%big) align 4 %b, i32 %1)
        call i32 @printf()
        ret void
      }`);
    const fn = module.functions.get('f')!;
    expect(fn.parameters.map(({ byval }) => byval && typeText(byval))).toEqual([undefined, '%big', undefined]);
    const [first, second, third] = instructionsOf(fn);
    expect(first).toMatchObject({
      name: '1',
      signature: { variadic: true },
      operands: [{ name: 'printf' }, {}, {}, {}],
    });
    expect(second).toMatchObject({ signature: { variadic: false }, byval: [{ name: 'big' }, undefined] });
    expect(second!.operands.map(brief)).toEqual(['%g', '%b', '%1']);
    expect(third!.name).toBe('2');
  });

  test('assembly that does nothing is nothing', () => {
    const fn = parseBody(
      '  call void asm sideeffect "", "~{memory}"() #1, !srcloc !0\n  call void asm "pause", ""()\n  ret void\n',
    );
    expect(instructionsOf(fn).map(({ op }) => op)).toEqual(['ret']);
  });
});

describe('values and blocks', () => {
  test('forward references of values and blocks', () => {
    const fn = parseBody(
      `entry:
      br label %head
    head:
      %i = phi i32 [ 0, %entry ], [ %next, %body ]
      %c = icmp slt i32 %i, 3
      br i1 %c, label %body, label %end
    body:
      %next = add i32 %i, 1
      br label %head
    end:
      ret void`,
    );
    expect(fn.blocks.map(({ name }) => name)).toEqual(['entry', 'head', 'body', 'end']);
    const phi = fn.blocks[1]!.instructions[0]!;
    expect(phi.operands[1]).toBe(fn.blocks[2]!.instructions[0]);
    expect(phi).toMatchObject({ blocks: [fn.blocks[0], fn.blocks[2]] });
  });

  test('values and blocks without names are numbered', () => {
    const body = '  br label %3\n3:\n  %4 = add i32 %0, %1\n  br label %5\n\n5:\n  ret i32 %4';
    const fn = parseBody(body, 'define i32 @f(i32, i32)');
    expect(fn.parameters.map(({ name }) => name)).toEqual(['0', '1']);
    expect(fn.blocks.map(({ name }) => name)).toEqual(['2', '3', '5']);
  });

  test('names in quotes', () => {
    const fn = parseBody(
      '"the entry":\n  %"a b" = add i32 1, 2\n  br label %"q\\22"\n"q\\22":\n  ret i32 %"a b"',
      'define i32 @"f g"()',
    );
    expect(fn.name).toBe('f g');
    expect(fn.blocks.map(({ name }) => name)).toEqual(['the entry', 'q"']);
  });

  test('switch', () => {
    const fn = parseBody(
      '  switch i8 %x, label %d [\n    i8 1, label %a\n    i8 -56, label %d\n  ]\na:\n  ret void\nd:\n  unreachable',
      'define void @f(i8 %x)',
    );
    const [last] = instructionsOf(fn);
    expect(last!.operands.map(brief)).toEqual(['%x', '1', '-56']);
    expect(last).toMatchObject({ targets: [{ name: 'd' }, { name: 'a' }, { name: 'd' }] });
  });
});

describe('errors name file, line and column', () => {
  const cases: [string, string][] = [
    ['', ''],
    ['@g = global i32', 'test.ll:1:16: expected a value, found the end of the file'],
    ['\n  nonsense', 'test.ll:2:3: expected a definition, found ‘nonsense’'],
    ['@g = global i32 0\n€', 'test.ll:2:1: unexpected ‘€’'],
    ['@g = global %t zeroinitializer', 'test.ll:1:13: the type %t is not defined'],
    ['%t = type { %u }', 'test.ll:1:13: the type %u is not defined'],
    ['%t = type { %t }', 'test.ll:1:1: a type contains itself or is nested too deeply'],
    ['%a = type { [2 x %b] }\n%b = type { %a }', 'test.ll:1:1: a type contains itself or is nested too deeply'],
    ['%t = type { i8 }\n%t = type { i8 }', 'test.ll:2:1: the type %t is defined twice'],
    ['@g = global i32 0\n@g = global i32 0', 'test.ll:2:1: @g is defined twice'],
    ['@g = global ptr @h', 'test.ll:1:17: @h is not defined'],
    ['@g = global i32* null', 'test.ll:1:13: a pointer with a type: the text is from an LLVM before version 15'],
    ['define void @f() {\n  ret void', 'test.ll:2:11: expected an instruction, found the end of the file'],
    ['define void @f() {\n}', 'test.ll:2:2: the function @f has no blocks'],
    ['define void @f() {\na:\n}', 'test.ll:3:2: the block a has no end'],
    ['define void @f() {\na:\nb:\n  ret void\n}', 'test.ll:3:1: the block before b has no end'],
    ['define void @f() {\n  br label %x\n}', 'test.ll:2:12: the block %x is not defined'],
    ['define i32 @f() {\n  ret i32 %x\n}', 'test.ll:2:11: %x is not defined'],
    ['define i32 @f(i32 %x) {\n  %x = add i32 1, 2\n  ret i32 %x\n}', 'test.ll:2:3: %x is defined twice'],
    ['define i32 @f(i64 %x) {\n  ret i32 %x\n}', 'test.ll:2:11: %x is of type i64, not i32'],
    ['define i32 @f() {\n  %x = fence seq_cst\n}', 'test.ll:2:3: %x: the instruction has no result'],
    ['define i32 @f() {\n  ret void\n}', 'test.ll:2:3: @f: ret: gives no value'],
    [
      'define void @f(ptr %p) {\n  %x = load atomic i32, ptr %p release\n  ret void\n}',
      'test.ll:2:3: @f: %x (load): cannot have the order release',
    ],
    [
      'define void @f() {\n  %x = extractvalue { i32 } undef, 1\n  ret void\n}',
      'test.ll:2:8: the type { i32 } has no part 1',
    ],
    ['!0 = !{', 'test.ll:1:8: expected ‘}’, found the end of the file'],
    ['!0 = !{}\n!0 = !{}', 'test.ll:2:1: !0 is defined twice'],
    ['attributes #0 = { ', 'test.ll:1:19: the file ends inside brackets'],
  ];
  for (const [text, expected] of cases) {
    test(JSON.stringify(text), () => {
      if (expected === '') expect(printModule(parse(text))).toContain('; test.ll');
      else expect(refusal(text)).toBe(expected);
    });
  }

  test('deep nesting is refused instead of overflowing the stack', () => {
    const n = 100_000;
    expect(refusal(`@g = global [${'1 x ['.repeat(n)}`)).toContain('nested too deeply');
    expect(refusal(`@g = global ${'{'.repeat(n)}`)).toContain('nested too deeply');
    expect(refusal(`@a = alias ${'i32 ('.repeat(n)}`)).toContain('nested too deeply');
    expect(refusal(`@a = alias i32 ${'()'.repeat(n)}`)).toContain('expected ‘,’');
    expect(refusal(`@g = global i32 ${'add (i32 '.repeat(n)}`)).toContain('nested too deeply');
    const chain = Array.from({ length: 5000 }, (_, i) => `%t${i} = type { %t${i + 1} }\n`).join('');
    expect(refusal(`${chain}%t5000 = type { i8 }`)).toContain('nested too deeply');
    expect(printModule(parse(`!0 = ${'!{'.repeat(n)}${'}'.repeat(n)}`))).toContain('; test.ll');
  });

  test('objects that cannot be', () => {
    expect(refusal('@g = global [9007199254740993 x i8] zeroinitializer')).toContain('is not the number of elements');
    expect(refusal('@g = global [3000000000 x i8] zeroinitializer')).toContain(
      'an object of 2 GiB or more is not supported',
    );
    expect(refusal('%o = type opaque\n@g = global %o zeroinitializer')).toContain('an opaque type has no size');
    expect(parse('%o = type opaque\n@g = external global %o').globals.size).toBe(1);
  });
});
