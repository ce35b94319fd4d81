/** Programs written as operations, without a front end. */
import { cLanguage } from '../../src/c/language.ts';
import { Location } from '../../src/program/location.ts';
import { ALIVE, type Operation, type Program, type SourcePosition, type Thread } from '../../src/program/operation.ts';

export type Body = () => Generator<Operation, unknown, unknown>;

export function threadOf(body: Body): Thread {
  const run = body();
  return {
    resume(answer) {
      const { done, value } = run.next(answer);
      return done === true ? { kind: 'end', value } : (value as Operation);
    },
  };
}

export function bare(main: Body, more: Partial<Program> = {}): Program {
  return { name: 'bare', language: cLanguage, start: () => threadOf(main), ...more };
}

export function at(line: number): SourcePosition {
  return { file: '/tmp/bare.c', line, column: 1 };
}

export function cell(name: string, initial: unknown = 0, lifetime?: Location): Location {
  return new Location('shared', initial, name, undefined, lifetime);
}

export function mutexAt(name: string, initial: unknown = 0): Location {
  return new Location('mutex', initial, name, undefined);
}

export function lifetime(name = 'object'): Location {
  return new Location('lifetime', ALIVE, name, undefined);
}

export const load = (location: Location, line = 1, order: 'plain' | 'seq_cst' = 'plain'): Operation => ({
  kind: 'load',
  location,
  order,
  position: at(line),
});

export const store = (
  location: Location,
  value: unknown,
  line = 1,
  order: 'plain' | 'seq_cst' = 'plain',
): Operation => ({ kind: 'store', location, order, value, position: at(line) });

export const free = (location: Location, line: number): Operation => ({ kind: 'free', location, position: at(line) });

export const malloc = (location: Location, size: number, line: number): Operation => ({
  kind: 'allocate',
  location,
  size,
  isHeap: true,
  position: at(line),
});

export const spawn = (name: string, body: Body): Operation => ({ kind: 'spawn', name, start: () => threadOf(body) });

export const join = (thread: unknown): Operation => ({ kind: 'join', thread: thread as number });
