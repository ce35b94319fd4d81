/** Names for locations that were given none: the variable that the line that made them declares. */
import { readFileSync } from 'node:fs';
import type { LocationInfo } from '../program/behaviours.ts';
import type { SourcePosition } from '../program/operation.ts';

const files = new Map<string, readonly string[]>();

/** The text of a source line, without the space around it; undefined if the file cannot be read. */
export function sourceLine(position: SourcePosition): string | undefined {
  let lines = files.get(position.file);
  if (lines === undefined) {
    try {
      lines = readFileSync(position.file, 'utf8').split('\n');
    } catch {
      lines = [];
    }
    files.set(position.file, lines);
  }
  return lines[position.line - 1]?.trim();
}

function declaredName(position: SourcePosition): string | undefined {
  const line = sourceLine(position);
  if (line === undefined) return undefined;
  const call = /(?:(?:const|let|var)\s+|this\.|\b)([A-Za-z_$][\w$]*)\s*(?::[^=]+)?[=:]\s*(?:[^=]*=>\s*)?(?:new\s+)?(?:atomic|shared|mutex)\b/.exec(line);
  return call?.[1];
}

/** The name of location `id`; locations that would have the same name are numbered. */
export function nameOf(id: number, locations: readonly LocationInfo[]): string {
  const own = plainName(locations[id] as LocationInfo);
  const alike = locations.filter((l) => plainName(l) === own);
  if (alike.length === 1) return own;
  return `${own}[${alike.indexOf(locations[id] as LocationInfo)}]`;
}

const plainNames = new WeakMap<LocationInfo, string>();

function plainName(location: LocationInfo): string {
  let name = plainNames.get(location);
  if (name === undefined) {
    name = location.name ?? (location.position === undefined ? undefined : declaredName(location.position)) ?? location.kind;
    plainNames.set(location, name);
  }
  return name;
}
