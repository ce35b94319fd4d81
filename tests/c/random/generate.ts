/**
 * Random sequential C programs that end, have no undefined behaviour and print what they compute. Many fit into one
 * file, because every name of a program has its prefix: compiling is what costs time.
 */
import { anyType, constantInitialiser, declarator, defineStruct } from './aggregates.ts';
import { Context } from './context.ts';
import { converters, partOf, scalar } from './expressions.ts';
import { block, type Piece, render } from './pieces.ts';
import { anyScalar } from './scalars.ts';
import { printAll, statements } from './statements.ts';

export interface CProgram {
  readonly seed: number;
  /** Everything at file scope. */
  readonly pieces: readonly Piece[];
  /** Functions that are called one after the other, with a pointer to an object of the caller. */
  readonly phases: readonly string[];
  /** The type of that object, and its initialiser. */
  readonly shared: string;
  readonly initial: string;
}

export function generate(seed: number, index: number): CProgram {
  const c = new Context(seed, `p${index}_`);
  const { random } = c;
  for (let n = random.between(0, 3); n > 0; n--) defineStruct(c);
  for (let n = random.between(1, 5); n > 0; n--) globalVariable(c);
  for (let n = random.between(0, 2); n > 0; n--) globalPointer(c);
  for (let n = random.between(0, 3); n > 0; n--) defineFunction(c);
  const shared = `struct ${c.prefix}shared`;
  const fields = Array.from({ length: random.between(1, 3) }, (_, i) => [`g${i}`, anyType(c)] as const);
  c.top.push(
    block(
      `${shared} {`,
      fields.map(([name, type]) => `${declarator(type, name)};`),
      '};',
    ),
  );
  const size = random.weighted([3, 6], [2, 12], [1, 24]);
  const phases = Array.from({ length: random.weighted([4, 1], [3, 2], [1, 3]) }, () => {
    const name = c.globalName('phase');
    c.define(`static void ${name}(${shared} *own)`, () => {
      for (const [field, type] of fields) c.declare(`own->${field}`, type);
      const body = statements(c, random.between(4, size));
      return [...body, ...printAll(c)];
    });
    return name;
  });
  const initial = `{ ${fields.map(([, type]) => constantInitialiser(c, type)).join(', ')} }`;
  return { seed, pieces: c.top, phases, shared, initial };
}

function globalVariable(c: Context): void {
  const { random } = c;
  const type = anyType(c);
  const name = c.globalName('g');
  const isConst = random.chance(0.15);
  const isVolatile = !isConst && random.chance(0.1);
  const isZero = !isConst && random.chance(0.2);
  const qualifier = isConst ? 'const ' : isVolatile ? 'volatile ' : '';
  const value = isZero ? '' : ` = ${constantInitialiser(c, type)}`;
  c.top.push(`${random.chance(0.7) ? 'static ' : ''}${qualifier}${declarator(type, name)}${value};`);
  c.declare(name, type, { isConst, hasAddress: !isConst && !isVolatile });
}

function globalPointer(c: Context): void {
  const variables = c.variables.filter((v) => v.hasAddress && !v.isConst && v.type.kind !== 'array');
  if (variables.length === 0) return;
  const target = partOf(c, c.random.pick(variables));
  // An index that is computed is no address constant.
  if (!target.hasAddress || target.isWriteOnly || target.text.includes('%')) return;
  const name = c.globalName('q');
  c.top.push(`static ${target.type.name} *${name} = &${target.text};`);
  c.pointers.push({ name, to: target.type, level: 0 });
}

function defineFunction(c: Context): void {
  const { random } = c;
  const name = c.globalName('f');
  const isStruct = c.structs.length > 0 && random.chance(0.2);
  const returns = isStruct ? random.pick(c.structs) : anyScalar(random);
  const parameters = Array.from({ length: random.between(0, 4) }, () =>
    c.structs.length > 0 && random.chance(0.2) ? random.pick(c.structs) : anyScalar(random),
  );
  const list = parameters.map((type, index) => declarator(type, `a${index}`)).join(', ');
  const cost = c.define(`static ${returns.name} ${name}(${list === '' ? 'void' : list})`, () => {
    for (const [index, type] of parameters.entries()) c.declare(`a${index}`, type);
    const body = statements(c, random.between(1, 4));
    if (returns.kind !== 'struct') return [...body, `return ${scalar(c, returns, 3)};`];
    const same = c.variables.filter((v) => v.type === returns);
    return [...body, `return ${same.length > 0 ? random.pick(same).text : `(${returns.name}){0}`};`];
  });
  c.functions.push({ name, parameters, returns, cost });
}

/** What the text of programs relies on. */
const prologue = `#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef IN_THREADS
#include <pthread.h>
#endif
static const void *volatile keep;
static double tame(double x) { return x == x ? x : 0.5; }
static float tame_float(float x) { return x == x ? x : 0.5f; }
${converters}`;

/** Comes before the output of the program with this number. */
export const separator = (index: number): string => `==== ${index}`;

/** One file that runs the programs in turn; with -DIN_THREADS each phase runs in a thread of its own. */
export function sourceOf(programs: readonly CProgram[]): string {
  const runs = programs.flatMap(({ phases, shared, initial }, index): Piece[] => [
    block('{', [
      `${shared} own = ${initial};`,
      `printf("${separator(index)}\\n");`,
      ...phases.map((phase) => `RUN(${phase}, &own);`),
    ]),
  ]);
  const wrappers = programs.flatMap(({ phases }) => phases.map((phase) => `THREAD(${phase})`));
  return [
    prologue,
    ...programs.map(({ seed, pieces }) => `\n// seed ${seed}\n${render(pieces)}`),
    '\n#ifdef IN_THREADS\n',
    '#define THREAD(f) static void *f##_thread(void *own) { f(own); return NULL; }\n',
    '#define RUN(f, own) do { pthread_t t; pthread_create(&t, NULL, f##_thread, own); pthread_join(t, NULL); } while (0)\n',
    '#else\n#define THREAD(f)\n#define RUN(f, own) f(own)\n#endif\n',
    render(wrappers),
    render([block('int main(void) {', [...runs, 'return 0;'])]),
  ].join('');
}
