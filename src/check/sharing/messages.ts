/**
 * What the worker that leads a search and the others tell each other. All of it is plain data. A search that starts over is another
 * `generation`: whoever gets a message of an older one passes it over.
 */
import type { SavedSearch } from '../../program/execution.ts';
import type { Knowledge } from '../../program/knowledge.ts';
import type { SourcePosition } from '../../program/operation.ts';
import type { Part } from './part.ts';

export type ToPeer = { readonly generation: number } & (
  | /** Nothing is explored yet; this is all that is known, and the bound, if it rises. */ {
      readonly type: 'begin';
      readonly knowledge: Knowledge | undefined;
      readonly bound: number | undefined;
    }
  | /** Explores this. */ { readonly type: 'work'; readonly saved: SavedSearch }
  | /** Gives away some of what it has to explore, so many parts at most: `given`. */ {
      readonly type: 'give';
      readonly count: number;
    }
  | /** Stands still, and says what it has come to and what is left: `paused`. */ { readonly type: 'pause' }
  | { readonly type: 'go on' }
  | /** The next bound: what it has refused, or `afresh`, that is, nothing for now. */ {
      readonly type: 'deepen';
      readonly afresh: boolean;
    }
  | /** The search is over. */ { readonly type: 'stop' }
);

export type FromPeer = { readonly generation: number } & (
  | /** It has loaded the program. */ { readonly type: 'ready' }
  | { readonly type: 'given'; readonly parts: readonly SavedSearch[] }
  | /** How far it has come. */ {
      readonly type: 'progress';
      readonly part: Part;
      /** The part of the whole search that it still has to explore: a guess. */
      readonly left: number;
      /** How often loops that are not known to end have gone round: `OpenLoops.deepest`. */
      readonly deepest: number;
    }
  | /** It has explored all that it had, after so many orders (`work`, `deepen`): what was sent since is on its way. */ {
      readonly type: 'idle';
      readonly orders: number;
      readonly part: Part;
      readonly knowledge: Knowledge | undefined;
      readonly keepsRefused: boolean;
    }
  | /** It has found an error at which the search is to stop. */ { readonly type: 'over'; readonly part: Part }
  | { readonly type: 'paused'; readonly part: Part; readonly saved: SavedSearch }
  | /** The program has learned something that makes all that was explored void. */ {
      readonly type: 'refined';
      readonly knowledge: Knowledge | undefined;
    }
  | { readonly type: 'failed'; readonly failure: PeerFailure }
  | /** It has hardly any memory left and explores no more: the search is to stop. */ {
      readonly type: 'short of memory';
    }
);

/** `input`: the program cannot be checked, for this reason; `endless`: as a thread of it does not end; `internal`: we are wrong. */
export interface PeerFailure {
  readonly kind: 'input' | 'endless' | 'internal';
  readonly message: string;
  readonly position: SourcePosition | undefined;
}
