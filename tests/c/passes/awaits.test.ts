import { describe, expect, test } from 'vitest';
import { parseModule } from '../../../src/c/ir/parser.ts';
import { printModule } from '../../../src/c/ir/printer.ts';
import { verifyModule } from '../../../src/c/ir/verifier.ts';
import { assumesAfter } from '../../../src/c/passes/analyses/waits.ts';
import { lowerAssumes, makeAwaits } from '../../../src/c/passes/transformations/awaits.ts';
import { removeDeadCode } from '../../../src/c/passes/transformations/dce.ts';
import { fold } from '../../../src/c/passes/transformations/fold.ts';
import { after, functionOf, parse } from './show.ts';

const globals = `@x = global i32 0, align 4
@y = global i32 0, align 4
declare void @__VERIFIER_assume(i32)
declare i32 @g()
`;

/** `@f` with these lines, after the program's assumes became instructions and accesses wait for them. */
function waiting(lines: string, parameters = ''): string {
  const text = `${globals}define i32 @f(${parameters}) {\nentry:\n${lines}\n  ret i32 0\n}`;
  return after(text, [lowerAssumes, fold, removeDeadCode, makeAwaits]).replace('entry:\n', '').replace('\n  ret 0', '');
}

describe('an access waits for the assumes that follow it', () => {
  test('a load', () => {
    expect(
      waiting(`  %a = load atomic i32, ptr @x seq_cst, align 4
  %is1 = icmp eq i32 %a, 1
  assume i1 %is1, loop, i32 0`),
    ).toBe(`  %a = load await i32 @x
  %is1 = icmp eq %a 1
  assume loop %is1`);
  });

  test('an exchange, an update and a compare-exchange', () => {
    const shown = waiting(`  %a = atomicrmw xchg ptr @x, i32 1 seq_cst, align 4
  %free = icmp eq i32 %a, 0
  assume i1 %free, loop, i32 0
  %b = atomicrmw add ptr @x, i32 1 seq_cst, align 4
  %few = icmp ult i32 %b, 3
  assume i1 %few, loop, i32 0
  %c = cmpxchg ptr @x, i32 0, i32 1 acq_rel monotonic, align 4
  %ok = extractvalue { i32, i1 } %c, 1
  assume i1 %ok, loop, i32 0`);
    expect(shown).toContain('atomicrmw await xchg');
    expect(shown).toContain('atomicrmw await add');
    expect(shown).toContain('cmpxchg await');
  });

  test('the assume of the program', () => {
    expect(
      waiting(`  %a = load atomic i32, ptr @x seq_cst, align 4
  %is1 = icmp eq i32 %a, 1
  %n = zext i1 %is1 to i32
  call void @__VERIFIER_assume(i32 %n)`),
    ).toBe(`  %a = load await i32 @x
  %is1 = icmp eq %a 1
  assume program %is1`);
  });

  test('computation may stand in between, and what was known before may matter', () => {
    const shown = waiting(
      `  %a = load atomic i32, ptr @x seq_cst, align 4
  %masked = and i32 %a, 7
  %sum = add i32 %masked, %n
  %is1 = icmp eq i32 %sum, 1
  assume i1 %is1, loop, i32 0
  %small = icmp ult i32 %a, 100
  assume i1 %small, loop, i32 0`,
      'i32 %n',
    );
    expect(shown).toContain('load await');
  });
});

describe('no access waits', () => {
  test.each([
    [
      'if another one comes in between',
      `  %a = load atomic i32, ptr @x seq_cst, align 4
  %b = load atomic i32, ptr @y seq_cst, align 4
  %is1 = icmp eq i32 %a, 1
  assume i1 %is1, loop, i32 0`,
    ],
    [
      'if a division that may fail comes in between',
      `  %a = load atomic i32, ptr @x seq_cst, align 4
  %b = udiv i32 7, %a
  %is1 = icmp eq i32 %b, 1
  assume i1 %is1, loop, i32 0`,
    ],
    [
      'if the assume does not depend on it',
      `  %a = load atomic i32, ptr @x seq_cst, align 4
  %is1 = icmp eq i32 %n, 1
  assume i1 %is1, program`,
    ],
    [
      'if it is a compare-exchange that may fail with another order',
      `  %c = cmpxchg ptr @x, i32 0, i32 1 seq_cst monotonic, align 4
  %old = extractvalue { i32, i1 } %c, 0
  %few = icmp ult i32 %old, 3
  assume i1 %few, loop, i32 0`,
    ],
  ])('%s', (_, lines) => {
    expect(waiting(lines, 'i32 %n')).not.toContain('await');
  });

  test('for an assume of a loop after one of the program', () => {
    const m = parse(`${globals}define i32 @f() {
entry:
  %a = load atomic i32, ptr @x seq_cst, align 4
  %few = icmp ult i32 %a, 3
  assume i1 %few, program
  %is1 = icmp eq i32 %a, 1
  assume i1 %is1, loop, i32 0
  ret i32 0
}`);
    const [block] = functionOf(m).blocks;
    expect(assumesAfter(block!, 0).map(({ reason }) => reason)).toEqual(['program']);
  });
});

test('what a function returns may be nothing: the call that looks at it stays', () => {
  const lines = '  %n = call i32 @g()\n  call void @__VERIFIER_assume(i32 %n)';
  expect(waiting(lines)).toContain('call @__VERIFIER_assume');
});

test('awaits and assumes are printed and read back', () => {
  const m = parse(`${globals}define i32 @f() {
entry:
  %a = load await atomic i32, ptr @x seq_cst, align 4
  %is1 = icmp eq i32 %a, 1
  assume i1 %is1, loop, i32 0
  %b = atomicrmw await xchg ptr @x, i32 1 seq_cst, align 4
  %c = cmpxchg await weak ptr @x, i32 0, i32 1 seq_cst seq_cst, align 4
  assume i1 false, loop, i32 0
  ret i32 0
}`);
  verifyModule(m);
  const text = printModule(m);
  expect(text).toContain('load await atomic i32');
  expect(printModule(parseModule(text, 'test.ll'))).toBe(text);
});
