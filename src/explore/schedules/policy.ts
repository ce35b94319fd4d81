/**
 * What an algorithm may add to explorers of schedules: which steps are worth taking. Bounds on preemptions, delays, yields or depth
 * are such policies.
 */
import type { Counts } from '../explorer.ts';
import type { Interleaving } from './interleaving.ts';

export interface SchedulePolicy {
  /** Whether thread t, which is enabled, may take the next step. */
  admits(t: number): boolean;
  /** The last step was performed, and is taken back: a policy that counts keeps up with the schedule. */
  performed(t: number): void;
  undone(t: number): void;
  /** For a bound on preemptions: how many the first `length` steps have. */
  preemptions?(length: number): number;
  /** A schedule that goes on after so many steps is taken not to end. Left out: they all end. */
  readonly maxSteps?: number;
}

/** A policy looks at the schedule that it is made for, and counts what it refuses. */
export type MakePolicy = (interleaving: Interleaving, counts: Counts) => SchedulePolicy;

/** Whoever is enabled may go on. */
export const anyStep: SchedulePolicy = {
  admits: () => true,
  performed: () => {},
  undone: () => {},
};
