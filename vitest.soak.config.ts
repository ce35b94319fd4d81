import { defineConfig } from 'vitest/config';
import { alias } from './vitest.config.ts';

/** The long-running property test: `HEDDLE_SOAK_MINUTES=60 npm run soak`. */
export default defineConfig({
  resolve: { alias },
  test: { include: ['tests/**/*.soak.ts'], testTimeout: 24 * 60 * 60 * 1000 },
});
