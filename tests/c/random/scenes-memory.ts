/** Scenes about memory: heap, pointers, bytes, lists, tables. */
import { anyArray, constantInitialiser, declarator } from './aggregates.ts';
import { floating, integer, reduce, scalar } from './expressions.ts';
import { block, type Piece } from './pieces.ts';
import { anyInteger, anyScalar, formatOf, integerTypes, sizeOf } from './scalars.ts';
import type { Scene } from './scenes.ts';

/** malloc or calloc, grow by realloc, free. */
const heapArray: Scene = (c) => {
  const { random } = c;
  const type = anyScalar(random);
  const name = c.name('h');
  const count = random.between(1, 8);
  const grown = count + random.between(1, 5);
  const isZeroed = random.chance(0.5);
  const allocation = isZeroed ? `calloc(${count}, sizeof(${type.name}))` : `malloc(${count} * sizeof *${name})`;
  const i = c.name('i');
  const set = (text: string) => c.repeated(grown, () => `${name}[${text}] = ${scalar(c, type, 2)};`);
  const format = formatOf(type, random);
  const lines: Piece[] = [`${type.name} *${name} = ${allocation};`];
  if (!isZeroed) lines.push(block(`for (int ${i} = 0; ${i} < ${count}; ${i}++) {`, [set(i)]));
  lines.push(`${name}[${random.between(0, count - 1)}] = ${scalar(c, type, 2)};`);
  if (random.chance(0.6)) {
    lines.push(`${name} = realloc(${name}, ${grown} * sizeof(${type.name}));`);
    lines.push(block(`for (int ${i} = ${count}; ${i} < ${grown}; ${i}++) {`, [set(i)]));
    lines.push(block(`for (int ${i} = 0; ${i} < ${grown}; ${i}++) {`, [`printf("${format},", ${name}[${i}]);`]));
  } else {
    lines.push(block(`for (int ${i} = 0; ${i} < ${count}; ${i}++) {`, [`printf("${format},", ${name}[${i}]);`]));
  }
  return [...lines, 'printf("\\n");', `free(${name});`];
};

/** A list of heap nodes: pushed, walked, reversed or filtered, freed. */
const list: Scene = (c) => {
  const { random } = c;
  const type = anyInteger(random);
  const node = c.globalName('node');
  c.top.push(block(`struct ${node} {`, [`${type.name} value;`, `struct ${node} *next;`], '};'));
  const count = random.between(1, 6);
  const push = [
    `struct ${node} *n = malloc(sizeof *n);`,
    `n->value = (${type.name})${c.repeated(count, () => integer(c, 2)).text};`,
    'n->next = head;',
    'head = n;',
  ];
  const reverse = block('{', [
    `struct ${node} *back = NULL;`,
    `while (head) { struct ${node} *next = head->next; head->next = back; back = head; head = next; }`,
    'head = back;',
  ]);
  const filter = block(`for (struct ${node} **at = &head; *at; ) {`, [
    `struct ${node} *n = *at;`,
    `if (n->value & 1) { *at = n->next; free(n); } else at = &n->next;`,
  ]);
  const show = `for (struct ${node} *n = head; n != NULL; n = n->next) printf("${formatOf(type, random)};", n->value);`;
  return [
    `struct ${node} *head = NULL;`,
    block(`for (int i = 0; i < ${count}; i++) {`, push),
    ...(random.chance(0.5) ? [reverse] : []),
    ...(random.chance(0.5) ? [filter] : []),
    show,
    `while (head) { struct ${node} *next = head->next; free(head); head = next; }`,
    'printf("\\n");',
  ];
};

/** A search tree, by recursion and pointers to pointers. */
const tree: Scene = (c) => {
  const { random } = c;
  const node = c.globalName('tree');
  const [insert, walk, drop] = [c.globalName('insert'), c.globalName('walk'), c.globalName('drop')];
  const count = random.between(2, 7);
  c.top.push(
    block(`struct ${node} {`, ['int key, count;', `struct ${node} *left, *right;`], '};'),
    block(`static void ${insert}(struct ${node} **at, int key) {`, [
      `if (*at == NULL) { *at = calloc(1, sizeof **at); (*at)->key = key; }`,
      `if ((*at)->key == key) (*at)->count++;`,
      `else ${insert}(key < (*at)->key ? &(*at)->left : &(*at)->right, key);`,
    ]),
    block(`static int ${walk}(const struct ${node} *at, int depth) {`, [
      'if (!at) return depth;',
      `int left = ${walk}(at->left, depth + 1);`,
      'printf("%d*%d ", at->key, at->count);',
      `int right = ${walk}(at->right, depth + 1);`,
      'return left > right ? left : right;',
    ]),
    block(`static void ${drop}(struct ${node} *at) {`, [
      `if (at) { ${drop}(at->left); ${drop}(at->right); free(at); }`,
    ]),
  );
  const key = c.repeated(count * 8, () => reduce(c, integer(c, 2))).text;
  return [
    `struct ${node} *root = NULL;`,
    `for (int i = 0; i < ${count}; i++) ${insert}(&root, (int)(${key} * ${random.between(1, 9)} + i * i) % 11);`,
    `printf("depth %d\\n", ${walk}(root, 0));`,
    `${drop}(root);`,
  ];
};

/** Pointers into one array: steps, differences, comparisons. */
const pointerWalk: Scene = (c) => {
  const { random } = c;
  const type = anyInteger(random);
  const length = random.between(3, 9);
  const array = { kind: 'array', of: type, length } as const;
  const a = c.name('a');
  const from = random.between(0, length - 1);
  const step = random.between(1, 3);
  const show = `printf("%d:${formatOf(type, random)} ", (int)(q - ${a}), *q);`;
  const walks: Piece[] = [
    `for (${type.name} *q = ${a}; q < ${a} + ${length}; q++) ${show}`,
    `for (${type.name} *q = ${a} + ${length}; q != ${a}; ) { --q; ${show} }`,
    `for (${type.name} *q = ${a} + ${from}; q - ${a} < ${length - step}; q += ${step}) { ${show} *q ^= 1; }`,
    block('{', [
      `${type.name} *q = &${a}[${from}], *const end = &${a}[${length}];`,
      `while (q < end) *q++ = ${c.repeated(length, () => integer(c, 1)).text};`,
      `printf("%d %d %d ", q == end, (int)(end - q), (int)(q[-1] == end[-1]));`,
    ]),
    block('{', [
      `${type.name} *low = ${a}, *high = ${a} + ${length - 1};`,
      `while (low < high) { ${type.name} t = *low; *low++ = *high; *high-- = t; }`,
      `printf("%d ", low == high);`,
    ]),
  ];
  const chosen = walks.filter(() => random.chance(0.6));
  return [
    `${declarator(array, a)} = ${constantInitialiser(c, array)};`,
    ...chosen,
    block(`for (int i = 0; i < ${length}; i++) {`, [`printf("${formatOf(type, random)} ", i[${a}]);`]),
    'printf("\\n");',
  ];
};

/** Arrays of arrays: rows by pointer, elements through a flat index. */
const rows: Scene = (c) => {
  const { random } = c;
  const type = anyScalar(random);
  const [height, width] = [random.between(2, 4), random.between(2, 4)];
  const array = { kind: 'array', of: { kind: 'array', of: type, length: width }, length: height } as const;
  const sum = c.globalName('sum');
  c.top.push(
    block(`static double ${sum}(${type.name} (*row)[${width}], int n) {`, [
      'double total = 0;',
      `for (int i = 0; i < n; i++) for (int j = 0; j < ${width}; j++) total += row[i][j] * (i + 1);`,
      'return total;',
    ]),
  );
  return [
    `${declarator(array, 'm')} = ${constantInitialiser(c, array)};`,
    `${type.name} (*row)[${width}] = m + ${random.between(0, height - 1)};`,
    `(*row)[${random.between(0, width - 1)}] = ${scalar(c, type, 2)};`,
    `memcpy(m[0], m[${height - 1}], sizeof m[0]);`,
    `printf("%d %.17g %.17g\\n", (int)(row - m), tame(${sum}(m, ${height})), tame(${sum}(row, 1)));`,
  ];
};

/** The bytes of objects without padding. */
const bytes: Scene = (c) => {
  const { random } = c;
  const type = anyScalar(random);
  const count = random.between(1, 4);
  const size = sizeOf(type) * count;
  const i = c.name('i');
  return [
    `${type.name} x[${count}];`,
    `for (int ${i} = 0; ${i} < ${count}; ${i}++) x[${i}] = ${c.repeated(count, () => scalar(c, type, 2))};`,
    'unsigned char *b = (unsigned char *)x;',
    `for (unsigned ${i} = 0; ${i} < sizeof x; ${i}++) printf("%02x", b[${i}]);`,
    `unsigned char copy[${size}];`,
    'memcpy(copy, x, sizeof x);',
    `printf(" %d", memcmp(copy, x, sizeof x));`,
    `copy[${random.between(0, size - 1)}] ^= ${random.between(1, 255)};`,
    `printf(" %d", memcmp(copy, x, sizeof x) != 0);`,
    `memset(copy + ${random.between(0, size - 1)}, ${random.between(0, 255)}, 1);`,
    `memmove(copy, copy + ${random.between(0, size - 1)}, 1);`,
    `unsigned sum = 0; for (int ${i} = 0; ${i} < ${size}; ${i}++) sum = sum * 31 + copy[${i}];`,
    'printf(" %u\\n", sum);',
  ];
};

/** One value seen through another type of the same size. */
const punning: Scene = (c) => {
  const { random } = c;
  const value = `tame(${floating(c, 2).text})`;
  const mantissa = integer(c, 2).text;
  return [
    'union { double d; uint64_t q; uint32_t w[2]; uint16_t h[4]; uint8_t b[8]; } u;',
    `u.d = ${value};`,
    'printf("%llx %x %x %x %x", (unsigned long long)u.q, u.w[0], u.w[1], u.h[2], u.b[7]);',
    `u.q = 0x3ff0000000000000ull | ((unsigned long long)(${mantissa}) & 0xfffffffffffffull);`,
    'printf(" %.17g", u.d);',
    `u.h[${random.between(0, 2)}] = ${random.between(0, 65535)}; u.b[${random.between(0, 5)}] ^= 0x55;`,
    'printf(" %.17g", u.d);',
    `float f = tame_float(${floating(c, 2).text}), g; uint32_t bits;`,
    'memcpy(&bits, &f, sizeof bits);',
    'printf(" %08x", bits);',
    `bits = 0x40000000u | (bits & 0x7fffffu); memcpy(&g, &bits, sizeof g);`,
    'printf(" %.9g\\n", g);',
  ];
};

/** Constants with addresses of variables, functions and strings in them. */
const table: Scene = (c) => {
  const { random } = c;
  const [f, g, target, rowsName] = [c.globalName('f'), c.globalName('f'), c.globalName('t'), c.globalName('table')];
  const count = random.between(2, 4);
  const items = Array.from({ length: count }, (_, index) => {
    const address = random.pick([`&${target}[${random.between(0, 3)}]`, `${target} + ${random.between(0, 3)}`, target]);
    return `{ "row${index}" + ${random.between(0, 2)}, ${address}, ${random.pick([f, `&${g}`])}, {${index}, ${random.between(-9, 9)}} }`;
  });
  c.top.push(
    `static int ${f}(int x) { return (int)((unsigned)x * ${random.between(2, 99)}u); }`,
    `static int ${g}(int x) { return x ^ ${random.between(1, 999)}; }`,
    `static int ${target}[4] = { 4, [2] = 7, 9 };`,
    block(
      'static const struct {',
      ['const char *name;', 'int *at;', 'int (*run)(int);', 'struct { short a; long long b; } in;'],
      `} ${rowsName}[] = { ${items.join(', ')} };`,
    ),
  );
  return [
    block(`for (unsigned i = 0; i < sizeof ${rowsName} / sizeof ${rowsName}[0]; i++) {`, [
      `*${rowsName}[i].at += ${random.between(1, 9)} * (int)i;`,
      `if (*${rowsName}[i].at > 100000) *${rowsName}[i].at = 3;`,
      `printf("%s %d %d %d %lld ", ${rowsName}[i].name, *${rowsName}[i].at, ${rowsName}[i].run(*${rowsName}[i].at), ${rowsName}[i].in.a, ${rowsName}[i].in.b);`,
    ]),
    `printf("%d\\n", ${target}[0] + ${target}[1] + ${target}[2] + ${target}[3]);`,
  ];
};

/** A struct that ends in an array without a length. */
const flexible: Scene = (c) => {
  const { random } = c;
  const type = random.pick(integerTypes);
  const name = c.globalName('flex');
  const count = random.between(1, 6);
  c.top.push(block(`struct ${name} {`, ['unsigned short count;', `${type.name} items[];`], '};'));
  return [
    `struct ${name} *x = malloc(sizeof *x + ${count} * sizeof x->items[0]);`,
    `x->count = ${count};`,
    `for (int i = 0; i < x->count; i++) x->items[i] = ${c.repeated(count, () => integer(c, 2)).text};`,
    `for (int i = x->count; i-- > 0; ) printf("${formatOf(type, random)} ", x->items[i]);`,
    `printf("%u\\n", (unsigned)sizeof(struct ${name}));`,
    'free(x);',
  ];
};

/** An array whose length is known at run time only. */
const variableLength: Scene = (c) => {
  const length = `(${reduce(c, integer(c, 1)).text} & 7) + 1`;
  return [
    `int n = ${length};`,
    'long long v[n];',
    `for (int i = 0; i < n; i++) v[i] = i ? v[i - 1] / 2 + ${c.repeated(8, () => reduce(c, integer(c, 1))).text} : ${c.random.between(-99, 99)};`,
    `printf("%u %lld %lld\\n", (unsigned)(sizeof v / sizeof v[0]), v[0], v[n - 1]);`,
  ];
};

/** An array of structs or arrays, by pointers to its elements. */
const elements: Scene = (c) => {
  const array = anyArray(c);
  const name = c.name('a');
  const row = c.name('r');
  c.declare(name, array, { hasAddress: false });
  const element = array.of;
  const pointed =
    element.kind === 'array' ? `${declarator(element.of, `(*${row})[${element.length}]`)}` : `${element.name} *${row}`;
  return [
    `${declarator(array, name)} = ${constantInitialiser(c, array)};`,
    `${pointed} = &${name}[${c.random.between(0, array.length - 1)}];`,
    `memmove(&${name}[0], ${row}, sizeof ${name}[0]);`,
    `printf("%d %u\\n", (int)(${row} - ${name}), (unsigned)sizeof ${name});`,
  ];
};

/** A goto that cleans up. */
const cleanup: Scene = (c) => {
  const f = c.globalName('try');
  const { random } = c;
  c.top.push(
    block(`static int ${f}(int x) {`, [
      'int result = -1;',
      `char *a = malloc(${random.between(1, 9)}), *b = NULL;`,
      `if (x % ${random.between(2, 5)} == 0) goto out;`,
      `b = calloc(${random.between(1, 9)}, 2);`,
      'a[0] = (char)x;',
      `if (x % ${random.between(2, 5)} == 1) { result = a[0]; goto out; }`,
      'result = a[0] + b[0] + 100;',
      'out:',
      'free(b);',
      'free(a);',
      'return result;',
    ]),
  );
  return [`for (int i = -3; i < 6; i++) printf("%d ", ${f}(i));`, 'printf("\\n");'];
};

export const memoryScenes = {
  heapArray,
  list,
  tree,
  pointerWalk,
  rows,
  bytes,
  punning,
  table,
  flexible,
  variableLength,
  elements,
  cleanup,
};
