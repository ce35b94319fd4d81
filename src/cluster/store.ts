/**
 * The searches of a cluster, as the server keeps them. What happens in one step is in `scripts.ts`; here is what goes in and comes
 * out. BullMQ's queue (`queue.ts`) only says who is to explore what: if it says so twice, or too late, nothing is counted twice.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { CheckOptions } from '../check/options.ts';
import type { PeerFailure } from '../check/sharing/messages.ts';
import { keyOf, noPart, type Part } from '../check/sharing/part.ts';
import { type Counts, type Finding, noCounts, type Warning } from '../explore/explorer.ts';
import type { Knowledge } from '../program/knowledge.ts';
import { version as heddleVersion } from '../version.ts';
import { firstItem, type Item, nameOfChild, nameOfFirst, readItem, shareOf } from './item.ts';
import { type ScriptName, scripts } from './scripts.ts';

/** What was submitted, and how far it is. */
export interface SearchStatus {
  readonly id: string;
  /** How reports call the program. */
  readonly name: string;
  /** Of Heddle. */
  readonly version: string;
  /** Under which the program is stored. */
  readonly program: string;
  /** Whether the program is code, which not every worker runs. */
  readonly isCode: boolean;
  readonly options: CheckOptions;
  readonly state: 'running' | 'done' | 'stopped' | 'failed';
  /** Of one that was stopped. */
  readonly stoppedBy: 'timeout' | 'interrupt' | undefined;
  readonly failure: ClusterFailure | undefined;
  readonly generation: number;
  readonly counts: Counts;
  readonly errors: number;
  /** The part of the search that is left, from 0 to 1: a guess. */
  readonly left: number;
  /** Parts that were explored, and that nobody has explored yet. */
  readonly recorded: number;
  readonly open: number;
  /** How often loops that are not known to end have gone round. */
  readonly deepest: number;
  readonly elapsedMs: number;
}

/** `memory`: a worker had too little. */
export interface ClusterFailure extends Omit<PeerFailure, 'kind'> {
  readonly kind: PeerFailure['kind'] | 'memory';
}

export interface Submission {
  readonly name: string;
  /** What another machine makes the program of, as JSON. */
  readonly source: string;
  readonly isCode: boolean;
  readonly options: CheckOptions;
}

/** All that is known of the program by now. */
export interface Known {
  readonly knowledge: Knowledge | undefined;
  /** What tells it from other knowledge. */
  readonly token: string;
}

/** What a worker finds where it was sent: a part to explore; one that was explored, with what it has left to others; or nothing. */
export type Taken =
  | ({ readonly kind: 'open'; readonly item: Item; readonly program: string; readonly options: CheckOptions } & Known)
  | { readonly kind: 'known'; readonly children: readonly string[] }
  | { readonly kind: 'over' };

export interface Explored {
  readonly part: Part;
  readonly share: number;
  readonly children: readonly Item[];
  readonly deepest: number;
  /** Whether the search is to end: at an error. */
  readonly isOver: boolean;
}

/** `knowledge`: others have learned something in the meantime, which has to be merged first. */
export type Answer =
  | { readonly kind: 'recorded' | 'over' }
  | { readonly kind: 'known'; readonly children: readonly string[] }
  | ({ readonly kind: 'knowledge' } & Known);

/** How long a program is kept after it was last asked for. */
const PROGRAM_SECONDS = 30 * 24 * 60 * 60;

export class Store {
  readonly #redis: Redis;

  constructor(redis: Redis) {
    this.#redis = redis;
    for (const [name, lua] of Object.entries(scripts)) redis.defineCommand(`heddle_${name}`, { numberOfKeys: 6, lua });
  }

  // ------------------------------------------------------------------------------------------------------- for a client

  async submit({ name, source, isCode, options }: Submission): Promise<string> {
    const id = randomBytes(6).toString('hex');
    const program = createHash('sha256').update(source).digest('hex');
    const first = nameOfFirst(1);
    await this.#redis
      .multi()
      .set(programKey(program), source, 'EX', PROGRAM_SECONDS)
      .hset(keysOf(id)[0], {
        ...{ name, version: heddleVersion, program, isCode: isCode ? 1 : 0, options: JSON.stringify(options) },
        ...{ state: 'running', generation: 1, token: NOTHING, left: 1, deepest: 0 },
        submittedMs: await this.now(),
      })
      .hset(keysOf(id)[1], first, JSON.stringify(firstItem))
      .sadd(keysOf(id)[5], NOTHING)
      .zadd(SEARCHES, await this.now(), id)
      .exec();
    return id;
  }

  /** Undefined: there is none of this name. */
  async status(id: string): Promise<SearchStatus | undefined> {
    const [key, open, , findings] = keysOf(id);
    const [fields, openCount, errors] = await Promise.all([
      this.#redis.hgetall(key),
      this.#redis.hlen(open),
      this.#redis.hlen(findings),
    ]);
    if (fields['state'] === undefined) return undefined;
    const { name = '', version = '', program = '', state, stoppedBy, failure } = fields;
    return {
      ...{ id, name, version, program, errors, open: openCount },
      isCode: fields['isCode'] === '1',
      options: JSON.parse(fields['options'] ?? '{}') as CheckOptions,
      state: state as SearchStatus['state'],
      stoppedBy: stoppedBy as SearchStatus['stoppedBy'],
      failure: failure === undefined ? undefined : (JSON.parse(failure) as ClusterFailure),
      generation: Number(fields['generation']),
      counts: countsIn(fields),
      left: Math.max(0, Number(fields['left'])),
      recorded: Number(fields['n:recorded'] ?? 0),
      deepest: Number(fields['deepest']),
      elapsedMs: Number(fields['endedMs'] ?? (await this.now())) - Number(fields['submittedMs']),
    };
  }

  /** What a search has come to, all that is known of its program, and if it was stopped, a part of what is left. */
  async outcome(id: string): Promise<{ part: Part; knowledge: Knowledge | undefined; rest: Item | undefined }> {
    const [key, , , findings, said] = keysOf(id);
    const [fields, found, sentences] = await Promise.all([
      this.#redis.hgetall(key),
      this.#redis.hgetall(findings),
      this.#redis.smembers(said),
    ]);
    const { rest } = fields;
    return {
      part: partIn(fields, Object.values(found), sentences),
      knowledge: knowledgeIn(fields['knowledge']),
      rest: rest === undefined ? undefined : readItem(rest),
    };
  }

  /** Whether it was running. */
  async stop(id: string, stoppedBy: 'timeout' | 'interrupt'): Promise<boolean> {
    return (await this.#run('end', id, 'stopped', 'stoppedBy', stoppedBy)) === 1;
  }

  /** The newest last; those of which nothing is kept any more are forgotten. */
  async searches(): Promise<readonly SearchStatus[]> {
    const ids = await this.#redis.zrange(SEARCHES, 0, -1);
    const all = await Promise.all(ids.map((id) => this.status(id)));
    const gone = ids.filter((_, i) => all[i] === undefined);
    if (gone.length > 0) await this.#redis.zrem(SEARCHES, ...gone);
    return all.filter((each) => each !== undefined);
  }

  // ------------------------------------------------------------------------------------------------------- for a worker

  /** What a program is made of, as it was submitted. */
  async source(program: string): Promise<string | undefined> {
    const text = await this.#redis.getex(programKey(program), 'EX', String(PROGRAM_SECONDS));
    return text ?? undefined;
  }

  /** A search needs it still. */
  async keep(program: string): Promise<void> {
    await this.#redis.expire(programKey(program), PROGRAM_SECONDS);
  }

  async take(id: string, generation: number, item: string): Promise<Taken> {
    const [key, open, unpublished] = keysOf(id);
    const fields = ['state', 'generation', 'knowledge', 'token', 'program', 'options'];
    const [state, current, knowledge, token, program, options] = await this.#redis.hmget(key, ...fields);
    if (state !== 'running' || Number(current) !== generation) return { kind: 'over' };
    const text = await this.#redis.hget(open, item);
    if (text === null) return { kind: 'known', children: namesIn(await this.#redis.hget(unpublished, item)) };
    return {
      kind: 'open',
      item: readItem(text),
      program: program ?? '',
      options: JSON.parse(options ?? '{}') as CheckOptions,
      knowledge: knowledgeIn(knowledge),
      token: token ?? '',
    };
  }

  /** An item was explored. `known`: all that is known, if the worker has added to it. */
  async record(
    id: string,
    generation: number,
    item: string,
    { part, share, children, deepest, isOver }: Explored,
    known: Known,
  ): Promise<Answer> {
    const left = children.reduce((sum, child) => sum + shareOf(child), 0) - share;
    const named = children.flatMap((child, i) => [nameOfChild(item, i, child), JSON.stringify(child)]);
    const findings = part.findings.map((each) => [hashOf(keyOf(each)), JSON.stringify(each), each.preemptions ?? 0]);
    return this.#answer(
      'record',
      id,
      ...[generation, known.token, ...textOf(known), item, JSON.stringify(numbersOf(part))],
      ...[JSON.stringify(findings), JSON.stringify(saidIn(part)), left, deepest, isOver ? 1 : 0, ...named],
    );
  }

  /** The children of an item are in the queue. */
  async published(id: string, item: string): Promise<void> {
    await this.#redis.hdel(keysOf(id)[2], item);
  }

  /** What was explored in a generation is void; `known`: all that is known. */
  async restart(id: string, generation: number, known: Known): Promise<Answer> {
    const first = [nameOfFirst(generation + 1), JSON.stringify(firstItem)];
    return this.#answer('restart', id, generation, known.token, ...textOf(known), ...first);
  }

  async fail(id: string, generation: number, failure: ClusterFailure): Promise<void> {
    await this.#run('fail', id, generation, 'failed', 'failure', JSON.stringify(failure));
  }

  async openItems(id: string): Promise<readonly string[]> {
    return this.#redis.hkeys(keysOf(id)[1]);
  }

  /** The time on the server, in milliseconds. */
  async now(): Promise<number> {
    const [seconds, micros] = await this.#redis.time();
    return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
  }

  async #answer(name: ScriptName, id: string, ...args: readonly (string | number)[]): Promise<Answer> {
    const [kind, one = '', two = ''] = (await this.#run(name, id, ...args)) as string[];
    switch (kind) {
      case 'recorded':
      case 'over':
        return { kind };
      case 'known':
        return { kind, children: namesIn(one) };
      case 'knowledge':
        return { kind, token: one, knowledge: knowledgeIn(two) };
      default:
        throw new Error(`the server answered ${kind}`);
    }
  }

  #run(name: ScriptName, id: string, ...args: readonly (string | number)[]): Promise<unknown> {
    const redis = this.#redis as unknown as Record<string, (...args: readonly (string | number)[]) => Promise<unknown>>;
    return redis[`heddle_${name}`]?.(...keysOf(id), ...args) ?? Promise.reject(new Error(`there is no script ${name}`));
  }
}

const SEARCHES = 'heddle:searches';
/** The token of no knowledge. */
const NOTHING = 'nothing';

function keysOf(id: string): readonly [string, string, string, string, string, string] {
  const key = `heddle:search:${id}`;
  return [key, `${key}:open`, `${key}:unpublished`, `${key}:findings`, `${key}:said`, `${key}:tokens`];
}

function programKey(hash: string): string {
  return `heddle:program:${hash}`;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function knowledgeIn(text: string | null | undefined): Knowledge | undefined {
  return text === null || text === undefined || text === '' ? undefined : (JSON.parse(text) as Knowledge);
}

/** Its text and its token. */
function textOf({ knowledge }: Known): readonly [string, string] {
  if (knowledge === undefined) return ['', ''];
  const text = JSON.stringify(knowledge);
  return [text, hashOf(text)];
}

function namesIn(text: string | null): readonly string[] {
  return text === null || text === '' ? [] : text.split(' ');
}

// ------------------------------------------------------------------------------------- parts as numbers and sentences

/** Fields that begin with n: belong to a generation. */
function numbersOf({ counts, cut, refused, isIdle }: Part): Record<string, number> {
  const entries = [
    ...Object.entries(counts).map(([name, count]) => [`n:${name}`, count] as const),
    ...refused.map((count, i) => [`n:refused:${i}`, count] as const),
    ...isIdle.map((idle, i) => [`n:busy:${i}`, idle ? 0 : 1] as const),
  ];
  return { ...Object.fromEntries(entries), 'n:cut': cut, 'n:recorded': 1 };
}

function saidIn({ warnings, assumptions, limits, status }: Part): string[] {
  const all: readonly Said[] = [
    ...warnings.map((warning) => ({ warning })),
    ...assumptions.map((assumption) => ({ assumption })),
    ...limits.map((limit) => ({ limit })),
    ...(status === undefined ? [] : [{ status }]),
  ];
  return all.map((each) => JSON.stringify(each));
}

interface Said {
  readonly warning?: Warning;
  readonly assumption?: string;
  readonly limit?: string;
  readonly status?: number;
}

function countsIn(fields: Readonly<Record<string, string>>): Counts {
  const counts = noCounts();
  for (const name of Object.keys(counts) as (keyof Counts)[]) counts[name] = Number(fields[`n:${name}`] ?? 0);
  return counts;
}

function partIn(
  fields: Readonly<Record<string, string>>,
  findings: readonly string[],
  sentences: readonly string[],
): Part {
  const said = sentences.toSorted().map((each) => JSON.parse(each) as Said);
  const listOf = <K extends keyof Said>(key: K): NonNullable<Said[K]>[] =>
    said.flatMap((each) => each[key] ?? []) as NonNullable<Said[K]>[];
  const statuses = listOf('status');
  const numbered = (name: string): number[] => {
    const values: number[] = [];
    for (let i = 0; fields[`n:${name}:${i}`] !== undefined; i++) values.push(Number(fields[`n:${name}:${i}`]));
    return values;
  };
  return {
    ...noPart,
    counts: countsIn(fields),
    cut: Number(fields['n:cut'] ?? 0),
    findings: findings.map((each) => JSON.parse((JSON.parse(each) as [string])[0]) as Finding),
    warnings: listOf('warning'),
    ...(statuses.length === 0 ? {} : { status: statuses.length === 1 ? (statuses[0] as number) : 0 }),
    refused: numbered('refused'),
    isIdle: numbered('busy').map((busy) => busy === 0),
    assumptions: listOf('assumption'),
    limits: listOf('limit'),
  };
}
