import { expect, test } from 'vitest';
import { verifyModule } from '../../../src/c/ir/verifier.ts';
import { optimise, passes, runPass } from '../../../src/c/passes/index.ts';
import { functionOf, parse, show } from './show.ts';

/** As clang writes a spin lock and a struct on the stack. */
const text = `%struct.pair = type { i32, i32 }
@lock = global i32 0
@sum = global i32 0
declare void @llvm.memset.p0.i32(ptr, i8, i32, i1)
define i32 @f(i32 %n) {
entry:
  %retval = alloca i32, align 4
  %n.addr = alloca i32, align 4
  %p = alloca %struct.pair, align 4
  %a = alloca [2 x i32], align 4
  %i = alloca i32, align 4
  %expected = alloca i32, align 4
  %atomic-temp = alloca i32, align 4
  store i32 %n, ptr %n.addr, align 4
  call void @llvm.memset.p0.i32(ptr align 4 %p, i8 0, i32 8, i1 false)
  br label %while.cond
while.cond:
  store i32 1, ptr %expected, align 4
  %0 = load i32, ptr %expected, align 4
  %1 = atomicrmw xchg ptr @lock, i32 %0 acquire, align 4
  store i32 %1, ptr %atomic-temp, align 4
  %2 = load i32, ptr %atomic-temp, align 4
  %tobool = icmp ne i32 %2, 0
  br i1 %tobool, label %while.body, label %while.end
while.body:
  br label %while.cond
while.end:
  store i32 0, ptr %i, align 4
  %3 = load i32, ptr %i, align 4
  %arrayidx = getelementptr inbounds [2 x i32], ptr %a, i32 0, i32 %3
  %4 = load i32, ptr %n.addr, align 4
  store i32 %4, ptr %arrayidx, align 4
  %x = getelementptr inbounds %struct.pair, ptr %p, i32 0, i32 0
  %5 = load i32, ptr %arrayidx, align 4
  store i32 %5, ptr %x, align 4
  %y = getelementptr inbounds %struct.pair, ptr %p, i32 0, i32 1
  %6 = load i32, ptr %y, align 4
  %cmp = icmp eq i32 %6, 0
  %conv = zext i1 %cmp to i32
  %tobool1 = icmp ne i32 %conv, 0
  br i1 %tobool1, label %if.then, label %if.else
if.then:
  %7 = load i32, ptr %x, align 4
  store i32 %7, ptr @sum, align 4
  store i32 1, ptr %retval, align 4
  br label %return
if.else:
  store i32 2, ptr %retval, align 4
  br label %return
return:
  %8 = load i32, ptr %retval, align 4
  ret i32 %8
}`;

test('what is left of a function is what it does; an index that folding finds gives new scalars', () => {
  const m = parse(text);
  optimise(m);
  verifyModule(m);
  expect(show(functionOf(m))).toBe(`entry:
  br while.cond
while.cond:
  %1 = atomicrmw xchg @lock 1
  %tobool = icmp ne %1 0
  br %tobool while.cond while.end
while.end:
  store %n @sum
  ret 1`);
});

test('with a bound', () => {
  const m = parse(text);
  optimise(m, { unroll: 2 });
  verifyModule(m);
  expect(show(functionOf(m))).toBe(`entry:
  br while.cond
while.cond:
  %visits = phi [0, entry] [%visits.1, while.cond.within]
  %beyond = icmp uge %visits 2
  br %beyond while.cond.beyond while.cond.within
while.cond.within:
  %visits.1 = add %visits 1
  %1 = atomicrmw xchg @lock 1
  %tobool = icmp ne %1 0
  br %tobool while.cond while.end
while.end:
  store %n @sum
  ret 1
while.cond.beyond:
  bound
  unreachable`);
});

test('passes can be run one by one, by name', () => {
  const m = parse(text);
  for (const name of Object.keys(passes)) {
    runPass(m, name);
    verifyModule(m);
  }
  expect(Object.keys(passes)).toEqual([
    'poison',
    'partial-loads',
    'unreachable',
    'forget-arguments',
    'promote',
    'fold',
    'dce',
    'dead-branches',
    'merge-blocks',
    'rotate',
  ]);
  expect(() => runPass(m, 'polish')).toThrow('there is no pass polish');
});

test('declarations are left alone', () => {
  const m = parse('declare void @f(i32)\n');
  optimise(m, { unroll: 1 });
  expect(functionOf(m).blocks).toEqual([]);
});
