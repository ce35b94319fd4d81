import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { hotCode } from './scripts/hot/vitest-plugin.mjs';

/** Tests and examples use the sources; only the tests of the command line need a build. */
const alias = {
  'heddle/c': fileURLToPath(new URL('src/c/index.ts', import.meta.url)),
  'heddle/vitest': fileURLToPath(new URL('src/vitest.ts', import.meta.url)),
  heddle: fileURLToPath(new URL('src/index.ts', import.meta.url)),
};

/** What has more in the long tier, longest first: these begin, so that two workers are busy to the end. */
const comparisons = [
  'tests/explore/bpor',
  'tests/explore/sweep-',
  'tests/c/random/',
  'tests/conformance/',
  'tests/c/passes/pure-loops.test.ts',
  'tests/c/run/rounds.test.ts',
  'tests/c/run/replay.test.ts',
  'tests/c/run/futures.test.ts',
  'tests/oracle/axiomatic.test.ts',
  'tests/models/laws.test.ts',
  'tests/models/from-scratch.test.ts',
  'tests/examples-c.test.ts',
  'tests/examples-bounding.test.ts',
  'tests/check/weak.test.ts',
  'tests/check/sharing.test.ts',
  'tests/check/object-copies.test.ts',
  'tests/cli/resume.test.ts',
  'tests/cluster/',
  'tests/explore/',
];

/** What takes long, or needs a build or a C compiler: not quick. */
const notQuick = [
  'tests/explore/sweep-*',
  'tests/explore/{counts,fresh-process}*',
  'tests/c/{compile,random}/**',
  'tests/c/run/{futures,orders,programs,replay,spin,synchronisation}.test.ts',
  'tests/c/{fair,load}.test.ts',
  'tests/c/passes/{pure-loops,random}.test.ts',
  'tests/c/ir/fuzz.test.ts',
  'tests/conformance/**',
  'tests/{cli,cluster}/**',
  'tests/{oracle,random}/**',
  'tests/check/{weak,sharing}.test.ts',
  'tests/models/{laws,litmus,from-scratch}.test.ts',
  'tests/{docs,examples}*',
];

const all = ['tests/**/*.test.ts'];
/** An installed clang, and a server with several processes, which not everybody has: `.ci/run` installs both, for the long tier. */
const needInstalled = ['tests/conformance/versions.test.ts', 'tests/cluster/processes.test.ts'];

/** The files of each tier (tests/tier.ts), which is the mode of `vitest run --mode`. */
const modes: Readonly<Record<string, { readonly include: readonly string[]; readonly exclude?: readonly string[] }>> = {
  quick: { include: all, exclude: notQuick },
  normal: { include: all, exclude: needInstalled },
  long: { include: comparisons.map((path) => (path.endsWith('.ts') ? path : `${path}**/*.test.ts`)) },
  soak: {
    include: [
      'tests/**/*.soak.ts',
      'tests/conformance/*.test.ts',
      'tests/explore/{bounds,buster,bpor,exclusions,plans,quiet-tail,sweep,values,closure,observers}*.test.ts',
    ],
  },
};

class ComparisonsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = comparisons.findIndex((path) => moduleId.includes(path));
      return at < 0 ? comparisons.length : at;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig(({ mode }) => {
  const tier = mode === 'test' ? 'normal' : mode; // vitest's own word if none is given
  const files = modes[tier];
  if (files === undefined) throw new Error(`unknown mode ${mode}; there is ${Object.keys(modes).join(', ')}`);
  return {
    resolve: { alias },
    plugins: [hotCode(tier === 'long' || tier === 'soak')],
    test: {
      include: [...files.include],
      exclude: [...(files.exclude ?? [])],
      env: { HEDDLE_TIER: tier },
      testTimeout: { soak: 24 * 60 * 60 * 1000, long: 600_000 }[tier] ?? 60_000,
      hookTimeout: 120_000,
      isolate: tier === 'long' || tier === 'soak', // loading the sources once in each worker saves a third
      maxWorkers: '100%',
      sequence: { sequencer: ComparisonsFirst },
    },
  };
});
