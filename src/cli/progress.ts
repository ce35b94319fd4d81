/** The live line of a long run: on a terminal only, rewritten in place, erased at the end. */
import type { NoEstimate } from '../check/estimate.ts';
import { counted, showCount } from '../report/words.ts';
import { progressOf, type Shown } from './progress-numbers.ts';
import { widthOf } from './terminal.ts';

export interface ProgressLine {
  /** Makes room for other output. */
  clear(): void;
  end(): void;
}

const INTERVAL_MS = 100;
const ERASE = '\r\x1b[K';

/** `numbers`: see progress-numbers.ts; another thread writes them. */
export function progressLine(isShown: boolean, numbers: Float64Array): ProgressLine {
  if (!isShown) return { clear: () => {}, end: () => {} };
  const timer = setInterval(() => {
    const progress = progressOf(numbers);
    if (progress.elapsedMs === 0) return;
    process.stderr.write(ERASE + progressText(progress, widthOf(process.stderr, 80) - 1));
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

/** Before, an estimate may just not be there yet. */
const LATE_MS = 2000;

/** "12,000 executions · 8,000/s · 19 % of about 64,000 (51,000–83,000) · 7 s left", or as much of it as there is room for. */
export function progressText(progress: Shown, width: number): string {
  const { executions, errors, elapsedMs, rounds, estimate } = progress;
  const begin = [counted(executions, 'execution')];
  if (rounds > 0) begin.unshift(`at most ${counted(rounds, 'round')}`);
  if (errors > 0) begin.push(counted(errors, 'error'));
  const speed = elapsedMs < INTERVAL_MS ? [] : [`${showCount(Math.round((executions / elapsedMs) * 1000))}/s`];
  if (typeof estimate === 'string') {
    const why = elapsedMs < LATE_MS ? [] : [unknown[estimate]];
    return widest([[...begin, ...speed, ...why], [...begin, ...why], begin], width);
  }
  const { total, least, most, leftMs } = estimate;
  const share = `${shareOf(executions / total)} of about ${roughly(total)}`;
  const range = `${share} (${roughly(least)}–${roughly(most)})`;
  const left = `${timeLeft(leftMs)} left`;
  return widest(
    [
      [...begin, ...speed, range, left],
      [...begin, ...speed, share, left],
      [...begin, share, left],
      [...begin, left],
      [left],
    ],
    width,
  );
}

/** Why nothing is said of the rest. */
const unknown: Readonly<Record<NoEstimate, string>> = {
  early: 'how many there are is not known yet',
  algorithm: 'no estimate with this algorithm',
  rounds: 'no estimate: more rounds may follow',
  bounds: 'no estimate: higher bounds may follow',
};

/** The first that fits. */
function widest(lines: readonly (readonly string[])[], width: number): string {
  const texts = lines.map((parts) => parts.join(' · '));
  return texts.find((text) => text.length <= width) ?? (texts.at(-1) as string).slice(0, width);
}

function shareOf(share: number): string {
  const percent = 100 * share;
  if (percent < 1) return 'less than 1 %';
  return `${Math.min(99, Math.round(percent))} %`;
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
