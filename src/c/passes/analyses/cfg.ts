/**
 * The control flow graph of a function: predecessors, reverse postorder, dominators, dominance frontiers, loops. Blocks
 * are known by their index in reverse postorder; unreachable ones have none. Everything here is a snapshot: a pass that
 * changes edges asks again.
 *
 * Nothing recurses over blocks, because functions can be large.
 */
import type { Block, IrFunction } from '../../ir/module.ts';
import { successorsOf } from '../../ir/module.ts';
import { phisOf } from './values.ts';

export interface Cfg {
  /** The reachable blocks in reverse postorder; the entry is first. */
  readonly blocks: readonly Block[];
  readonly index: ReadonlyMap<Block, number>;
  /** Once for each edge, so that a `switch` may be there several times. */
  readonly predecessors: readonly (readonly number[])[];
  readonly successors: readonly (readonly number[])[];
}

export function buildCfg(f: IrFunction): Cfg {
  const blocks = reversePostorder(f);
  const index = new Map(blocks.map((block, i) => [block, i]));
  const successors = blocks.map((block) => successorsOf(block).map((successor) => index.get(successor)!));
  const predecessors: number[][] = blocks.map(() => []);
  for (const [from, targets] of successors.entries()) for (const to of targets) predecessors[to]!.push(from);
  return { blocks, index, predecessors, successors };
}

function reversePostorder(f: IrFunction): Block[] {
  const entry = f.blocks[0];
  if (entry === undefined) return [];
  const seen = new Set([entry]);
  const postorder: Block[] = [];
  const stack = [{ block: entry, successors: successorsOf(entry), next: 0 }];
  while (stack.length > 0) {
    const top = stack.at(-1)!;
    if (top.next === top.successors.length) {
      postorder.push(top.block);
      stack.pop();
      continue;
    }
    // The last successor first, so that in reverse postorder the first one comes first.
    const successor = top.successors[top.successors.length - 1 - top.next++]!;
    if (seen.has(successor)) continue;
    seen.add(successor);
    stack.push({ block: successor, successors: successorsOf(successor), next: 0 });
  }
  return postorder.reverse();
}

/** Removes the blocks that control cannot reach, and their operands of phis. */
export function removeUnreachable(f: IrFunction): boolean {
  const reachable = new Set(reversePostorder(f));
  if (reachable.size === f.blocks.length) return false;
  for (const block of f.blocks) {
    if (reachable.has(block)) continue;
    for (const instruction of block.instructions) f.variables.delete(instruction);
  }
  f.blocks = f.blocks.filter((block) => reachable.has(block));
  for (const block of f.blocks) {
    for (const phi of phisOf(block)) {
      phi.operands = phi.operands.filter((_, i) => reachable.has(phi.blocks[i]!));
      phi.blocks = phi.blocks.filter((from) => reachable.has(from));
    }
  }
  return true;
}

export interface Dominators {
  /** The immediate dominator; of the entry: itself. */
  readonly immediate: readonly number[];
  /** Each block dominates itself. */
  dominates(a: number, b: number): boolean;
}

/** Edges, in reverse postorder from the entry, which is number 0. */
export type Edges = Pick<Cfg, 'predecessors'>;

/** Cooper, Harvey, Kennedy: "A simple, fast dominance algorithm". */
export function findDominators(cfg: Edges): Dominators {
  const count = cfg.predecessors.length;
  const immediate = new Array<number>(count).fill(-1);
  if (count > 0) immediate[0] = 0;
  for (let changed = true; changed; ) {
    changed = false;
    for (let block = 1; block < count; block++) {
      let common = -1;
      for (const predecessor of cfg.predecessors[block]!) {
        if (immediate[predecessor] === -1) continue;
        common = common === -1 ? predecessor : intersect(immediate, predecessor, common);
      }
      if (immediate[block] !== common) {
        immediate[block] = common;
        changed = true;
      }
    }
  }
  const { enter, leave } = numberTree(immediate);
  return { immediate, dominates: (a, b) => enter[a]! <= enter[b]! && leave[b]! <= leave[a]! };
}

function intersect(immediate: readonly number[], a: number, b: number): number {
  let x = a;
  let y = b;
  while (x !== y) {
    while (x > y) x = immediate[x]!;
    while (y > x) y = immediate[y]!;
  }
  return x;
}

/** When a walk over the dominator tree enters and leaves each block. */
function numberTree(immediate: readonly number[]): { enter: number[]; leave: number[] } {
  const children: number[][] = immediate.map(() => []);
  for (let block = 1; block < immediate.length; block++) children[immediate[block]!]!.push(block);
  const enter = new Array<number>(immediate.length).fill(0);
  const leave = new Array<number>(immediate.length).fill(0);
  let clock = 0;
  const stack = immediate.length > 0 ? [{ block: 0, next: 0 }] : [];
  while (stack.length > 0) {
    const top = stack.at(-1)!;
    if (top.next === 0) enter[top.block] = clock++;
    const child = children[top.block]![top.next++];
    if (child === undefined) {
      leave[top.block] = clock++;
      stack.pop();
    } else {
      stack.push({ block: child, next: 0 });
    }
  }
  return { enter, leave };
}

/** For each block, those where its dominance ends: it dominates a predecessor, but not strictly the block itself. */
export function dominanceFrontiers(cfg: Edges, dominators: Dominators): number[][] {
  const frontiers = cfg.predecessors.map(() => new Set<number>());
  for (const [block, predecessors] of cfg.predecessors.entries()) {
    const stop = block === 0 ? -1 : dominators.immediate[block]!;
    for (const predecessor of predecessors) {
      for (let at = predecessor; at !== stop; at = dominators.immediate[at]!) {
        frontiers[at]!.add(block);
        if (at === 0) break;
      }
    }
  }
  return frontiers.map((frontier) => [...frontier].sort((a, b) => a - b));
}

/** A loop of the control flow graph. What a thread waits in is another thing: `Loop` of src/program/operation.ts. */
export interface CfgLoop {
  /** The first of its blocks in reverse postorder. All cycles of the loop that are in no inner loop lead through it. */
  readonly header: Block;
  readonly blocks: ReadonlySet<Block>;
  /** Where the back edges come from: the predecessors of the header inside the loop, once for each edge. */
  readonly latches: readonly Block[];
  /** The edges that enter the loop. All lead to the header, unless the loop is irreducible. */
  readonly entries: readonly { readonly from: Block; readonly to: Block }[];
  readonly isIrreducible: boolean;
  /** The next larger loop around it. */
  readonly parent: CfgLoop | undefined;
}

/**
 * The loops of a function, outer ones before inner ones. A loop is a strongly connected component; its header is what a
 * depth-first search reaches first, so that all back edges are retreating ones. The loops inside it are the components
 * that are left without its back edges. Of a reducible function these are its natural loops, those with the same header
 * taken together.
 */
export function findLoops(cfg: Cfg): CfgLoop[] {
  const loops: CfgLoop[] = [];
  const isHeader = new Array<boolean>(cfg.blocks.length).fill(false);
  type Region = { readonly blocks: readonly number[]; readonly parent: CfgLoop | undefined };
  const regions: Region[] = [{ blocks: cfg.blocks.map((_, i) => i), parent: undefined }];
  for (let region = regions.pop(); region !== undefined; region = regions.pop()) {
    // Headers of loops around the region: edges to them are back edges of those loops.
    const components = stronglyConnected(cfg, region.blocks, isHeader);
    components.sort((a, b) => b[0]! - a[0]!);
    for (const component of components) {
      const loop = makeLoop(cfg, component, region.parent);
      isHeader[component[0]!] = true;
      loops.push(loop);
      regions.push({ blocks: component, parent: loop });
    }
  }
  const depth = new Map<CfgLoop, number>();
  for (const loop of loops) depth.set(loop, loop.parent === undefined ? 0 : depth.get(loop.parent)! + 1);
  const order = (loop: CfgLoop) => cfg.index.get(loop.header)!;
  return loops.sort((a, b) => depth.get(a)! - depth.get(b)! || order(a) - order(b));
}

/** `component` is in ascending order. */
function makeLoop(cfg: Cfg, component: readonly number[], parent: CfgLoop | undefined): CfgLoop {
  const members = new Set(component);
  const header = component[0]!;
  const latches: Block[] = [];
  const entries: { from: Block; to: Block }[] = [];
  let isIrreducible = false;
  for (const to of component) {
    for (const from of cfg.predecessors[to]!) {
      if (members.has(from)) {
        if (to === header) latches.push(cfg.blocks[from]!);
      } else {
        entries.push({ from: cfg.blocks[from]!, to: cfg.blocks[to]! });
        if (to !== header) isIrreducible = true;
      }
    }
  }
  const blocks = new Set(component.map((i) => cfg.blocks[i]!));
  return { header: cfg.blocks[header]!, blocks, latches, entries, isIrreducible, parent };
}

/**
 * Tarjan's algorithm on some of the blocks, without the edges to blocks in `closed`. Only components that have a cycle
 * are given, each in ascending order.
 */
function stronglyConnected(cfg: Cfg, region: readonly number[], closed: readonly boolean[]): number[][] {
  const inRegion = new Set(region);
  const order = new Map<number, number>();
  const low = new Map<number, number>();
  const onStack = new Set<number>();
  const open: number[] = [];
  const components: number[][] = [];
  const edgesOf = (block: number) => cfg.successors[block]!.filter((to) => inRegion.has(to) && !closed[to]);

  for (const root of region) {
    if (order.has(root)) continue;
    const walk = [{ block: root, edges: edgesOf(root), next: 0 }];
    const visit = (block: number) => {
      order.set(block, order.size);
      low.set(block, order.get(block)!);
      open.push(block);
      onStack.add(block);
    };
    visit(root);
    while (walk.length > 0) {
      const top = walk.at(-1)!;
      const to = top.edges[top.next++];
      if (to === undefined) {
        walk.pop();
        const above = walk.at(-1);
        if (above !== undefined) low.set(above.block, Math.min(low.get(above.block)!, low.get(top.block)!));
        if (low.get(top.block) !== order.get(top.block)) continue;
        const component: number[] = [];
        for (let block = -1; block !== top.block; ) {
          block = open.pop()!;
          onStack.delete(block);
          component.push(block);
        }
        if (component.length > 1 || top.edges.includes(top.block)) components.push(component.sort((a, b) => a - b));
      } else if (!order.has(to)) {
        visit(to);
        walk.push({ block: to, edges: edgesOf(to), next: 0 });
      } else if (onStack.has(to)) {
        low.set(top.block, Math.min(low.get(top.block)!, order.get(to)!));
      }
    }
  }
  return components;
}
