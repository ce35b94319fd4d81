import { describe, expect, test } from 'vitest';
import { rotate } from '../../../src/c/passes/transformations/rotate.ts';
import { after } from './show.ts';

function rotated(body: string): string {
  return after(`@x = global [2 x i32] zeroinitializer, align 4\ndefine i32 @f(i32 %n) {\n${body}\n}`, [rotate]);
}

describe('what is computed before a loop and again at its end moves to its beginning', () => {
  test('a read', () => {
    expect(
      rotated(`entry:
  %first = load atomic i32, ptr @x seq_cst, align 4
  br label %head
head:
  %a = phi i32 [ %first, %entry ], [ %next, %body ]
  %more = icmp eq i32 %a, 0
  br i1 %more, label %body, label %end
body:
  %next = load atomic i32, ptr @x seq_cst, align 4
  br label %head
end:
  ret i32 %a`),
    ).toBe(`entry:
  br head
head:
  %first = load i32 @x
  %more = icmp eq %first 0
  br %more body end
body:
  br head
end:
  ret %first`);
  });

  test('a read with its address, which depends on a variable', () => {
    expect(
      rotated(`entry:
  %place = getelementptr [2 x i32], ptr @x, i32 0, i32 %n
  %first = load atomic i32, ptr %place seq_cst, align 4
  br label %head
head:
  %i = phi i32 [ %n, %entry ], [ %other, %body ]
  %a = phi i32 [ %first, %entry ], [ %next, %body ]
  %more = icmp eq i32 %a, 0
  br i1 %more, label %body, label %end
body:
  %other = sub i32 1, %i
  %place.1 = getelementptr [2 x i32], ptr @x, i32 0, i32 %other
  %next = load atomic i32, ptr %place.1 seq_cst, align 4
  br label %head
end:
  ret i32 %a`),
    ).toBe(`entry:
  br head
head:
  %i = phi [%n, entry] [%other, body]
  %place = getelementptr @x 0 %i
  %first = load i32 %place
  %more = icmp eq %first 0
  br %more body end
body:
  %other = sub 1 %i
  br head
end:
  ret %first`);
  });
});

describe('nothing moves', () => {
  test.each([
    ['if the reads differ', 'ptr @x seq_cst', 'ptr @x acquire', '%a'],
    ['if what was read at the end is used elsewhere', 'ptr @x seq_cst', 'ptr @x seq_cst', '%first'],
  ])('%s', (_, before, again, result) => {
    const body = `entry:
  %first = load atomic i32, ${before}, align 4
  br label %head
head:
  %a = phi i32 [ %first, %entry ], [ %next, %body ]
  %more = icmp eq i32 %a, 0
  br i1 %more, label %body, label %end
body:
  %next = load atomic i32, ${again}, align 4
  br label %head
end:
  ret i32 ${result}`;
    expect(rotated(body)).toContain('%a = phi');
  });
});
