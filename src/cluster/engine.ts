/**
 * The engine that searches on several machines stand on: BullMQ, which hands out work, on Redis, which keeps it. Neither is among
 * Heddle's dependencies: who has one machine needs neither.
 */
import { isIP } from 'node:net';
import type { Redis, RedisOptions } from 'ioredis';
import { InputError } from '../program/input-error.ts';
import type { ClusterAddress } from './address.ts';

export interface Engine {
  readonly bullmq: typeof import('bullmq');
  readonly Redis: typeof Redis;
}

export async function loadEngine(): Promise<Engine> {
  try {
    const [bullmq, { Redis }] = await Promise.all([import('bullmq'), import('ioredis')]);
    return { bullmq, Redis };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new InputError(
      'several machines need BullMQ and a client of Redis, which are not installed. To install them beside Heddle: npm install bullmq@6 ioredis@5 (with --global if Heddle was).',
    );
  }
}

const CONNECT_MS = 5000;
/** While a server that was there is away. */
const RETRY_MS = 500;

function optionsFor({ host, port, db, isTls, username, password }: ClusterAddress): RedisOptions {
  return {
    host,
    port,
    db,
    connectTimeout: CONNECT_MS,
    ...(isTls ? { tls: isIP(host) === 0 ? { servername: host } : {} } : {}), // TLS knows no names that are addresses
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
  };
}

/** For BullMQ and for ourselves: what is asked while the server is away is asked again when it is back. */
export function lastingOptions(address: ClusterAddress): RedisOptions {
  return { ...optionsFor(address), maxRetriesPerRequest: null, retryStrategy: () => RETRY_MS };
}

/** A connection that lasts; the server was there, or else an `InputError` says why it was not. */
export async function connect({ Redis: Client }: Engine, address: ClusterAddress): Promise<Redis> {
  await expectServer(new Client({ ...optionsFor(address), lazyConnect: true, retryStrategy: () => null }), address);
  const redis = new Client(lastingOptions(address));
  redis.on('error', () => {}); // it tries again; who waits too long for an answer says so
  return redis;
}

async function expectServer(redis: Redis, address: ClusterAddress): Promise<void> {
  let last: Error | undefined;
  redis.on('error', (error: Error) => {
    last = error;
  });
  try {
    await redis.connect();
    await redis.ping();
    await redis.select(address.db); // a client that connects passes over a refusal, and stays with database 0
  } catch (error) {
    throw connectProblem(last ?? (error as Error), address);
  } finally {
    redis.disconnect();
  }
}

function connectProblem(error: NodeJS.ErrnoException, { shown, isTls }: ClusterAddress): InputError {
  const { message, code } = error;
  if (/^(WRONGPASS|NOAUTH|ERR (AUTH|invalid password|Client sent AUTH))/.test(message)) {
    return new InputError(
      `the server at ${shown} does not accept the user and password; they are taken from the address, or from HEDDLE_CLUSTER_USER and HEDDLE_CLUSTER_PASSWORD.`,
    );
  }
  const isAnswer = /^[A-Z]+ /.test(message);
  if (isAnswer) return new InputError(`the server at ${shown} refuses: ${message}`);
  const why = code === undefined || message.includes(code) ? message : `${code}: ${message}`;
  const hint = isTls && /TIMEDOUT|ECONNRESET|EPROTO/.test(why) ? '; does it speak TLS? If not: redis://' : '';
  return new InputError(`cannot reach the server at ${shown}: ${why}${hint}`);
}
