/** Names for locations that were given none: the variable that the line that made them declares. */
import { readFileSync } from 'node:fs';
import type { LocationInfo } from '../program/location-table.ts';
import type { SourcePosition } from '../program/operation.ts';

const files = new Map<string, readonly string[]>();

function linesOf(file: string): readonly string[] {
  let lines = files.get(file);
  if (lines === undefined) {
    try {
      lines = readFileSync(file, 'utf8').split('\n');
    } catch {
      lines = [];
    }
    files.set(file, lines);
  }
  return lines;
}

/** The variable (or field) whose value the call at `position` becomes: the name before it, on the same line. */
function declaredName(position: SourcePosition): string | undefined {
  const before = linesOf(position.file)[position.line - 1]?.slice(0, position.column - 1);
  if (before === undefined) return undefined;
  return /(?<![\w$])([A-Za-z_$][\w$]*)\s*(?::[^=,;]+)?[=:](?!=)\s*(?:\[[^\]=;]*|[^=;]*=>\s*\(?)?(?:[\w$]+\.)?$/.exec(
    before,
  )?.[1];
}

/** The names of locations; those that would have the same name are numbered. An object and its first part may share a name. */
export function namesOf(locations: readonly LocationInfo[]): readonly string[] {
  const names = locations.map(() => '');
  for (const isLifetime of [false, true]) {
    const some = [...locations.keys()].filter(
      (i) => ((locations[i] as LocationInfo).kind === 'lifetime') === isLifetime,
    );
    const numbered = numberAlike(some.map((i) => plainName(locations[i] as LocationInfo)));
    some.forEach((i, k) => {
      names[i] = numbered[k] as string;
    });
  }
  return names;
}

function numberAlike(plain: readonly string[]): readonly string[] {
  const alike = new Map<string, number>();
  for (const name of plain) alike.set(name, (alike.get(name) ?? 0) + 1);
  const seen = new Map<string, number>();
  return plain.map((name) => {
    if (alike.get(name) === 1) return name;
    const number = seen.get(name) ?? 0;
    seen.set(name, number + 1);
    return `${name}[${number}]`;
  });
}

/** Of locations without a name. */
const declaredNames = new WeakMap<LocationInfo, string>();

function plainName(location: LocationInfo): string {
  const { name } = location;
  if (name !== undefined) return name;
  const known = declaredNames.get(location);
  if (known !== undefined) return known;
  const declared = (location.position && declaredName(location.position)) ?? location.kind;
  declaredNames.set(location, declared);
  return declared;
}
