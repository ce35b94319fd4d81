/** Checks of what a user gave for an option; what is wrong with it is said in one message. */
import { showValue } from '../program/describe.ts';
import { InputError } from '../program/input-error.ts';
import { nearest } from './nearest.ts';

export function oneOf<T extends string>(what: string, value: string, known: readonly T[]): T {
  const found = known.find((k) => k === value);
  if (found !== undefined) return found;
  const near = nearest(value, known);
  const hint = near === undefined ? '' : ` Did you mean ${near}?`;
  throw new InputError(`unknown ${what} ${showValue(value)}; there is ${known.join(', ')}.${hint}`);
}

export function atLeast(what: string, least: number, value: number): number {
  if (typeof value === 'number' && value >= least) return value;
  throw new InputError(`${what} must be a number from ${least}, not ${showValue(value)}.`);
}

export function wholeAtLeast(what: string, least: number, value: number): number {
  return wholeBetween(what, least, Number.MAX_SAFE_INTEGER, value);
}

export function wholeBetween(what: string, least: number, most: number, value: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  const upTo = most === Number.MAX_SAFE_INTEGER ? '' : ` to ${most}`;
  throw new InputError(`${what} must be a whole number from ${least}${upTo}, not ${showValue(value)}.`);
}
