/** Which part of a search to give away: the shallowest options that nobody has tried, since most comes of them. */
import type { Divisible, Explorer } from '../../explore/explorer.ts';
import type { Open, SavedSearch, WorkItem } from '../../program/execution.ts';

/** Takes up to `count` parts out of what an explorer still has to explore, and leaves it half of its items; empty: there is nothing to divide. */
export function giveFrom(explorer: Explorer & Divisible, count: number): readonly SavedSearch[] {
  if (!explorer.hasOthers) return []; // to cut it would only lose how far it has come
  const saved = explorer.save();
  const { items } = saved;
  const given = items.slice(0, Math.max(1, Math.min(count, Math.floor(items.length / 2))));
  if (given.length < items.length) {
    explorer.load({ ...saved, items: items.slice(given.length) });
    return given.map((item) => ({ ...saved, items: [item] }));
  }
  const halves = items[0] === undefined ? undefined : halvesOf(items[0]);
  if (halves === undefined) return [];
  explorer.load({ ...saved, items: [halves[0]] });
  return [{ ...saved, items: [halves[1]] }];
}

/** An item as two, if it has several options. The first has those that come next. */
function halvesOf(item: WorkItem): readonly [WorkItem, WorkItem] | undefined {
  if (item.open === undefined) return undefined;
  const count = optionsOf(item.open);
  if (count < 2) return undefined;
  const middle = Math.ceil(count / 2);
  const part = (from: number, to: number): WorkItem => ({
    ...item,
    open: openFrom(item.open as Open, from, to),
    share: (item.share * (to - from)) / count,
  });
  return [part(0, middle), part(middle, count)];
}

function optionsOf(open: Open): number {
  switch (open.kind) {
    case 'read':
      return open.readsFrom.length;
    case 'write':
      return open.after.length + open.revisits.length;
    case 'revisit':
      return open.after.length;
    case 'choose':
      return open.choices.length;
    case 'schedule':
      return open.steps.length;
  }
}

/** With its options from one to before another, in the order in which they are tried. */
function openFrom(open: Open, from: number, to: number): Open {
  switch (open.kind) {
    case 'read':
      return { ...open, readsFrom: open.readsFrom.slice(from, to) };
    case 'write': {
      const places = open.after.length;
      const revisits = open.revisits.slice(Math.max(0, from - places), Math.max(0, to - places));
      return { ...open, after: open.after.slice(from, to), revisits };
    }
    case 'revisit':
      return { ...open, after: open.after.slice(from, to) };
    case 'choose':
      return { ...open, choices: open.choices.slice(from, to) };
    case 'schedule':
      return { ...open, steps: open.steps.slice(from, to) };
  }
}
