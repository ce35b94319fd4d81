/**
 * Compiled files on disk, one entry a file, named by a hash of all that went into it. The folder may be lost, damaged or
 * read-only at any time, and others may use it at the same moment: whatever goes wrong, the file is compiled anew.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface CompiledFile {
  /** LLVM IR */
  readonly text: string;
  /** What clang said: warnings. */
  readonly messages: string;
}

/** Counts up when the form of an entry, or what is asked of clang, changes. */
const FORMAT = 'heddle-ir-4';
const MOST_ENTRIES = 4000;
const MOST_BYTES = 200 * 2 ** 20;

/** Each part is counted, so that no two lists of parts run into the same text. */
export function hashOf(parts: Iterable<string | Uint8Array>): string {
  const hash = createHash('sha256');
  for (const part of [FORMAT, ...parts]) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part;
    hash.update(`${bytes.length}:`).update(bytes);
  }
  return hash.digest('hex');
}

export class Cache {
  constructor(
    /** Undefined: nothing is kept. */
    private readonly folder: string | undefined,
  ) {}

  read(key: string): CompiledFile | undefined {
    if (this.folder === undefined) return undefined;
    const file = this.fileOf(key);
    try {
      const entry = readFileSync(file, 'utf8');
      const [end, next] = [entry.indexOf('\n'), entry.indexOf('\n', entry.indexOf('\n') + 1)];
      const body = entry.slice(end + 1);
      if (end < 0 || next < 0 || entry.slice(0, end) !== hashOf([body])) return undefined;
      const now = new Date();
      utimesSync(file, now, now); // what is used stays: see `evict`
      return { messages: JSON.parse(entry.slice(end + 1, next)) as string, text: entry.slice(next + 1) };
    } catch {
      return undefined;
    }
  }

  /** Written aside and renamed, so that nobody ever reads half of it. */
  write(key: string, { text, messages }: CompiledFile): void {
    if (this.folder === undefined) return;
    const body = `${JSON.stringify(messages)}\n${text}`;
    const aside = join(this.folder, `${randomUUID()}.tmp`);
    try {
      mkdirSync(this.folder, { recursive: true });
      writeFileSync(aside, `${hashOf([body])}\n${body}`);
      renameSync(aside, this.fileOf(key));
      this.evict(this.folder);
    } catch {
      // compiled anew next time; what was left aside goes with the next eviction
    }
  }

  private fileOf(key: string): string {
    return join(this.folder ?? '', `${key}.ir`);
  }

  /** Keeps the latest, within the limits; leftovers of a crash go too. */
  private evict(folder: string): void {
    const entries = readdirSync(folder)
      .filter((name) => /\.(ir|tmp)$/.test(name))
      .map((name) => {
        const { size, mtimeMs } = statSync(join(folder, name));
        return { name, size, mtimeMs };
      })
      .sort((a, b) => b.mtimeMs - a.mtimeMs);
    let bytes = 0;
    for (const [i, { name, size, mtimeMs }] of entries.entries()) {
      bytes += size;
      const isLeftOver = name.endsWith('.tmp') && Date.now() - mtimeMs > 60_000;
      if (i >= MOST_ENTRIES || bytes > MOST_BYTES || isLeftOver) rmSync(join(folder, name), { force: true });
    }
  }
}
