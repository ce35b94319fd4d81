import { expect, test } from 'vitest';
import { verifyModule } from '../../../src/c/ir/verifier.ts';
import { removeDeadCode } from '../../../src/c/passes/transformations/dce.ts';
import { dropUnusedValues, markUnread } from '../../../src/c/passes/transformations/unused-values.ts';
import { functionOf, parse, show } from './show.ts';

/** `@f` afterwards, without its dead code. */
function dropped(text: string, name = 'f'): string {
  const m = parse(`@x = global i32 0\n${text}`);
  for (const f of dropUnusedValues(m)) removeDeadCode(f);
  verifyModule(m);
  return show(functionOf(m, name));
}

const computes = 'define i32 @f(i32 %n) {\n  %r = add i32 %n, 1\n  ret i32 %r\n}\n';
const main = (body: string): string => `define i32 @main() {\n${body}\n  ret i32 0\n}\n`;
const kept = '0:\n  %r = add %n 1\n  ret %r';
const gone = '0:\n  ret 0';

test.each([
  ['ignored by all', main('%a = call i32 @f(i32 1)\n  %b = call i32 @f(i32 2)')],
  ['added to what nobody needs', main('%a = call i32 @f(i32 1)\n  %b = add i32 %a, 1')],
  [
    'returned by what is ignored',
    `${main('call i32 @g()')}define i32 @g() {\n  %a = call i32 @f(i32 1)\n  ret i32 %a\n}`,
  ],
  [
    'passed to what does not use it',
    `${main('%a = call i32 @f(i32 1)\n  call void @g(i32 %a)')}define void @g(i32 %p) {\n  ret void\n}`,
  ],
  [
    'passed on and on',
    `${main('%a = call i32 @f(i32 1)\n  call void @g(i32 %a)')}define void @g(i32 %p) {\n  call void @g(i32 %p)\n  ret void\n}`,
  ],
])('a result that is %s goes', (_name, others) => {
  expect(dropped(computes + others)).toBe(gone);
});

test.each([
  ['stored by one of two callers', main('%a = call i32 @f(i32 1)\n  %b = call i32 @f(i32 2)\n  store i32 %b, ptr @x')],
  ['returned by main', 'define i32 @main() {\n  %a = call i32 @f(i32 1)\n  ret i32 %a\n}'],
  ['that of a function whose address is taken', main('call i32 @f(i32 1)\n  store ptr @f, ptr @x')],
  ['that of a function in a table', `@table = global [1 x ptr] [ptr @f]\n${main('call i32 @f(i32 1)')}`],
  [
    'that of a function with another name',
    `@g = alias i32 (i32), ptr @f\n${main('%a = call i32 @g(i32 1)\n  store i32 %a, ptr @x')}`,
  ],
  [
    'passed to code that is not seen',
    `declare void @g(i32)\n${main('%a = call i32 @f(i32 1)\n  call void @g(i32 %a)')}`,
  ],
  [
    'passed for more parameters',
    `define void @g(i32 %p, ...) {\n  ret void\n}\n${main('%a = call i32 @f(i32 1)\n  call void (i32, ...) @g(i32 1, i32 %a)')}`,
  ],
  ['asked for as another type', main('%a = call i64 @f(i32 1)')],
])('a result that is %s stays', (_name, others) => {
  expect(dropped(computes + others)).toBe(kept);
});

test('what may fail stays', () => {
  const text = `define i32 @f(i32 %n) {\n  %r = sdiv i32 1, %n\n  ret i32 %r\n}\n${main('call i32 @f(i32 1)')}`;
  expect(dropped(text)).toBe('0:\n  %r = sdiv 1 %n\n  ret 0');
});

/** Whether the accesses to @x are marked. */
function isUnread(body: string, others = ''): boolean {
  const m = parse(`@x = global i32 0\n@y = global i32 0\n${others}\n${main(body)}`);
  markUnread(m);
  const marks = functionOf(m, 'main').blocks.flatMap(({ instructions }) =>
    instructions.filter(({ operands }) => operands.some((each) => each.kind === 'symbol' && each.name === 'x')),
  );
  const [first] = marks;
  return first !== undefined && 'unread' in first && first.unread === true;
}

test.each([
  ['is only written', 'store i32 1, ptr @x'],
  ['counts', '%a = load i32, ptr @x\n  %b = add i32 %a, 1\n  store i32 %b, ptr @x'],
  ['counts in one step', '%a = atomicrmw add ptr @x, i32 1 seq_cst'],
  ['is copied to another such one', '%a = load i32, ptr @x\n  store i32 %a, ptr @y'],
])('a variable that %s is unread', (_name, body) => {
  expect(isUnread(body)).toBe(true);
});

test.each([
  ['decides', '%a = load i32, ptr @x\n  %b = icmp eq i32 %a, 0\n  br i1 %b, label %yes, label %yes\nyes:'],
  ['is passed on', '%a = load i32, ptr @x\n  call void @g(i32 %a)', 'declare void @g(i32)'],
  ['may fail', '%a = load i32, ptr @x\n  %b = sdiv i32 1, %a\n  store i32 %b, ptr @x'],
  [
    'is copied to one that decides',
    '%a = load i32, ptr @x\n  store i32 %a, ptr @y\n  %b = load i32, ptr @y\n  call void @g(i32 %b)',
    'declare void @g(i32)',
  ],
  ['is compared', '%a = cmpxchg ptr @x, i32 0, i32 1 seq_cst seq_cst'],
  ['is volatile', 'store volatile i32 1, ptr @x'],
  ['is seen in another size', 'store i32 1, ptr @x\n  store i8 1, ptr @x'],
  ['has its address stored', 'store i32 1, ptr @x\n  store ptr @x, ptr @y'],
  ['has its address in a table', 'store i32 1, ptr @x', '@table = global ptr @x'],
  ['has another name', 'store i32 1, ptr @x', '@z = alias i32, ptr @x'],
])('a variable that %s is not', (_name, body, others = '') => {
  expect(isUnread(body, others)).toBe(false);
});
