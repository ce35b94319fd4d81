/**
 * Random programs with loops, as LLVM IR: a thread that loops, and one that changes what it reads or loops as well, over two shared
 * variables. Main returns all that is left in the end as one number.
 */
import { Random } from '../../random/prng.ts';
import { writeBlocks } from './random-blocks.ts';
import { writeNest } from './random-nests.ts';
import { type LockKind, ThreadText } from './random-thread.ts';

/** With `isWeak`, accesses have all kinds of memory orders; else all are seq_cst. */
export function randomLoops(seed: number, isWeak = false, lock: LockKind = 'mutex'): string {
  const random = new Random(seed);
  const failures: string[] = [];
  const goal = random.between(0, 2);
  const isPolling = random.chance(0.2) || lock !== 'mutex';
  const thread = (number: number) => new ThreadText(random, number, { failures, goal, isWeak, isPolling, lock });
  const first = writeLooping(thread(0));
  const second = random.chance(0.1) ? writeLooping(thread(1)) : writeStraight(thread(1));
  const texts = failures.map((name) => `@${name} = constant [${name.length + 1} x i8] c"${name}\\00", align 1`);
  return `@x = global i32 ${(goal + random.weighted([1, 0], [3, 1], [3, 2])) % 3}, align 4
@y = global i32 ${random.between(0, 2)}, align 4
@t = global [2 x i32] [i32 1, i32 2], align 4
@m = global [24 x i8] zeroinitializer, align 4
@l = global [16 x i8] zeroinitializer, align 4
@o0 = global i32 0, align 4
@o1 = global i32 0, align 4
@r0 = global i32 0, align 4
@r1 = global i32 0, align 4
${texts.join('\n')}
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(ptr, ptr)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_trylock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @sem_init(ptr, i32, i32)
declare i32 @sem_wait(ptr)
declare i32 @sem_trywait(ptr)
declare i32 @sem_post(ptr)
declare i32 @sched_yield()
declare void @__VERIFIER_assume(i32)
declare void @__assert_fail(ptr, ptr, i32, ptr)
${first}
${second}
define i32 @main() {
entry:
  %t0 = alloca ptr, align 4
  %t1 = alloca ptr, align 4
${lock === 'semaphore' ? '  %si = call i32 @sem_init(ptr @l, i32 0, i32 1)\n' : ''}  %c0 = call i32 @pthread_create(ptr %t0, ptr null, ptr @thread0, ptr null)
  %c1 = call i32 @pthread_create(ptr %t1, ptr null, ptr @thread1, ptr null)
  %h0 = load ptr, ptr %t0, align 4
  %h1 = load ptr, ptr %t1, align 4
  %j0 = call i32 @pthread_join(ptr %h0, ptr null)
  %j1 = call i32 @pthread_join(ptr %h1, ptr null)
  %x = load atomic i32, ptr @x seq_cst, align 4
  %y = load atomic i32, ptr @y seq_cst, align 4
  %o0 = load atomic i32, ptr @o0 seq_cst, align 4
  %o1 = load atomic i32, ptr @o1 seq_cst, align 4
  %r0 = load i32, ptr @r0, align 4
  %r1 = load i32, ptr @r1, align 4
  %x3 = and i32 %x, 7
  %y3 = and i32 %y, 7
  %m0 = shl i32 %x3, 3
  %s0 = or i32 %m0, %y3
  %m1 = shl i32 %s0, 12
  %s1 = or i32 %m1, %r0
  %m2 = shl i32 %s1, 12
  %s2 = or i32 %m2, %r1
  %s3 = mul i32 %s2, 81
  %p0 = and i32 %o0, 7
  %p1 = and i32 %o1, 7
  %m3 = mul i32 %p0, 9
  %s4 = add i32 %s3, %m3
  %s5 = add i32 %s4, %p1
  ret i32 %s5
}
`;
}

function writeLooping(text: ThreadText): string {
  return text.random.chance(0.8) ? writeNest(text) : writeBlocks(text);
}

/** Two or three accesses, most of them writes to what is waited for, and mostly the goal comes last. */
function writeStraight(text: ThreadText): string {
  const { random } = text;
  text.begin();
  const count = random.between(2, 3);
  const goal = random.chance(0.85) ? random.weighted([1, count - 2], [4, count - 1]) : undefined;
  for (let i = 0; i < count; i++) {
    if (text.hasOwnLock && random.chance(0.25)) text.meddle();
    if (i === goal) text.write('@x', String(text.goal));
    else if (text.isPolling && random.chance(0.7)) text.trySection(() => random.chance(0.5) && text.write());
    else if (random.chance(0.7)) text.write('@x', random.chance(0.7) ? String(text.offGoal()) : text.constant());
    else if (random.chance(0.4)) text.write();
    else if (random.chance(0.2)) text.own();
    else if (random.chance(0.8)) text.update();
    else text.trySection(() => text.write());
  }
  if (random.chance(0.15)) {
    text.load('@y');
    text.assert();
  }
  text.jump('exit');
  return text.end();
}
