/**
 * How thorough the tests are: `npm run test:quick`, `npm test`, `npm run test:long`, and `npm run soak` for what takes longer
 * still. The command says which by its mode, and vitest.config.ts passes it on. The programs of a tier are the first of the next,
 * so that a longer run contains the shorter.
 */
const tiers = ['quick', 'normal', 'long', 'soak'] as const;
type Tier = (typeof tiers)[number];

interface Amounts<T> {
  /** Left out by what has no less than the normal amount, or is not among the quick tests. */
  readonly quick?: T;
  readonly normal: T;
  readonly long: T;
  readonly soak?: T;
}

/** How much a test does. */
export function byTier<T>({ normal, long, quick = normal, soak = long }: Amounts<T>): T {
  return { quick, normal, long, soak }[tier()];
}

function tier(): Tier {
  const asked = process.env['HEDDLE_TIER'] ?? 'normal';
  const known = tiers.find((each) => each === asked);
  if (known === undefined) throw new Error(`HEDDLE_TIER is ${asked}; there is ${tiers.join(', ')}`);
  return known;
}
