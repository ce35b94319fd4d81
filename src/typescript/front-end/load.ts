/** File → program, for TypeScript. Everything that can be wrong with the file is said in one message. */
import { spawnSync } from 'node:child_process';
import { register } from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { showValue } from '../../program/describe.ts';
import type { Host } from '../../program/front-end.ts';
import { InputError } from '../../program/input-error.ts';
import type { Program, SourcePosition } from '../../program/operation.ts';
import { TypeScriptProgram } from '../api.ts';
import { typescriptLanguage } from '../language.ts';
import { positionOfStack } from '../position.ts';

/** The program in `file`; it is named as the file was given. */
export async function loadScript(file: string, host: Host): Promise<Program> {
  const path = resolve(file);
  register(new URL('./hooks.js', import.meta.url), { data: host.library });
  // only now that our own modules are loaded: positions in these are compared with where they lie
  host.useSourceMaps();
  const exported = await importModule(file, path, host);
  const program = programIn(exported, file);
  return { name: file, language: typescriptLanguage, start: () => program.start() };
}

async function importModule(file: string, path: string, host: Host): Promise<Record<string, unknown>> {
  try {
    return (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  } catch (error) {
    throw loadProblem(error, file, path, host);
  }
}

function loadProblem(error: unknown, file: string, path: string, host: Host): InputError {
  if (!(error instanceof Error)) return new InputError(`${file} threw ${showValue(error)} while it was loaded.`);
  if (error instanceof InputError) return new InputError(error.message, error.position ?? positionOfStack(error.stack));
  if (error.name === 'SyntaxError') return syntaxProblem(error, file, path, host);
  if ((error as NodeJS.ErrnoException).code?.startsWith('ERR_') === true) {
    return new InputError(`${file} could not be loaded: ${error.message}`);
  }
  if (/require\b/.test(error.stack ?? '') && error.message.includes("'heddle'")) {
    return new InputError(
      `${file} is a CommonJS module. Write import … from 'heddle' instead of require('heddle'), and export default.`,
      positionOfStack(error.stack),
    );
  }
  return new InputError(
    `${file} threw while it was loaded: ${error.name}: ${error.message}`,
    positionOfStack(error.stack),
  );
}

function syntaxProblem(error: Error, file: string, path: string, { node }: Host): InputError {
  const position = 'heddlePosition' in error ? (error.heddlePosition as SourcePosition) : undefined;
  if (position !== undefined) return new InputError(`syntax error: ${error.message}`, position);
  const isMissingExport = error.message.includes('does not provide an export named');
  const hint = isMissingExport && path.endsWith('ts') ? '. If it is a type, import it with import type' : '';
  const shown = quotedPosition(error.stack) ?? quotedPosition(spawnSync(node, ['--check', path]).stderr?.toString());
  const where = shown === undefined ? `${file}, or a module that it imports: ` : '';
  return new InputError(`${where}${isMissingExport ? '' : 'syntax error: '}${error.message}${hint}`, shown);
}

/** Node shows a syntax error as the file and line, the line's text, and carets under it. */
function quotedPosition(text: string | undefined): SourcePosition | undefined {
  const match = /^((?:file:\/\/)?\/.*):(\d+)\n.*\n(\s*)\^/m.exec(text ?? '');
  if (match === null) return undefined;
  const [, file = '', line = '', before = ''] = match;
  return { file: file.startsWith('file:') ? fileURLToPath(file) : file, line: Number(line), column: before.length + 1 };
}

function programIn(exported: Record<string, unknown>, file: string): Program {
  const { default: value } = exported;
  if (isProgram(value)) {
    if (value instanceof TypeScriptProgram || value.constructor.name !== 'TypeScriptProgram') return value;
    throw new InputError(
      `the program in ${file} was made by another copy of Heddle; import from 'heddle', and nothing else of it.`,
    );
  }
  const named = Object.keys(exported).find((name) => name !== 'default' && isProgram(exported[name]));
  if (!('default' in exported)) {
    const hint =
      named === undefined
        ? 'Write: export default program(function* () { … });'
        : `Its export ${named} is a program: export that one as default.`;
    throw new InputError(`${file} has no default export. ${hint}`);
  }
  const hint =
    typeof value === 'function' ? 'Wrap it: export default program(…);' : 'Make one with program(function* () { … }).';
  const other = named === undefined ? '' : ` (Its export ${named} is one.)`;
  throw new InputError(`the default export of ${file} is not a program but ${kindOf(value)}. ${hint}${other}`);
}

function isProgram(value: unknown): value is Program {
  return typeof value === 'object' && value !== null && 'start' in value && typeof value.start === 'function';
}

function kindOf(value: unknown): string {
  if (typeof value === 'function') return value.name === '' ? 'a function' : `the function ${value.name}`;
  if (value instanceof Promise) return 'a promise';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' && value !== null ? `the object ${showValue(value)}` : showValue(value);
}
