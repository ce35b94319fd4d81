/** Source → program: each language's loader is loaded when it is needed. */
import type { Program } from '../program/operation.ts';
import type { ProgramSource } from './job.ts';

export async function loadProgram(source: ProgramSource): Promise<Program> {
  if (source.language === 'c') return (await import('./load-c.ts')).loadC(source);
  return (await import('./load-script.ts')).loadScript(source.file);
}
