/** Writes checkpoints while a search runs: every few seconds, and when it stops early. */
import { dirname, resolve } from 'node:path';
import type { SearchState } from '../check/saved-state.ts';
import { relativeTo } from '../program/paths.ts';
import { type Checkpoint, writeCheckpoint } from './checkpoint.ts';
import type { JobRequest } from './job.ts';
import { entryOf, fingerprintOf } from './source.ts';

const INTERVAL_MS = 5000;
/** The time between two checkpoints, as a multiple of what one takes. */
const FACTOR = 50;

export class CheckpointWriter {
  readonly #file: string;
  readonly #common: Omit<Checkpoint, 'state'>;
  readonly #intervalMs = Number(process.env['HEDDLE_CHECKPOINT_MS']) || INTERVAL_MS;
  readonly #warn: (text: string) => void;
  #dueMs = performance.now() + this.#intervalMs;
  #askedMs = 0;
  /** What went wrong last: it is told once. */
  #trouble: string | undefined;

  constructor(file: string, { source, options }: JobRequest, warn: (text: string) => void) {
    this.#file = file;
    this.#warn = warn;
    const { frontEnd, settings } = source;
    const folder = dirname(resolve(file));
    this.#common = {
      source: {
        frontEnd,
        settings: entryOf(source).settingsForTrace(settings, folder),
        cwd: relativeTo(folder, process.cwd()),
      },
      fingerprint: fingerprintOf(source),
      options,
    };
  }

  isDue(): boolean {
    this.#askedMs = performance.now();
    return this.#askedMs >= this.#dueMs;
  }

  /** The search goes on whether it can be written or not. */
  write(state: SearchState): void {
    try {
      writeCheckpoint(this.#file, { ...this.#common, state });
      this.#trouble = undefined;
    } catch (error) {
      const trouble = error instanceof Error ? error.message : String(error);
      if (trouble !== this.#trouble) {
        this.#warn(`the checkpoint ${this.#file} cannot be written (${trouble}); the search goes on.`);
      }
      this.#trouble = trouble;
    }
    const now = performance.now();
    this.#dueMs = now + Math.max(this.#intervalMs, FACTOR * (now - this.#askedMs));
  }
}
