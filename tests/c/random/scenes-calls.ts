/** Scenes about functions: by value, by pointer, variadic, recursive, static state. */
import { constantInitialiser, declarator } from './aggregates.ts';
import type { Context, StructType } from './context.ts';
import { integer, reduce, scalar } from './expressions.ts';
import { block, type Piece } from './pieces.ts';
import { anyInteger, anyScalar, double, formatOf, type IntegerType, int, unsignedOf } from './scalars.ts';
import type { Scene } from './scenes.ts';

/** Tables and parameters of function pointers. */
const functionPointers: Scene = (c) => {
  const { random } = c;
  const type = anyInteger(random);
  const names = Array.from({ length: random.between(2, 4) }, () => c.globalName('op'));
  const apply = c.globalName('apply');
  for (const name of names) {
    c.define(`static ${type.name} ${name}(${type.name} a, ${type.name} b)`, () => {
      c.variables = [];
      c.pointers = [];
      c.declare('a', type);
      c.declare('b', type);
      return [`return (${type.name})${integer(c, 3, true).text};`];
    });
  }
  c.top.push(
    `static ${type.name} ${apply}(${type.name} (*f)(${type.name}, ${type.name}), ${type.name} x) { return f(x, (${type.name})(x / 2)); }`,
  );
  const i = c.name('i');
  return [
    `${type.name} (*ops[])(${type.name}, ${type.name}) = { ${names.map((n) => random.pick([n, `&${n}`])).join(', ')} };`,
    block(`for (int ${i} = 0; ${i} < ${names.length}; ${i}++) {`, [
      `printf("${formatOf(type, random)} ", ops[${i}](${c.repeated(3, () => scalar(c, type, 2))}, ${random.between(0, 99)}));`,
      `printf("${formatOf(type, random)} ", ${apply}(ops[(${i} + 1) % ${names.length}], ${random.between(0, 99)}));`,
    ]),
    `printf("%d %d\\n", ops[0] == ${names[0]}, ops[0] == ops[${names.length - 1}]);`,
  ];
};

/** A variadic function of the program: integers, long longs, doubles, strings. */
const variadic: Scene = (c) => {
  const { random } = c;
  const f = c.globalName('sum');
  const copies = random.chance(0.3);
  c.top.push(
    block(`static long long ${f}(const char *kinds, ...) {`, [
      'va_list list;',
      'va_start(list, kinds);',
      ...(copies ? ['va_list again;', 'va_copy(again, list);'] : []),
      'unsigned long long total = 0;',
      block('for (; *kinds; kinds++) {', [
        block('switch (*kinds) {', [
          `case 'i': total = total * 3 + (unsigned long long)va_arg(list, int); break;`,
          `case 'u': total = total * 5 + va_arg(list, unsigned); break;`,
          `case 'l': total += (unsigned long long)va_arg(list, long long); break;`,
          `case 'd': { double d = va_arg(list, double); total += d > -1e9 && d < 1e9 ? (unsigned long long)(long long)(d * 16) : 1; break; }`,
          `case 's': total += strlen(va_arg(list, const char *)); break;`,
          `case 'p': total ^= (unsigned long long)*va_arg(list, int *); break;`,
        ]),
      ]),
      'va_end(list);',
      ...(copies ? ['total += (unsigned long long)va_arg(again, int);', 'va_end(again);'] : []),
      'return (long long)total;',
    ]),
  );
  const one = c.name('one');
  const kinds = Array.from({ length: random.between(1, 6) }, () => random.pick(['i', 'u', 'l', 'd', 's', 'p']));
  if (copies) kinds[0] = 'i';
  const value = (kind: string): string => {
    if (kind === 'i') return `(int)${integer(c, 2).text}`;
    if (kind === 'u') return `(unsigned)${integer(c, 2).text}`;
    if (kind === 'l') return `(long long)${integer(c, 2).text}`;
    if (kind === 'd') return scalar(c, double, 2).replace(/^(?!tame)/, '(double)');
    return kind === 's' ? `"${'abcdef'.slice(0, random.between(0, 6))}"` : `&${one}`;
  };
  return [
    `int ${one} = ${integer(c, 2).text};`,
    `printf("%lld\\n", ${f}(${[`"${kinds.join('')}"`, ...kinds.map(value)].join(', ')}));`,
  ];
};

/** Structs as parameters and results. */
const byValue: Scene = (c) => {
  const plain = c.structs;
  if (plain.length === 0) return recursion(c);
  const type = c.random.pick(plain);
  const f = c.globalName('by');
  const cost = c.define(`static ${type.name} ${f}(${type.name} s, int n)`, () => {
    c.declare('s', type);
    c.declare('n', int);
    const parts = c.variables.filter((v) => v.text === 's');
    const lines: Piece[] = Array.from({ length: c.random.between(1, 3) }, () => change(c, parts[0]?.text ?? 's', type));
    return [...lines, `if (n > 0) s = ${f}(s, n - 1);`, 'return s;'];
  });
  c.spend(cost * 3);
  const [a, b] = [c.name('a'), c.name('b')];
  c.declare(a, type);
  c.declare(b, type);
  return [
    `${declarator(type, a)} = ${constantInitialiser(c, type)};`,
    `${declarator(type, b)} = ${f}(${a}, ${c.random.between(0, 2)});`,
    `${a} = ${f}(${b}, 0);`,
    showing(a, type),
    showing(b, type),
  ];
};

function change(c: Context, text: string, type: StructType): string {
  const whole = type.fields.filter((f) => f.type.kind === 'integer');
  if (whole.length === 0) return `keep = &${text};`;
  return `${text}.${c.random.pick(whole).name} ^= ${integer(c, 2).text};`;
}

function showing(text: string, type: StructType): string {
  const whole = type.fields
    .filter((f) => f.type.kind === 'integer')
    .map((f) => `(unsigned long long)${text}.${f.name}`);
  return `printf(${[`"${text}${' %llu'.repeat(whole.length)}\\n"`, ...whole].join(', ')});`;
}

/** Recursion that ends: one function, two that call each other, a chain of pointers up the stack. */
const recursion: Scene = (c) => {
  const { random } = c;
  const type = anyInteger(random);
  const wide = unsignedOf(type).name;
  const f = c.globalName('rec');
  const g = c.globalName('rec');
  const kind = random.pick(['one', 'two', 'chain'] as const);
  const depth = random.between(2, 8);
  if (kind === 'one') {
    c.top.push(
      block(`static ${type.name} ${f}(int depth, ${type.name} x) {`, [
        `if (depth <= 0) return x;`,
        `${type.name} y = (${type.name})((${wide})x * ${random.between(2, 9)}u + (${wide})depth);`,
        `return (${type.name})(${f}(depth - 1, y) ^ ${random.chance(0.3) ? `${f}(depth - 2, x)` : 'x'});`,
      ]),
    );
  } else if (kind === 'two') {
    c.top.push(
      `static ${type.name} ${g}(int depth, ${type.name} x);`,
      `static ${type.name} ${f}(int depth, ${type.name} x) { return depth == 0 ? x : ${g}(depth - 1, (${type.name})(x ^ depth)); }`,
      `static ${type.name} ${g}(int depth, ${type.name} x) { return depth == 0 ? !x : ${f}(depth - 1, (${type.name})((${wide})x + 3u)); }`,
    );
  } else {
    c.top.push(
      `struct ${f}_link { const struct ${f}_link *up; ${type.name} value; };`,
      block(`static ${type.name} ${g}(int depth, const struct ${f}_link *up) {`, [
        `struct ${f}_link own = { up, (${type.name})(depth * ${random.between(1, 99)}) };`,
        `if (depth > 0) return ${g}(depth - 1, &own);`,
        `${wide} sum = 0;`,
        `for (const struct ${f}_link *at = &own; at; at = at->up) sum = sum * 7 + (${wide})at->value;`,
        `return (${type.name})sum;`,
      ]),
      `static ${type.name} ${f}(int depth, ${type.name} x) { return (${type.name})(${g}(depth, NULL) ^ x); }`,
    );
  }
  return [`printf("${formatOf(type, random)}\\n", ${f}(${depth}, (${type.name})${integer(c, 2).text}));`];
};

/** A function that remembers. */
const remembers: Scene = (c) => {
  const { random } = c;
  const type = anyInteger(random);
  const f = c.globalName('next');
  c.top.push(
    block(`static ${type.name} ${f}(void) {`, [
      `static ${type.name} state = ${random.between(0, 100)};`,
      'static struct { int calls; char tail[3]; } seen = { .tail = { 1, 2 } };',
      'seen.tail[seen.calls % 3] += 5;',
      'seen.calls++;',
      `state = (${type.name})((${unsignedOf(type).name})state * ${random.between(3, 99)}u + ${random.between(1, 99)}u);`,
      'return state ^ seen.tail[seen.calls % 3];',
    ]),
  );
  return [
    `for (int i = 0; i < ${random.between(1, 6)}; i++) printf("${formatOf(type, random)} ", ${f}());`,
    'printf("\\n");',
  ];
};

/** Results through pointer parameters, arrays as parameters, a pointer as the result. */
const outParameters: Scene = (c) => {
  const { random } = c;
  const type = anyScalar(random);
  const f = c.globalName('minmax');
  const length = random.between(2, 6);
  c.top.push(
    block(
      `static const ${type.name} *${f}(const ${type.name} a[], unsigned n, ${type.name} *low, ${type.name} *high) {`,
      [
        `const ${type.name} *best = a;`,
        '*low = *high = a[0];',
        block('for (unsigned i = 1; i < n; i++) {', [
          'if (a[i] < *low) *low = a[i];',
          'if (a[i] >= *high) { *high = a[i]; best = &a[i]; }',
        ]),
        'return best;',
      ],
    ),
  );
  const items = Array.from({ length }, () => scalar(c, type, 2));
  const format = formatOf(type, random);
  return [
    `${type.name} a[] = { ${items.join(', ')} }, low, high;`,
    `const ${type.name} *best = ${f}(a, ${length}, &low, &high);`,
    `printf("${format} ${format} ${format} %d\\n", low, high, *best, (int)(best - a));`,
  ];
};

/** Names for numbers. */
const enumeration: Scene = (c) => {
  const { random } = c;
  const name = c.globalName('e');
  const upper = name.toUpperCase();
  c.top.push(
    `enum ${name} { ${upper}_A, ${upper}_B = ${random.between(2, 50)}, ${upper}_C, ${upper}_D = -${random.between(1, 9)}, ${upper}_E = ${upper}_B << 2 };`,
  );
  const type: IntegerType = int;
  return [
    `enum ${name} e = ${upper}_${random.pick(['A', 'B', 'C'])};`,
    `${type.name} hits = 0;`,
    block(`for (int i = 0; i < 6; i++) {`, [
      block('switch (e) {', [
        `case ${upper}_A: hits += 1; e = ${upper}_C; break;`,
        `case ${upper}_B: hits += 10; // falls through`,
        `case ${upper}_C: hits += 100; e = ${upper}_D; break;`,
        `case ${upper}_D: hits += 1000; e = ${upper}_E; break;`,
        `default: hits += 10000; e = ${reduce(c, integer(c, 1)).text} & 1 ? ${upper}_A : ${upper}_B;`,
      ]),
    ]),
    `printf("%d %d %u\\n", hits, (int)e, (unsigned)sizeof e);`,
  ];
};

export const callScenes = {
  functionPointers,
  variadic,
  byValue,
  recursion,
  remembers,
  outParameters,
  enumeration,
};
