/** Module hooks: programs that are made by tests get the sources that the tests use, as in vitest.config.ts. */
const sources = new URL('../../../src/index.ts', import.meta.url).href;

export const resolve = (specifier, context, next) => next(specifier === 'heddle' ? sources : specifier, context);
