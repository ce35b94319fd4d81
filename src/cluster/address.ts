/** Where a cluster is: what was given on the command line and in the environment → how to connect. */
import { InputError } from '../program/input-error.ts';

export interface ClusterAddress {
  readonly host: string;
  readonly port: number;
  /** The number of the database. */
  readonly db: number;
  readonly isTls: boolean;
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** How messages call it: without user and password. */
  readonly shown: string;
}

const USUAL_PORT = 6379;

/** `env`: has user and password if the address has none, so that no list of processes shows them. */
export function addressFrom(text: string, env: Readonly<Record<string, string | undefined>>): ClusterAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // what was given is not repeated: it may have a password in it
  if (url === undefined || !/^rediss?:$/.test(url.protocol) || url.hostname === '' || !/^(\/\d*)?$/.test(url.pathname))
    throw new InputError('--cluster needs the address of a Redis server, such as redis://HOST:6379 or rediss://HOST.');
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = url.port === '' ? USUAL_PORT : Number(url.port);
  const db = Number(url.pathname.slice(1));
  return {
    host,
    port,
    db,
    isTls: url.protocol === 'rediss:',
    username: given(url.username) ?? env['HEDDLE_CLUSTER_USER'],
    password: given(url.password) ?? env['HEDDLE_CLUSTER_PASSWORD'],
    shown: `${url.protocol}//${url.hostname}:${port}${db === 0 ? '' : `/${db}`}`,
  };
}

function given(part: string): string | undefined {
  if (part === '') return undefined;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
