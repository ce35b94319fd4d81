/**
 * A thread of a few blocks that lead to each other as chance will have it, back to the first one or to one in between as well, so
 * that there are loops with several ways back and ways in, and inner loops.
 */
import type { ThreadText } from './random-thread.ts';

export function writeBlocks(text: ThreadText): string {
  const { random } = text;
  text.begin();
  const count = random.between(1, 5);
  text.jump('b0');
  for (let i = 0; i < count; i++) {
    text.block(`b${i}`);
    for (let n = random.between(0, 2); n > 0; n--) writeStatement(text);
    writeTerminator(text, i, count);
  }
  return text.end();
}

function writeStatement(text: ThreadText): void {
  switch (
    text.random.weighted(
      [4, 'read'],
      [1.5, 'write'],
      [3, 'compute'],
      [1, 'pause'],
      [0.3, 'assume'],
      [0.5, 'fault'],
      [0.7, 'assert'],
    )
  ) {
    case 'read':
      text.read();
      break;
    case 'write':
      text.write();
      break;
    case 'compute':
      text.compute();
      break;
    case 'pause':
      text.pause();
      break;
    case 'assume':
      text.assume();
      break;
    case 'fault':
      text.fault();
      break;
    case 'assert':
      text.assert();
      break;
  }
}

function writeTerminator(text: ThreadText, i: number, count: number): void {
  const { random } = text;
  const isLast = i === count - 1;
  const ahead = () => (isLast ? 'exit' : `b${random.between(i + 1, count - 1)}`);
  const target = () => {
    if (isLast) return 'b0';
    return random.weighted([3, ahead()], [2.5, 'b0'], [1, 'exit'], [2, `b${random.between(0, i)}`]);
  };
  // The function must be able to end.
  const safe = random.chance(0.3) ? 'exit' : ahead();
  if (!isLast && random.chance(0.3)) {
    text.jump(ahead());
    return;
  }
  const [one, other] = random.chance(0.5) ? [safe, target()] : [target(), safe];
  if (one === other) text.jump(one);
  else if (random.chance(0.9)) text.branch(text.condition(), one, other);
  else text.switch(one, other);
}
