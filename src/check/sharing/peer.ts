/** A worker that explores what the one that leads the search gives it: see `SharedSearch`. */
import { type Divisible, type Explorer, hasBound, raiseTo } from '../../explore/explorer.ts';
import { EndlessThread, InputError } from '../../program/input-error.ts';
import { type Program, ProgramRefined } from '../../program/operation.ts';
import { Memory } from '../memory.ts';
import { Pace } from '../pace.ts';
import { giveFrom } from './give.ts';
import type { FromPeer, PeerFailure, ToPeer } from './messages.ts';
import { partOf } from './part.ts';

/** How many slices pass before it says how far it is. */
const SLICES_PER_REPORT = 40;

type DivisibleExplorer = Explorer & Divisible;

type Told<Message> = Message extends { readonly generation: number } ? Omit<Message, 'generation'> : never;

export class PeerSearch {
  readonly #program: Program;
  readonly #make: () => DivisibleExplorer;
  readonly #post: (message: FromPeer) => void;
  readonly #pace: Pick<Pace, 'run'>;
  readonly #memory: Pick<Memory, 'isShort'>;
  #generation = 0;
  #explorer: DivisibleExplorer | undefined;
  #isPaused = false;
  /** Whether it has something to explore. */
  #isBusy = false;
  #slices = 0;
  /** How often it was told what to explore since it began. */
  #orders = 0;

  /** `make`: an explorer of the program, as it knows itself then. `pace`, `memory`: for tests, which cut after few steps. */
  constructor(
    program: Program,
    make: () => DivisibleExplorer,
    post: (message: FromPeer) => void,
    pace: Pick<Pace, 'run'> = new Pace(),
    memory: Pick<Memory, 'isShort'> = new Memory(),
  ) {
    this.#program = program;
    this.#make = make;
    this.#post = post;
    this.#pace = pace;
    this.#memory = memory;
  }

  /** It is there. */
  ready(): void {
    this.#tell({ type: 'ready' });
  }

  get isBusy(): boolean {
    return this.#isBusy && !this.#isPaused;
  }

  receive(message: ToPeer): void {
    if (message.type === 'begin') this.#generation = message.generation;
    if (message.generation === this.#generation) this.#guarded(() => this.#obey(message));
  }

  /** Explores for a while. */
  runSlice(): void {
    const explorer = this.#explorer;
    if (explorer === undefined || !this.isBusy) return;
    this.#guarded(() => {
      const isOver = this.#pace.run((steps) => explorer.run(steps));
      if (explorer.isExhausted) this.#sayIdle();
      else if (isOver) this.#sayOver();
      else if (this.#memory.isShort(explorer.behaviours)) this.#sayMemoryShort();
      else if (++this.#slices % SLICES_PER_REPORT === 0) this.#sayProgress();
    });
  }

  #obey(message: ToPeer): void {
    switch (message.type) {
      case 'begin':
        this.#begin(message);
        break;
      case 'work':
        this.#orders++;
        this.#theExplorer.load(message.saved);
        this.#isBusy = true;
        break;
      case 'give':
        this.#tell({ type: 'given', parts: this.#isBusy ? giveFrom(this.#theExplorer, message.count) : [] });
        break;
      case 'pause': {
        this.#isPaused = true;
        const saved = this.#theExplorer.save();
        this.#isBusy &&= saved.items.length > 0;
        this.#tell({ type: 'paused', part: this.#part(), saved });
        break;
      }
      case 'go on':
        this.#isPaused = false;
        break;
      case 'deepen':
        this.#orders++;
        this.#deepen(message.afresh);
        break;
      case 'stop':
        this.#isBusy = false;
        this.#explorer = undefined;
        break;
    }
  }

  /** All that was explored is forgotten; it waits for work. */
  #begin({ knowledge, bound = 0 }: Extract<ToPeer, { type: 'begin' }>): void {
    this.#program.learn?.(knowledge);
    this.#isPaused = false;
    this.#isBusy = false;
    this.#orders = 0;
    const explorer = this.#make();
    this.#explorer = explorer;
    if (hasBound(explorer)) raiseTo(explorer, bound);
    explorer.load({ items: [], knowledge: this.#program.knowledge?.('search'), hasErrors: false });
  }

  #deepen(afresh: boolean): void {
    const explorer = this.#theExplorer;
    if (!hasBound(explorer)) throw new Error('a search without a bound cannot be deepened');
    explorer.deepen(afresh);
    if (afresh) explorer.load({ ...explorer.save(), items: [] });
    this.#isBusy = !explorer.isExhausted;
    if (!this.#isBusy) this.#sayIdle();
  }

  get #theExplorer(): DivisibleExplorer {
    if (this.#explorer === undefined) throw new Error('a worker was given work before the search began');
    return this.#explorer;
  }

  #sayIdle(): void {
    this.#isBusy = false;
    const explorer = this.#theExplorer;
    const keepsRefused = hasBound(explorer) && explorer.keepsRefused;
    const knowledge = this.#program.knowledge?.('search');
    this.#tell({ type: 'idle', orders: this.#orders, part: this.#part(), knowledge, keepsRefused });
  }

  #sayOver(): void {
    this.#isBusy = false;
    this.#tell({ type: 'over', part: this.#part() });
  }

  /** What is left it saves when it is told to pause. */
  #sayMemoryShort(): void {
    this.#isPaused = true;
    this.#tell({ type: 'short of memory' });
  }

  #sayProgress(): void {
    const left = 1 - this.#theExplorer.progress();
    this.#tell({ type: 'progress', part: this.#part(), left, deepest: this.#program.openLoops?.deepest ?? 0 });
  }

  #part(): ReturnType<typeof partOf> {
    return partOf(this.#theExplorer, this.#program);
  }

  /** What goes wrong is told, and ends this worker's part. */
  #guarded(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#isBusy = false;
      if (error instanceof ProgramRefined) {
        this.#tell({ type: 'refined', knowledge: this.#program.knowledge?.('search') });
      } else {
        this.#tell({ type: 'failed', failure: failureOf(error) });
      }
    }
  }

  #tell(message: Told<FromPeer>): void {
    this.#post({ ...message, generation: this.#generation } as FromPeer);
  }
}

/** The way back to the leader. */
interface LeaderPort {
  postMessage(message: FromPeer): void;
  on(event: 'message', listener: (message: ToPeer) => void): unknown;
}

/** What a thread does that is there for this alone: explores what comes by the port, until it is ended. */
export async function explorePartsOf(
  program: Program,
  make: () => DivisibleExplorer,
  port: LeaderPort,
): Promise<never> {
  let wake = (): void => {};
  const peer = new PeerSearch(program, make, (message) => port.postMessage(message));
  port.on('message', (message) => {
    peer.receive(message);
    wake();
  });
  peer.ready();
  for (;;) {
    while (peer.isBusy) {
      peer.runSlice();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
}

export function failureOf(error: unknown): PeerFailure {
  if (error instanceof InputError) {
    const kind = error instanceof EndlessThread ? 'endless' : 'input';
    return { kind, message: error.message, position: error.position };
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { kind: 'internal', message, position: undefined };
}
