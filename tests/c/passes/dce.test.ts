import { expect, test } from 'vitest';
import { removeDeadCode } from '../../../src/c/passes/transformations/dce.ts';
import { promote } from '../../../src/c/passes/transformations/promote.ts';
import { after } from './show.ts';

const head = `declare void @g()
declare i32 @llvm.smax.i32(i32, i32)
declare ptr @llvm.threadlocal.address.p0(ptr)
declare void @llvm.lifetime.start.p0(ptr)
@t = thread_local global i32 0
`;

function run(body: string, variables: readonly string[] = []): string {
  return after(
    `${head}define i32 @f(i32 %x, i1 %c, ptr %p) {\n${body}\n}`,
    [(f) => promote(f), removeDeadCode],
    variables,
  );
}

test('a chain of unused instructions goes', () => {
  const body = `entry:
  %a = add i32 %x, 1
  %b = mul i32 %a, %a
  %q = getelementptr i32, ptr %p, i32 %b
  %m = call i32 @llvm.smax.i32(i32 %a, i32 %b)
  %t = call ptr @llvm.threadlocal.address.p0(ptr @t)
  %s = alloca [3 x i32]
  call void @llvm.lifetime.start.p0(ptr %s)
  ret i32 0`;
  expect(run(body)).toBe('entry:\n  ret 0');
});

test.each([
  ['load i32, ptr %p'],
  ['load volatile i32, ptr %p'],
  ['sdiv i32 1, %x'],
  ['urem i32 %x, 0'],
  ['sdiv i32 %x, -1'],
  ['atomicrmw add ptr %p, i32 1 seq_cst'],
  ['cmpxchg ptr %p, i32 1, i32 2 seq_cst seq_cst'],
])('%s stays: it may fail or has an effect', (instruction) => {
  expect(run(`entry:\n  %r = ${instruction}\n  ret i32 0`)).toContain('%r = ');
});

test.each([['sdiv i32 %x, 3'], ['urem i32 %x, -1'], ['icmp eq i32 %x, 1'], ['freeze i32 %x']])(
  '%s goes',
  (instruction) => expect(run(`entry:\n  %r = ${instruction}\n  ret i32 0`)).toBe('entry:\n  ret 0'),
);

test('checks of variables, calls, stores and fences stay', () => {
  const body = `entry:
  %v = alloca i32
  %a = load i32, ptr %v
  %b = add i32 %a, 1
  store i32 1, ptr %p
  call void @g()
  fence seq_cst
  ret i32 0`;
  expect(run(body, ['v'])).toBe('entry:\n  %a = defined "v" undef\n  store 1 %p\n  call @g\n  fence\n  ret 0');
});

test('phis that only feed each other go, the loop stays', () => {
  const body = `entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %j, %body ]
  br i1 %c, label %body, label %end
body:
  %j = add i32 %i, 1
  br label %head
end:
  ret i32 0`;
  expect(run(body)).toBe('entry:\n  br head\nhead:\n  br %c body end\nbody:\n  br head\nend:\n  ret 0');
});

test('unreachable blocks go', () => {
  expect(run('entry:\n  ret i32 0\ndead:\n  store i32 1, ptr %p\n  br label %dead')).toBe('entry:\n  ret 0');
});
