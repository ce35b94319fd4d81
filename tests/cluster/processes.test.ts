/** Searches on a real server with workers and clients that are processes, and what may become of each of them. */
import { spawnSync } from 'node:child_process';
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureBuilt, fixture, folderWith, heddle, type Run, root } from '../cli/heddle.ts';
import { byTier } from '../tier.ts';
import { client, HeddleProcess, isDone, isOnItsWay, LEASE_MS, searchAt, worker } from './processes.ts';
import { describeWithServer, freePort, Server } from './server.ts';

const adders = fixture('cluster/adders.c');
/** Three threads that add four times each: 12! / 4!³ orders; five that add twice: 10! / 2!⁵. */
const { size, executions } = byTier({
  normal: { size: [], executions: 34_650 },
  long: { size: ['-DTHREADS=5', '-DTIMES=2'], executions: 113_400 },
});
const found = `verified: ${executions.toLocaleString('en')} executions`;

describeWithServer('a search on several machines', () => {
  let server: Server;
  let one: HeddleProcess;
  let other: HeddleProcess;

  beforeAll(async () => {
    await ensureBuilt();
    server = await Server.start();
    [one, other] = await Promise.all([worker(server), worker(server)]);
  }, 300_000);
  afterAll(async () => {
    await Promise.all([one, other].map((each) => each.kill('SIGKILL')));
    await server.remove();
  });

  /** The result that users see, and what stays to be read. */
  async function expectExact(submitted: HeddleProcess): Promise<void> {
    const { code, stdout } = await submitted.ended;
    expect(stdout).toContain(found);
    expect(code).toBe(0);
    await expectReadable();
  }

  async function expectReadable(expected?: string): Promise<void> {
    const { id } = await searchAt(server, isDone);
    expect(id).toBe(expected ?? id);
    const result = await heddle(['cluster', 'result', '--cluster', server.address, id]);
    expect(result.stdout).toContain(found);
    expect(result.code).toBe(0);
  }

  test('counts each execution once', async () => {
    await expectExact(client(server, adders, ...size));
  });

  test('reports an error as any check does, with a trace, and stops', async () => {
    const folder = folderWith({});
    const { code, stdout } = await client(server, adders, '-DLIMIT=11', '--json', '--trace', `${folder}/t.json`).ended;
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'error', errors: [{ kind: 'assertion' }] });
    expect(code).toBe(1);
    expect((await heddle(['replay', `${folder}/t.json`])).code).toBe(1);
  });

  test('with --keep-going counts all that fail', async () => {
    const { code, stdout } = await client(server, adders, '-DTIMES=2', '-DLIMIT=5', '--keep-going', '--json').ended;
    expect(code).toBe(1);
    // 6! / 2!³ orders, all of which end with 6; as one process counts them
    const alone = await heddle(['check', adders, '-DTIMES=2', '-DLIMIT=5', '--keep-going', '--json']);
    expect(JSON.parse(stdout).executions).toEqual(JSON.parse(alone.stdout).executions);
    expect(JSON.parse(stdout).executions.erroneous).toBe(90);
  });

  test('stops at its time limit, by cluster stop, and by Ctrl-C', async () => {
    const timed = await client(server, adders, '-DTIMES=6', '--timeout', '1').ended;
    expect([timed.code, timed.stdout]).toEqual([3, expect.stringContaining('the time limit (--timeout)')]);
    const stopped = client(server, adders, '-DTIMES=6');
    const { id } = await searchAt(server, isOnItsWay);
    const running = await heddle(['cluster', 'result', '--cluster', server.address, id]);
    expect([running.code, running.stdout]).toEqual([3, expect.stringContaining(`search ${id}  running`)]);
    expect((await heddle(['cluster', 'stop', '--cluster', server.address, id])).stdout).toBe(
      `Search ${id} is stopped.\n`,
    );
    expect((await stopped.ended).code).toBe(3);
    const again = await heddle(['cluster', 'stop', '--cluster', server.address, id, '--json']);
    expect(JSON.parse(again.stdout)).toMatchObject({ id, state: 'stopped', wasRunning: false });
    const interrupted = client(server, adders, '-DTIMES=6');
    await searchAt(server, isOnItsWay);
    interrupted.child.kill('SIGINT');
    expect([(await interrupted.ended).code, interrupted.stdout]).toEqual([3, expect.stringContaining('incomplete')]);
  });

  test('a worker that is killed loses what it has begun to others, also to one that comes late', async () => {
    const submitted = client(server, adders, ...size);
    await searchAt(server, isOnItsWay);
    await one.kill('SIGKILL');
    one = await worker(server);
    await expectExact(submitted);
  });

  test('a worker that stands still for longer than its lease, and goes on, adds nothing', async () => {
    await one.kill('SIGTERM'); // so that the other has all there is to do
    const submitted = client(server, adders, ...size);
    await searchAt(server, isOnItsWay);
    other.child.kill('SIGSTOP');
    one = await worker(server);
    await sleep(2.5 * LEASE_MS);
    other.child.kill('SIGCONT');
    await expectExact(submitted);
    await sleep(500);
    await expectReadable();
    expect(other.child.exitCode).toBe(null);
  });

  test.each(byTier<NodeJS.Signals[]>({ normal: ['SIGKILL'], long: ['SIGTERM', 'SIGKILL'] }))(
    'the server is ended by %s and started again',
    async (signal) => {
      const submitted = client(server, adders, ...size);
      await searchAt(server, isOnItsWay);
      await server.stop(signal);
      await sleep(300);
      await server.start();
      await expectExact(submitted);
    },
  );

  test('a client that is killed leaves the search to the workers, and the result to be read', async () => {
    const submitted = client(server, adders, ...size);
    const { id } = await searchAt(server, isOnItsWay);
    await submitted.kill('SIGKILL');
    await expectReadable(id);
  });

  test('a program in TypeScript goes to workers that trust programs, with what it imports, and to no others', async () => {
    const folder = folderWith({
      'step.ts': 'export enum Step { One = 1 }\n',
      'adders.ts': `import { assert, atomic, program, spawn } from 'heddle';
import { Step } from './step';
export default program(function* () {
  const x = atomic(0);
  const adder = yield* spawn(function* adder() { yield* x.fetchAdd(Step.One); });
  yield* x.fetchAdd(Step.One);
  yield* adder.join();
  assert((yield* x.load()) === 3, 'three');
});\n`,
    });
    const submitted = client(server, `${folder}/adders.ts`);
    await submitted.says('there is no worker that runs programs that are code yet');
    rmSync(`${folder}/step.ts`); // what was submitted is all that is needed
    const trusting = await worker(server, '--trust-programs');
    const { id } = await searchAt(server, isDone);
    await submitted.kill('SIGKILL');
    rmSync(`${folder}/adders.ts`);
    const result = ['cluster', 'result', '--cluster', server.address, id];
    const refused = await heddle(result);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('with --trust-programs it does')]);
    const { code, stdout } = await heddle([...result, '--trust-programs']);
    expect(stdout).toContain('assertion failed: three');
    expect(stdout).toContain(`${folder}/adders.ts:8:3`);
    expect(code).toBe(1);
    await trusting.kill('SIGTERM');
  });

  test('what a program in TypeScript imports from packages cannot travel', async () => {
    const program =
      "import { z } from 'zod';\nimport { program } from 'heddle';\nexport default program(function* () { z; });\n";
    const folder = folderWith({ 'uses-package.ts': program });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const { code, stderr } = await client(server, `${folder}/uses-package.ts`).ended;
    expect([code, stderr]).toEqual([2, expect.stringContaining('cannot travel to other machines: it imports zod')]);
  });

  test('what cannot be checked is refused as on one machine', async () => {
    const program = '#include <unistd.h>\nint main(void) {\n  if (fork() == 0) return 1;\n  return 0;\n}\n';
    const file = `${folderWith({ 'forks.c': program })}/forks.c`;
    const alone = await heddle(['check', file]);
    const { code, stderr } = await client(server, file).ended;
    expect([code, stderr.replace(/^heddle: search.*\n/, '')]).toEqual([2, alone.stderr]);
    expect(stderr).toContain('forks.c:3:');
  });

  test('says who works and what there is', async () => {
    const { stdout, code } = await heddle(['cluster', 'status', '--cluster', server.address, '--json']);
    expect(code).toBe(0);
    const { workers, searches } = JSON.parse(stdout);
    expect(workers).toHaveLength(2);
    expect(searches[0]).toMatchObject({ state: 'done', executions, errors: 0, parts: { open: 0 } });
  });
});

describeWithServer('a server with TLS', () => {
  test('is reached by rediss://, and by whoever knows its certificate only', async () => {
    await ensureBuilt();
    const folder = folderWith({});
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
    const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'];
    const names = ['-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', certificate];
    expect(spawnSync('openssl', [...request, ...names]).status).toBe(0);
    const port = await freePort();
    const files = ['--tls-cert-file', certificate, '--tls-key-file', key, '--tls-ca-cert-file', certificate];
    const server = await Server.start('--tls-port', String(port), ...files, '--tls-auth-clients', 'no');
    try {
      const status = ['cluster', 'status', '--cluster', `rediss://localhost:${port}`];
      const known = await heddle(status, { env: { NODE_EXTRA_CA_CERTS: certificate } });
      expect(known).toEqual({ code: 0, stdout: 'There are no workers and no searches.\n', stderr: '' });
      const unknown = await heddle(status);
      expect([unknown.code, unknown.stderr]).toEqual([
        2,
        expect.stringMatching(/cannot reach the server.*certificate/),
      ]);
    } finally {
      await server.remove();
    }
  });
});

describeWithServer('what cannot be', () => {
  let server: Server;
  beforeAll(async () => {
    await ensureBuilt();
    server = await Server.start('--requirepass', 'sesame-open');
  });
  afterAll(() => server.remove());

  const withPassword = (): string => `redis://:sesame-open@127.0.0.1:${server.port}`;
  const commands = (address: string): string[][] => [
    ['worker', '--cluster', address],
    ['check', adders, '--cluster', address],
    ['cluster', 'status', '--cluster', address],
  ];

  test('a wrong password, none, no server: exit 2, and no password is printed', async () => {
    const runs = (address: string): Promise<Run[]> => Promise.all(commands(address).map((words) => heddle(words)));
    for (const { code, stdout, stderr } of await runs(`redis://:wrong-one@127.0.0.1:${server.port}`)) {
      expect([code, stderr]).toEqual([2, expect.stringContaining('does not accept the user and password')]);
      expect(stdout + stderr).not.toContain('wrong-one');
    }
    const none = await heddle(['cluster', 'status', '--cluster', server.address]);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('does not accept the user and password')]);
    const address = `redis://127.0.0.1:${await freePort()}`;
    for (const { code, stderr } of await runs(address))
      expect([code, stderr]).toEqual([2, expect.stringContaining(`cannot reach the server at ${address}`)]);
  });

  test('a database that the server does not have, and a server that does not speak TLS: exit 2', async () => {
    const words = ['cluster', 'status', '--cluster'];
    const database = await heddle([...words, `${withPassword()}/99`]);
    expect([database.code, database.stderr]).toEqual([
      2,
      `heddle: the server at ${server.address}/99 refuses: ERR DB index is out of range\n`,
    ]);
    const tls = await heddle([...words, withPassword().replace('redis:', 'rediss:')]);
    expect([tls.code, tls.stderr]).toEqual([
      2,
      expect.stringMatching(/^heddle: cannot reach the server at rediss:.*; does it speak TLS\? If not: redis:\/\/\n$/),
    ]);
  });

  test('the password may be in the environment, and is printed nowhere', async () => {
    const env = { HEDDLE_CLUSTER_PASSWORD: 'sesame-open' };
    const status = await heddle(['cluster', 'status', '--cluster', server.address], { env });
    expect(status).toEqual({ code: 0, stdout: 'There are no workers and no searches.\n', stderr: '' });
    const submitted = new HeddleProcess(['check', adders, '--cluster', withPassword(), '--timeout', '3', '--json']);
    const { code, stdout, stderr } = await submitted.ended;
    expect(stderr).toContain(`there is no worker yet; on each machine: heddle worker --cluster ${server.address}`);
    expect(stdout + stderr).not.toContain('sesame');
    expect(code).toBe(3);
  });

  test('workers and searches of another version are refused on both sides', async () => {
    const redis = server.connect('sesame-open');
    const now = Number((await redis.time())[0]) * 1000;
    const member = { id: 'old', host: 'elsewhere', version: '0.0.9', threads: 4, runsCode: false };
    await redis.hset('heddle:workers', 'old', JSON.stringify(member));
    await redis.zadd('heddle:workers:seen', now, 'old');
    for (const command of [0, 1]) {
      const { code, stderr } = await heddle(commands(withPassword())[command] as string[]);
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining('the workers at elsewhere are of Heddle 0.0.9, and this'),
      ]);
    }
    await redis.del('heddle:workers', 'heddle:workers:seen');
    await redis.hset('heddle:search:abc', { state: 'running', version: '0.0.9' });
    await redis.zadd('heddle:searches', now, 'abc');
    const { code, stderr } = await heddle(commands(withPassword())[0] as string[]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('the search abc is of Heddle 0.0.9, and this worker is'),
    ]);
    await redis.del('heddle:search:abc');
    redis.disconnect();
  });
});

test.each([
  ['--algorithm optimal --model sc', 'the search of optimal cannot be cut'],
  ['--iterate --model sc', '--iterate goes from one bound to the next'],
  ['--max-executions 5', '--max-executions cannot be kept to by several machines'],
])('%s is refused with the reason', async (options, reason) => {
  await ensureBuilt();
  const { code, stderr } = await heddle(['check', adders, ...options.split(' '), '--cluster', 'redis://127.0.0.1:1']);
  expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
});
