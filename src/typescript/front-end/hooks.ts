/**
 * Module hooks (`node:module` register): a program runs without a build step, wherever its file lies. They run in a
 * thread of their own.
 */
import { readFile } from 'node:fs/promises';
import { createRequire, type InitializeHook, type LoadHook, type ResolveHook } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { MessagePort } from 'node:worker_threads';
import type { Bundle, Imported } from './bundle.ts';

interface HookData {
  /** See `Host.library`. */
  readonly library?: Readonly<Record<string, string>>;
  /** The modules, where there are no files. */
  readonly bundle?: Bundle;
  /** A program that is to travel: its modules are told. */
  readonly recorded?: { readonly entry: string; readonly port: MessagePort };
}

let library: Readonly<Record<string, string>> = {};
let bundle: Bundle | undefined;
let port: MessagePort | undefined;
/** The modules that are recorded. */
const own = new Set<string>();

export const initialize: InitializeHook<HookData | undefined> = async (data) => {
  // who loads a program that is recorded registers the hooks once more
  bundle = data?.bundle ?? bundle;
  library = data?.library ?? library;
  if (data?.recorded === undefined) return;
  port = data.recorded.port;
  own.add(data.recorded.entry);
};

/** Programs get this very installation, so that there is one instance of its modules. */
export const resolve: ResolveHook = async (specifier, context, nextResolve) => {
  const packed = bundledAs(specifier, context.parentURL);
  if (packed !== undefined) return { url: packed, format: 'module', shortCircuit: true };
  const resolved = await resolveFile(specifier, context, nextResolve);
  record(specifier, resolved.url, context.parentURL);
  return resolved;
};

const resolveFile: ResolveHook = async (specifier, context, nextResolve) => {
  const url = library[specifier];
  if (url !== undefined) return { url, format: 'module', shortCircuit: true };
  if (isHeddle(specifier)) {
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

/** The module of the bundle that is meant. */
function bundledAs(specifier: string, parent: string | undefined): string | undefined {
  if (bundle === undefined) return undefined;
  for (const each of [specifier, ...otherSpellings(specifier)]) {
    const url = URL.canParse(each, parent) ? new URL(each, parent).href : '';
    if (bundle.modules[url] !== undefined) return url;
  }
  return undefined;
}

/** What a module of the program imports belongs to it, or is said not to. */
function record(specifier: string, url: string, parent: string | undefined): void {
  if (port === undefined || parent === undefined || !own.has(parent)) return;
  if (isHeddle(specifier) || url.startsWith('node:')) return;
  if (url.startsWith('file:') && !url.includes('/node_modules/') && /\.m?[jt]s$/.test(url)) own.add(url);
  else tell({ kind: 'other', url, specifier });
}

function isHeddle(specifier: string): boolean {
  return specifier === 'heddle' || specifier.startsWith('heddle/');
}

function tell(imported: Imported): void {
  port?.postMessage(imported);
}

/** What TypeScript accepts and Node does not: `./x.js` for x.ts, `./x` for x.ts or x/index.ts. */
function otherSpellings(specifier: string): string[] {
  if (!/^(\.\.?(\/|$)|\/|file:)/.test(specifier)) return [];
  if (/\.m?js$/.test(specifier)) return [specifier.replace(/js$/, 'ts')];
  const base = specifier.replace(/\/$/, '');
  return ['.ts', '.mts', '.js', '.mjs', '/index.ts', '/index.js'].map((ending) => `${base}${ending}`);
}

export const load: LoadHook = async (url, context, nextLoad) => {
  const packed = bundle?.modules[url];
  if (packed !== undefined) return { format: 'module', shortCircuit: true, source: scriptOf(packed, url) };
  if (!url.startsWith('file:') || url.includes('/node_modules/')) return nextLoad(url, context);
  const path = new URL(url).pathname;
  if (!/\.m?ts$/.test(path) && (!path.endsWith('.js') || context.format === 'module') && !own.has(url))
    return nextLoad(url, context);
  const text = await readFile(fileURLToPath(url), 'utf8');
  // whatever the nearest package.json says
  const isModule = !path.endsWith('.js') || context.format === 'module' || /^\s*(import|export)\b/m.test(text);
  if (own.has(url)) tell(isModule ? { kind: 'module', url, text } : { kind: 'other', url, specifier: url });
  if (!isModule) return nextLoad(url, context);
  return { format: 'module', shortCircuit: true, source: scriptOf(text, url) };
};

function scriptOf(text: string, url: string): string {
  return /\.m?ts$/.test(new URL(url).pathname) ? withoutTypes(text, fileURLToPath(url)) : text;
}

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
