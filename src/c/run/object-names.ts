/**
 * How objects are called in the run that is recorded, so that a reader can tell them apart: `node#2` on the heap; variables by their
 * names, with the thread whose they are (`me@worker 2`) where several have one of that name, and numbered (`me#2`) where one
 * thread has several, as in a function that is called again.
 *
 * What an object is called depends on all others of the run, so names are asked for when it is over.
 */
import { basename } from 'node:path';
import type { NameOfThread } from '../../program/operation.ts';
import type { CType } from '../ir/debug.ts';
import type { Site } from '../runtime.ts';
import { wordFor } from './names.ts';

/** What is to be told from others. */
export interface Nameable {
  /** The identity of its thread. */
  readonly thread: number;
  readonly origin: {
    readonly name: string;
    readonly kind: 'global' | 'thread-local' | 'stack' | 'heap';
    readonly site: Site | undefined;
  };
}

/** By thread: its variables of one name, numbered in the order in which they are noted. */
type Alike = Map<number, Map<Nameable, number>>;

export class ObjectNames {
  readonly #globals = new Map<string, number>();
  #heap = new Heap();
  #variables = new Map<string, Alike>();
  /** Undefined if no run is recorded: then only heap objects are told apart. */
  #nameOfThread: NameOfThread | undefined = undefined;

  noteGlobal({ origin: { name } }: Nameable): void {
    this.#globals.set(name, (this.#globals.get(name) ?? 0) + 1);
  }

  note(object: Nameable): void {
    if (object.origin.kind === 'heap') this.#heap.note(object);
    else if (this.#nameOfThread !== undefined) noted(object, this.#variables);
  }

  /** Something in the run that is recorded takes an object on the heap for one, or several, of a type. */
  learn(object: Nameable, type: CType): void {
    this.#heap.learn(object, type);
  }

  learnedTypeOf(object: Nameable): CType | undefined {
    return this.#heap.types.get(object);
  }

  /** Begins anew, for a run that is recorded; what it returns takes that back. */
  beginAnew(nameOfThread: NameOfThread): () => void {
    const [heap, variables, before] = [this.#heap, this.#variables, this.#nameOfThread];
    this.#heap = new Heap();
    this.#variables = new Map();
    this.#nameOfThread = nameOfThread;
    return () => {
      this.#heap = heap;
      this.#variables = variables;
      this.#nameOfThread = before;
    };
  }

  /** `part` makes the name of a part of what the name of the whole is without its owner: `me` → `me.next`. */
  nameOf(object: Nameable, part: (name: string) => string = (name) => name): string {
    const { name, kind } = object.origin;
    const globals = this.#globals.get(name) ?? 0;
    if (kind === 'global') return `${part(name)}${globals > 1 ? `@${homeOf(object)}` : ''}`;
    if (kind === 'heap') return part(this.#heap.nameOf(object));
    if (this.#nameOfThread === undefined) return part(name);
    const own = noted(object, this.#variables);
    const isAlone = this.#variables.get(name)?.size === 1 && globals === 0;
    const owner = isAlone ? '' : `@${this.#nameOfThread(object.thread) ?? 'a thread'}`;
    return `${part(own.size > 1 ? `${name}#${own.get(object)}` : name)}${owner}`;
  }
}

/** The objects on the heap. What one is may be learned late, and is part of its name, so they are numbered when names are asked for. */
class Heap {
  readonly types = new Map<Nameable, CType>();
  readonly #objects = new Set<Nameable>();
  #names: Map<Nameable, string> | undefined = undefined;

  note(object: Nameable): void {
    if (this.#objects.has(object)) return;
    this.#objects.add(object);
    this.#names = undefined;
  }

  /** That it is a struct says more than that it has bytes or words. */
  learn(object: Nameable, type: CType): void {
    const known = this.types.get(object);
    if (known !== undefined && (known.kind === 'struct' || type.kind !== 'struct')) return;
    this.types.set(object, type);
    this.#names = undefined;
  }

  nameOf(object: Nameable): string {
    this.note(object);
    this.#names ??= this.#numbered();
    return this.#names.get(object) as string;
  }

  #numbered(): Map<Nameable, string> {
    const counts = new Map<string, number>();
    const names = new Map<Nameable, string>();
    for (const object of this.#objects) {
      const word = wordFor(this.types.get(object)) ?? object.origin.name;
      const number = (counts.get(word) ?? 0) + 1;
      counts.set(word, number);
      names.set(object, `${word}#${number}`);
    }
    return names;
  }
}

/** Those of the same name and thread. */
function noted(object: Nameable, all: Map<string, Alike>): ReadonlyMap<Nameable, number> {
  const { thread, origin } = object;
  const { name } = origin;
  const alike: Alike = all.get(name) ?? new Map();
  const own = alike.get(thread) ?? new Map<Nameable, number>();
  all.set(name, alike);
  alike.set(thread, own);
  if (!own.has(object)) own.set(object, own.size + 1);
  return own;
}

/** Of a static variable: the function that it is in, or the file. */
function homeOf({ origin: { site } }: Nameable): string {
  if (site === undefined) return 'elsewhere';
  return site.functionName === '' ? basename(site.position?.file ?? 'elsewhere') : site.functionName;
}
