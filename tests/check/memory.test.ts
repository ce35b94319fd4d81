/** A search stops before memory runs out, and first forgets what it can work out again. */
import { describe, expect, test } from 'vitest';
import { lastzero } from '../../bench/programs.ts';
import { check, checkSync } from '../../src/check/check.ts';
import { type Heap, ownHeap } from '../../src/check/heap.ts';
import { makeExplorer } from '../../src/check/make-explorer.ts';
import { Memory } from '../../src/check/memory.ts';
import { resolveOptions } from '../../src/check/options.ts';
import type { SearchState } from '../../src/check/saved-state.ts';
import type { FromPeer, ToPeer } from '../../src/check/sharing/messages.ts';
import { PeerSearch } from '../../src/check/sharing/peer.ts';
import { Peers, shareOut } from '../../src/check/sharing/shared-search.ts';
import type { Divisible, Explorer } from '../../src/explore/explorer.ts';

/** A heap with so much in use, and so much of it live; garbage collections are counted and take a second. */
class FakeHeap implements Heap {
  inUse = 0;
  lives = 0;
  collections = 0;
  ms = 0;

  used(): number {
    return this.inUse;
  }

  live(): number {
    this.collections++;
    this.ms += 1000;
    this.inUse = this.lives;
    return this.lives;
  }
}

/** What is asked to forget. */
class Forgetful {
  epoch = 0;
  asked = 0;

  forgetSoon(): void {
    this.asked++;
  }
}

describe('memory', () => {
  function begin() {
    const heap = new FakeHeap();
    return { heap, behaviours: new Forgetful(), memory: new Memory(heap, () => heap.ms) };
  }

  test('as long as there is enough, nobody looks closer', () => {
    const { heap, behaviours, memory } = begin();
    heap.inUse = 0.79;
    expect(memory.isShort(behaviours)).toBe(false);
    expect(heap.collections).toBe(0);
  });

  test('garbage does not count, and is not collected all the time', () => {
    const { heap, behaviours, memory } = begin();
    heap.lives = 0.5;
    for (let slice = 0; slice < 10; slice++) {
      heap.inUse = 0.85;
      heap.ms += 25;
      expect(memory.isShort(behaviours)).toBe(false);
    }
    expect(heap.collections).toBe(1);
    heap.inUse = 0.95; // this may be more than garbage
    expect(memory.isShort(behaviours)).toBe(false);
    expect(heap.collections).toBe(2);
    expect(behaviours.asked).toBe(0);
  });

  test('what can be worked out again is forgotten first', () => {
    const { heap, behaviours, memory } = begin();
    heap.inUse = heap.lives = 0.85;
    expect(memory.isShort(behaviours)).toBe(false);
    expect(memory.isShort(behaviours)).toBe(false); // the execution has not ended yet
    expect(behaviours.asked).toBe(1);
    behaviours.epoch++;
    heap.lives = 0.3;
    heap.ms += 100_000;
    expect(memory.isShort(behaviours)).toBe(false);
    heap.inUse = heap.lives = 0.85; // much later
    heap.ms += 100_000;
    expect(memory.isShort(behaviours)).toBe(false);
    expect(behaviours.asked).toBe(2);
  });

  test('it is short if that is not enough, or if there is no time for it', () => {
    const { heap, behaviours, memory } = begin();
    heap.inUse = heap.lives = 0.85;
    expect(memory.isShort(behaviours)).toBe(false);
    behaviours.epoch++;
    expect(memory.isShort(behaviours)).toBe(true);
    heap.inUse = heap.lives = 0.95;
    expect(new Memory(heap, () => heap.ms).isShort(new Forgetful())).toBe(true);
  });

  test('the heap of this thread has less in it without garbage', () => {
    let garbage: unknown[] = [];
    for (let i = 0; i < 1_000_000; i++) garbage.push({ i });
    const used = ownHeap.used();
    garbage = [];
    expect(ownHeap.live()).toBeLessThan(used);
    expect(used).toBeGreaterThan(0);
    expect(used).toBeLessThan(1);
  });
});

describe('a search whose memory runs short', () => {
  const full: Heap = { used: () => 0.85, live: () => 0.85 };

  test.each(['trust', 'buster', 'optimal', 'source', 'dpor', 'bpor', 'dfs', 'vc'])('%s', (algorithm) => {
    const result = checkSync(lastzero(algorithm === 'dfs' ? 3 : 13), { algorithm, timeout: 30 }, { heap: full });
    expect(result).toMatchObject({ verdict: 'incomplete', stoppedBy: 'memory', errors: [] });
    // an execution has ended: only then is anything forgotten
    if (algorithm !== 'vc') expect(result.executions.complete).toBeGreaterThan(0);
  });

  test('one whose memory suffices is as ever, although all is forgotten at every chance', () => {
    for (const algorithm of ['trust', 'optimal', 'source', 'dpor', 'bpor', 'dfs', 'vc']) {
      const program = lastzero(algorithm === 'dfs' ? 2 : 4);
      const usual = checkSync(program, { algorithm });
      const options = resolveOptions({ algorithm }, program.language);
      const explorer = makeExplorer(program, options);
      while (!explorer.run(1)) explorer.behaviours.forgetSoon();
      expect(explorer.behaviours.epoch).toBeGreaterThan(10);
      if (algorithm !== 'vc') expect(explorer.counts).toEqual(usual.executions); // which depends on what is known of threads
      expect(explorer.isExhausted).toBe(true);
    }
  });

  test('tells its state, from which it can go on', async () => {
    const states: SearchState[] = [];
    const onState = (state: SearchState): void => void states.push(state);
    const result = await check(lastzero(10), {}, { heap: full, peers: new Peers(), onState });
    expect(result).toMatchObject({ verdict: 'incomplete', stoppedBy: 'memory' });
    const [before] = states;
    if (before === undefined) throw new Error('it has told nothing');
    expect(before.part.counts.complete).toBe(result.executions.complete);
    const rest = await check(lastzero(10), {}, { peers: new Peers(), before });
    expect(rest).toMatchObject({ verdict: 'ok', executions: { complete: 3328 } });
  });

  test('also in another worker, which saves what is left', async () => {
    const program = lastzero(10);
    const options = resolveOptions({ algorithm: 'trust' }, program.language);
    const make = () => makeExplorer(program, options) as Explorer & Divisible;
    const peers = new Peers();
    const toPeer: ToPeer[] = [];
    const fromPeer: FromPeer[] = [];
    const pace = { run: <T>(slice: (steps: number) => T): T => slice(10) };
    const peer = new PeerSearch(program, make, (message) => fromPeer.push(message), pace, { isShort: () => true });
    const link = { post: (message: ToPeer) => toPeer.push(message) };
    peers.add(link);
    const search = shareOut(make(), program, peers, undefined, { pauseMs: 0 });
    const deliver = (): void => {
      for (const message of toPeer.splice(0)) peer.receive(message);
      peer.runSlice();
      for (const message of fromPeer.splice(0)) peers.receive(link, message);
    };
    for (let i = 0; i < 1000 && !search.isMemoryShort; i++) {
      search.run(10);
      deliver();
    }
    expect(search.isMemoryShort).toBe(true);
    expect(peer.isBusy).toBe(false);
    const settled = search.settle();
    deliver();
    const { part, saved } = await settled;
    // all that is left is in what was saved
    const rest = make();
    rest.load(saved);
    while (!rest.run(1000));
    expect(part.counts.complete + rest.counts.complete).toBe(3328);
  });
});
