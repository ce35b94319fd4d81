import { expect, test } from 'vitest';
import { optimise } from '../../../src/c/passes/index.ts';
import { removeDeadBranches } from '../../../src/c/passes/transformations/dead-branches.ts';
import { mergeBlocks } from '../../../src/c/passes/transformations/merge-blocks.ts';
import { promote } from '../../../src/c/passes/transformations/promote.ts';
import { Random } from './generator.ts';
import { interpret } from './interpreter.ts';
import { after, functionOf, instructionsOf, parse, show } from './show.ts';

const head = `declare i32 @look()
declare void @_mm_pause()
declare i32 @sched_yield()
declare i32 @rand()
define internal void @relax() {
entry:
  call void @_mm_pause()
  fence syncscope("singlethread") seq_cst
  ret void
}
define internal void @itself() {
entry:
  call void @itself()
  ret void
}
`;

function run(body: string): string {
  return after(`${head}define i32 @f(i32 %n, i1 %c, ptr %p) {\n${body}\n}`, [
    (f) => promote(f),
    removeDeadBranches,
    mergeBlocks,
  ]);
}

/** A loop that counts, before a return. */
const counting = (step: string, condition: string, body = ''): string => `entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  ${body}
  %next = ${step}
  %on = ${condition}
  br i1 %on, label %loop, label %end
end:
  ret i32 0`;
const up = 'add i32 %i, 1';
const below = 'icmp slt i32 %next, %n';

const nothing = 'entry:\n  ret 0';

test.each([
  ['up by one', up, below],
  ['up by one, looked at before', up, 'icmp ult i32 %i, %n'],
  ['down to zero', 'add i32 %i, -1', 'icmp ne i32 %next, 0'],
  ['down by one', 'sub i32 %i, 1', 'icmp sgt i32 %i, %n'],
  ['the limit on the left', up, 'icmp sgt i32 %n, %next'],
  ['a larger step to a constant', 'add i32 %i, 3', 'icmp slt i32 %i, 2147483645'],
  ['up to a constant and beyond', up, 'icmp sle i32 %i, 2147483646'],
  ['an odd step to one number', 'add i32 %i, 3', 'icmp ne i32 %i, %n'],
  ['as long as it is one number', 'add i32 %i, 4', 'icmp eq i32 %i, %n'],
])('a loop that surely ends goes: %s', (_, step, condition) => {
  expect(run(counting(step, condition))).toBe(nothing);
});

test.each([
  ['a step that may go over the limit', 'add i32 %i, 2', 'icmp slt i32 %i, %n'],
  ['a step that goes over a constant', 'add i32 %i, 3', 'icmp slt i32 %i, 2147483646'],
  ['up to the largest number', up, 'icmp sle i32 %i, 2147483647'],
  ['up to any number', up, 'icmp ule i32 %i, %n'],
  ['away from the limit', 'add i32 %i, -1', 'icmp slt i32 %i, %n'],
  ['an even step to one number', 'add i32 %i, 2', 'icmp ne i32 %i, %n'],
  ['no step', 'add i32 %i, 0', 'icmp ne i32 %i, %n'],
  ['a product', 'mul i32 %i, 3', 'icmp slt i32 %i, %n'],
  ['for ever', up, 'icmp eq i32 0, 0'],
])('a loop that may have no end stays: %s', (_, step, condition) => {
  expect(run(counting(step, condition))).toContain('%on loop end');
});

test.each([
  ['a pause', 'call void @_mm_pause()'],
  ['a fence of the compiler', 'fence syncscope("singlethread") seq_cst'],
  ['a function that does nothing', 'call void @relax()'],
  ['a computation', '%square = mul i32 %i, %i'],
])('%s in such a loop goes with it', (_, body) => {
  expect(run(counting(up, below, body))).toBe(nothing);
});

test.each([
  ['a call', '%r = call i32 @look()'],
  ['a load', '%r = load i32, ptr %p'],
  ['a division that may fail', '%r = sdiv i32 1, %n'],
  ['a fence', 'fence seq_cst'],
  ['a function that calls itself', 'call void @itself()'],
])('%s stays, and the loop around it', (_, body) => {
  expect(run(counting(up, below, body))).toContain('%on loop end');
});

test('of pauses in such a loop, or on one way of a branch that decides nothing else, one is left', () => {
  const pause = '%r = call i32 @sched_yield()';
  const one = 'entry:\n  %$0 = call @sched_yield\n  ret 0';
  expect(run(counting(up, below, pause)).replace('%r', '%$0')).toBe(one);
  const branch = `entry:
  br i1 %c, label %yes, label %no
yes:
  ${pause}
  br label %no
no:
  ret i32 0`;
  expect(run(branch)).toBe(one);
});

test('chance is not needed if its result is not', () => {
  expect(run('entry:\n  %r = call i32 @rand()\n  %s = srem i32 %r, 10\n  ret i32 0')).toBe(nothing);
  expect(run('entry:\n  %r = call i32 @rand()\n  ret i32 %r')).toContain('call @rand');
});

test('a limit that the loop computes anew stays the same; one that it changes does not', () => {
  expect(run(counting(up, 'icmp slt i32 %i, %twice', '%twice = mul i32 %n, 2'))).toBe(nothing);
  expect(run(counting(up, 'icmp slt i32 %i, %further', '%further = add i32 %i, 2'))).toContain('%on loop end');
  expect(run(counting(up, 'icmp slt i32 %i, %seen', '%seen = load i32, ptr %p'))).toContain('%on loop end');
});

test('a comparison of a narrower number with what it can never reach', () => {
  const body = (limit: number) => `entry:
  br label %loop
loop:
  %i = phi i8 [ 0, %entry ], [ %next, %loop ]
  %next = add i8 %i, 1
  %wide = zext i8 %i to i32
  %on = icmp slt i32 %wide, ${limit}
  br i1 %on, label %loop, label %end
end:
  ret i32 0`;
  expect(run(body(300))).toContain('%on loop end');
});

test('a loop whose last value is returned stays', () => {
  const body = counting(up, below).replace('ret i32 0', 'ret i32 %next');
  expect(run(body)).toContain('%on loop end');
});

test('a loop that is left in two ways stays if they differ', () => {
  const twoWays = (second: string) => `entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %more ]
  %next = add i32 %i, 1
  %on = icmp slt i32 %i, %n
  br i1 %on, label %more, label %end
more:
  br i1 %c, label %loop, label %${second}
end:
  ret i32 0
other:
  ret i32 1`;
  expect(run(twoWays('end'))).toBe(nothing);
  expect(run(twoWays('other'))).toContain('%on more end');
});

test('a branch that only decides what a variable is that nobody needs goes, with a back-off around it', () => {
  const body = `entry:
  br label %wait
wait:
  %d = phi i32 [ 1, %entry ], [ %doubled, %join ]
  %seen = call i32 @look()
  %ready = icmp ne i32 %seen, 0
  br i1 %ready, label %end, label %delay
delay:
  %i = phi i32 [ 0, %wait ], [ %next, %delay ]
  %next = add i32 %i, 1
  %on = icmp slt i32 %next, %d
  br i1 %on, label %delay, label %limit
limit:
  %less = icmp slt i32 %d, 64
  br i1 %less, label %twice, label %join
twice:
  %two = mul i32 %d, 2
  br label %join
join:
  %doubled = phi i32 [ %d, %limit ], [ %two, %twice ]
  br label %wait
end:
  ret i32 0`;
  expect(run(body)).toBe(`entry:
  br wait
wait:
  %seen = call @look
  %ready = icmp ne %seen 0
  br %ready end wait
end:
  ret 0`);
});

test('a branch to a loop without an end stays, and so does one between two ways to the end of a function', () => {
  const endless = 'entry:\n  br i1 %c, label %loop, label %end\nloop:\n  br label %loop\nend:\n  ret i32 0';
  expect(run(endless)).toContain('br %c loop end');
  const ends = 'entry:\n  br i1 %c, label %a, label %b\na:\n  ret i32 0\nb:\n  ret i32 1';
  expect(run(ends)).toContain('br %c a b');
});

test('branches inside of a loop without an end go if nothing depends on them', () => {
  const body = `entry:
  br label %loop
loop:
  %x = phi i32 [ 0, %entry ], [ %y, %join ]
  br i1 %c, label %one, label %join
one:
  br label %join
join:
  %y = phi i32 [ %x, %loop ], [ 1, %one ]
  %s = call i32 @look()
  br label %loop`;
  expect(run(body)).toBe('entry:\n  br loop\nloop:\n  %s = call @look\n  br loop');
});

test('a delay in a function of its own: the call goes, and what it was given', () => {
  const m = parse(`declare i32 @look()
define internal void @pause(i32 %n) {
entry:
  %most = icmp sgt i32 %n, 100
  br i1 %most, label %less, label %go
less:
  br label %go
go:
  %m = phi i32 [ %n, %entry ], [ 100, %less ]
  call void @delay(i32 %m)
  ret void
}
define void @f(i32 %n) {
entry:
  br label %loop
loop:
  %d = phi i32 [ 1, %entry ], [ %two, %loop ]
  call void @pause(i32 %d)
  %two = mul i32 %d, 2
  %seen = call i32 @look()
  %on = icmp eq i32 %seen, 0
  br i1 %on, label %loop, label %end
end:
  ret void
}
define internal void @delay(i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %on = icmp slt i32 %next, %n
  br i1 %on, label %loop, label %end
end:
  ret void
}`);
  optimise(m);
  expect(show(functionOf(m))).toBe(`entry:
  br loop
loop:
  %seen = call @look
  %on = icmp eq %seen 0
  br %on loop end
end:
  ret`);
});

test('of 1,000 random loops over small numbers, those that are left out have an end', () => {
  const random = new Random(15);
  const predicates = ['eq', 'ne', 'ugt', 'uge', 'ult', 'ule', 'sgt', 'sge', 'slt', 'sle'] as const;
  const mostSteps = 3000; // 256 rounds of at most nine instructions
  const found = { gone: 0, endless: 0 };
  for (let i = 0; i < 1000; i++) {
    const number = () => random.pick([0, 1, -1, 2, 126, 127, -128, -127, random.below(256) - 128]);
    const limit = random.chance(50) ? String(number()) : '%q';
    const looked = random.pick(['%i', '%next']);
    const sides = random.chance(50) ? `${looked}, ${limit}` : `${limit}, ${looked}`;
    const targets = random.chance(50) ? 'label %loop, label %end' : 'label %end, label %loop';
    const m = parse(`define i8 @f(i8 %p, i8 %q) {
entry:
  br label %loop
loop:
  %i = phi i8 [ %p, %entry ], [ %next, %loop ]
  %next = ${random.pick(['add', 'add', 'sub', 'xor'])} i8 %i, ${random.pick([0, 1, -1, 2, -2, 3, 5, number()])}
  %on = icmp ${random.pick(predicates)} i8 ${sides}
  br i1 %on, ${targets}
end:
  ret i8 1
}`);
    const f = functionOf(m);
    const before = show(f);
    const ends = Array.from({ length: 12 }, () => [BigInt(number()), BigInt(number())]).map((args) => {
      try {
        return interpret(f, args, mostSteps).kind === 'returned';
      } catch {
        return false;
      }
    });
    removeDeadBranches(f, m);
    const isGone = instructionsOf(f).every(({ op }) => op !== 'phi');
    if (isGone) expect(ends, before).not.toContain(false);
    if (isGone) found.gone++;
    else if (ends.includes(false)) found.endless++;
  }
  expect(found.gone).toBeGreaterThan(200);
  expect(found.endless).toBeGreaterThan(200);
});
