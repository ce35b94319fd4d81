/**
 * A Redis server of the operating system (`redis-server`), on loopback at a free port, with an append-only file in a temporary folder.
 * Without one there is nothing to test against: that is said plainly, and where tests must not be missed (CI is set) it fails.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';

export const hasServer = spawnSync('redis-server', ['--version']).status === 0;

/** What needs a server. */
export function describeWithServer(name: string, body: () => void): void {
  if (hasServer) {
    describe(name, body);
    return;
  }
  test(`${name}: needs redis-server, which is not installed here`, () => {
    console.warn(
      `redis-server is not installed: nothing of "${name}" was tested. On Debian: apt-get install redis-server`,
    );
    expect(process.env['CI'] ?? '', 'redis-server has to be there').toBe('');
  });
}

export class Server {
  readonly port: number;
  readonly #folder = mkdtempSync(join(tmpdir(), 'heddle-redis-'));
  readonly #more: readonly string[];
  #process: ChildProcess | undefined;

  private constructor(port: number, more: readonly string[]) {
    this.port = port;
    this.#more = more;
  }

  /** `more`: words of its command line, such as a password. */
  static async start(...more: readonly string[]): Promise<Server> {
    const server = new Server(await freePort(), more);
    await server.start();
    return server;
  }

  get address(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const settings = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.#folder];
    const kept = ['--appendonly', 'yes', '--save', ''];
    const child = spawn('redis-server', [...settings, ...kept, ...this.#more], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#process = child;
    let log = '';
    await new Promise<void>((resolve, reject) => {
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        log += text;
        if (log.includes('Ready to accept connections')) resolve();
      });
      child.on('error', reject);
      child.on('exit', () => reject(new Error(`redis-server has ended:\n${log}`)));
    });
  }

  /** As it is now, on the disk; what it had is there again after `start`. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }

  /** Forgets everything. */
  async remove(): Promise<void> {
    await this.stop('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  connect(password?: string): Redis {
    const known = password === undefined ? {} : { password };
    const redis = new Redis({ host: '127.0.0.1', port: this.port, maxRetriesPerRequest: null, ...known });
    redis.on('error', () => {});
    return redis;
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
