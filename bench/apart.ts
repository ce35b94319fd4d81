/** Runs each measurement in a process of its own, so that none has the warm caches or the garbage of another. */
import { spawnSync } from 'node:child_process';
import { type CheckOptions, type CheckResult, check, type Program } from 'heddle';

export interface Measured {
  /** CPU time of the check alone. */
  readonly seconds: number;
  readonly verdict: CheckResult['verdict'];
  readonly executions: CheckResult['executions'];
}

/** In that process: a short warm-up, then the check. */
export async function measure(make: () => Program | Promise<Program>, options: CheckOptions): Promise<Measured> {
  await check(await make(), { ...options, maxExecutions: 3000 });
  const program = await make(); // compiled outside of what is timed
  const before = process.cpuUsage();
  const { verdict, executions } = await check(program, options);
  const { user, system } = process.cpuUsage(before);
  return { seconds: (user + system) / 1e6, verdict, executions };
}

export const runApart = (script: string, args: readonly string[]): Measured => outputOf<Measured>(script, args);

/** Runs `script --case ARGUMENTS`, which prints what it measured. */
export function outputOf<T>(script: string, args: readonly string[]): T {
  const child = spawnSync(process.execPath, [script, '--case', ...args], { encoding: 'utf8' });
  if (child.status !== 0) throw new Error(`${args.join(' ')} failed:\n${child.stderr}`);
  return JSON.parse(child.stdout) as T;
}
