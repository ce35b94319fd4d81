/** Runs the built command as a user does. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));
const main = join(root, 'dist/cli/main.js');
const lock = join(root, 'node_modules/.heddle-test-build');

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Default: the root of the repository. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Called with all of standard error so far, whenever there is more. */
  readonly onStderr?: (text: string, kill: (signal: NodeJS.Signals) => void) => void;
}

export function heddle(args: readonly string[], options: RunOptions = {}): Promise<Run> {
  const { NO_COLOR: _, ...env } = process.env;
  const child = spawn(process.execPath, [main, ...args], { cwd: options.cwd ?? root, env: { ...env, ...options.env } });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
    options.onStderr?.(stderr, (signal) => child.kill(signal));
  });
  child.stdin.end(options.input ?? '');
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

export function fixture(name: string): string {
  return `tests/fixtures/${name}`;
}

/** A folder outside of any project, with these files in it. */
export function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-test-'));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

/** Builds dist/ if it is older than the sources. Test files run side by side: one of them builds, the others wait. */
export async function ensureBuilt(): Promise<void> {
  while (!takeLock()) await sleep(100);
  try {
    if (newest(join(root, 'src')) < modified(main)) return;
    const { status, stdout } = spawnSync('npm', ['run', 'build'], { cwd: root, encoding: 'utf8', shell: true });
    if (status !== 0) throw new Error(`npm run build failed:\n${stdout}`);
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function takeLock(): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    const isLeftBehind = Date.now() - modified(lock) > 60_000;
    if (isLeftBehind) rmSync(lock, { recursive: true, force: true });
    return false;
  }
}

function newest(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return Math.max(...files.map((file) => modified(join(folder, file))));
}

function modified(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
