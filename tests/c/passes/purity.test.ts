import { describe, expect, test } from 'vitest';
import type { IrFunction, Module } from '../../../src/c/ir/module.ts';
import { eliminatePureIterations } from '../../../src/c/passes/purity/index.ts';
import { Statements } from '../../../src/c/passes/purity/statements.ts';
import type { LoopReport } from '../../../src/program/operation.ts';
import { reachedBy } from './pure-loops.ts';
import { after, functionOf, parse } from './show.ts';

const globals = `@x = global i32 0, align 4
@y = global i32 0, align 4
@z = global i32 0, align 4
@plain = global i32 0, align 4
declare i32 @sched_yield()
declare i32 @pthread_mutex_trylock(ptr)
declare void @unknown()
define void @init() {
entry:
  store i32 1, ptr @plain, align 4
  ret void
}
`;

function eliminate(f: IrFunction, m: Module): boolean {
  eliminatePureIterations(f, m, new Statements(m), () => undefined);
  return true;
}

/** The function afterwards, without its first block. */
function eliminated(body: string, parameters = ''): string {
  const text = `${globals}define i32 @f(${parameters}) {\nentry:\n  br label %loop\n${body}\n}`;
  return after(text, [eliminate]).replace('entry:\n  br loop\n', '');
}

function reports(body: string, parameters = ''): Pick<LoopReport, 'outcome' | 'why'>[] {
  const m = parse(`${globals}define i32 @f(${parameters}) {\nentry:\n  br label %loop\n${body}\n}`);
  const all = eliminatePureIterations(functionOf(m), m, new Statements(m), () => undefined);
  return all.map(({ report: { outcome, why } }) => ({ outcome, why }));
}

describe('the figures of the paper', () => {
  test('Fig. 6: the assume a ≤ 4 is right after the load of x', () => {
    const body = `loop:
  %a = load atomic i32, ptr @x seq_cst, align 4
  %b = load atomic i32, ptr @y seq_cst, align 4
  %is4 = icmp eq i32 %a, 4
  br i1 %is4, label %write, label %check
write:
  store atomic i32 %b, ptr @z seq_cst, align 4
  br label %check
check:
  %again = icmp sge i32 %a, 4
  br i1 %again, label %loop, label %end
end:
  ret i32 %a`;
    expect(eliminated(body)).toBe(`loop:
  %a = load i32 @x
  %impure = icmp sle %a 4
  assume loop %impure
  %b = load i32 @y
  %is4 = icmp eq %a 4
  br %is4 write check
write:
  store %b @z
  br check
check:
  %again = icmp sge %a 4
  br %again loop end
end:
  ret %a`);
    expect(reports(body)).toEqual([{ outcome: 'partly pure', why: 'it writes to z' }]);
  });

  test('Fig. 2 (b): the assume a = 1 is right after the load of x', () => {
    const body = `loop:
  %a = load atomic i32, ptr @x seq_cst, align 4
  %more = icmp ne i32 %a, 1
  br i1 %more, label %loop, label %end
end:
  ret i32 %a`;
    expect(eliminated(body)).toBe(`loop:
  %a = load i32 @x
  %impure = icmp eq %a 1
  assume loop %impure
  %more = icmp ne %a 1
  br %more loop end
end:
  ret %a`);
    expect(reports(body)).toEqual([{ outcome: 'pure', why: '' }]);
  });
});

describe('earliest insertion points', () => {
  test('not before a read that may fault', () => {
    const body = `loop:
  %a = load atomic i32, ptr @x seq_cst, align 4
  %b = load atomic i32, ptr %p seq_cst, align 4
  %more = icmp eq i32 %a, 0
  br i1 %more, label %loop, label %end
end:
  ret i32 %b`;
    expect(eliminated(body, 'ptr %p')).toBe(`loop:
  %a = load i32 @x
  %b = load i32 %p
  %impure = icmp ne %a 0
  assume loop %impure
  %more = icmp eq %a 0
  br %more loop end
end:
  ret %b`);
    expect(reports(body, 'ptr %p')).toEqual([{ outcome: 'pure', why: '' }]);
  });

  test('a fault on one path only moves the assume of that path', () => {
    const body = `loop:
  %a = load atomic i32, ptr @x seq_cst, align 4
  %one = icmp eq i32 %a, 1
  br i1 %one, label %deep, label %shallow
deep:
  %b = load atomic i32, ptr %p seq_cst, align 4
  br label %shallow
shallow:
  %more = icmp ult i32 %a, 3
  br i1 %more, label %loop, label %end
end:
  ret i32 %a`;
    expect(eliminated(body, 'ptr %p')).toBe(`loop:
  %a = load i32 @x
  %impure = icmp eq %a 1
  %impure.1 = icmp uge %a 3
  %impure.2 = or %impure %impure.1
  assume loop %impure.2
  %one = icmp eq %a 1
  br %one deep shallow
deep:
  %b = load i32 %p
  assume loop 0
  br shallow
shallow:
  %more = icmp ult %a 3
  br %more loop end
end:
  ret %a`);
    expect(reports(body, 'ptr %p')).toEqual([{ outcome: 'pure', why: '' }]);
  });

  test('not before a plain read, which may race', () => {
    const body = `loop:
  %a = load atomic i32, ptr @x seq_cst, align 4
  %b = load i32, ptr @plain, align 4
  %more = icmp eq i32 %a, 0
  br i1 %more, label %loop, label %end
end:
  ret i32 %b`;
    expect(eliminated(body)).toBe(`loop:
  %a = load i32 @x
  %b = load i32 @plain
  %impure = icmp ne %a 0
  assume loop %impure
  %more = icmp eq %a 0
  br %more loop end
end:
  ret %b`);
    expect(reports(body)).toEqual([{ outcome: 'pure', why: '' }]);
  });

  test('a register that does not reach the place is 0 on other paths', () => {
    const body = `loop:
  %a = load atomic i32, ptr @x seq_cst, align 4
  %go = icmp eq i32 %a, 0
  br i1 %go, label %swap, label %join
swap:
  %old = atomicrmw xchg ptr @y, i32 1 seq_cst, align 4
  br label %join
join:
  %b = load atomic i32, ptr @z seq_cst, align 4
  %more = icmp eq i32 %b, 0
  br i1 %more, label %loop, label %end
end:
  ret i32 %b`;
    expect(eliminated(body)).toBe(`loop:
  %a = load i32 @x
  %go = icmp eq %a 0
  br %go swap join
swap:
  %old = atomicrmw xchg @y 1
  br join
join:
  %kept = phi [0, loop] [%old, swap]
  %b = load i32 @z
  %impure = icmp ne %a 0
  %impure.1 = icmp ne %b 0
  %impure.2 = or %impure %impure.1
  %impure.3 = icmp ne %kept 1
  %impure.4 = or %impure.2 %impure.3
  assume loop %impure.4
  %impure.5 = icmp eq %a 0
  %impure.6 = icmp ne %b 0
  %impure.7 = or %impure.5 %impure.6
  assume loop %impure.7
  %more = icmp eq %b 0
  br %more loop end
end:
  ret %b`);
    expect(reports(body)).toEqual([{ outcome: 'partly pure', why: 'it updates y' }]);
  });
});

describe('variables', () => {
  test('one that changes makes an iteration impure', () => {
    const body = `loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %a = load atomic i32, ptr @x seq_cst, align 4
  %next = add i32 %i, 1
  %more = icmp eq i32 %a, 0
  br i1 %more, label %loop, label %end
end:
  ret i32 %i`;
    expect(eliminated(body)).toBe(`loop:
  %i = phi [0, entry] [%next, loop]
  %a = load i32 @x
  %next = add %i 1
  %more = icmp eq %a 0
  br %more loop end
end:
  ret %i`);
    expect(reports(body)).toEqual([{ outcome: 'not pure', why: 'the variable i may change' }]);
  });

  test('one that some paths change makes those impure', () => {
    const body = `loop:
  %seen = phi i32 [ 0, %entry ], [ %seen.1, %join ]
  %a = load atomic i32, ptr @x seq_cst, align 4
  %is1 = icmp eq i32 %a, 1
  br i1 %is1, label %note, label %join
note:
  %more.seen = add i32 %seen, 1
  br label %join
join:
  %seen.1 = phi i32 [ %seen, %loop ], [ %more.seen, %note ]
  %end.p = icmp eq i32 %a, 2
  br i1 %end.p, label %end, label %loop
end:
  ret i32 %seen.1`;
    expect(eliminated(body)).toBe(`loop:
  %seen = phi [0, entry] [%seen.1, join]
  %a = load i32 @x
  %impure = sub %a 1
  %impure.1 = icmp ule %impure 1
  assume loop %impure.1
  %is1 = icmp eq %a 1
  br %is1 note join
note:
  %more.seen = add %seen 1
  br join
join:
  %seen.1 = phi [%seen, loop] [%more.seen, note]
  %end.p = icmp eq %a 2
  br %end.p end loop
end:
  ret %seen.1`);
    expect(reports(body)).toEqual([{ outcome: 'partly pure', why: 'the variable seen may change' }]);
  });

  test('a flag that ends the loop', () => {
    const body = `loop:
  %done = phi i32 [ 0, %entry ], [ %done.1, %join ]
  %is = icmp eq i32 %done, 0
  br i1 %is, label %body, label %end
body:
  %a = load atomic i32, ptr @x seq_cst, align 4
  %one = icmp eq i32 %a, 1
  br i1 %one, label %set, label %join
set:
  br label %join
join:
  %done.1 = phi i32 [ 1, %set ], [ %done, %body ]
  br label %loop
end:
  ret i32 0`;
    expect(eliminated(body)).toBe(`loop:
  %done = phi [0, entry] [%done.1, join]
  %is = icmp eq %done 0
  br %is body end
body:
  %a = load i32 @x
  %impure = icmp eq %a 1
  assume loop %impure
  %one = icmp eq %a 1
  br %one set join
set:
  br join
join:
  %done.1 = phi [1, set] [%done, body]
  br loop
end:
  ret 0`);
    expect(reports(body)).toEqual([{ outcome: 'partly pure', why: 'the variable done may change' }]);
  });
});

describe('updates', () => {
  test('a compare-exchange that fails is pure', () => {
    const body = `loop:
  %pair = cmpxchg ptr @x, i32 0, i32 1 seq_cst seq_cst, align 4
  %ok = extractvalue { i32, i1 } %pair, 1
  br i1 %ok, label %end, label %loop
end:
  ret i32 0`;
    expect(eliminated(body)).toBe(`loop:
  %pair = cmpxchg @x 0 1
  %ok = extractvalue %pair
  assume loop %ok
  br %ok end loop
end:
  ret 0`);
    expect(reports(body)).toEqual([{ outcome: 'pure', why: '' }]);
  });

  test('an exchange that writes what it read is pure', () => {
    const body = `loop:
  %a = load atomic i32, ptr @x seq_cst, align 4
  %free = icmp eq i32 %a, 0
  br i1 %free, label %try, label %loop
try:
  %old = atomicrmw xchg ptr @x, i32 1 seq_cst, align 4
  %got = icmp eq i32 %old, 0
  br i1 %got, label %end, label %loop
end:
  ret i32 0`;
    expect(eliminated(body)).toBe(`loop:
  %a = load i32 @x
  %impure = icmp eq %a 0
  assume loop %impure
  %free = icmp eq %a 0
  br %free try loop
try:
  %old = atomicrmw xchg @x 1
  %impure.1 = icmp ne %old 1
  assume loop %impure.1
  %got = icmp eq %old 0
  br %got end loop
end:
  ret 0`);
    expect(reports(body)).toEqual([{ outcome: 'partly pure', why: 'it updates x' }]);
  });

  test('adding 0 is pure', () => {
    const body = `loop:
  %old = atomicrmw add ptr @x, i32 %n seq_cst, align 4
  %more = icmp eq i32 %old, 0
  br i1 %more, label %loop, label %end
end:
  ret i32 %old`;
    expect(eliminated(body, 'i32 %n')).toBe(`loop:
  %old = atomicrmw add @x %n
  %impure = icmp ne %old 0
  %impure.1 = icmp ne %n 0
  %impure.2 = or %impure %impure.1
  assume loop %impure.2
  %more = icmp eq %old 0
  br %more loop end
end:
  ret %old`);
    expect(reports(body, 'i32 %n')).toEqual([{ outcome: 'partly pure', why: 'it updates x' }]);
  });

  test('a trylock that fails is pure', () => {
    const body = `loop:
  %r = call i32 @pthread_mutex_trylock(ptr @x)
  %more = icmp ne i32 %r, 0
  br i1 %more, label %loop, label %end
end:
  ret i32 %r`;
    expect(eliminated(body)).toBe(`loop:
  %r = call @pthread_mutex_trylock @x
  %impure = icmp eq %r 0
  assume loop %impure
  %more = icmp ne %r 0
  br %more loop end
end:
  ret %r`);
    expect(reports(body)).toEqual([{ outcome: 'pure', why: '' }]);
  });
});

describe('other loops', () => {
  test('an inner loop that was gone round: such an iteration is not stopped', () => {
    const body = `loop:
  br label %inner
inner:
  %a = load atomic i32, ptr @x seq_cst, align 4
  %write = icmp eq i32 %a, 2
  br i1 %write, label %again, label %rest
again:
  store atomic i32 0, ptr @x seq_cst, align 4
  br label %inner
rest:
  %b = load atomic i32, ptr @y seq_cst, align 4
  %more = icmp eq i32 %b, 0
  br i1 %more, label %loop, label %end
end:
  ret i32 %b`;
    expect(eliminated(body)).toBe(`loop:
  br inner
inner:
  %kept = phi [0, loop] [1, inner.again]
  %a = load i32 @x
  %write = icmp eq %a 2
  br %write again rest
again:
  store 0 @x
  br inner.again
rest:
  %b = load i32 @y
  %impure = icmp ne %b 0
  %impure.1 = or %impure %kept
  assume loop %impure.1
  %more = icmp eq %b 0
  br %more loop end
end:
  ret %b
inner.again:
  br inner`);
    expect(reports(body)).toEqual([
      { outcome: 'partly pure', why: 'it goes round an inner loop' },
      { outcome: 'not pure', why: 'it writes to x' },
    ]);
  });

  test('a loop that has no end', () => {
    const body = `loop:
  %r = call i32 @sched_yield()
  br label %loop`;
    expect(eliminated(body)).toBe(`loop:
  assume loop 0
  %r = call @sched_yield
  br loop`);
    expect(reports(body)).toEqual([{ outcome: 'pure', why: '' }]);
  });

  test('an assume of the program: what it stops is its own', () => {
    const body = `loop:
  %a = load atomic i32, ptr @x seq_cst, align 4
  %not5 = icmp ne i32 %a, 5
  assume i1 %not5, program
  %more = icmp ne i32 %a, 1
  br i1 %more, label %loop, label %end
end:
  ret i32 %a`;
    expect(eliminated(body)).toBe(`loop:
  %a = load i32 @x
  %impure = icmp eq %a 1
  %impure.1 = icmp eq %a 5
  %impure.2 = or %impure %impure.1
  assume loop %impure.2
  %not5 = icmp ne %a 5
  assume program %not5
  %more = icmp ne %a 1
  br %more loop end
end:
  ret %a`);
    expect(reports(body)).toEqual([{ outcome: 'pure', why: '' }]);
  });

  test('a switch', () => {
    const body = `loop:
  %a = load atomic i32, ptr @x seq_cst, align 4
  switch i32 %a, label %loop [
    i32 1, label %end
    i32 2, label %write
  ]
write:
  store atomic i32 0, ptr @x seq_cst, align 4
  br label %loop
end:
  ret i32 %a`;
    expect(eliminated(body)).toBe(`loop:
  %a = load i32 @x
  %impure = sub %a 1
  %impure.1 = icmp ule %impure 1
  assume loop %impure.1
  switch %a loop 1: end 2: write
write:
  store 0 @x
  br loop
end:
  ret %a`);
    expect(reports(body)).toEqual([{ outcome: 'partly pure', why: 'it writes to x' }]);
  });
});

/** Thread 0 goes round an inner loop, which writes, and then once more round the outer one to see that y was set. */
const twoLoops = `${globals}declare i32 @pthread_create(ptr, ptr, ptr, ptr)
define ptr @waiter(ptr %arg) {
entry:
  br label %outer
outer:
  %p = load atomic i32, ptr @y seq_cst, align 4
  br label %inner
inner:
  %a = load atomic i32, ptr @x seq_cst, align 4
  %is2 = icmp eq i32 %a, 2
  br i1 %is2, label %reset, label %rest
reset:
  store atomic i32 0, ptr @x seq_cst, align 4
  br label %inner
rest:
  %more = icmp eq i32 %p, 0
  br i1 %more, label %outer, label %end
end:
  ret ptr null
}
define i32 @main() {
entry:
  %t = alloca ptr, align 4
  %c = call i32 @pthread_create(ptr %t, ptr null, ptr @waiter, ptr null)
  store atomic i32 2, ptr @x seq_cst, align 4
  br label %spin
spin:
  %a = load atomic i32, ptr @x seq_cst, align 4
  %is0 = icmp eq i32 %a, 0
  br i1 %is0, label %go, label %spin
go:
  store atomic i32 1, ptr @y seq_cst, align 4
  ret i32 7
}`;

test('an iteration that took an internal back edge goes on: without that nothing would end', () => {
  const expected = { finals: ['7'], failures: [] };
  expect(reachedBy(twoLoops, { plp: false, await: false })).toEqual(expected);
  expect(reachedBy(twoLoops, { plp: true, await: false })).toEqual(expected);
  expect(reachedBy(twoLoops, { plp: true, await: true })).toEqual(expected);
});
