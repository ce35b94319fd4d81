/** Results to make reports of. */
import { fileURLToPath } from 'node:url';
import { type CheckError, type CheckOptions, type CheckResult, checkSync, type Program } from '../../src/index.ts';
import { type TextOptions, textReport } from '../../src/report/text.ts';
import { typescriptLanguage } from '../../src/typescript/language.ts';

/** Files are named as seen from here. */
export const cwd = fileURLToPath(new URL('../fixtures/', import.meta.url));

export async function load(name: string): Promise<Program> {
  const { default: program } = (await import(`../fixtures/${name}.ts`)) as { default: Program };
  return { name: `${name}.ts`, language: typescriptLanguage, start: () => program.start() };
}

/** What traces say of a program that no front end has to load. */
export const source = { frontEnd: 'none', settings: {} };

/** With times that do not change from run to run. */
export async function resultOf(name: string, options: CheckOptions = {}): Promise<CheckResult> {
  return { ...checkSync(await load(name), options), elapsedMs: 12.3456, compileMs: 0 };
}

export async function errorOf(name: string): Promise<CheckError> {
  const { errors } = await resultOf(name);
  return errors[0] as CheckError;
}

export function text(result: CheckResult, options: Partial<TextOptions> = {}): string {
  return textReport(result, { colour: false, width: 120, cwd, ...options });
}
