/** What a program knows is part of a search that is written down: see `SavedSearch`. */
import type { Behaviours } from '../program/behaviours.ts';
import type { SavedSearch, WorkItem } from '../program/execution.ts';
import { type Program, SavedSearchVoid } from '../program/operation.ts';

/** These items, with what the program knows. */
export function searchOf(program: Program, items: readonly WorkItem[], hasErrors: boolean): SavedSearch {
  const knowledge = program.knowledge?.('search');
  return { items, hasErrors, ...(knowledge === undefined ? {} : { knowledge }) };
}

/** The program takes in what was known when the search was saved; throws if that does not fit what it knows. */
export function learnFrom({ knowledge }: SavedSearch, behaviours: Behaviours): void {
  const { program } = behaviours;
  if (program.learn === undefined) {
    if (knowledge !== undefined) throw new Error('a saved search is not one of this program');
    return;
  }
  const learned = program.learn(knowledge);
  if (learned === 'void') throw new SavedSearchVoid();
  if (learned === 'new') behaviours.reset();
}

/** A search whose run ended with an exception is no longer at a point that could be written down. */
export function brokenOff(): Error {
  return new Error('a search that broke off cannot be saved');
}
