/** Random loops (random-loops.ts) that also write to variables whose values nobody needs. */
import { Random } from '../../random/prng.ts';

/** After some of the loads of @x comes a write to a variable of both threads, or of one alone. */
export function withUnreadWrites(text: string, seed: number): string {
  const random = new Random(seed);
  let thread = -1;
  let count = 0;
  const lines = text.split('\n').flatMap((line) => {
    if (line.startsWith('define ptr @thread')) thread++;
    if (line.startsWith('define i32 @main')) thread = -1;
    if (thread < 0 || !/= load atomic i32, ptr @x /.test(line) || random.chance(0.4)) return [line];
    const n = count++;
    const own = `@own${thread}`;
    return [
      line,
      ...random.weighted(
        [2, [`  store i32 ${n + 1}, ptr ${own}, align 4`]],
        [
          3,
          [
            `  %unread${n} = load i32, ptr ${own}, align 4`,
            `  %more${n} = add i32 %unread${n}, 1`,
            `  store i32 %more${n}, ptr ${own}, align 4`,
          ],
        ],
        [
          2,
          [
            `  %unread${n} = atomicrmw add ptr @both, i32 1 ${random.pick(['monotonic', 'acq_rel', 'seq_cst'])}, align 4`,
          ],
        ],
        [1, [`  store atomic i32 ${n}, ptr @both release, align 4`]],
      ),
    ];
  });
  const variables = ['own0', 'own1', 'both'].map((name) => `@${name} = global i32 0, align 4`);
  return [...variables, ...lines].join('\n');
}
