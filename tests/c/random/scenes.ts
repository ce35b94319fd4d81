/** Ready-made shapes with random parts: what programs do beyond single statements. */
import type { Context } from './context.ts';
import type { Piece } from './pieces.ts';
import { callScenes } from './scenes-calls.ts';
import { kernelScenes } from './scenes-kernels.ts';
import { libraryScenes } from './scenes-library.ts';
import { memoryScenes } from './scenes-memory.ts';
import { valueScenes } from './scenes-values.ts';

/** Statements for the function that is being written; what they need at file scope they put there. */
export type Scene = (c: Context) => Piece[];

export const scenes: Readonly<Record<string, Scene>> = {
  ...callScenes,
  ...kernelScenes,
  ...libraryScenes,
  ...memoryScenes,
  ...valueScenes,
};

const names = Object.keys(scenes);

export function scene(c: Context): Piece[] {
  c.spend(40);
  const name = c.random.pick(names);
  return [{ open: `{ // ${name}`, body: c.inScope(() => (scenes[name] as Scene)(c)), close: '}' }];
}
