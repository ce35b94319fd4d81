/** Counts, times and paragraphs for people. */

export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${showCount(count)} ${count === 1 ? noun : plural}`;
}

export function showCount(count: number): string {
  // the first use of locales costs Node several milliseconds
  if (Number.isInteger(count) && count >= 0 && count < 1000) return String(count);
  return count.toLocaleString('en-US');
}

export function showTime(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

export function wrap(text: string, width: number): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > Math.min(width, 100)) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line].join('\n');
}
