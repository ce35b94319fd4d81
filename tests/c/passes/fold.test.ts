import { describe, expect, test } from 'vitest';
import type { BinaryOp, CastOp, Constant, Type } from '../../../src/c/ir/module.ts';
import { doubleType, floatType, i8, i32, i64 } from '../../../src/c/ir/types.ts';
import { foldBinary, foldCast, nearest } from '../../../src/c/passes/analyses/arithmetic.ts';
import { intConstant } from '../../../src/c/passes/analyses/values.ts';
import { fold } from '../../../src/c/passes/transformations/fold.ts';
import { Random } from './generator.ts';
import { after } from './show.ts';

const head = `%pair = type { i32, i32 }
@g = global [4 x %pair] zeroinitializer
@table = internal constant [3 x i32] [i32 10, i32 20, i32 30]
@text = constant [3 x i8] c"ab\\00"
`;

/** The value that `%r` becomes. */
function folded(lines: string, type = 'i32'): string {
  const text = `${head}define ${type} @f(i32 %x, i32 %y, i1 %c, ptr %p, double %d) {\nentry:\n  ${lines}\n  ret ${type} %r\n}`;
  return after(text, [fold]).split('\n').at(-1)!.replace('  ret ', '');
}

describe('constants', () => {
  test.each([
    ['add i32 2147483647, 1', '-2147483648'],
    ['sub i32 0, -2147483648', '-2147483648'],
    ['mul i32 65537, 65537', '131073'],
    ['udiv i32 -1, 2', '2147483647'],
    ['sdiv i32 -7, 2', '-3'],
    ['urem i32 -1, 10', '5'],
    ['srem i32 -7, 2', '-1'],
    ['shl i32 1, 31', '-2147483648'],
    ['lshr i32 -1, 28', '15'],
    ['ashr i32 -16, 2', '-4'],
    ['and i32 12, 10', '8'],
    ['or i32 12, 10', '14'],
    ['xor i32 12, -1', '-13'],
    ['zext i8 -1 to i32', '255'],
    ['sext i8 -1 to i32', '-1'],
    ['sext i1 true to i32', '-1'],
    ['trunc i64 4294967297 to i32', '1'],
    ['fptosi double -2.5 to i32', '-2'],
    ['bitcast float 1.0 to i32', '1065353216'],
    ['ptrtoint ptr null to i32', '0'],
    ['select i1 true, i32 1, i32 %x', '1'],
    ['select i1 false, i32 1, i32 %x', '%x'],
    ['load i32, ptr @table', '10'],
    ['load i32, ptr getelementptr inbounds (i32, ptr @table, i32 2)', '30'],
    ['load i16, ptr @text', '25185'],
    ['load i32, ptr @g', undefined],
    ['load volatile i32, ptr @table', undefined],
    ['load i32, ptr getelementptr inbounds (i32, ptr @table, i32 3)', undefined],
    ['sdiv i32 1, 0', undefined],
    ['urem i32 1, 0', undefined],
    ['sdiv i32 -2147483648, -1', undefined],
    ['shl i32 1, 32', undefined],
    ['fptosi double 1.000000e+10 to i32', undefined],
    ['add i32 undef, 1', undefined],
    ['and i32 undef, 0', undefined],
    ['select i1 undef, i32 1, i32 2', undefined],
  ])('%s is %s', (instruction, value) => {
    const type = instruction.startsWith('load i16') ? 'i16' : 'i32';
    expect(folded(`%r = ${instruction}`, type)).toBe(value ?? '%r');
  });

  test.each([
    ['icmp slt i32 -1, 0', '1'],
    ['icmp ult i32 -1, 0', '0'],
    ['icmp eq ptr null, null', '1'],
    ['icmp ne i64 5, 5', '0'],
    ['fcmp olt double 1.0, 2.0', '1'],
    ['fcmp une double 0x7FF8000000000000, 0x7FF8000000000000', '1'],
    ['fcmp oeq double 0x7FF8000000000000, 1.0', '0'],
    ['fcmp true double %d, %d', '1'],
    ['icmp eq ptr %p, null', '%r'],
  ])('%s is %s', (instruction, value) => expect(folded(`%r = ${instruction}`, 'i1')).toBe(value));

  test('floats are rounded, doubles are not', () => {
    expect(folded('%r = fadd float 0x3FB99999A0000000, 0x3FC99999A0000000', 'float')).toBe(
      String(Math.fround(Math.fround(0.1) + Math.fround(0.2))),
    );
    expect(folded('%r = fadd double 1.000000e-01, 2.000000e-01', 'double')).toBe('0.30000000000000004');
    expect(folded('%r = fdiv double 0.0, 0.0', 'double')).toBe('%r');
    expect(folded('%r = fneg double 1.5', 'double')).toBe('-1.5');
  });

  test('large integers become the nearest float, ties to even, rounded once', () => {
    const type: Type = floatType;
    expect(nearest((1n << 54n) + (1n << 30n), type)).toBe(2 ** 54);
    // Rounded to a double first, this would be a tie.
    expect(nearest((1n << 54n) + (1n << 30n) + 1n, type)).toBe(2 ** 54 + 2 ** 31);
    expect(nearest(-((1n << 54n) + (1n << 30n) + 1n), type)).toBe(-(2 ** 54 + 2 ** 31));
    expect(nearest(16777217n, type)).toBe(16777216);
    expect(nearest(9007199254740993n, doubleType)).toBe(9007199254740992);
  });
});

describe('arithmetic agrees with typed arrays', () => {
  const compute: Partial<Record<BinaryOp, (a: number, b: number) => number>> = {
    add: (a, b) => a + b,
    sub: (a, b) => a - b,
    mul: (a, b) => Math.imul(a, b),
    and: (a, b) => a & b,
    or: (a, b) => a | b,
    xor: (a, b) => a ^ b,
    sdiv: (a, b) => Math.trunc(a / b),
    srem: (a, b) => a % b,
    udiv: (a, b) => Math.trunc((a & 255) / (b & 255)),
    urem: (a, b) => (a & 255) % (b & 255),
    shl: (a, b) => a << b,
    lshr: (a, b) => (a & 255) >>> b,
    ashr: (a, b) => a >> b,
  };

  test.each(Object.keys(compute) as BinaryOp[])('i8 %s', (op) => {
    for (let a = -128; a < 128; a++) {
      for (let b = -128; b < 128; b++) {
        const result = foldBinary(op, intConstant(i8, BigInt(a)), intConstant(i8, BigInt(b)));
        const isDivision = op.endsWith('div') || op.endsWith('rem');
        const hasNone =
          (isDivision && b === 0) ||
          (op.startsWith('s') && isDivision && a === -128 && b === -1) ||
          (['shl', 'lshr', 'ashr'].includes(op) && (b < 0 || b > 7));
        const expected = hasNone ? undefined : new Int8Array([compute[op]!(a, b)])[0];
        const value = result?.kind === 'int-constant' ? Number(result.value) : undefined;
        if (value !== expected) expect({ op, a, b, value }).toEqual({ op, a, b, value: expected });
      }
    }
  });

  test('casts between 8, 32 and 64 bits', () => {
    const random = new Random(7);
    const number = (type: Type, value: bigint) => intConstant(type, value);
    const cast = (op: CastOp, constant: Constant, to: Type) => {
      const result = foldCast(op, constant, to);
      return result?.kind === 'int-constant' ? result.value : undefined;
    };
    for (let i = 0; i < 1000; i++) {
      const wide = (BigInt(random.below(2 ** 32)) << 32n) | BigInt(random.below(2 ** 32));
      expect(cast('trunc', number(i64, wide), i32)).toBe(BigInt.asIntN(32, wide));
      expect(cast('sext', number(i32, wide), i64)).toBe(BigInt.asIntN(32, wide));
      expect(cast('zext', number(i32, wide), i64)).toBe(BigInt.asUintN(32, wide));
      expect(cast('zext', number(i8, wide), i32)).toBe(BigInt.asUintN(8, wide));
    }
  });
});

describe('algebra', () => {
  test.each([
    ['add i32 %x, 0', '%x'],
    ['add i32 0, %x', '%x'],
    ['sub i32 %x, 0', '%x'],
    ['sub i32 0, %x', '%r'],
    ['mul i32 %x, 1', '%x'],
    ['mul i32 %x, 0', '0'],
    ['and i32 %x, -1', '%x'],
    ['and i32 %x, 0', '0'],
    ['or i32 %x, 0', '%x'],
    ['xor i32 %x, 0', '%x'],
    ['shl i32 %x, 0', '%x'],
    ['sdiv i32 %x, 1', '%x'],
    ['udiv i32 0, %x', '%r'],
    ['srem i32 %x, %x', '%r'],
    ['select i1 %c, i32 %x, i32 %x', '%x'],
    ['select i1 %c, i32 %x, i32 undef', '%r'],
  ])('%s is %s', (instruction, value) => expect(folded(`%r = ${instruction}`)).toBe(value));

  test.each([
    ['a flag made a number and back', '%n = zext i1 %c to i32\n  %r = icmp ne i32 %n, 0', 'i1', '%c'],
    ['a flag compared with 1', '%n = zext i1 %c to i32\n  %r = icmp eq i32 %n, 1', 'i1', '%c'],
    ['a flag compared as it is', '%r = icmp ne i1 %c, false', 'i1', '%c'],
    ['a flag compared otherwise', '%n = zext i1 %c to i32\n  %r = icmp eq i32 %n, 0', 'i1', '%r'],
    ['a flag kept in a byte', '%n = zext i1 %c to i8\n  %r = trunc i8 %n to i1', 'i1', '%c'],
    ['a pointer made a number and back', '%n = ptrtoint ptr %p to i32\n  %r = inttoptr i32 %n to ptr', 'ptr', '%p'],
    ['a pointer made a small number', '%n = ptrtoint ptr %p to i8\n  %r = inttoptr i8 %n to ptr', 'ptr', '%r'],
    ['an address without distance', '%r = getelementptr %pair, ptr %p, i32 0, i32 0', 'ptr', '%p'],
    [
      'an address in a global',
      '%r = getelementptr [4 x %pair], ptr @g, i32 0, i32 2, i32 1',
      'ptr',
      'getelementptr(@g 0 2 1)',
    ],
    ['an address at a variable index', '%r = getelementptr [4 x %pair], ptr @g, i32 0, i32 %x', 'ptr', '%r'],
    ['what is known to be set', '%n = add i32 %x, %y\n  %r = freeze i32 %n', 'i32', '%n'],
    ['freeze of undef', '%r = freeze i32 undef', 'i32', '%r'],
  ])('%s', (_, lines, type, value) => expect(folded(lines, type)).toBe(value));
});

describe('control', () => {
  const run = (body: string) => after(`define i32 @f(i32 %x, i1 %c) {\n${body}\n}`, [fold]);

  test('a branch on a constant, and the phi behind it', () => {
    const body = `entry:
  br i1 false, label %a, label %b
a:
  br label %b
b:
  %r = phi i32 [ 1, %a ], [ %x, %entry ]
  ret i32 %r`;
    expect(run(body)).toBe('entry:\n  br b\nb:\n  ret %x');
  });

  test('a switch on a constant takes the first case that fits', () => {
    const body = `entry:
  switch i32 2, label %a [ i32 1, label %b i32 2, label %c ]
a:
  ret i32 0
b:
  ret i32 1
c:
  ret i32 2`;
    expect(run(body)).toBe('entry:\n  br c\nc:\n  ret 2');
  });

  test('cases that do what the default does', () => {
    const body = `entry:
  switch i32 %x, label %a [ i32 1, label %a i32 2, label %b ]
a:
  %r = phi i32 [ 4, %entry ], [ 4, %entry ]
  ret i32 %r
b:
  ret i32 1`;
    expect(run(body)).toBe('entry:\n  switch %x a 2: b\na:\n  ret 4\nb:\n  ret 1');
  });

  test('a branch on a negation', () => {
    const body = `entry:
  %n = xor i1 %c, true
  br i1 %n, label %a, label %b
a:
  ret i32 0
b:
  ret i32 1`;
    expect(run(body)).toContain('br %c b a');
  });

  test('a phi that has one value and itself', () => {
    const body = `entry:
  br label %head
head:
  %v = phi i32 [ %x, %entry ], [ %v, %head ]
  br i1 %c, label %head, label %end
end:
  ret i32 %v`;
    expect(run(body)).toBe('entry:\n  br head\nhead:\n  br %c head end\nend:\n  ret %x');
  });

  test('a phi of a value and undef stays, and so does a branch on undef', () => {
    const body = `entry:
  br i1 undef, label %a, label %b
a:
  br label %b
b:
  %v = phi i32 [ %x, %entry ], [ undef, %a ]
  ret i32 %v`;
    expect(run(body)).toContain('br undef a b');
    expect(run(body)).toContain('%v = phi [%x, entry] [undef, a]');
  });
});
