/**
 * How thorough the tests are: `npm run test:quick`, `npm test`, `npm run test:long`. The command says which by its mode, and
 * vitest.config.ts passes it on. The programs of a tier are the first of the next, so that a longer run contains the shorter.
 */
export const tiers = ['quick', 'normal', 'long'] as const;
export type Tier = (typeof tiers)[number];

/** How much a test does; one that does not say what is quick does as much as normally, or is not among the quick ones. */
export function byTier<T>({ normal, long, quick = normal }: { quick?: T; normal: T; long: T }): T {
  return { quick, normal, long }[tier()];
}

function tier(): Tier {
  const asked = process.env['HEDDLE_TIER'] ?? 'normal';
  const known = tiers.find((each) => each === asked);
  if (known === undefined) throw new Error(`HEDDLE_TIER is ${asked}; there is ${tiers.join(', ')}`);
  return known;
}
