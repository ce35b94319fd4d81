/** Of `known`, the word most like `word`, if it is like enough to be what was meant. */
export function nearest<T extends string>(word: string, known: readonly T[]): T | undefined {
  let best: T | undefined;
  let least = Math.floor(word.length / 2) + 1;
  for (const candidate of known) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

/** Letters to insert, leave out, replace, or swap with their neighbour. */
function editDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number): number => rows[i]?.[j] as number;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const replaced = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, at(i - 1, j) + 1, at(i, j - 1) + 1, isSwapped ? at(i - 2, j - 2) + 1 : replaced));
    }
  }
  return at(a.length, b.length);
}
