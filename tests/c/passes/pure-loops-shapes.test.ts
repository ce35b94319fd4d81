/** Loops of which one thing must not be got wrong when their pure iterations are stopped, each with what would be lost. */
import { expect, test } from 'vitest';
import { type Reduction, reachedBy } from './pure-loops.ts';

/** A thread with this body, which may store its result in @r, beside one that sets @x to 1, then to 2. */
const programOf = (body: string): string => `@x = global i32 0, align 4
@y = global i32 0, align 4
@r = global i32 0, align 4
@t = global [2 x i32] [i32 7, i32 8], align 4
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(ptr, ptr)
define ptr @waiting(ptr %arg) {
entry:
${body}
}
define ptr @writing(ptr %arg) {
entry:
  store atomic i32 1, ptr @x seq_cst, align 4
  store atomic i32 2, ptr @x seq_cst, align 4
  ret ptr null
}
define i32 @main() {
entry:
  %t0 = alloca ptr, align 4
  %t1 = alloca ptr, align 4
  %c0 = call i32 @pthread_create(ptr %t0, ptr null, ptr @waiting, ptr null)
  %c1 = call i32 @pthread_create(ptr %t1, ptr null, ptr @writing, ptr null)
  %h0 = load ptr, ptr %t0, align 4
  %h1 = load ptr, ptr %t1, align 4
  %j0 = call i32 @pthread_join(ptr %h0, ptr null)
  %j1 = call i32 @pthread_join(ptr %h1, ptr null)
  %y = load atomic i32, ptr @y seq_cst, align 4
  %r = load i32, ptr @r, align 4
  %m = mul i32 %y, 10
  %s = add i32 %m, %r
  ret i32 %s
}
`;

/** Loads @x into %w in the header, then comes to `rest`, which goes on to %end: out if %w is 2, else round. */
const waits = (rest: string): string => `  br label %again
again:
  %w = load atomic i32, ptr @x seq_cst, align 4
${rest}
end:
  %is2 = icmp eq i32 %w, 2
  br i1 %is2, label %out, label %again
out:
  ret ptr null`;

/** An inner loop until @x is 2: after 1 it goes round by `after1`, after 0 by `after0`, blocks that lead to %inner. */
const inner = (after0: string, after1: string): string => `  br label %inner
inner:
  %v = load atomic i32, ptr @x seq_cst, align 4
  switch i32 %v, label %end [ i32 0, label %zero i32 1, label %one ]
zero:
${after0}
  br label %inner
one:
${after1}
  br label %inner`;

const storeFive = '  store atomic i32 5, ptr @y seq_cst, align 4';

const loops: Readonly<Record<string, { readonly body: string; readonly finals: readonly string[] }>> = {
  'a write on some values': {
    body: waits(`  %is1 = icmp eq i32 %w, 1
  br i1 %is1, label %write, label %end
write:
${storeFive}
  br label %end`),
    finals: ['0', '50'], // 50: 1 was seen
  },
  'an inner loop that wrote by one of its two ways back': {
    body: waits(inner('', storeFive)),
    finals: ['0', '50'],
  },
  'an inner loop that wrote by the other of its two ways back': {
    body: waits(inner(storeFive, '')),
    finals: ['0', '50'],
  },
  'an assume of the outer loop that does not hold if the inner one wrote': {
    body: `  br label %again
again:
  %w = load atomic i32, ptr @x seq_cst, align 4
  %is2 = icmp eq i32 %w, 2
  br i1 %is2, label %out, label %inner
inner:
  %v = load atomic i32, ptr @x seq_cst, align 4
  %u = load atomic i32, ptr @x seq_cst, align 4
  %isLast = icmp eq i32 %v, 2
  br i1 %isLast, label %again, label %rest
rest:
  %is1 = icmp eq i32 %u, 1
  br i1 %is1, label %write, label %inner
write:
${storeFive}
  br label %inner
out:
  ret ptr null`,
    finals: ['0', '50'],
  },
  'a register that one way to the assume does not set': {
    body: waits(`  %is0 = icmp eq i32 %w, 0
  br i1 %is0, label %more, label %then
more:
  %a = load atomic i32, ptr @x seq_cst, align 4
  br label %then
then:
  %known = phi i32 [ %a, %more ], [ 0, %again ]
  %b = load atomic i32, ptr @x seq_cst, align 4
  %isA = icmp ne i32 %known, 0
  %isB = icmp eq i32 %b, 1
  %isOne = or i1 %isA, %isB
  br i1 %isOne, label %write, label %end
write:
  %a3 = mul i32 %known, 3
  %sum = add i32 %a3, %b
  store atomic i32 %sum, ptr @y seq_cst, align 4
  br label %end`),
    finals: ['0', '10', '40', '50', '80'], // 3 a + b, of the last iteration that wrote
  },
  'a variable that one path sets': {
    body: `  br label %again
again:
  %seen = phi i32 [ 0, %entry ], [ %next, %end ]
  %w = load atomic i32, ptr @x seq_cst, align 4
  %is1 = icmp eq i32 %w, 1
  br i1 %is1, label %set, label %end
set:
  br label %end
end:
  %next = phi i32 [ %seen, %again ], [ 3, %set ]
  %is2 = icmp eq i32 %w, 2
  br i1 %is2, label %out, label %again
out:
  store i32 %next, ptr @r, align 4
  ret ptr null`,
    finals: ['0', '3'],
  },
  'an update by something that may be 0': {
    body: waits(`  %old = atomicrmw add ptr @y, i32 %w seq_cst, align 4
  br label %end`),
    finals: ['20', '30', '40'], // once or twice more with 1
  },
  'an exchange that finds what it writes': {
    body: waits(`  %old = atomicrmw xchg ptr @y, i32 %w seq_cst, align 4
  store i32 %old, ptr @r, align 4
  br label %end`),
    finals: ['20', '21'],
  },
  'a compare-exchange that fails': {
    body: waits(`  %pair = cmpxchg ptr @y, i32 0, i32 %w seq_cst seq_cst, align 4
  br label %end`),
    finals: ['10', '20'],
  },
  'a read out of bounds before the condition is known to be pure': {
    body: waits(`  %p = getelementptr [2 x i32], ptr @t, i32 0, i32 %w
  %e = load atomic i32, ptr %p seq_cst, align 4
  br label %end`),
    finals: [],
  },
  'a read out of bounds in an iteration that goes round': {
    body: `  br label %again
again:
  %w = load atomic i32, ptr @x seq_cst, align 4
  %i = mul i32 %w, 2
  %p = getelementptr [2 x i32], ptr @t, i32 0, i32 %i
  %e = load atomic i32, ptr %p seq_cst, align 4
  %is1 = icmp ne i32 %w, 0
  br i1 %is1, label %again, label %out
out:
  ret ptr null`,
    finals: ['0'],
  },
};

const reductions: readonly Reduction[] = [
  { plp: true, await: false },
  { plp: true, await: true },
];

test.each(Object.keys(loops))('%s', (name) => {
  const { body, finals } = loops[name]!;
  const text = programOf(body);
  const expected = reachedBy(text, { plp: false, await: false });
  expect(expected?.finals).toEqual(finals);
  for (const reduction of reductions) expect(reachedBy(text, reduction)).toEqual(expected);
});
