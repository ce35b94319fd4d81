/** Program and options → the explorer that was asked for. */
import type { Explorer } from '../explore/explorer.ts';
import { type AlgorithmEntry, algorithms } from '../explore/registry.ts';
import { Behaviours, type BehavioursOptions } from '../program/behaviours.ts';
import type { Program } from '../program/operation.ts';
import type { ResolvedOptions } from './options.ts';

export type WatchedBehaviours = Pick<BehavioursOptions, 'pulse' | 'onThread' | 'recording'>;

/** It begins at the beginning, with all that the program knows. */
export function makeExplorer(program: Program, options: ResolvedOptions, watched: WatchedBehaviours = {}): Explorer {
  program.checkedUnder?.(options.model);
  const behaviours = new Behaviours(program, { maxDepth: options.maxDepth, ...watched });
  const entry: AlgorithmEntry = algorithms[options.algorithm];
  return entry.make(behaviours, options.model, { ...options, ...options.algorithmOptions });
}
