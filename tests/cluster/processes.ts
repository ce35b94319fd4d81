/** Workers and clients as processes of their own, as users start them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type SearchStatus, Store } from '../../src/cluster/store.ts';
import { type Run, root } from '../cli/heddle.ts';
import type { Server } from './server.ts';

/** A worker that is not heard of for so long loses what it has begun. */
export const LEASE_MS = 1000;

const main = join(root, 'dist/cli/main.js');

export class HeddleProcess {
  readonly child: ChildProcess;
  stdout = '';
  stderr = '';
  readonly ended: Promise<Run>;

  constructor(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const { NO_COLOR: _, ...others } = process.env;
    const child = spawn(process.execPath, [main, ...args], { cwd: root, env: { ...others, ...env } });
    this.child = child;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.ended = new Promise((resolve) => {
      child.on('close', (code) => resolve({ code, stdout: this.stdout, stderr: this.stderr }));
    });
  }

  async says(text: string): Promise<void> {
    while (!this.stderr.includes(text)) {
      if (this.child.exitCode !== null) throw new Error(`it has ended: ${this.stderr}`);
      await sleep(20);
    }
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill(signal);
    await this.ended;
  }
}

export async function worker(server: Server, ...more: readonly string[]): Promise<HeddleProcess> {
  const env = { HEDDLE_CLUSTER_LEASE_MS: String(LEASE_MS), HEDDLE_CLUSTER_ITEM_MS: '20' };
  const started = new HeddleProcess(['worker', '--cluster', server.address, '--threads', '1', ...more], env);
  await started.says('working for');
  return started;
}

export function client(server: Server, ...args: readonly string[]): HeddleProcess {
  return new HeddleProcess(['check', ...args, '--cluster', server.address]);
}

/** The search that was submitted last, once that much of it is explored. */
export async function searchAt(server: Server, isThere: (status: SearchStatus) => boolean): Promise<SearchStatus> {
  const redis = server.connect();
  try {
    const store = new Store(redis);
    for (;;) {
      const status = (await store.searches()).at(-1);
      if (status !== undefined && isThere(status)) return status;
      await sleep(20);
    }
  } finally {
    redis.disconnect();
  }
}

export const isOnItsWay = ({ state, recorded }: SearchStatus): boolean => state === 'running' && recorded >= 5;
export const isDone = ({ state }: SearchStatus): boolean => state === 'done';
