/** Where compiled C files are kept. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** `HEDDLE_CACHE` names the folder, or is `off`; else it is where this system keeps such things. */
export function cacheFolder(env: Environment, platform: string): string | undefined {
  const { HEDDLE_CACHE: given = '', XDG_CACHE_HOME: xdg = '', LOCALAPPDATA: local = '' } = env;
  if (given === 'off') return undefined;
  if (given !== '') return resolve(given);
  if (xdg !== '') return join(xdg, 'heddle');
  if (platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'heddle');
  if (platform === 'win32' && local !== '') return join(local, 'heddle', 'Cache');
  return join(homedir(), '.cache', 'heddle');
}
