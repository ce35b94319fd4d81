import { expect, test } from 'vitest';
import { mergeBlocks } from '../../../src/c/passes/transformations/merge-blocks.ts';
import { after } from './show.ts';

function run(body: string): string {
  return after(`define i32 @f(i32 %x, i1 %c, i1 %d) {\n${body}\n}`, [mergeBlocks]);
}

test('a chain becomes one block, its phis their values', () => {
  const body = `entry:
  %a = add i32 %x, 1
  br label %b1
b1:
  %p = phi i32 [ %a, %entry ]
  %b = add i32 %p, 2
  br label %b2
b2:
  %q = phi i32 [ %p, %b1 ]
  %r = add i32 %q, %b
  ret i32 %r`;
  expect(run(body)).toBe('entry:\n  %a = add %x 1\n  %b = add %a 2\n  %r = add %a %b\n  ret %r');
});

test('phis behind a merged block know where control comes from now', () => {
  const body = `entry:
  br i1 %c, label %a, label %b
a:
  %s = add i32 %x, 1
  br label %a2
a2:
  %t = add i32 %s, 1
  br label %join
b:
  %u = add i32 %x, 3
  br label %join
join:
  %r = phi i32 [ %t, %a2 ], [ %u, %b ]
  ret i32 %r`;
  expect(run(body)).toContain('%r = phi [%t, a] [%u, b]');
});

test('blocks that only jump are left out, also several in a row', () => {
  const body = `entry:
  br i1 %c, label %a, label %other
a:
  br label %a2
a2:
  br label %join
other:
  %u = add i32 %x, 3
  br label %join
join:
  %r = phi i32 [ 1, %a2 ], [ %u, %other ]
  ret i32 %r`;
  expect(run(body)).toBe(
    'entry:\n  br %c join other\nother:\n  %u = add %x 3\n  br join\njoin:\n  %r = phi [1, entry] [%u, other]\n  ret %r',
  );
});

test('one whose values would meet others from the same block stays', () => {
  const body = `entry:
  br i1 %c, label %a, label %join
a:
  br label %join
join:
  %r = phi i32 [ 1, %a ], [ 2, %entry ]
  ret i32 %r`;
  expect(run(body)).toBe('entry:\n  br %c a join\na:\n  br join\njoin:\n  %r = phi [1, a] [2, entry]\n  ret %r');
  expect(run(body.replace('[ 2, %entry ]', '[ 1, %entry ]'))).toBe('entry:\n  ret 1');
});

test('a branch with equal targets', () => {
  expect(
    run('entry:\n  br i1 %c, label %a, label %a\na:\n  %r = phi i32 [ 1, %entry ], [ 1, %entry ]\n  ret i32 %r'),
  ).toBe('entry:\n  ret 1');
});

test('the header of an outer loop stays, though it only jumps', () => {
  const body = `entry:
  br label %outer
outer:
  br label %inner
inner:
  br i1 %c, label %inner, label %latch
latch:
  br i1 %d, label %outer, label %end
end:
  ret i32 0`;
  expect(run(body)).toBe(
    'entry:\n  br outer\nouter:\n  br inner\ninner:\n  br %c inner latch\nlatch:\n  br %d outer end\nend:\n  ret 0',
  );
});

test('an endless loop', () => {
  expect(run('entry:\n  br label %a\na:\n  br label %b\nb:\n  br label %a')).toBe('entry:\n  br a\na:\n  br a');
});

test('a long chain in linear time', () => {
  const blocks = Array.from({ length: 20_000 }, (_, i) => `b${i}:\n  %v${i} = add i32 %x, ${i}\n  br label %b${i + 1}`);
  const shown = run(`entry:\n  br label %b0\n${blocks.join('\n')}\nb20000:\n  ret i32 0`);
  expect(shown.split('\n').length).toBe(20_002);
});
