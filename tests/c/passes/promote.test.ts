import { describe, expect, test } from 'vitest';
import { verifyModule } from '../../../src/c/ir/verifier.ts';
import type { Pass } from '../../../src/c/passes/analyses/values.ts';
import { markPartialLoads } from '../../../src/c/passes/transformations/partial-loads.ts';
import { promote } from '../../../src/c/passes/transformations/promote.ts';
import { splitAggregates } from '../../../src/c/passes/transformations/sroa.ts';
import { after, declare, functionOf, parse, show } from './show.ts';

const mem2reg: Pass = (f) => promote(f);
const splitStructs: Pass = splitAggregates;

function promoted(body: string, variables: readonly string[] = []): string {
  return after(
    `declare void @llvm.lifetime.start.p0(ptr)\ndeclare void @use(ptr)\ndefine i32 @f(i32 %x, i1 %c) {\n${body}\n}`,
    [mem2reg],
    variables,
  );
}

describe('values', () => {
  test('in one block', () => {
    const body = `entry:
  %v = alloca i32
  store i32 %x, ptr %v
  %a = load i32, ptr %v
  %b = add i32 %a, 1
  store i32 %b, ptr %v
  %r = load i32, ptr %v
  ret i32 %r`;
    expect(promoted(body, ['v'])).toBe('entry:\n  %b = add %x 1\n  ret %b');
  });

  test('a phi where two values meet, named after the variable', () => {
    const body = `entry:
  %v = alloca i32
  store i32 1, ptr %v
  br i1 %c, label %then, label %join
then:
  store i32 %x, ptr %v
  br label %join
join:
  %r = load i32, ptr %v
  ret i32 %r`;
    expect(promoted(body, ['v'])).toBe(
      `entry:
  br %c then join
then:
  br join
join:
  %v = phi [1, entry] [%x, then]
  ret %v`,
    );
  });

  test('no phi where nobody reads the variable', () => {
    const body = `entry:
  %v = alloca i32
  store i32 1, ptr %v
  br i1 %c, label %then, label %join
then:
  store i32 %x, ptr %v
  br label %join
join:
  store i32 7, ptr %v
  %r = load i32, ptr %v
  ret i32 %r`;
    expect(promoted(body)).toBe('entry:\n  br %c then join\nthen:\n  br join\njoin:\n  ret 7');
  });

  test('a loop', () => {
    const body = `entry:
  %i = alloca i32
  store i32 0, ptr %i
  br label %head
head:
  %a = load i32, ptr %i
  %more = icmp slt i32 %a, %x
  br i1 %more, label %body, label %end
body:
  %b = load i32, ptr %i
  %next = add i32 %b, 1
  store i32 %next, ptr %i
  br label %head
end:
  %r = load i32, ptr %i
  ret i32 %r`;
    expect(promoted(body, ['i'])).toBe(
      `entry:
  br head
head:
  %i = phi [0, entry] [%next, body]
  %more = icmp slt %i %x
  br %more body end
body:
  %next = add %i 1
  br head
end:
  ret %i`,
    );
  });

  test('phis have a value for each edge of a switch', () => {
    const body = `entry:
  %v = alloca i32
  store i32 1, ptr %v
  switch i32 %x, label %other [ i32 1, label %join i32 2, label %join ]
other:
  store i32 2, ptr %v
  br label %join
join:
  %r = load i32, ptr %v
  ret i32 %r`;
    expect(promoted(body)).toContain('%v = phi [1, entry] [1, entry] [2, other]');
  });

  test('volatile and atomic accesses to what nobody else can see', () => {
    const body = `entry:
  %v = alloca i32
  %w = alloca i32
  store volatile i32 %x, ptr %v
  %a = load volatile i32, ptr %v
  store atomic i32 %a, ptr %w seq_cst, align 4
  %r = load atomic i32, ptr %w seq_cst, align 4
  ret i32 %r`;
    expect(promoted(body, ['v', 'w'])).toBe('entry:\n  ret %x');
  });

  test('other types of the same size', () => {
    const body = `entry:
  %f = alloca float
  %p = alloca ptr
  store i32 %x, ptr %f
  %a = load float, ptr %f
  store float %a, ptr %p
  %r = load i32, ptr %p
  ret i32 %r`;
    expect(promoted(body)).toBe(
      `entry:
  %$0 = bitcast float %x
  %$1 = bitcast i32 %$0
  %$2 = inttoptr ptr %$1
  %r = ptrtoint i32 %$2
  ret %r`,
    );
  });
});

describe('what stays in memory', () => {
  const stays = (access: string) =>
    promoted(`entry:
  %v = alloca i32
  store i32 %x, ptr %v
  ${access}
  ret i32 0`).includes('alloca');

  test.each([
    ['an address that is passed on', 'call void @use(ptr %v)'],
    ['an address that is stored', 'store ptr %v, ptr %v'],
    ['a part', '%a = load i8, ptr %v'],
    ['an address that is computed with', '%a = getelementptr i8, ptr %v, i32 1'],
    ['an atomic update', '%a = atomicrmw add ptr %v, i32 1 seq_cst'],
  ])('%s', (_, access) => expect(stays(access)).toBe(true));

  test('nothing else', () => expect(stays('%a = load i32, ptr %v')).toBe(false));
});

describe('variables that were not set', () => {
  test('surely', () => {
    const body = `entry:
  %v = alloca i32
  %a = load i32, ptr %v
  ret i32 %a`;
    expect(promoted(body, ['v'])).toBe('entry:\n  %a = defined "v" undef\n  ret %a');
  });

  test('on one of two ways', () => {
    const body = `entry:
  %v = alloca i32
  br i1 %c, label %then, label %join
then:
  store i32 1, ptr %v
  br label %join
join:
  %a = load i32, ptr %v
  %b = load i32, ptr %v
  %r = add i32 %a, %b
  ret i32 %r`;
    // Checked once.
    expect(promoted(body, ['v'])).toBe(
      `entry:
  br %c then join
then:
  br join
join:
  %v = phi [undef, entry] [1, then]
  %a = defined "v" %v
  %r = add %a %a
  ret %r`,
    );
  });

  test('two reads of which neither comes before the other are both checked', () => {
    const body = `entry:
  %v = alloca i32
  br i1 %c, label %set, label %join
set:
  store i32 1, ptr %v
  br label %join
join:
  br i1 %c, label %left, label %right
left:
  %a = load i32, ptr %v
  ret i32 %a
right:
  %b = load i32, ptr %v
  ret i32 %b`;
    const text = promoted(body, ['v']);
    expect(text).toContain('left:\n  %a = defined "v" %v\n  ret %a');
    expect(text).toContain('right:\n  %b = defined "v" %v\n  ret %b');
  });

  test('in the first round of a loop', () => {
    const body = `entry:
  %v = alloca i32
  br label %head
head:
  %a = load i32, ptr %v
  %b = add i32 %a, 1
  store i32 %b, ptr %v
  br i1 %c, label %head, label %end
end:
  %r = load i32, ptr %v
  ret i32 %r`;
    // The sum is no longer unset.
    expect(promoted(body, ['v'])).toBe(
      `entry:
  br head
head:
  %v = phi [undef, entry] [%b, head]
  %a = defined "v" %v
  %b = add %a 1
  br %c head end
end:
  ret %b`,
    );
  });

  test("a variable of the compiler's making is not checked, nor is what it is copied to until that is read", () => {
    const body = `entry:
  %tmp = alloca i32
  %v = alloca i32
  %a = load i32, ptr %tmp
  store i32 %a, ptr %v
  %r = load i32, ptr %v
  ret i32 %r`;
    expect(promoted(body)).toBe('entry:\n  ret undef');
    expect(promoted(body, ['v'])).toBe('entry:\n  %r = defined "v" undef\n  ret %r');
  });

  test('a function that falls off its end', () => {
    const body = `entry:
  %retval = alloca i32
  br i1 %c, label %then, label %end
then:
  store i32 1, ptr %retval
  br label %end
end:
  %r = load i32, ptr %retval
  ret i32 %r`;
    expect(promoted(body)).toContain('%retval = phi [undef, entry] [1, then]\n  ret %retval');
  });

  test('(void)v and int v = v are no reads', () => {
    const body = `entry:
  %v = alloca i32
  %a = load i32, ptr %v
  %b = load i32, ptr %v
  store i32 %b, ptr %v
  ret i32 0`;
    expect(promoted(body, ['v'])).toBe('entry:\n  ret 0');
  });

  test('an object whose life begins anew is unset again', () => {
    const body = `entry:
  %v = alloca i32
  store i32 1, ptr %v
  call void @llvm.lifetime.start.p0(ptr %v)
  %a = load i32, ptr %v
  ret i32 %a`;
    expect(promoted(body, ['v'])).toBe('entry:\n  %a = defined "v" undef\n  ret %a');
  });

  test('the check stands at the position of the read, and the variable is gone', () => {
    const m = parse(`define i32 @f() !dbg !2 {
entry:
  %v = alloca i32
  %a = load i32, ptr %v, !dbg !3
  ret i32 %a, !dbg !3
}
!llvm.dbg.cu = !{!0}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1)
!1 = !DIFile(filename: "a.c", directory: "/")
!2 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, unit: !0)
!3 = !DILocation(line: 5, column: 10, scope: !2)
`);
    const f = functionOf(m);
    declare(f, 'v');
    promote(f);
    verifyModule(m);
    expect(f.blocks[0]!.instructions[0]).toMatchObject({
      op: 'defined',
      variable: 'v',
      position: { line: 5, column: 10 },
    });
    expect(f.variables.size).toBe(0);
  });
});

describe('bit-fields', () => {
  const body = `entry:
  %v = alloca { i8 }
  %old = load i8, ptr %v
  %clear = and i8 %old, -4
  %set = or i8 %clear, 1
  store i8 %set, ptr %v
  %new = load i8, ptr %v
  %bits = and i8 %new, 3
  %r = zext i8 %bits to i32
  ret i32 %r`;

  test('writing one reads the others, which may be unset: they are frozen', () => {
    const text = `define i32 @f() {\n${body}\n}`;
    expect(after(text, [markPartialLoads, splitStructs, mem2reg], ['v'])).toBe(
      `entry:
  %old = freeze undef
  %clear = and %old -4
  %set = or %clear 1
  %bits = and %set 3
  %r = zext i32 %bits
  ret %r`,
    );
  });

  test('in memory such loads are marked, and no others', () => {
    const text = `define i32 @f(ptr %v, ptr %w) {\n${body.replace('  %v = alloca { i8 }\n', '')}\n}`;
    const shown = after(text, [markPartialLoads]);
    expect(shown).toContain('%old = load partial i8 %v');
    expect(shown).toContain('%new = load i8 %v');
    expect(after(text.replace('store i8 %set, ptr %v', 'store i8 %set, ptr %w'), [markPartialLoads])).not.toContain(
      'partial',
    );
    expect(after(text.replace('or i8 %clear, 1', 'or i8 %clear, %old'), [markPartialLoads])).not.toContain('partial');
    expect(after(text.replace('and i8 %old, -4', 'add i8 %old, -4'), [markPartialLoads])).not.toContain('partial');
  });

  test('a variable that is no struct has none', () => {
    const text = `define i32 @f() {\n${body.replace('{ i8 }', 'i8')}\n}`;
    expect(after(text, [markPartialLoads, mem2reg], ['v'])).toContain('%old = defined "v" undef');
  });

  test('marking says whether it found any', () => {
    const m = parse(`define i32 @f() {\n${body}\n}`);
    expect(markPartialLoads(functionOf(m))).toBe(true);
    expect(markPartialLoads(functionOf(m))).toBe(false);
    expect(show(functionOf(m))).toContain('partial');
  });
});
