/**
 * How objects are called in the run that is recorded, so that a reader can tell them apart: `node#2` on the heap; variables by their
 * names, with the thread whose they are (`me@worker 2`) where several have one of that name, and numbered (`me#2`) where one
 * thread has several, as in a function that is called again.
 *
 * What an object is called depends on all others of the run, so names are asked for when it is over.
 */
import { basename } from 'node:path';
import type { NameOfThread } from '../../program/operation.ts';
import type { Site } from '../runtime.ts';

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

/** The objects of one name in the order in which they are noted: of a variable by thread, of the heap all together. */
type Alike = Map<number, Map<Nameable, number>>;

/** In place of a thread: the heap is everybody's. */
const HEAP = -1;

export class ObjectNames {
  readonly #globals = new Map<string, number>();
  #heap = new Map<string, Alike>();
  #variables = new Map<string, Alike>();
  /** Undefined if no run is recorded: then only heap objects are told apart. */
  #nameOfThread: NameOfThread | undefined = undefined;

  noteGlobal({ origin: { name } }: Nameable): void {
    this.#globals.set(name, (this.#globals.get(name) ?? 0) + 1);
  }

  note(object: Nameable): void {
    if (object.origin.kind === 'heap') noted(object, HEAP, this.#heap);
    else if (this.#nameOfThread !== undefined) noted(object, object.thread, this.#variables);
  }

  /** Begins anew, for a run that is recorded; what it returns takes that back. */
  beginAnew(nameOfThread: NameOfThread): () => void {
    const [heap, variables, before] = [this.#heap, this.#variables, this.#nameOfThread];
    this.#heap = new Map();
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
    if (kind === 'heap') return part(`${name}#${noted(object, HEAP, this.#heap).get(object)}`);
    if (this.#nameOfThread === undefined) return part(name);
    const own = noted(object, object.thread, this.#variables);
    const isAlone = this.#variables.get(name)?.size === 1 && globals === 0;
    const owner = isAlone ? '' : `@${this.#nameOfThread(object.thread) ?? 'a thread'}`;
    return `${part(own.size > 1 ? `${name}#${own.get(object)}` : name)}${owner}`;
  }
}

/** Those of the same name and thread. */
function noted(object: Nameable, thread: number, all: Map<string, Alike>): ReadonlyMap<Nameable, number> {
  const { name } = object.origin;
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
