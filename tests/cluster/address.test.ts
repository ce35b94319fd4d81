import { expect, test } from 'vitest';
import { addressFrom } from '../../src/cluster/address.ts';

test('an address has a host, and may have a port, a database, a user and a password', () => {
  expect(addressFrom('redis://server', {})).toMatchObject({ host: 'server', port: 6379, db: 0, isTls: false });
  expect(addressFrom('rediss://ann:p%40ss@[::1]:7000/3', {})).toEqual({
    ...{ host: '::1', port: 7000, db: 3, isTls: true, username: 'ann', password: 'p@ss' },
    shown: 'rediss://[::1]:7000/3',
  });
});

test('user and password may be in the environment; the address comes first', () => {
  const env = { HEDDLE_CLUSTER_USER: 'ann', HEDDLE_CLUSTER_PASSWORD: 'secret' };
  expect(addressFrom('redis://server', env)).toMatchObject({ username: 'ann', password: 'secret' });
  expect(addressFrom('redis://bob:other@server', env)).toMatchObject({ username: 'bob', password: 'other' });
});

test.each(['http://host', 'host:6379', 'redis://', 'redis://host/path', 'redis://u:secret@', 'redis://u:secret@h:x'])(
  'the address %s is refused, and not repeated',
  (address) => {
    const message = messageOf(() => addressFrom(address, {}));
    expect(message).toContain('--cluster needs the address of a Redis server');
    expect(message).not.toContain('secret');
  },
);

function messageOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('it was accepted');
}
