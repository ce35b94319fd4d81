/**
 * Module hooks (`node:module` register): a program runs without a build step, wherever its file lies. They run in a
 * thread of their own.
 */
import { readFile } from 'node:fs/promises';
import { createRequire, type InitializeHook, type LoadHook, type ResolveHook } from 'node:module';
import { fileURLToPath } from 'node:url';

/** See `Host.library`. */
let library: Readonly<Record<string, string>> = {};

export const initialize: InitializeHook<typeof library | undefined> = (given = {}) => {
  library = given;
};

/** Programs get this very installation, so that there is one instance of its modules. */
export const resolve: ResolveHook = async (specifier, context, nextResolve) => {
  const url = library[specifier];
  if (url !== undefined) return { url, format: 'module', shortCircuit: true };
  if (specifier === 'heddle' || specifier.startsWith('heddle/')) {
    return nextResolve(specifier, { ...context, parentURL: import.meta.url });
  }
  try {
    return await nextResolve(specifier, context);
  } catch (error) {
    for (const other of otherSpellings(specifier)) {
      try {
        return await nextResolve(other, context);
      } catch {
        // the next one, and in the end the first error
      }
    }
    throw error;
  }
};

/** What TypeScript accepts and Node does not: `./x.js` for x.ts, `./x` for x.ts or x/index.ts. */
function otherSpellings(specifier: string): string[] {
  if (!/^(\.\.?(\/|$)|\/|file:)/.test(specifier)) return [];
  if (/\.m?js$/.test(specifier)) return [specifier.replace(/js$/, 'ts')];
  const base = specifier.replace(/\/$/, '');
  return ['.ts', '.mts', '.js', '.mjs', '/index.ts', '/index.js'].map((ending) => `${base}${ending}`);
}

export const load: LoadHook = async (url, context, nextLoad) => {
  if (!url.startsWith('file:') || url.includes('/node_modules/')) return nextLoad(url, context);
  const path = new URL(url).pathname;
  if (/\.m?ts$/.test(path)) {
    const file = fileURLToPath(url);
    return { format: 'module', shortCircuit: true, source: withoutTypes(await readFile(file, 'utf8'), file) };
  }
  if (path.endsWith('.js') && context.format !== 'module') {
    const source = await readFile(fileURLToPath(url), 'utf8');
    // whatever the nearest package.json says
    if (/^\s*(import|export)\b/m.test(source)) return { format: 'module', shortCircuit: true, source };
  }
  return nextLoad(url, context);
};

function withoutTypes(source: string, filename: string): string {
  // not import: for that Node would look for names of exports in its megabytes
  const swc: typeof import('@swc/wasm-typescript') = createRequire(import.meta.url)('@swc/wasm-typescript');
  try {
    // keeps every position; but an import of a type that does not say so stays, and would not be found
    const { code } = swc.transformSync(source, { mode: 'strip-only', module: true, filename });
    if (!importsUnused(code)) return code;
  } catch (error) {
    if (!isComplaint(error)) throw error;
    if (error.code !== 'UnsupportedSyntax') throw syntaxError(error, filename);
  }
  try {
    const { code, map } = swc.transformSync(source, { mode: 'transform', module: true, filename, sourceMap: true });
    const inline = Buffer.from(map ?? '').toString('base64');
    return `${code}\n//# sourceMappingURL=data:application/json;base64,${inline}\n`;
  } catch (error) {
    throw isComplaint(error) ? syntaxError(error, filename) : error;
  }
}

/** Whether a name that the code imports occurs nowhere else in it: types are gone, so it may be one. */
function importsUnused(code: string): boolean {
  for (const [, names = ''] of code.matchAll(/^\s*import\b([^'"]*)\bfrom\b/gm)) {
    for (const [name] of names.replaceAll(/[\w$]+\s+as\s+/g, '').matchAll(/[\w$]+/g)) {
      if (code.split(new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`)).length === 2) return true;
    }
  }
  return false;
}

/** What swc throws. */
interface Complaint {
  readonly code: string;
  readonly message: string;
  readonly startLine?: number;
  readonly startColumn?: number;
}

function isComplaint(error: unknown): error is Complaint {
  return typeof error === 'object' && error !== null && 'code' in error && 'message' in error;
}

/** An error crosses threads with its own properties; `load.ts` looks for this one. */
function syntaxError({ message, startLine = 1, startColumn = 0 }: Complaint, file: string): Error {
  return Object.assign(new SyntaxError(message), {
    heddlePosition: { file, line: startLine, column: startColumn + 1 },
  });
}
