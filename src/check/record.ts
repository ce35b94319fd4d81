/**
 * Runs one execution again, step by step, to see all of it: operations, values, names, source positions, and where each
 * thread stands at the end. Explorers do without these; what they hand out is a bare `Execution`.
 */
import type { Finding } from '../explore/explorer.ts';
import { Behaviours, Step, type ThreadInfo } from '../program/behaviours.ts';
import { NONE } from '../program/columns.ts';
import { showValue } from '../program/describe.ts';
import { Standing, standingOf, startOfRound, type ThreadsAtEnd } from '../program/ending.ts';
import { type Execution, type ExecutionStep, INITIAL } from '../program/execution.ts';
import { InputError } from '../program/input-error.ts';
import { bareLanguage } from '../program/language.ts';
import type { Failure, FailureKind, Operation, Program, SourcePosition } from '../program/operation.ts';
import { describeOperation, kindOf } from '../program/operation-kinds.ts';
import { nameOfOrder } from '../program/orders.ts';
import { loopOf, seenBy, sliceOf } from '../program/outcome.ts';
import { accusedOf, type Clash, clashIn, clashMessage } from './clash.ts';
import { namesOf } from './names.ts';
import type { CheckError, EndState, RecordedEnd, RecordedExecution, RecordedStep, RecordedThread } from './result.ts';
import { expectSameError } from './same-error.ts';
import { shorten } from './shorten.ts';

/** The error of `finding` with its execution, shortened: only what leads to it, with few switches between threads. */
export function recordError(program: Program, finding: Finding): CheckError {
  const recorded = recordFinding(program, finding, finding.witness);
  if (finding.round !== undefined) return endlessError(finding, finding.round, recorded);
  const whole = recorded.recorder;
  const isStandstill = finding.kind === 'deadlock' || finding.kind === 'livelock';
  const isOfAll = isStandstill || finding.kind === 'leak';
  const focus = isOfAll ? undefined : finding.threads.map((path) => whole.threadOf(path));
  const short = recordFinding(program, finding, shorten(recorded.execution.steps, finding.witness, focus));
  const { recorder, execution } = asFewPreemptions(program, finding, short, recorded);
  const threads = finding.threads.map((path) => recorder.threadOf(path));
  const failure = finding.threads.length === 1 ? recorder.failureOf(threads[0] as number) : undefined;
  const racing = finding.threads.length === 2 ? clashIn(execution, threads, finding.operation) : undefined;
  const named =
    racing !== undefined
      ? withRemark(clashMessage(finding.kind, execution, racing), program, finding.kind, racing)
      : isStandstill
        ? standstillMessage(finding.kind, execution, threads)
        : undefined;
  const clashedAt = racing === undefined ? undefined : accusedOf(finding.kind, racing).source;
  return {
    kind: finding.kind,
    message: named ?? failure?.message ?? finding.message,
    location: clashedAt ?? failure?.position ?? finding.position ?? positionOfWaiting(execution, threads),
    threads,
    racing,
    ...(finding.preemptions === undefined ? {} : { preemptions: finding.preemptions }),
    execution,
  };
}

function withRemark(message: string, program: Program, kind: FailureKind, racing: Clash): string {
  const remark = kind === 'race' ? program.remarkOnRace?.(racing.map(({ source }) => source)) : undefined;
  return remark === undefined ? message : `${message}. ${remark}`;
}

/** Of an execution that is taken not to end: nothing is left out, so that who yields when can be seen. */
function endlessError(
  { kind, message, threads }: Finding,
  round: number,
  { recorder, execution }: Recorded,
): CheckError {
  const ids = threads.map((path) => recorder.threadOf(path));
  return {
    kind,
    message,
    location: positionOfWaiting(execution, ids),
    threads: ids,
    racing: undefined,
    round,
    execution,
  };
}

interface Recorded {
  readonly recorder: Recorder;
  readonly execution: RecordedExecution;
}

/**
 * What `short` leaves out may be what a thread does before it is left: then it has more preemptions than the execution needs. In
 * that case the execution as it is, up to where it fails.
 */
function asFewPreemptions(program: Program, finding: Finding, short: Recorded, whole: Recorded): Recorded {
  const most = finding.preemptions ?? Number.POSITIVE_INFINITY;
  if ((short.execution.preemptions ?? 0) <= most || (whole.execution.preemptions ?? 0) > most) return short;
  const { threads, steps } = finding.witness;
  const isOfAll = finding.threads.length !== 1 || ['deadlock', 'livelock', 'leak'].includes(finding.kind);
  const failed = isOfAll ? undefined : threads.find(({ path }) => path === finding.threads[0])?.id;
  const last = steps.findLastIndex(({ thread }) => thread === failed);
  return last < 0 ? whole : recordFinding(program, finding, { threads, steps: steps.slice(0, last + 1) });
}

/** Runs the execution, which must lead to the error. The search that found it may go on, so it finds all names as they were. */
function recordFinding(program: Program, finding: Finding, { threads, steps }: Execution): Recorded {
  const recorder = new Recorder(program, threads);
  try {
    for (const step of steps) recorder.run(step);
    const execution = recorder.execution();
    expectSameError(finding, execution, recorder, (program.language ?? bareLanguage).chance);
    return { recorder, execution };
  } finally {
    recorder.restoreNames();
  }
}

/** A step as a trace file has it: values as `showValue` shows them. */
interface ExpectedStep {
  readonly op: string;
  readonly location?: string | undefined;
  readonly detail?: string | undefined;
  readonly target?: number | undefined;
  readonly read?: string | undefined;
  readonly written?: string | undefined;
  readonly text?: string | undefined;
  readonly source?: SourcePosition | undefined;
}

/** Its own numbers of threads come from the order in which they are spawned, whatever those of the execution it follows. */
export class Recorder {
  readonly #behaviours: Behaviours;
  /** By `id` in the execution that is followed: the path of the thread. It has no number here before it is spawned. */
  readonly #paths: ReadonlyMap<number, string>;
  /** By thread: its state, once it exists. */
  readonly #states = new Map<number, number>();
  readonly #steps: RecordedStep[] = [];
  /** By step: what is to be said of it in words that depend on steps to come. */
  readonly #words: (() => Words)[] = [];
  /** By step: the location that it accesses, or NONE. Names come later: see `steps`. */
  readonly #accessed: number[] = [];
  /** By name in the trace that is followed: the location. */
  readonly #expectedNames = new Map<string, number>();
  /** By step: the state of its thread before it. */
  readonly #before: number[] = [];
  /** By step: the value written, as a number of `Values`. */
  readonly #written: number[] = [];
  /** By location: its writes so far, in coherence order. */
  readonly #memory = new Map<number, Write[]>();
  /** The steps that come after one of another thread which could have gone on. */
  readonly #preempting: number[] = [];
  /** Whether each step so far saw and changed the memory that the steps before it left. */
  #isSequential = true;

  /** What a join need not show. */
  readonly #nothing: unknown;

  /** By identity: the names of the threads so far. */
  #namesOfThreads: ReadonlyMap<number, string> = new Map();

  /** Names are those of this run until it is called. */
  readonly restoreNames: () => void;

  /** `followed`: the threads of the execution whose steps will be run. */
  constructor(program: Program, followed: Execution['threads']) {
    this.#paths = new Map(followed.map(({ id, path }) => [id, path]));
    this.#nothing = (program.language ?? bareLanguage).nothing;
    this.restoreNames = program.nameAnew?.((identity) => this.#nameOfIdentity(identity)) ?? (() => {});
    this.#behaviours = new Behaviours(program, { recording: true });
    this.#states.set(0, this.#behaviours.main());
  }

  /** The steps so far. Locations have the names of now: one made later with the same name adds a number to them all. */
  get steps(): readonly RecordedStep[] {
    const names = namesOf(this.#behaviours.locations);
    const places = this.#isSequential ? new Map<number, number>() : this.#coherence();
    return this.#steps.map((step, i) => {
      const coherence = 'written' in step ? places.get(i) : undefined;
      const said = { ...step, ...this.#words[i]?.() };
      return named(coherence === undefined ? said : { ...said, coherence }, names[this.#accessed[i] as number]);
    });
  }

  /** The threads so far. */
  get #threads(): readonly (RecordedThread & { readonly identity: number })[] {
    const threads = this.#behaviours.threads.map(({ name, path, identity }, id) => ({ id, name, path, identity }));
    return uniqueNames(threads.filter(({ id }) => this.#states.has(id)));
  }

  #nameOfIdentity(identity: number): string | undefined {
    if (this.#namesOfThreads.size !== this.#states.size)
      this.#namesOfThreads = new Map(this.#threads.map((thread) => [thread.identity, thread.name]));
    return this.#namesOfThreads.get(identity);
  }

  /** By step that writes: which one it is of the writes to its location, from 1. */
  #coherence(): Map<number, number> {
    return new Map([...this.#memory.values()].flatMap((writes) => writes.map(({ step }, k) => [step, k + 1] as const)));
  }

  threadOf(path: string): number {
    return this.#behaviours.threads.findIndex((t) => t.path === path);
  }

  failureOf(thread: number): Failure | undefined {
    const state = this.#states.get(thread);
    if (state === undefined || this.#behaviours.step[state] !== Step.FAIL) return undefined;
    const operation = this.#behaviours.operation(state);
    return operation.kind === 'fail' ? operation.failure : undefined;
  }

  positionOf(thread: number): SourcePosition | undefined {
    return this.#behaviours.operation(this.#states.get(thread) as number).position;
  }

  /** Performs one step. Throws an InputError that names it if the program cannot, or does something else than `expected`. */
  run(step: ExecutionStep, expected?: ExpectedStep): void {
    const b = this.#behaviours;
    const path = this.#paths.get(step.thread) ?? '?';
    const t = this.threadOf(path);
    const s = this.#states.get(t);
    const number = this.#steps.length + 1;
    if (s === undefined) throw divergence(number, `thread ${path} does not exist`, expected);
    const kind = b.step[s]!;
    if (kind >= Step.END) throw divergence(number, `thread ${nameOfThread(b, t)} has nothing more to do`, expected);
    if (kind === Step.JOIN && !this.#canGo(t)) throw divergence(number, 'the thread to join has not ended', expected);
    const operation = b.operation(s);
    if (expected !== undefined && expected.op !== operation.kind) {
      throw divergence(number, `thread ${nameOfThread(b, t)} performs ${describeOperation(operation, b)}`, expected);
    }
    this.#countPreemption(t);
    const answer = this.#answer(s, step);
    const after = answer === undefined ? b.advanceOnly(s) : b.advance(s, answer);
    if (after < 0) throw new Error('a thread ran ahead of its record');
    if (b.step[after] === Step.STUCK) throw divergence(number, `${operation.kind} cannot go on`, expected);
    const written = kind === Step.WRITE ? b.value[s]! : b.written[after]!;
    const missed = kind === Step.READ ? this.#missed(b.location[s]!, step) : undefined;
    this.#before.push(s);
    this.#written.push(written);
    const takesEffectBefore = written < 0 ? undefined : this.#write(b.location[s]!, step, written);
    if (missed !== undefined || takesEffectBefore !== undefined) this.#isSequential = false;
    this.#states.set(t, after);
    if (kind === Step.SPAWN) this.#states.set(b.operand[s]!, b.spawned(s));
    this.#words.push(() => this.#wordsOf(operation, s, answer, written));
    const wokenBy = this.#wokenBy(operation, b.location[s]!, step);
    this.#steps.push({
      ...this.#describe(t, operation, s, step, answer, written),
      ...(wokenBy === undefined ? {} : { wokenBy }),
      ...(missed === undefined ? {} : { missed }),
      ...(takesEffectBefore === undefined ? {} : { takesEffectBefore }),
    });
    this.#accessed.push(this.#placeOf(operation));
    if (expected !== undefined) this.#compare(number, expected);
  }

  execution(): RecordedExecution {
    const b = this.#behaviours;
    const threads = this.#threads.map(({ id, name, path }) => ({ id, name, path }));
    const names = namesOf(b.locations);
    const atEnd = this.#threadsAtEnd();
    const ends = threads.map(({ id }): RecordedEnd => {
      const state = this.#canGo(id) ? 'ready' : stateOfStanding[standingOf(atEnd, id)];
      if (state === 'ended' || state === 'failed') return { thread: id, state };
      const s = this.#states.get(id) as number;
      const operation = b.operation(s);
      const written = b.step[s] === Step.WRITE ? b.value[s]! : -1;
      const described = {
        ...this.#describe(id, operation, s, undefined, undefined, written),
        ...this.#wordsOf(operation, s, undefined, written, true),
      };
      const loop = loopOf(operation)?.position;
      const standing = loop === undefined ? described : { ...described, source: loop };
      const next = named(standing, names[this.#placeOf(operation)]);
      const reads = this.#readsSince(startOfRound(atEnd, id), id, next);
      return { thread: id, state, next, ...(reads === undefined ? {} : { reads }) };
    });
    const preempting = this.#isSequential ? this.#preempting : [];
    const preemptions = this.#isSequential ? preempting.length : undefined;
    return { threads, steps: this.steps, ends, preemptions, preempting };
  }

  /** The names of what thread t has read since `start`, where it began the round of a loop that it is stopped in, in `next`. */
  #readsSince(start: number, t: number, next: RecordedStep): readonly string[] | undefined {
    if (start === NONE) return undefined;
    const round = this.steps.filter(({ thread }) => thread === t).slice(start);
    const read = [...round.filter((step) => 'read' in step), next].flatMap(
      (step) => step.accessed ?? step.location ?? [],
    );
    return [...new Set(read)];
  }

  #threadsAtEnd(): ThreadsAtEnd {
    const b = this.#behaviours;
    const steps = this.#steps;
    const stepBefore = (i: number, t: number): number => steps.findLastIndex(({ thread }, k) => k < i && thread === t);
    return {
      behaviours: b,
      threadCount: b.threads.length,
      stateOf: (t) => this.#states.get(t) ?? NONE,
      valueAwaited: (_, s) => this.#valueOf(b.location[s]!),
      lastStep: (t) => stepBefore(steps.length, t),
      previousStep: (i) => stepBefore(i, steps[i]!.thread),
      stateBefore: (i) => this.#before[i]!,
      wouldReadAgain: (i) => this.#answer(this.#before[i]!, steps[i]!) === this.#valueOf(b.location[this.#before[i]!]!),
      settles: () => true,
    };
  }

  /** The value of a location, memory being what comes last in coherence order. */
  #valueOf(location: number): number {
    return this.#memory.get(location)?.at(-1)?.value ?? this.#behaviours.initialValue(location);
  }

  /** The newest write to the location, if a read in `step` sees an older one. */
  #missed(location: number, { readsFrom = INITIAL }: ExecutionStep): number | undefined {
    const newest = this.#memory.get(location)?.at(-1)?.step ?? INITIAL;
    return newest === readsFrom || newest === INITIAL ? undefined : newest;
  }

  /** For a wait that ends in `step`: the first of the writes up to the one that it reads since which it could have ended. */
  #wokenBy(operation: Operation, location: number, { readsFrom = INITIAL }: ExecutionStep): number | undefined {
    if (operation.kind !== 'await-update' || operation.words === undefined) return undefined;
    const writes = this.#memory.get(location) ?? [];
    const read = writes.findIndex(({ step }) => step === readsFrom);
    const { values } = this.#behaviours;
    const inVain = writes.findLastIndex(({ value }, i) => i <= read && !operation.until(values.valueOf(value)));
    return read < 0 ? undefined : writes[inVain + 1]?.step;
  }

  /** Notes the write of the step that is being run; gives the step of the write that it comes before, if there is one. */
  #write(location: number, { coherence }: ExecutionStep, value: number): number | undefined {
    const step = this.#steps.length;
    const write = { step, coherence: coherence ?? step, value };
    const writes = this.#memory.get(location);
    if (writes === undefined) this.#memory.set(location, [write]);
    const place = (writes ?? []).findLastIndex((other) => other.coherence <= write.coherence) + 1;
    writes?.splice(place, 0, write);
    return writes?.[place + 1]?.step;
  }

  /** The number of the location that an operation is about, or -1. */
  #placeOf(operation: Operation): number {
    return 'location' in operation ? this.#behaviours.numberOf(operation.location) : -1;
  }

  #answer(s: number, step: Pick<ExecutionStep, 'readsFrom' | 'choice'>): number | undefined {
    const b = this.#behaviours;
    switch (b.step[s]) {
      case Step.READ: {
        const from = step.readsFrom ?? INITIAL;
        if (from === INITIAL) return b.initialValue(b.location[s]!);
        return this.#written[from] ?? b.initialValue(b.location[s]!);
      }
      case Step.JOIN:
        return b.value[this.#states.get(b.operand[s]!) as number]!;
      case Step.CHOOSE:
        return b.values.idOf(step.choice ?? 0);
      default:
        return undefined;
    }
  }

  /** Whether the next operation of t could be performed now. */
  #canGo(t: number): boolean {
    const b = this.#behaviours;
    const s = this.#states.get(t) as number;
    if (b.step[s]! >= Step.END) return false;
    if (b.step[s] === Step.JOIN) {
      const target = this.#states.get(b.operand[s]!);
      return target !== undefined && b.step[target] === Step.END;
    }
    if (b.mayBlock[s] === 0) return true;
    return !b.wouldBlock(s, this.#valueOf(b.location[s]!));
  }

  #countPreemption(t: number): void {
    const before = this.#steps.at(-1);
    if (before === undefined || before.thread === t || !this.#canGo(before.thread)) return;
    this.#preempting.push(this.#steps.length);
  }

  #describe(
    t: number,
    operation: Operation,
    s: number,
    step: ExecutionStep | undefined,
    answer: number | undefined,
    written: number,
  ): RecordedStep {
    const b = this.#behaviours;
    const kind = b.step[s]!;
    const reads = this.#isRead(s, answer);
    const read = reads ? seenBy(operation, b.values.valueOf(answer as number)) : undefined;
    const isWritten = written >= 0 && operation.kind !== 'free';
    const value = isWritten ? seenBy(operation, b.values.valueOf(written)) : undefined;
    const isKept = answer !== undefined && !isWritten;
    const order = 'order' in operation ? nameOfOrder((isKept ? b.orderIfKept : b.order)[s]!) : undefined;
    return {
      thread: t,
      op: operation.kind,
      ...((kind === Step.SPAWN || kind === Step.JOIN) && b.operand[s]! >= 0 ? { target: b.operand[s]! } : {}),
      ...(order === undefined ? {} : { order }),
      ...(reads ? { read } : {}),
      ...(isWritten ? { written: value } : {}),
      ...(operation.kind === 'print' ? { text: operation.text } : {}),
      ...(operation.prepares === true ? { prepares: true } : {}),
      ...(kind === Step.READ && step !== undefined ? { readsFrom: step.readsFrom ?? INITIAL } : {}),
      ...(step?.choice === undefined ? {} : { choice: step.choice }),
      ...(operation.position === undefined ? {} : { source: operation.position }),
    };
  }

  /** Whether an operation at s that was answered so has read something. */
  #isRead(s: number, answer: number | undefined): boolean {
    const b = this.#behaviours;
    if (answer === undefined || b.operation(s).kind === 'store-part') return false;
    return b.step[s] === Step.READ || (b.step[s] === Step.JOIN && b.values.valueOf(answer) !== this.#nothing);
  }

  /** What names may be in. */
  #wordsOf(operation: Operation, s: number, answer: number | undefined, written: number, isPending = false): Words {
    const { values } = this.#behaviours;
    const slice = sliceOf(operation);
    const show = slice?.show ?? ('location' in operation ? operation.location.show : undefined);
    const seen = (value: number): unknown => seenBy(operation, values.valueOf(value));
    const detail = kindOf(operation).detail(operation, show ?? showValue);
    const isWritten = written >= 0 && operation.kind !== 'free';
    const { words, part } = operation;
    const done = { answer: answer === undefined ? undefined : seen(answer), isWritten };
    return {
      ...(slice === undefined ? {} : { accessed: slice.name() }),
      ...(detail === undefined ? {} : { detail }),
      ...(words === undefined ? {} : { words: words(isPending ? undefined : done) }),
      ...(part === undefined ? {} : { part: { whole: part.whole(), index: part.index } }),
      ...(show !== undefined && this.#isRead(s, answer) ? { readText: show(seen(answer as number)) } : {}),
      ...(show !== undefined && isWritten ? { writtenText: show(seen(written)) } : {}),
    };
  }

  #compare(number: number, expected: ExpectedStep): void {
    const accessed = this.#accessed.at(-1) as number;
    const { location, op } = expected;
    // an object and its first part may share a name
    const name = op === 'allocate' || op === 'free' ? `the object ${location}` : location;
    const known = name === undefined ? -1 : (this.#expectedNames.get(name) ?? accessed);
    if (name !== undefined) this.#expectedNames.set(name, known);
    const now = inShownForm({ ...(this.#steps.at(-1) as RecordedStep), ...this.#words.at(-1)?.() });
    // what an exchange would have changed to what may be names, which only the end of the run tells
    const fields = op === 'compare-exchange' ? comparedFields.filter((field) => field !== 'detail') : comparedFields;
    if (known === accessed && fields.every((field) => now[field] === expected[field])) return;
    const place = namesOf(this.#behaviours.locations)[accessed];
    throw divergence(number, `it was ${inWords({ ...now, location: place })}`, expected);
  }
}

/** A thread that goes round in a loop waits, as a reader sees it, whether or not the next round would be the same. */
const stateOfStanding: Readonly<Record<Standing, EndState>> = {
  [Standing.ENDED]: 'ended',
  [Standing.LAST]: 'ended',
  [Standing.FAILED]: 'failed',
  [Standing.EXITED]: 'exited',
  [Standing.ASSUMED]: 'assumed',
  [Standing.CUT]: 'cut',
  [Standing.OUTDATED]: 'waiting',
  [Standing.SPINNING]: 'waiting',
  [Standing.ASLEEP]: 'waiting',
};

type Words = Pick<RecordedStep, 'accessed' | 'detail' | 'readText' | 'writtenText' | 'words' | 'part'>;

/** A write in the memory of an execution. */
interface Write {
  readonly step: number;
  readonly coherence: number;
  readonly value: number;
}

const comparedFields = ['op', 'detail', 'target', 'read', 'written', 'text'] as const;

function inShownForm(step: RecordedStep): ExpectedStep {
  return {
    ...step,
    read: 'read' in step ? showValue(step.read) : undefined,
    written: 'written' in step ? showValue(step.written) : undefined,
  };
}

function named(step: RecordedStep, location: string | undefined): RecordedStep {
  return location === undefined ? step : { ...step, location };
}

function divergence(number: number, now: string, expected: ExpectedStep | undefined): InputError {
  return new InputError(
    `the program does not follow the recorded execution at step ${number}: ` +
      `${expected === undefined ? '' : `expected ${inWords(expected)}, but `}${now}.\n` +
      'The usual causes: the program was changed since, or it is not deterministic (Math.random, the clock, state left ' +
      'behind by an earlier run).',
    expected?.source,
  );
}

function inWords({ op, detail, location, read, written }: ExpectedStep): string {
  const place = location === undefined ? '' : ` of ${location}`;
  const values = [read === undefined ? '' : `read ${read}`, written === undefined ? '' : `written ${written}`];
  const shown = values.filter((value) => value !== '').join(', ');
  return `${detail ?? op}${place}${shown === '' ? '' : ` (${shown})`}`;
}

function nameOfThread(b: Behaviours, t: number): string {
  return (b.threads[t] as ThreadInfo | undefined)?.name ?? `thread ${t}`;
}

/** Threads of one name get numbers, so that a reader can tell them apart. */
function uniqueNames<T extends { readonly name: string }>(threads: readonly T[]): T[] {
  const seen = new Map<string, number>();
  return threads.map((thread) => {
    const alike = threads.filter((other) => other.name === thread.name).length;
    if (alike === 1) return thread;
    const count = (seen.get(thread.name) ?? 0) + 1;
    seen.set(thread.name, count);
    return { ...thread, name: `${thread.name} ${count}` };
  });
}

function standstillMessage(kind: FailureKind, execution: RecordedExecution, threads: readonly number[]): string {
  const names = execution.threads.filter(({ id }) => threads.includes(id)).map(({ name }) => name);
  return `${kind === 'deadlock' ? 'nothing can run any more' : 'a wait that nothing will end'}; waiting: ${names.join(', ')}`;
}

/** Where the threads wait; rather where one waits for a lock or a value than where one waits for it to end. */
function positionOfWaiting(execution: RecordedExecution, threads: readonly number[]) {
  const waiting = execution.ends.filter((end) => threads.includes(end.thread)).map((end) => end.next);
  return (waiting.find((next) => next?.op !== 'join' && next?.source) ?? waiting.find((next) => next?.source))?.source;
}
