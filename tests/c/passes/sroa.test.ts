import { describe, expect, test } from 'vitest';
import type { CType, Member } from '../../../src/c/ir/debug.ts';
import { verifyModule } from '../../../src/c/ir/verifier.ts';
import { memberPath } from '../../../src/c/passes/analyses/member-paths.ts';
import type { Pass } from '../../../src/c/passes/analyses/values.ts';
import { promote } from '../../../src/c/passes/transformations/promote.ts';
import { splitAggregates } from '../../../src/c/passes/transformations/sroa.ts';
import { after, functionOf, instructionsOf, parse } from './show.ts';

const head = `%pair = type { i32, i64 }
%mixed = type { i8, [2 x i16], float }
@constant = constant { i32, [4 x i8], i64 } { i32 7, [4 x i8] undef, i64 -1 }
@variable = global %pair zeroinitializer
declare void @llvm.memset.p0.i32(ptr, i8, i32, i1)
declare void @llvm.memcpy.p0.p0.i32(ptr, ptr, i32, i1)
declare void @use(ptr)
`;

const split: Pass = (f, m) => {
  splitAggregates(f, m);
  return true;
};
const both: Pass = (f, m) => {
  splitAggregates(f, m);
  return promote(f);
};

function run(body: string, passes: readonly Pass[], variables: readonly string[] = []): string {
  return after(`${head}define i64 @f(i32 %x, i32 %i) {\nentry:\n${body}\n}`, passes, variables);
}

describe('splitting', () => {
  test('a variable for each part', () => {
    const body = `  %s = alloca %mixed
  %a = getelementptr %mixed, ptr %s, i32 0, i32 1
  %b = getelementptr [2 x i16], ptr %a, i32 0, i32 1
  store i16 3, ptr %b
  store i8 1, ptr %s
  %r = load i16, ptr %b
  %w = sext i16 %r to i64
  ret i64 %w`;
    expect(run(body, [split])).toBe(`entry:
  %s.0 = alloca i8
  %s.2 = alloca i16
  %s.4 = alloca i16
  %s.8 = alloca float
  store 3 %s.4
  store 1 %s.0
  %r = load i16 %s.4
  %w = sext i64 %r
  ret %w`);
  });

  test('memset and memcpy of whole structs', () => {
    const body = `  %s = alloca %pair
  %t = alloca %pair
  call void @llvm.memset.p0.i32(ptr %s, i8 -1, i32 16, i1 false)
  store i32 %x, ptr %s
  call void @llvm.memcpy.p0.p0.i32(ptr %t, ptr %s, i32 16, i1 false)
  %q = getelementptr %pair, ptr %t, i32 0, i32 1
  %r = load i64, ptr %q
  ret i64 %r`;
    expect(run(body, [both])).toBe('entry:\n  ret -1');
  });

  test('memcpy from constant memory, whose type has its padding spelled out', () => {
    const body = `  %s = alloca %pair
  call void @llvm.memcpy.p0.p0.i32(ptr %s, ptr @constant, i32 16, i1 false)
  %a = load i32, ptr %s
  %b = sext i32 %a to i64
  %q = getelementptr %pair, ptr %s, i32 0, i32 1
  %c = load i64, ptr %q
  %r = add i64 %b, %c
  ret i64 %r`;
    expect(run(body, [both])).toBe('entry:\n  %b = sext i64 7\n  %r = add %b -1\n  ret %r');
  });

  test('a copy of a part that is not set is no read; a read of the copy is', () => {
    const body = `  %s = alloca %pair
  %t = alloca %pair
  store i32 %x, ptr %s
  call void @llvm.memcpy.p0.p0.i32(ptr %t, ptr %s, i32 16, i1 false)
  %a = load i32, ptr %t
  %q = getelementptr %pair, ptr %t, i32 0, i32 1
  %r = load i64, ptr %q
  ret i64 %r`;
    expect(run(body, [both], ['s', 't'])).toBe('entry:\n  %r = defined "t" undef\n  ret %r');
  });

  test('two parts of one struct are copied as if at once', () => {
    const body = `  %s = alloca [2 x i64]
  %b = getelementptr i64, ptr %s, i32 1
  store i64 1, ptr %s
  store i64 2, ptr %b
  call void @llvm.memcpy.p0.p0.i32(ptr %b, ptr %s, i32 8, i1 false)
  %r = load i64, ptr %b
  ret i64 %r`;
    expect(run(body, [both])).toBe('entry:\n  ret 1');
  });
});

describe('what stays whole', () => {
  test.each([
    ['an index that is not constant', '%a = getelementptr [2 x i32], ptr %s, i32 0, i32 %i'],
    ['an address that is passed on', 'call void @use(ptr %s)'],
    ['an access to two parts', '%a = load i64, ptr %s'],
    ['an access beyond the end', '%a = getelementptr i32, ptr %s, i32 9\n  %b = load i32, ptr %a'],
    ['memset of half a part', 'call void @llvm.memset.p0.i32(ptr %s, i8 0, i32 6, i1 false)'],
    [
      'memset with what is not constant',
      '%a = trunc i32 %x to i8\n  call void @llvm.memset.p0.i32(ptr %s, i8 %a, i32 8, i1 false)',
    ],
    ['memcpy from memory', 'call void @llvm.memcpy.p0.p0.i32(ptr %s, ptr @variable, i32 8, i1 false)'],
    ['memcpy to memory', 'call void @llvm.memcpy.p0.p0.i32(ptr @variable, ptr %s, i32 8, i1 false)'],
    [
      'a copy to what stays whole',
      '%t = alloca [2 x i32]\n  call void @use(ptr %t)\n  call void @llvm.memcpy.p0.p0.i32(ptr %t, ptr %s, i32 8, i1 false)',
    ],
    ['an atomic update', '%a = atomicrmw add ptr %s, i32 1 seq_cst'],
  ])('%s', (_, access) => {
    expect(run(`  %s = alloca [2 x i32]\n  ${access}\n  ret i64 0`, [split])).toContain('%s = alloca [2 x i32]');
  });

  test('a large table', () => {
    expect(run('  %s = alloca [10000000 x i32]\n  store i32 1, ptr %s\n  ret i64 0', [split])).toContain('%s = alloca');
  });
});

const int: CType = { kind: 'base', name: 'int', size: 4, encoding: 'signed' };
const member = (name: string | undefined, type: CType, offset: number): Member => ({
  name,
  type,
  offset,
  isBitField: false,
});
const point: CType = {
  kind: 'struct',
  name: 'point',
  isUnion: false,
  size: 8,
  members: () => [member('x', int, 0), member('y', int, 4)],
};
const points: CType = { kind: 'array', size: 16, count: 2, element: () => point };
const union: CType = {
  kind: 'struct',
  name: undefined,
  isUnion: true,
  size: 8,
  members: () => [member('p', point, 0), member('n', int, 0)],
};
const outer: CType = {
  kind: 'struct',
  name: 'outer',
  isUnion: false,
  size: 28,
  members: () => [member('n', int, 0), member(undefined, union, 4), member('points', points, 12)],
};

test.each([
  [0, '.n'],
  [4, '.p.x'],
  [8, '.p.y'],
  [12, '.points[0].x'],
  [24, '.points[1].y'],
  [1, undefined],
])('offset %i of a struct is %s', (offset, path) => {
  expect(memberPath(outer, offset)?.path).toBe(path);
});

test('bit-fields that share their bytes have no name of their own', () => {
  const field = { ...member('a', int, 0), isBitField: true };
  const flags: CType = {
    kind: 'struct',
    name: 'flags',
    isUnion: false,
    size: 4,
    members: () => [field, { ...field, name: 'b' }],
  };
  expect(memberPath(flags, 0)).toEqual({ path: '', type: flags });
});

test('parts are named after members', () => {
  const m = parse(`${head}define i32 @f() {
entry:
  %o = alloca [7 x i32]
  %p = getelementptr i32, ptr %o, i32 6
  %r = load i32, ptr %p
  ret i32 %r
}`);
  const f = functionOf(m);
  f.variables.set(f.blocks[0]!.instructions[0]!, { name: 'o', type: outer });
  splitAggregates(f, m);
  promote(f);
  verifyModule(m);
  expect(instructionsOf(f)[0]).toMatchObject({ op: 'defined', variable: 'o.points[1].y' });
});
