/** scripts/hot: what is translated to WebAssembly does what it does in JavaScript, and works on the same fields. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { buildHot } from '../../scripts/hot/build.mjs';
import { moduleOf } from '../../scripts/hot/sources.mjs';
import { HotMemory, type HotObject } from '../../src/program/hot-memory.ts';
import { wasm } from '../../src/program/web-assembly.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-hot-'));
afterAll(() => rmSync(folder, { recursive: true }));
const swc = createRequire(import.meta.url)('@swc/wasm-typescript') as typeof import('@swc/wasm-typescript');

type Sample = HotObject & { run(n: number): number | boolean; [field: string]: unknown };

const head = `
type Column = Int32Array;
function grown(old: Column, length: number): Column {
  const column = new Int32Array(Math.max(length, old.length * 2));
  column.set(old);
  return column;
}
const NONE = -1;
const Colour = { RED: 3, BLUE: 4 } as const;
`;

let files = 0;

/** A class with a method `run(n: number): number`; as it is, and with that method translated. `other`: classes beside it. */
async function both(members: string, { other = '', isChecked = false } = {}) {
  const name = `sample${files++}`;
  const source = join(folder, `${name}.ts`);
  writeFileSync(source, `${head}${other}\nexport class Sample {\n${members}\n}\n`);
  const search = {
    singletons: { Sample: ['sample', moduleOf(source).classes.get('Sample')] },
    bound: {},
    assumed: {},
  } as const;
  const hot = buildHot({ isChecked, searches: [{ name, search, loop: ['Sample', 'run'] }] });
  const { code } = swc.transformSync(`${head}${other}\nexport class Sample {\n${members}\n}\n`, {
    mode: 'strip-only',
    module: true,
  });
  const load = async (kind: string, text: string): Promise<() => Sample> => {
    const file = join(folder, `${name}-${kind}.mjs`);
    writeFileSync(file, text);
    const { Sample } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as { Sample: new () => Sample };
    return () => new Sample();
  };
  const plain = (await load('plain', code))();
  const rewritten = hot.rewrite(source, code);
  if (rewritten === undefined) throw new Error('nothing was rewritten');
  const object = (await load('hot', rewritten))();
  const { bytes, layout } = hot.modules.get(name) as {
    bytes: Uint8Array;
    layout: ConstructorParameters<typeof HotMemory>[0];
  };
  const memory = new HotMemory(layout);
  memory.attach('sample', object);
  const run = memory.instantiate(new wasm.Module(bytes)).run as (n: number) => number;
  return { plain, object, run, calls: hot.calls.get(name) ?? [] };
}

async function expectSame(members: string, options?: Parameters<typeof both>[1]): Promise<void> {
  const { plain, object, run } = await both(members, options);
  for (let n = -3; n < 40; n++) {
    const expected = Number(plain.run(n));
    expect([n, run(n)]).toEqual([n, expected]);
  }
  for (let n = 40; n < 80; n++) {
    // in turns, so that each goes on from what the other has left
    const expected = Number(plain.run(n));
    expect([n, n % 2 === 0 ? run(n) : Number(object.run(n))]).toEqual([n, expected]);
  }
}

test('loops, switches and the values of assignments', async () => {
  await expectSame(`
  #sum = 0;
  run(n: number): number {
    let sum = 0;
    for (let i = 0, j = n; i < j; i++, j--) {
      if ((i & 3) === 1) continue;
      let k = i;
      while (k > 0) { if (k === 7) break; sum += k--; }
      switch (i % 5) {
        case 0: sum += 1;
        case 1: sum += 10; break;
        case Colour.RED: { const x = (sum ^= i); sum += x; break; }
        default: sum -= 3;
        case Colour.BLUE: sum += ++k;
      }
    }
    this.#sum = sum;
    const before = this.#sum++;
    return before * 31 + this.#sum + (sum >> 1) + (sum >>> 3) + ~sum + -sum;
  }`);
});

test('booleans, and what is not evaluated', async () => {
  await expectSame(`
  isOdd = false;
  #calls = 0;
  readonly isSure = true;
  run(n: number): number {
    this.isOdd = (n & 1) === 1;
    let is = this.isOdd && this.#ask(n);
    is ||= this.#ask(n + 1);
    const both = is && !this.isOdd;
    return this.#calls * 8 + (is ? 4 : 0) + (both === true ? 2 : 0) + (this.isSure ? 1 : 0) + (n > 3 || this.#ask(n) ? 0 : 100);
  }
  #ask(n: number): boolean { this.#calls++; return n % 3 === 0; }`);
});

test('columns that grow, also in JavaScript, and are taken in hand', async () => {
  await expectSame(`
  items: Column = new Int32Array(2);
  length = 0;
  #other: Column = new Int32Array(4).fill(NONE);
  run(n: number): number {
    for (let i = 0; i < n; i++) this.#push(i);
    if (n > 30) this.#shrink(n);
    if (n > 20) this.#reset();
    const { items, length } = this;
    items[0] = items[0]! + this.#both(items, this.#other);
    let sum = 0;
    for (let i = 0; i < length; i++) sum += items[i]! * (i + 1);
    return sum + this.items.length;
  }
  #push(e: number): void {
    if (this.length === this.items.length) this.items = grown(this.items, this.length + 1);
    this.items[this.length++] = e;
  }
  #both(a: Column, b: Column): number { return a[0]! + b[1]!; }
  #shrink(n: number): void { this.items = new Int32Array(Math.ceil(n / 1.5)); this.length = [...this.items].length; }
  #reset(): void { this.#other.fill(0); }`);
});

test('objects that are known beforehand, parameters that have a value, and methods that are overridden', async () => {
  const other = `
class Stack {
  items: Column = new Int32Array(4);
  length = 0;
  push(e: number): void {
    if (this.length === this.items.length) this.items = grown(this.items, this.length + 1);
    this.items[this.length++] = e;
  }
}
class Base {
  protected factor(): number { return 2; }
  times(n: number, count = 1, again = n): number { return this.factor() * n * count + again; }
}
class Derived extends Base {
  readonly #own = new Stack();
  protected override factor(): number { return 3 + this.#own.length; }
  override times(n: number, count = 2, again = n): number { this.#own.push(n); return super.times(n, count) + again; }
}
function sumOf({ items, length }: Stack): number {
  let sum = 0;
  for (let i = 0; i < length; i++) sum += items[i]!;
  return sum;
}
`;
  await expectSame(
    `
  readonly #first = new Stack();
  readonly #second = new Stack();
  readonly #derived = new Derived();
  run(n: number): number {
    this.#fill(this.#first, n);
    this.#fill(this.#second, n + 1);
    return sumOf(this.#first) * 7 + sumOf(this.#second) + this.#derived.times(n) + this.#derived.times(n, 3) + this.#derived.times(n, 3, 1);
  }
  #fill(stack: Stack, n: number): void { if (n > 0) stack.push(n); }`,
    { other },
  );
});

test('what cannot be translated is called, with numbers and booleans', async () => {
  const members = `
  #seen: number[] = [];
  #count = 0;
  run(n: number): number { return this.#note(n, n > 3) ? this.#count : -1; }
  #note(n: number, isLarge: boolean): boolean {
    this.#seen.push(n);
    this.#count = this.#seen.length;
    return isLarge === true;
  }`;
  await expectSame(members);
  const { calls } = await both(members);
  expect(calls).toEqual(['sample:Sample:#note']);
});

test('an exception passes through', async () => {
  const { run, object } = await both(`
  count = 0;
  run(n: number): number { this.count++; this.#check(n); return this.count; }
  #check(n: number): void { if (n > 1) throw new RangeError('too large'); }`);
  expect(run(1)).toBe(1);
  expect(() => run(2)).toThrow(new RangeError('too large'));
  expect(object.count).toBe(2);
});

test('a method that is no loop of numbers is refused, with the reason', async () => {
  await expect(both('run(n: number): number { return [n].length; }')).rejects.toThrow(
    /Sample.run could not be translated: ArrayExpression/,
  );
});

test('where it is asked to, it notices when it leaves a column', async () => {
  const { run } = await both('items: Column = new Int32Array(2); run(n: number): number { return this.items[n]!; }', {
    isChecked: true,
  });
  expect(run(1)).toBe(0);
  expect(() => run(2)).toThrow('hot code reads or writes entry 2 of a column of 2');
  expect(() => run(-1)).toThrow('hot code reads or writes entry -1 of a column of 2');
});
