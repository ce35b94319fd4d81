import { describe, expect, test } from 'vitest';
import type { Module } from '../../../src/c/ir/module.ts';
import { verifyModule } from '../../../src/c/ir/verifier.ts';
import { buildCfg, findLoops } from '../../../src/c/passes/analyses/cfg.ts';
import { optimise } from '../../../src/c/passes/index.ts';
import { countRounds, unroll } from '../../../src/c/passes/transformations/unroll.ts';
import { interpret } from './interpreter.ts';
import { after, functionOf, parse } from './show.ts';

/** Counts to %n. */
const counting = `define i64 @f(i32 %n, i64 %unused) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %end
body:
  %next = add i32 %i, 1
  br label %head
end:
  %r = sext i32 %i to i64
  ret i64 %r
}`;

function bounded(text: string, most: number): Module {
  const m = parse(text);
  unroll(functionOf(m), most);
  verifyModule(m);
  return m;
}

function run(m: Module, ...args: bigint[]): bigint | string | undefined {
  const { kind, value } = interpret(functionOf(m), args);
  return kind === 'returned' ? value : kind;
}

test('the shape', () => {
  expect(after(counting, [(f) => unroll(f, 3)])).toBe(`entry:
  br head
head:
  %i = phi [0, entry] [%next, body]
  %visits = phi [0, entry] [%visits.1, body]
  %beyond = icmp uge %visits 3
  br %beyond head.beyond head.within
head.within:
  %visits.1 = add %visits 1
  %more = icmp slt %i %n
  br %more body end
body:
  %next = add %i 1
  br head
end:
  %r = sext i64 %i
  ret %r
head.beyond:
  bound
  unreachable`);
});

describe('the header may be entered N times', () => {
  test.each([
    [1, 0n, 0n],
    [1, 1n, 'bound'],
    [3, 2n, 2n],
    [3, 3n, 'bound'],
  ])('bound %i, %i rounds', (most, rounds, outcome) => {
    // For k rounds the condition is looked at k + 1 times.
    expect(run(bounded(counting, most), rounds, 0n)).toBe(outcome);
  });

  test('a loop of one block', () => {
    const text = `define i64 @f(i64 %n, i64 %unused) {
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %body, label %end
end:
  ret i64 %next
}`;
    expect(run(bounded(text, 3), 3n, 0n)).toBe(3n);
    expect(run(bounded(text, 3), 4n, 0n)).toBe('bound');
  });
});

/** For %n rounds outside, each %m inside; how many there were inside. */
const nested = `define i64 @f(i64 %n, i64 %m) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i2, %latch ]
  %s = phi i64 [ 0, %entry ], [ %s2, %latch ]
  %a = icmp slt i64 %i, %n
  br i1 %a, label %inner, label %end
inner:
  %j = phi i64 [ 0, %outer ], [ %j2, %body ]
  %s2 = phi i64 [ %s, %outer ], [ %s3, %body ]
  %b = icmp slt i64 %j, %m
  br i1 %b, label %body, label %latch
body:
  %j2 = add i64 %j, 1
  %s3 = add i64 %s2, 1
  br label %inner
latch:
  %i2 = add i64 %i, 1
  br label %outer
end:
  ret i64 %s
}`;

test('an inner loop counts anew each time it is entered', () => {
  const m = bounded(nested, 4);
  expect(run(m, 3n, 3n)).toBe(9n);
  expect(run(m, 4n, 1n)).toBe('bound');
  expect(run(m, 1n, 4n)).toBe('bound');
  expect(run(m, 0n, 9n)).toBe(0n);
});

test('headers that share everything: a loop with two back edges counts both', () => {
  const text = `define i64 @f(i64 %n, i64 %m) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %i2, %even ], [ %i2, %odd ]
  %i2 = add i64 %i, 1
  %more = icmp slt i64 %i, %n
  br i1 %more, label %body, label %end
body:
  %bit = and i64 %i, 1
  %is = icmp eq i64 %bit, 0
  br i1 %is, label %even, label %odd
even:
  br label %head
odd:
  br label %head
end:
  ret i64 %i
}`;
  expect(run(bounded(text, 4), 3n, 0n)).toBe(3n);
  expect(run(bounded(text, 4), 4n, 0n)).toBe('bound');
});

describe('irreducible loops', () => {
  /** Enters at a or b, goes round %n half rounds; does all that twice if %m is not 0. */
  const text = `define i64 @f(i64 %n, i64 %m) {
entry:
  br label %again
again:
  %round = phi i64 [ 0, %entry ], [ %round2, %end ]
  %left = and i64 %m, 1
  %first = icmp eq i64 %left, 0
  br i1 %first, label %a, label %b
a:
  %i = phi i64 [ 0, %again ], [ %j2, %b ]
  %i2 = add i64 %i, 1
  %more = icmp slt i64 %i2, %n
  br i1 %more, label %b, label %end
b:
  %j = phi i64 [ 0, %again ], [ %i2, %a ]
  %j2 = add i64 %j, 1
  %more2 = icmp slt i64 %j2, %n
  br i1 %more2, label %a, label %end
end:
  %k = phi i64 [ %i2, %a ], [ %j2, %b ]
  %round2 = add i64 %round, 1
  %twice = icmp slt i64 %round2, 2
  br i1 %twice, label %again, label %out
out:
  ret i64 %k
}`;

  test('short ways through them are not cut, and each entry counts anew', () => {
    const m = bounded(text, 4);
    for (const way of [0n, 1n]) {
      for (let n = 1n; n <= 7n; n++) expect(run(m, n, way), `${n} half rounds, way ${way}`).toBe(n);
    }
  });

  test('long ones are cut', () => {
    const m = bounded(text, 4);
    // Of ten half rounds five visit the header.
    for (const way of [0n, 1n]) expect(run(m, 10n, way)).toBe('bound');
  });

  test('one inside another that is entered by the same edge', () => {
    // Outer: a c d, entered at all three; inner: c d, entered from a and from outside. All that six times.
    const both = `define i64 @f(i64 %n, i64 %m) {
entry:
  %v = alloca i64
  br label %again
again:
  %round = phi i64 [ 0, %entry ], [ %round2, %end ]
  store i64 0, ptr %v
  switch i64 %m, label %c [ i64 1, label %d i64 2, label %a ]
a:
  %a1 = load i64, ptr %v
  %a2 = add i64 %a1, 1
  store i64 %a2, ptr %v
  %a3 = and i64 %a2, 1
  %a4 = icmp eq i64 %a3, 0
  br i1 %a4, label %c, label %d
c:
  %c1 = load i64, ptr %v
  %c2 = add i64 %c1, 1
  store i64 %c2, ptr %v
  %c3 = icmp slt i64 %c2, %n
  br i1 %c3, label %d, label %end
d:
  %d1 = load i64, ptr %v
  %d2 = add i64 %d1, 1
  store i64 %d2, ptr %v
  %d3 = urem i64 %d2, 50
  %d4 = icmp eq i64 %d3, 0
  br i1 %d4, label %a, label %c
end:
  %round2 = add i64 %round, 1
  %once = icmp slt i64 %round2, 6
  br i1 %once, label %again, label %out
out:
  %r = load i64, ptr %v
  ret i64 %r
}`;
    const loops = findLoops(buildCfg(functionOf(parse(both))));
    expect(loops.map(({ header, isIrreducible }) => [header.name, isIrreducible])).toEqual([
      ['again', false],
      ['a', true],
      ['d', true],
    ]);
    for (let m = 0n; m < 3n; m++) {
      const expected = run(parse(both), 12n, m);
      expect(typeof expected).toBe('bigint');
      // Twelve steps visit each header six times at most; without a new count six rounds would be cut.
      expect(run(bounded(both, 7), 12n, m)).toBe(expected);
      expect(run(bounded(both, 2), 40n, m)).toBe('bound');
    }
  });
});

test('the bound stands at the line of the loop statement, also when blocks were merged', () => {
  const m = parse(`@x = global i32 0
define void @f() !dbg !2 {
entry:
  br label %for.cond, !dbg !3
for.cond:
  br label %for.body, !dbg !3
for.body:
  %a = load i32, ptr @x, !dbg !4
  %b = icmp eq i32 %a, 0, !dbg !4
  br i1 %b, label %if.end, label %for.end, !dbg !4
if.end:
  br label %for.cond, !dbg !3
for.end:
  ret void, !dbg !4
}
!llvm.dbg.cu = !{!0}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1)
!1 = !DIFile(filename: "a.c", directory: "/")
!2 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, unit: !0)
!3 = !DILocation(line: 5, column: 3, scope: !2)
!4 = !DILocation(line: 6, column: 9, scope: !2)
`);
  optimise(m, { unroll: 2 });
  verifyModule(m);
  const bound = functionOf(m)
    .blocks.flatMap((block) => block.instructions)
    .find(({ op }) => op === 'bound');
  expect(bound?.position).toMatchObject({ line: 5, column: 3 });
});

test('a function without loops stays as it is', () => {
  const m = parse('define void @f() {\nentry:\n  ret void\n}');
  expect(unroll(functionOf(m), 1)).toBe(false);
});

describe('the rounds of loops that are not known to end', () => {
  /** How many loops are counted. */
  function counters(text: string): number {
    const m = parse(text);
    countRounds(functionOf(m), () => true, new Map());
    verifyModule(m);
    return functionOf(m).blocks.flatMap(({ instructions }) => instructions.filter(({ op }) => op === 'bound')).length;
  }

  /** A loop that goes on as long as the condition %c says. */
  const loop = (head: string, condition: string, before = ''): string => `@x = global i32 0
define i32 @f(i32 %n, ptr %p) {
entry:
  ${before}
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  ${head}
  %c = ${condition}
  br i1 %c, label %body, label %end
body:
  br label %head
end:
  ret i32 %i
}`;
  const byOne = '%next = add i32 %i, 1';

  test.each([
    ['up to a limit', loop(byOne, 'icmp slt i32 %i, %n')],
    ['up to a limit, asked for the next', loop(byOne, 'icmp ult i32 %next, %n')],
    ['down to zero', loop('%next = add i32 %i, -1', 'icmp ne i32 %i, 0')],
    ['with the limit on the left', loop(byOne, 'icmp sgt i32 %n, %i')],
    ['up to what a variable has', loop(`${byOne}\n  %m = load i32, ptr @x, align 4`, 'icmp slt i32 %i, %m')],
    ['in another width', loop(`${byOne}\n  %w = sext i32 %i to i64`, 'icmp slt i64 %w, 100')],
  ])('not if it counts %s', (_name, text) => {
    expect(counters(text)).toBe(0);
  });

  test.each([
    ['it waits', loop(`${byOne}\n  %m = load atomic i32, ptr @x seq_cst, align 4`, 'icmp eq i32 %m, 0')],
    ['it goes away from its limit', loop(byOne, 'icmp sgt i32 %i, %n')],
    ['its limit is atomic', loop(`${byOne}\n  %m = load atomic i32, ptr @x seq_cst, align 4`, 'icmp slt i32 %i, %m')],
    ['it jumps over its limit', loop('%next = add i32 %i, 2', 'icmp ne i32 %i, %n')],
    ['it doubles', loop('%next = add i32 %i, %i', 'icmp slt i32 %i, %n')],
  ])('if %s', (_name, text) => {
    expect(counters(text)).toBe(1);
  });

  test('the shape', () => {
    const text = `define i32 @f(ptr %p) {
entry:
  br label %head
head:
  %q = phi ptr [ %p, %entry ], [ %next, %head ]
  %next = load ptr, ptr %q, align 4
  %c = icmp eq ptr %next, null
  br i1 %c, label %end, label %head
end:
  ret i32 0
}`;
    expect(after(text, [(f) => countRounds(f, () => true, new Map())])).toBe(`entry:
  br head
head:
  %q = phi [%p, entry] [%next, head]
  %visits = phi [0, entry] [%visits.1, head]
  bound %visits
  %visits.1 = add %visits 1
  %next = load ptr %q
  %c = icmp eq %next null
  br %c end head
end:
  ret 0`);
  });
});
