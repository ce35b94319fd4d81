/** `heddle worker` and `heddle cluster`: their options. */
import type { Command } from 'commander';
import type { ClusterFlags } from './commands.ts';
import type { WorkerFlags } from './worker.ts';

export function addClusterCommands(heddle: Command, exit: (code: number) => void): void {
  addWorker(heddle, exit);
  addCluster(heddle, exit);
}

function addWorker(heddle: Command, exit: (code: number) => void): void {
  heddle
    .command('worker')
    .summary('take part in the searches of a cluster')
    .description('Takes parts of the searches that heddle check --cluster submits, until Ctrl-C.')
    .requiredOption('--cluster <address>', 'the Redis server of the cluster: redis://HOST:PORT, or rediss:// for TLS')
    .option('--threads <n>', 'explore with so many threads (default: one for each core)')
    .option('--trust-programs', 'also take programs that are code (TypeScript), which may do anything on this machine')
    .addHelpText('after', workerHelp)
    .action(async (flags: WorkerFlags) => {
      const { runWorker } = await import('./worker.ts');
      exit(await runWorker(flags));
    });
}

function addCluster(heddle: Command, exit: (code: number) => void): void {
  const cluster = heddle
    .command('cluster')
    .summary('show, stop or read the searches of a cluster')
    .description('Shows, stops or reads the searches of a cluster. Results are kept for a week.')
    .helpCommand(false)
    .addHelpText('after', clusterHelp);
  const command = (name: string, what: string): Command =>
    cluster
      .command(name)
      .description(what)
      .requiredOption('--cluster <address>', 'the Redis server of the cluster')
      .option('--json', 'print one JSON object and nothing else');
  const commands = (): Promise<typeof import('./commands.ts')> => import('./commands.ts');
  command('status [id]', 'lists the workers and the searches').action(
    async (id: string | undefined, flags: ClusterFlags) => exit(await (await commands()).runStatus(id, flags)),
  );
  command('stop <id>', 'stops a search').action(async (id: string, flags: ClusterFlags) =>
    exit(await (await commands()).runStop(id, flags)),
  );
  command('result <id>', 'prints the result of a search that is over, as heddle check does')
    .option('--trace <file>', 'write the failing execution here, for heddle replay')
    .option('--dot <file>', 'write the failing execution here, as a graph for Graphviz')
    .option('--trust-programs', 'also of programs that are code (TypeScript), which run here for that')
    .action(async (id: string, flags: ClusterFlags) => exit(await (await commands()).runResult(id, flags)));
}

const workerHelp = `
A cluster is a Redis server (6.2 or newer, with an append-only file) that all machines reach, a worker on each of them, and
whoever submits a search. BullMQ hands out the parts: npm install bullmq@6 ioredis@5. User and password are taken from the
address, or from HEDDLE_CLUSTER_USER and HEDDLE_CLUSTER_PASSWORD. docs/scale.md says more.

Examples:
  heddle worker --cluster redis://server:6379
  heddle worker --cluster rediss://server --threads 8
  heddle check queue.c --cluster redis://server:6379`;

const clusterHelp = `
Examples:
  heddle cluster status --cluster redis://server:6379
  heddle cluster stop --cluster redis://server:6379 3f2a90c1d4e5
  heddle cluster result --cluster redis://server:6379 3f2a90c1d4e5

Exit code of result: that of the check, or 3 if the search is still running.`;
