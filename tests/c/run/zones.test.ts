import { describe, expect, test } from 'vitest';
import { gapAfter, LARGE_OBJECTS } from '../../../src/c/run/addresses.ts';
import { type Identity, Zones } from '../../../src/c/run/zones.ts';
import { hashOfText } from '../../../src/program/hash.ts';

type Placed = Identity & { readonly address: number };

const objectOf = (number: number, size = 4, more: Partial<Identity> = {}): Identity => ({
  thread: 1,
  number,
  origin: { key: 'heap node', hash: hashOfText('heap node') },
  size,
  align: 16,
  initialKind: 0,
  frame: -1,
  ...more,
});

function place(zones: Zones<Placed>, identity: Identity): Placed {
  const found = zones.find(identity);
  if (found === undefined) throw new Error('there is no room');
  if (typeof found !== 'number') return found;
  const placed = { ...identity, address: found };
  zones.add(placed);
  return placed;
}

const placeAll = (identities: readonly Identity[], zones = new Zones<Placed>([])): Map<Identity, number> =>
  new Map(identities.map((identity) => [identity, place(zones, identity).address]));

const some = [1, 4, 32, 33, 100, 4000, 5000, 100_000, 1_000_000].flatMap((size) =>
  [0, 1, 2, 7].flatMap((number) =>
    [1, 2, 1_048_580].map((thread) => objectOf(number, size, { thread, origin: originOf(`origin ${number % 2}`) })),
  ),
);

function originOf(key: string): Identity['origin'] {
  return { key, hash: hashOfText(key) };
}

describe('addresses', () => {
  test('do not depend on the order in which objects are made', () => {
    const addresses = placeAll(some);
    for (const [identity, address] of placeAll(some.toReversed())) expect(address).toBe(addresses.get(identity));
  });

  test('are those of one object for ever, with room after it', () => {
    const zones = new Zones<Placed>([]);
    const addresses = [...placeAll(some, zones)];
    expect([...placeAll(some, zones)]).toEqual(addresses);
    const sorted = addresses.sort(([, a], [, b]) => a - b);
    for (const [i, [identity, address]] of sorted.entries()) {
      const next = sorted[i + 1]?.[1] ?? 0x7fffffff;
      expect(next - address).toBeGreaterThanOrEqual(identity.size + gapAfter(identity.size));
      for (const offset of [0, identity.size - 1, identity.size + gapAfter(identity.size) - 1]) {
        expect(zones.at(address + offset)?.address).toBe(address);
      }
    }
  });

  test('are aligned', () => {
    const zones = new Zones<Placed>([]);
    for (const align of [16, 64, 4096, 65_536]) expect(place(zones, objectOf(0, 8, { align })).address % align).toBe(0);
  });

  test('of objects that one call makes one after the other lie side by side', () => {
    const zones = new Zones<Placed>([]);
    const [a, b] = [place(zones, objectOf(5)), place(zones, objectOf(6))];
    expect(Math.abs(b.address - a.address)).toBe(64);
  });

  test('of nothing', () => {
    expect(new Zones<Placed>([]).at(0x20000000)).toBe(undefined);
    expect(new Zones<Placed>([]).at(LARGE_OBJECTS)).toBe(undefined);
  });
});

describe('displaced objects', () => {
  /** The same slot: only the frame, which says nothing about it, tells them apart. */
  const rivals = [0, 1, 2, 3].map((frame) => objectOf(9, 4, { frame }));

  test('lie elsewhere, and whoever knows of them puts them there in whatever order', () => {
    const zones = new Zones<Placed>([]);
    const addresses = placeAll(rivals, zones);
    expect(new Set(addresses.values()).size).toBe(4);
    expect(zones.displaced).toHaveLength(3);
    const again = placeAll(rivals.toReversed(), new Zones<Placed>(zones.displaced));
    for (const [identity, address] of again) expect(address).toBe(addresses.get(identity));
  });

  test('are all that are too large for a slot, too', () => {
    const large = [0, 1, 2].map((number) => objectOf(number, 3_000_000));
    const zones = new Zones<Placed>([]);
    const addresses = placeAll(large, zones);
    expect(zones.displaced).toHaveLength(3);
    const known = new Zones<Placed>(zones.displaced);
    const again = placeAll([objectOf(7, 2_000_000), ...large.toReversed()], known);
    for (const identity of large) expect(again.get(identity)).toBe(addresses.get(identity));
    for (const [identity, address] of again) expect(known.at(address + identity.size)?.number).toBe(identity.number);
  });

  test('must lie in the same places in every process that explores a part of a search', () => {
    const [a, b] = [rivals[0] as Identity, rivals[1] as Identity];
    const withBoth = new Zones<Placed>([]);
    placeAll([a, b], withBoth); // b is displaced
    const { displaced } = withBoth;
    const having = (...identities: readonly Identity[]): Zones<Placed> => {
      const zones = new Zones<Placed>([]);
      placeAll(identities, zones);
      return zones;
    };
    expect(withBoth.agreesWith(displaced)).toBe(true);
    expect(having(a).agreesWith(displaced)).toBe(true);
    expect(having(b).agreesWith(displaced), 'b lies in its own slot here').toBe(false);
    expect(having(b, a).agreesWith(displaced), 'a was displaced here').toBe(false);
    expect(withBoth.agreesWith([]), 'b may lie in its own slot there').toBe(false);
    const [c, d] = [objectOf(0, 3_000_000), objectOf(1, 3_000_000)];
    expect(having(c).agreesWith([])).toBe(true);
    expect(having(c).agreesWith(having(c, d).displaced)).toBe(true);
    expect(having(c).agreesWith(having(d).displaced), 'in the same place').toBe(false);
  });

  test('a memory that is full gives nothing', () => {
    const zones = new Zones<Placed>([]);
    const huge = (number: number) => objectOf(number, 400_000_000);
    place(zones, huge(0));
    expect(zones.find(huge(1))).toBe(undefined);
  });

  test('made again after all were forgotten, objects lie where they lay', () => {
    const zones = new Zones<Placed>([]);
    const addresses = placeAll([...rivals, objectOf(1, 3_000_000)], zones);
    zones.clear();
    expect([...placeAll([...addresses.keys()].toReversed(), zones)].toReversed()).toEqual([...addresses]);
  });
});
