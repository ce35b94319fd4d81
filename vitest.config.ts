import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Tests and examples use the sources; only the tests of the command line need a build. */
export const alias = {
  'heddle/c': fileURLToPath(new URL('src/c/index.ts', import.meta.url)),
  'heddle/vitest': fileURLToPath(new URL('src/vitest.ts', import.meta.url)),
  heddle: fileURLToPath(new URL('src/index.ts', import.meta.url)),
};

export default defineConfig({
  resolve: { alias },
  test: { include: ['tests/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 120_000, maxWorkers: '100%' },
});
