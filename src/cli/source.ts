/** The files that were given → what is checked. */
import type { CSettings, ProgramSource } from './job.ts';

/** `settings`: undefined for a program in TypeScript. A C program is compiled here. */
export async function sourceOf(
  files: readonly string[],
  settings: CSettings | undefined,
  isQuiet: boolean,
): Promise<ProgramSource> {
  if (settings === undefined) return { language: 'typescript', file: files[0] as string };
  const { compileFiles } = await import('./compile-files.ts');
  return compileFiles(settings, isQuiet);
}
