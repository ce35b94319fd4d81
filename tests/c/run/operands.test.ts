import { expect, test } from 'vitest';
import { reachedBy } from '../passes/pure-loops.ts';

test('an update in a loop keeps the operand that it had, whatever the loop does later', () => {
  // 1 and 2 are added; the other thread writes 10 before, between or after.
  const reached = reachedBy(
    `@x = global i32 0, align 4
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(ptr, ptr)
define ptr @adder(ptr %arg) {
entry:
  br label %head
head:
  %i = phi i32 [ 1, %entry ], [ %next, %body ]
  %more = icmp sle i32 %i, 2
  br i1 %more, label %body, label %end
body:
  %old = atomicrmw add ptr @x, i32 %i seq_cst, align 4
  %next = add i32 %i, 1
  br label %head
end:
  ret ptr null
}
define ptr @setter(ptr %arg) {
entry:
  store atomic i32 10, ptr @x seq_cst, align 4
  ret ptr null
}
define i32 @main() {
entry:
  %t0 = alloca ptr, align 4
  %t1 = alloca ptr, align 4
  %c0 = call i32 @pthread_create(ptr %t0, ptr null, ptr @adder, ptr null)
  %c1 = call i32 @pthread_create(ptr %t1, ptr null, ptr @setter, ptr null)
  %h0 = load ptr, ptr %t0, align 4
  %h1 = load ptr, ptr %t1, align 4
  %j0 = call i32 @pthread_join(ptr %h0, ptr null)
  %j1 = call i32 @pthread_join(ptr %h1, ptr null)
  %x = load atomic i32, ptr @x seq_cst, align 4
  ret i32 %x
}`,
    { plp: false, await: false },
  );
  expect(reached?.finals).toEqual(['10', '12', '13']);
});
