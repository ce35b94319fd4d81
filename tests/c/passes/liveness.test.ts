import { expect, test } from 'vitest';
import type { Instruction } from '../../../src/c/ir/module.ts';
import { parseModule } from '../../../src/c/ir/parser.ts';
import { Liveness } from '../../../src/c/passes/analyses/liveness.ts';

/** What is live after each instruction that has a name, or is a store ("!"), by names. */
function liveIn(body: string): Record<string, string> {
  const module = parseModule(`define void @f(i32 %p, ptr %q) {\n${body}\n}\n`, 'f.ll');
  const f = module.functions.get('f')!;
  const liveness = new Liveness(f);
  const all = f.blocks.flatMap(({ instructions }) => instructions);
  const names = new Map<Instruction, string>();
  const named = [...body.matchAll(/^\s*(?:%(\w+) = |(store|br|ret|switch))/gm)].map(([, name, op]) => name ?? `!${op}`);
  for (const [i, instruction] of all.entries()) names.set(instruction, named[i]!);
  const shown: Record<string, string> = {};
  for (const instruction of all) {
    const name = names.get(instruction)!;
    if (instruction.op === 'phi' || /^!(br|ret|switch)/.test(name)) continue;
    const live = liveness.after(instruction);
    shown[name] =
      live === undefined
        ? 'never'
        : [...live]
            .map((each) => names.get(each)!)
            .sort()
            .join(' ');
  }
  return shown;
}

test('in one block, up to the last use', () => {
  expect(
    liveIn(`  %a = load i32, ptr %q
  %b = load i32, ptr %q
  %c = add i32 %a, %b
  store i32 %c, ptr %q
  %d = load i32, ptr %q
  store i32 %b, ptr %q
  ret void`),
  ).toEqual({ a: 'a', b: 'a b', c: 'b c', '!store': '', d: 'b' });
});

test('round a loop: what is computed anew in each round is not live from one to the next, what is carried is', () => {
  expect(
    liveIn(`  %kept = load i32, ptr %q
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %j, %loop ]
  %last = phi i32 [ 0, %0 ], [ %a, %loop ]
  %a = load i32, ptr %q
  %sum = add i32 %last, %i
  store i32 %sum, ptr %q
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, 3
  br i1 %more, label %loop, label %out
out:
  %end = add i32 %kept, %p
  ret void`),
  ).toEqual({
    kept: 'kept',
    a: 'a i kept last',
    sum: 'a i kept sum',
    '!store': 'a i kept',
    j: 'a j kept',
    more: 'a j kept more',
    end: '',
  });
});

test('on one of two ways', () => {
  expect(
    liveIn(`  %a = load i32, ptr %q
  %b = load i32, ptr %q
  %c = icmp eq i32 %p, 0
  br i1 %c, label %left, label %right
left:
  %l = load i32, ptr %q
  br label %both
right:
  %r = add i32 %a, 1
  br label %both
both:
  %m = phi i32 [ %b, %left ], [ %r, %right ]
  %n = load i32, ptr %q
  store i32 %m, ptr %q
  ret void`),
  ).toEqual({ a: 'a', b: 'a b', c: 'a b c', l: 'b', r: 'r', n: 'm', '!store': '' });
});
