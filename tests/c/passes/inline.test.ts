import { describe, expect, test } from 'vitest';
import { verifyModule } from '../../../src/c/ir/verifier.ts';
import { optimise } from '../../../src/c/passes/index.ts';
import { Inliner } from '../../../src/c/passes/purity/inline.ts';
import { Statements } from '../../../src/c/passes/purity/statements.ts';
import { functionOf, parse, show } from './show.ts';

const functions = `@lock = global i32 0, align 4
define i32 @trylock(ptr %l) {
entry:
  %pair = cmpxchg ptr %l, i32 0, i32 1 seq_cst seq_cst, align 4
  %ok = extractvalue { i32, i1 } %pair, 1
  br i1 %ok, label %won, label %lost
won:
  ret i32 1
lost:
  ret i32 0
}
define void @unlock(ptr %l) {
entry:
  store atomic i32 0, ptr %l seq_cst, align 4
  ret void
}
define i32 @read(ptr %l) {
entry:
  %v = load atomic i32, ptr %l seq_cst, align 4
  ret i32 %v
}
define i32 @deep(i32 %n) {
entry:
  %m = sub i32 %n, 1
  %r = call i32 @deep(i32 %m)
  ret i32 %r
}
`;

function inlined(body: string): string {
  const m = parse(`${functions}define i32 @f() {\nentry:\n  br label %loop\n${body}\n}`);
  const f = functionOf(m);
  new Inliner(m, new Statements(m), new Map()).run(f);
  verifyModule(m);
  return show(f);
}

const spinning = `loop:
  %r = call i32 @trylock(ptr @lock)
  %more = icmp eq i32 %r, 0
  br i1 %more, label %loop, label %end
end:
  ret i32 0`;

describe('a call in a loop is replaced by the body of what it calls', () => {
  test('if that may show that the loop is pure', () => {
    expect(inlined(spinning)).toBe(`entry:
  br loop
loop:
  br entry.1
entry.1:
  %pair = cmpxchg @lock 0 1
  %ok = extractvalue %pair
  br %ok won lost
won:
  br loop.after
lost:
  br loop.after
loop.after:
  %r = phi [1, won] [0, lost]
  %more = icmp eq %r 0
  br %more loop end
end:
  ret 0`);
  });

  test('which it does', () => {
    const m = parse(`${functions}define i32 @f() {\nentry:\n  br label %loop\n${spinning}\n}`);
    const reports = optimise(m, { plp: true, await: true });
    verifyModule(m);
    expect(reports.map(({ outcome }) => outcome)).toEqual(['pure']);
    expect(show(functionOf(m))).toContain('cmpxchg await @lock 0 1');
  });

  test('but not outside of loops', () => {
    expect(inlined('loop:\n  %r = call i32 @read(ptr @lock)\n  ret i32 %r')).toContain('call @read');
  });

  test.each([
    ['nor if the function always writes', 'call void @unlock(ptr @lock)'],
    ['nor if it calls itself', '%q = call i32 @deep(i32 1)'],
  ])('%s', (_, call) => {
    const body = `loop:\n  ${call}\n  %r = call i32 @read(ptr @lock)
  %more = icmp eq i32 %r, 0
  br i1 %more, label %loop, label %end
end:
  ret i32 0`;
    expect(inlined(body)).toContain('call @read');
  });

  test('nor if the loop is not pure for another reason', () => {
    const body = `loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %r = call i32 @read(ptr @lock)
  %next = add i32 %i, %r
  %more = icmp ult i32 %next, 5
  br i1 %more, label %loop, label %end
end:
  ret i32 %i`;
    expect(inlined(body)).toContain('call @read');
  });
});
