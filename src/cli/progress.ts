/** The live line of a long run: on a terminal only, rewritten in place, erased at the end. */
import { counted, showCount } from '../report/words.ts';
import { widthOf } from './terminal.ts';

export interface ProgressLine {
  /** Makes room for other output. */
  clear(): void;
  end(): void;
}

const INTERVAL_MS = 100;
const ERASE = '\r\x1b[K';

/** `numbers`: executions, errors, part, milliseconds, rounds; another thread writes them. */
export function progressLine(isShown: boolean, numbers: Float64Array): ProgressLine {
  if (!isShown) return { clear: () => {}, end: () => {} };
  const timer = setInterval(() => {
    const [executions = 0, errors = 0, part = 0, elapsedMs = 0, rounds = 0] = numbers;
    if (elapsedMs === 0) return;
    const width = widthOf(process.stderr, 80) - 1;
    process.stderr.write(ERASE + progressText(executions, errors, part, elapsedMs, rounds).slice(0, width));
  }, INTERVAL_MS);
  const clear = (): void => {
    process.stderr.write(ERASE);
  };
  return {
    clear,
    end: () => {
      clearInterval(timer);
      clear();
    },
  };
}

/** A word about why nothing happens yet: on a terminal only, erased at the end. */
export function waitingLine(isShown: boolean, text: string): { show(): void; end(): void } {
  let isThere = false;
  return {
    show: () => {
      if (!isShown) return;
      isThere = true;
      process.stderr.write(text);
    },
    end: () => {
      if (isThere) process.stderr.write(ERASE);
      isThere = false;
    },
  };
}

/** "12,000 executions · 8,000/s · about 64,000 in all · 7 s left" */
export function progressText(executions: number, errors: number, part: number, elapsedMs: number, rounds = 0): string {
  const parts = [counted(executions, 'execution')];
  if (rounds > 0) parts.unshift(`at most ${counted(rounds, 'round')}`);
  if (errors > 0) parts.push(counted(errors, 'error'));
  if (elapsedMs >= INTERVAL_MS) parts.push(`${showCount(Math.round((executions / elapsedMs) * 1000))}/s`);
  if (part > 0 && executions > 0) {
    parts.push(`about ${roughly(executions / part)} in all`);
    parts.push(`${timeLeft((elapsedMs * (1 - part)) / part)} left`);
  }
  return parts.join(' · ');
}

/** Two digits are all that the estimate is good for. */
function roughly(count: number): string {
  if (count < 100) return String(Math.round(count));
  if (count >= 1e12) return `10^${Math.round(Math.log10(count))}`;
  const unit = 10 ** (Math.floor(Math.log10(count)) - 1);
  return showCount(Math.round(count / unit) * unit);
}

function timeLeft(ms: number): string {
  const days = ms / 86_400_000;
  if (days > 365) return 'more than a year';
  if (days >= 2) return `${Math.round(days)} days`;
  const minutes = Math.round(ms / 60_000);
  if (minutes >= 60) return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  if (minutes >= 1) return `${minutes} min`;
  return ms < 1000 ? 'less than 1 s' : `${Math.round(ms / 1000)} s`;
}
