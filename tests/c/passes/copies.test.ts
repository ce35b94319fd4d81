import { describe, expect, test } from 'vitest';
import type { Pass } from '../../../src/c/passes/analyses/values.ts';
import { markCopies } from '../../../src/c/passes/transformations/copies.ts';
import { clearPadding } from '../../../src/c/passes/transformations/padding.ts';
import { promote } from '../../../src/c/passes/transformations/promote.ts';
import { orderVolatile } from '../../../src/c/passes/transformations/volatile.ts';
import { after } from './show.ts';

const header = `@g = global i32 0
declare void @use(i32)
define i32 @f(ptr %p, ptr %q, i1 %c) {
entry:
  %v = alloca i32
  %w = alloca i32
  %temporary = alloca i32
`;

/** What becomes of a function whose variables are v and w. */
function become(passes: readonly Pass[], body: string, variables: readonly string[] = ['v', 'w']): string {
  return after(`${header}${body}\n}`, passes, variables);
}

const markAll: Pass = (f) => markCopies(f, true);

/** Whether the load `%a` only copies. */
const copies = (body: string): boolean => become([markAll], body).includes('%a = load copies');

describe('loads that only copy', () => {
  test.each([
    ['store', '%a = load i32, ptr %p\n  store i32 %a, ptr %q\n  ret i32 0'],
    ['store atomically', '%a = load i32, ptr %p\n  store atomic i32 %a, ptr %q seq_cst, align 4\n  ret i32 0'],
    ['store into a variable', '%a = load i32, ptr %p\n  store i32 %a, ptr %v\n  ret i32 0'],
    ['convert', '%a = load i32, ptr %p\n  %b = sext i32 %a to i64\n  store i64 %b, ptr %q\n  ret i32 0'],
    ['choose', '%a = load i32, ptr %p\n  %b = select i1 %c, i32 %a, i32 1\n  store i32 %b, ptr %q\n  ret i32 0'],
    [
      'store by way of a temporary',
      '%a = load i32, ptr %p\n  store i32 %a, ptr %temporary\n  %b = load i32, ptr %temporary\n  store i32 %b, ptr %q\n  ret i32 0',
    ],
    ['are not looked at', '%a = load i32, ptr %p\n  ret i32 0'],
  ])('%s', (_, body) => expect(copies(body)).toBe(true));
});

describe('others', () => {
  test.each([
    ['compute', '%a = load i32, ptr %p\n  %b = add i32 %a, 1\n  store i32 %b, ptr %q\n  ret i32 0'],
    ['compute and copy', '%a = load i32, ptr %p\n  %b = add i32 %a, 1\n  store i32 %a, ptr %q\n  ret i32 0'],
    ['pass on', '%a = load i32, ptr %p\n  call void @use(i32 %a)\n  ret i32 0'],
    ['return', '%a = load i32, ptr %p\n  ret i32 %a'],
    ['are addresses', '%a = load ptr, ptr %p\n  store i32 1, ptr %a\n  ret i32 0'],
    ['decide', '%a = load i1, ptr %p\n  %b = select i1 %a, i32 1, i32 2\n  store i32 %b, ptr %q\n  ret i32 0'],
    [
      'compute by way of a temporary',
      '%a = load i32, ptr %p\n  store i32 %a, ptr %temporary\n  %b = load i32, ptr %temporary\n  ret i32 %b',
    ],
    ['wait', '%a = load atomic i32, ptr @g seq_cst, align 4\n  store i32 %a, ptr %v\n  ret i32 0'],
  ])('%s', (_, body) => expect(copies(body)).toBe(false));
});

describe('a copy is checked', () => {
  const copyThen = (rest: string): string =>
    become([markAll, promote], `  %a = load i32, ptr %p\n  store i32 %a, ptr %v\n${rest}`);

  test('by the load itself, if it is used in any case', () => {
    const text = copyThen('  br label %next\nnext:\n  %b = load i32, ptr %v\n  ret i32 %b');
    expect(text).toBe('entry:\n  %a = load i32 %p\n  br next\nnext:\n  ret %a');
  });

  test('where it is used, if it may not be', () => {
    const text = copyThen(
      '  br i1 %c, label %left, label %right\nleft:\n  %b = load i32, ptr %v\n  ret i32 %b\nright:\n  ret i32 0',
    );
    expect(text).toContain('%a = load copies i32 %p');
    expect(text).toContain('left:\n  %b = defined "v" %a\n  ret %b');
  });

  test('where it is used, if something may stop the thread before', () => {
    const text = copyThen('  call void @use(i32 1)\n  %b = load i32, ptr %v\n  ret i32 %b');
    expect(text).toContain('%b = defined "v" %a');
  });
});

test('padding of a local struct is set to 0 before it is stored atomically', () => {
  const odd = (use: string): string =>
    after(
      `declare void @use(ptr)\ndefine void @f(ptr %p) {\n  %s = alloca { i8, i16 }\n${use}  %a = load i32, ptr %s\n  store atomic i32 %a, ptr %p seq_cst, align 4\n  ret void\n}`,
      [clearPadding],
    );
  expect(odd('')).toContain('%padding = getelementptr %s 1\n  store 0 %padding\n  %a = load i32 %s');
  expect(odd('  call void @use(ptr %s)\n')).not.toContain('padding');
});

test('volatile accesses are atomic if asked for, where they are single and aligned', () => {
  const text = (kind: 'notatomic' | 'monotonic'): string[] => {
    const orders: string[] = [];
    after(
      `define void @f(ptr %p) {
  %a = load volatile i32, ptr %p, align 4
  store volatile i16 1, ptr %p, align 2
  %b = load volatile i32, ptr %p, align 1
  %c = load i32, ptr %p, align 4
  ret void
}`,
      [
        (f) => orderVolatile(f, kind),
        (f) => {
          for (const instruction of f.blocks[0]!.instructions) {
            if (instruction.op === 'load' || instruction.op === 'store') orders.push(instruction.ordering);
          }
          return false;
        },
      ],
    );
    return orders;
  };
  expect(text('notatomic')).toEqual(['notatomic', 'notatomic', 'notatomic', 'notatomic']);
  expect(text('monotonic')).toEqual(['monotonic', 'monotonic', 'notatomic', 'notatomic']);
});
