import { describe, expect, test } from 'vitest';
import { analyseEscape } from '../../../src/c/passes/analyses/escape.ts';
import { functionOf, instructionsOf, parse } from './show.ts';

const head = `@shared = global ptr null
@table = global [2 x ptr] zeroinitializer
declare void @unknown(ptr)
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(ptr, ptr)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_init(ptr, ptr)
declare i32 @pthread_mutexattr_settype(ptr, i32)
declare i32 @printf(ptr, ...)
declare i32 @scanf(ptr, ...)
declare i32 @strlen(ptr)
declare ptr @strcpy(ptr, ptr)
declare ptr @strchr(ptr, i32)
declare void @llvm.memcpy.p0.p0.i32(ptr, ptr, i32, i1)
declare void @llvm.va_start.p0(ptr)
declare ptr @start(ptr)
define i32 @reads(ptr %p) {
  %a = load i32, ptr %p
  ret i32 %a
}
define ptr @gives(ptr %p) {
  %q = getelementptr i32, ptr %p, i32 1
  ret ptr %q
}
define void @keeps(ptr %p) {
  store ptr %p, ptr @shared
  ret void
}
define i32 @passes(ptr %p, ptr %q) {
  %a = call i32 @reads(ptr %p)
  call void @keeps(ptr %q)
  ret i32 %a
}
define i32 @even(ptr %p, i32 %n) {
  %a = call i32 @odd(ptr %p, i32 %n)
  ret i32 %a
}
define i32 @odd(ptr %p, i32 %n) {
  %a = call i32 @even(ptr %p, i32 %n)
  ret i32 %a
}
define void @many(i32 %n, ...) {
  ret void
}
@other = alias i32 (ptr), ptr @reads
`;

function isLocal(body: string): boolean {
  const m = parse(
    `${head}define ptr @f(i32 %n, i1 %c, ptr %callback, ptr %p) {\nentry:\n  %v = alloca [4 x i32]\n  ${body}\n}`,
  );
  const alloca = instructionsOf(functionOf(m)).find(({ name }) => name === 'v')!;
  return analyseEscape(m).isLocalAlloca(alloca);
}

describe('stays with its thread', () => {
  test.each([
    ['an object that is not used', ''],
    ['loads and stores', 'store i32 1, ptr %v\n  %a = load i32, ptr %v'],
    ['atomics', '%a = atomicrmw add ptr %v, i32 1 seq_cst\n  %b = cmpxchg ptr %v, i32 1, i32 2 seq_cst seq_cst'],
    ['a part', '%a = getelementptr i32, ptr %v, i32 %n\n  store i32 1, ptr %a'],
    ['a choice', '%a = select i1 %c, ptr %v, ptr null\n  %b = load i32, ptr %a'],
    ['a comparison', '%a = icmp eq ptr %v, null'],
    ['a distance', '%a = ptrtoint ptr %v to i32\n  %b = ptrtoint ptr %p to i32\n  %d = sub i32 %a, %b'],
    ['a copy of its bytes', 'call void @llvm.memcpy.p0.p0.i32(ptr %v, ptr @shared, i32 4, i1 false)'],
    ['a thread identifier', '%a = call i32 @pthread_create(ptr %v, ptr null, ptr @start, ptr null)'],
    ['what a thread returned', '%a = call i32 @pthread_join(ptr null, ptr %v)'],
    [
      'attributes',
      '%a = call i32 @pthread_mutexattr_settype(ptr %v, i32 1)\n  %b = call i32 @pthread_mutex_init(ptr @shared, ptr %v)',
    ],
    ['output', '%a = call i32 (ptr, ...) @printf(ptr %v, ptr %v)'],
    ['a string function', '%a = call i32 @strlen(ptr %v)'],
    ['a string function that returns it', '%a = call ptr @strcpy(ptr %v, ptr %p)\n  store i8 0, ptr %a'],
    ['variadic arguments', 'call void @llvm.va_start.p0(ptr %v)'],
    ['a function that only reads it', '%a = call i32 @reads(ptr %v)'],
    ['so under another name', '%a = call i32 @other(ptr %v)'],
    ['a function that passes it to one', '%a = call i32 @passes(ptr %v, ptr null)'],
    ['functions that pass it to each other', '%a = call i32 @even(ptr %v, i32 1)'],
    ['a function that returns it', '%a = call ptr @gives(ptr %v)\n  %b = load i32, ptr %a'],
    ['a copy as an argument', '%a = call i32 @reads(ptr byval([4 x i32]) %v)'],
    ['a copy for nobody knows whom', 'call void @unknown(ptr byval([4 x i32]) %v)'],
  ])('%s', (_, body) => expect(isLocal(`${body}\n  ret ptr null`)).toBe(true));
});

describe('escapes', () => {
  test.each([
    ['stored to a global', 'store ptr %v, ptr @shared'],
    ['stored to another object', '%w = alloca ptr\n  store ptr %v, ptr %w'],
    ['stored into itself', 'store ptr %v, ptr %v'],
    ['exchanged', '%a = atomicrmw xchg ptr %p, ptr %v seq_cst'],
    ['a part of it stored', '%a = getelementptr i32, ptr %v, i32 1\n  store ptr %a, ptr @shared'],
    ['made a number', '%a = ptrtoint ptr %v to i32\n  %b = add i32 %a, 1'],
    ['put into a struct', '%a = insertvalue { ptr, i32 } undef, ptr %v, 0'],
    ['given to nobody knows whom', 'call void @unknown(ptr %v)'],
    ['given to a function behind a pointer', 'call void %callback(ptr %v)'],
    ["a thread's argument", '%a = call i32 @pthread_create(ptr null, ptr null, ptr @start, ptr %v)'],
    ['a mutex', '%a = call i32 @pthread_mutex_lock(ptr %v)'],
    ['kept by a function', 'call void @keeps(ptr %v)'],
    ['kept by a function that another one calls', '%a = call i32 @passes(ptr null, ptr %v)'],
    ['stored after a function returned it', '%a = call ptr @gives(ptr %v)\n  store ptr %a, ptr @shared'],
    ['found in a string and stored', '%a = call ptr @strchr(ptr %v, i32 1)\n  store ptr %a, ptr @shared'],
    ['a variadic argument', 'call void (i32, ...) @many(i32 1, ptr %v)'],
  ])('%s', (_, body) => expect(isLocal(`${body}\n  ret ptr null`)).toBe(false));

  test('returned', () => expect(isLocal('ret ptr %v')).toBe(false));

  test('through a phi of a loop', () => {
    const walk = `br label %loop
loop:
  %q = phi ptr [ %v, %entry ], [ %next, %loop ]
  %next = getelementptr i32, ptr %q, i32 1
  USE
  br i1 %c, label %loop, label %end
end:
  ret ptr null`;
    expect(isLocal(walk.replace('USE', 'store i32 1, ptr %q'))).toBe(true);
    expect(isLocal(walk.replace('USE', 'store ptr %q, ptr @shared'))).toBe(false);
  });
});

test('parameters', () => {
  const m = parse(head);
  const result = analyseEscape(m);
  const isLocalParameter = (name: string, i = 0) => result.isLocalParameter(functionOf(m, name).parameters[i]!);
  expect(isLocalParameter('reads')).toBe(true);
  expect(isLocalParameter('gives')).toBe(false);
  expect(isLocalParameter('keeps')).toBe(false);
  expect(isLocalParameter('passes', 0)).toBe(true);
  expect(isLocalParameter('passes', 1)).toBe(false);
});

describe('thread-local variables', () => {
  const isLocalThreadLocal = (body: string, more = '') =>
    analyseEscape(
      parse(`${head}@t = thread_local global [4 x i32] zeroinitializer
${more}
declare ptr @llvm.threadlocal.address.p0(ptr)
define void @f() {
  %p = call ptr @llvm.threadlocal.address.p0(ptr @t)
  ${body}
  ret void
}`),
    ).isLocalThreadLocal('t');

  test.each([
    ['accesses', 'store i32 1, ptr %p'],
    ['accesses without the intrinsic', 'store i32 1, ptr @t'],
    ['an address computed by the compiler', 'store i32 1, ptr getelementptr (i32, ptr @t, i32 1)'],
    ['a function that reads it', '%a = call i32 @reads(ptr %p)'],
  ])('%s: local', (_, body) => expect(isLocalThreadLocal(body)).toBe(true));

  test.each([
    ['stored', 'store ptr %p, ptr @shared'],
    ['stored without the intrinsic', 'store ptr @t, ptr @shared'],
    ['a part of it stored', 'store ptr getelementptr (i32, ptr @t, i32 1), ptr @shared'],
    ['a number', '%a = add i32 1, ptrtoint (ptr @t to i32)'],
    ['kept', 'call void @keeps(ptr %p)'],
    ['returned by a function and stored', '%a = call ptr @gives(ptr @t)\n  store ptr %a, ptr @shared'],
  ])('%s: not local', (_, body) => expect(isLocalThreadLocal(body)).toBe(false));

  test('another global that holds its address, another name, a variable of another kind', () => {
    expect(isLocalThreadLocal('', '@holds = global ptr @t')).toBe(false);
    expect(isLocalThreadLocal('', '@name = alias [4 x i32], ptr @t')).toBe(false);
    const m = parse(`${head}define void @f() {\n  ret void\n}`);
    expect(analyseEscape(m).isLocalThreadLocal('shared')).toBe(false);
    expect(analyseEscape(m).isLocalThreadLocal('nothing')).toBe(false);
  });
});

describe('threads', () => {
  const hasThreads = (text: string) => analyseEscape(parse(`${head}${text}`)).hasThreads;
  const creates =
    'define void @creates() {\n  %a = call i32 @pthread_create(ptr null, ptr null, ptr @start, ptr null)\n  ret void\n}\n';

  test('called by a function that main calls', () => {
    expect(hasThreads(`${creates}define i32 @main() {\n  call void @creates()\n  ret i32 0\n}`)).toBe(true);
  });

  test('called by nobody', () => expect(hasThreads(`${creates}define i32 @main() {\n  ret i32 0\n}`)).toBe(false));

  test('called through a pointer', () => {
    const main = 'define i32 @main() {\n  %p = load ptr, ptr @pointer\n  call void %p()\n  ret i32 0\n}';
    expect(hasThreads(`@pointer = global ptr @creates\n${creates}${main}`)).toBe(true);
    const taken = 'define i32 @main() {\n  call void @unknown(ptr @creates)\n  ret i32 0\n}';
    expect(hasThreads(`${creates}${taken}`)).toBe(true);
  });

  test("a program's own pthread_create creates no thread", () => {
    const own = head.replace(
      'declare i32 @pthread_create(ptr, ptr, ptr, ptr)',
      'define i32 @pthread_create(ptr %a, ptr %b, ptr %c, ptr %d) {\n  ret i32 0\n}',
    );
    expect(
      analyseEscape(parse(`${own}${creates}define i32 @main() {\n  call void @creates()\n  ret i32 0\n}`)).hasThreads,
    ).toBe(false);
  });
});
