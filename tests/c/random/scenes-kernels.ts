/** Scenes that are small whole algorithms, as programs have them. */
import { integer, reduce, scalar } from './expressions.ts';
import { block } from './pieces.ts';
import { anyInteger, anyScalar, double, formatOf, unsignedOf } from './scalars.ts';
import type { Scene } from './scenes.ts';

const hash: Scene = (c) => {
  const { random } = c;
  const isWide = random.chance(0.5);
  const type = isWide ? 'uint64_t' : 'uint32_t';
  const [offset, prime] = isWide ? ['0xcbf29ce484222325ull', '0x100000001b3ull'] : ['0x811c9dc5u', '0x01000193u'];
  const f = c.globalName('hash');
  c.top.push(
    block(`static ${type} ${f}(const void *data, size_t n) {`, [
      'const unsigned char *p = data;',
      `${type} h = ${offset};`,
      `while (n--) { h ^= *p++; h *= ${prime}; }`,
      `return h ^ h >> ${random.between(3, 29)};`,
    ]),
  );
  const value = anyScalar(random);
  return [
    `${value.name} x = ${scalar(c, value, 3)};`,
    `printf("%llx %llx\\n", (unsigned long long)${f}(&x, sizeof x), (unsigned long long)${f}("warp and weft", ${random.between(0, 13)}));`,
  ];
};

const generator: Scene = (c) => {
  const { random } = c;
  const type = random.pick(['uint32_t', 'uint64_t']);
  const [a, b, d] = type === 'uint32_t' ? [13, 17, 5] : [13, 7, 17];
  return [
    `${type} x = (${type})${integer(c, 2).text} | 1;`,
    block(`for (int i = 0; i < ${random.between(1, 9)}; i++) {`, [
      `x ^= x << ${a}; x ^= x >> ${b}; x ^= x << ${d};`,
      `printf("%llu ", (unsigned long long)x % ${random.between(10, 100_000)}u);`,
    ]),
    'printf("\\n");',
  ];
};

const gcd: Scene = (c) => {
  const { random } = c;
  const type = anyInteger(random);
  const wide = unsignedOf(type).name;
  return [
    `${wide} a = (${wide})${integer(c, 2).text}, b = (${wide})${integer(c, 2).text} & 0xffff;`,
    `while (b != 0) { ${wide} t = a % b; a = b; b = t; }`,
    'printf("%llu\\n", (unsigned long long)a);',
  ];
};

const sieve: Scene = (c) => {
  const n = c.random.between(10, 40);
  return [
    `_Bool composite[${n}] = {0};`,
    `int count = 0;`,
    block(`for (int i = 2; i < ${n}; i++) {`, [
      'if (composite[i]) continue;',
      'count++;',
      `for (int j = i * i; j < ${n}; j += i) composite[j] = 1;`,
    ]),
    'printf("%d primes\\n", count);',
  ];
};

const matrix: Scene = (c) => {
  const { random } = c;
  const type = random.pick(['int', 'unsigned short', 'double', 'float', 'long long']);
  const n = random.between(2, 3);
  const item = `(${type})(${c.repeated(9, () => reduce(c, integer(c, 2))).text} % 50)`;
  return [
    `${type} a[${n}][${n}], b[${n}][${n}], r[${n}][${n}];`,
    `for (int i = 0; i < ${n}; i++) for (int j = 0; j < ${n}; j++) { a[i][j] = ${item}; b[i][j] = (${type})(i * ${random.between(1, 9)} - j); r[i][j] = 0; }`,
    `for (int i = 0; i < ${n}; i++) for (int j = 0; j < ${n}; j++) for (int k = 0; k < ${n}; k++) r[i][j] += a[i][k] * b[k][j];`,
    `for (int i = 0; i < ${n}; i++) printf("%.10g ", (double)r[i][${random.between(0, n - 1)}]);`,
    'printf("\\n");',
  ];
};

const insertionSort: Scene = (c) => {
  const { random } = c;
  const type = anyScalar(random);
  const n = random.between(3, 7);
  const items = Array.from({ length: n }, () => scalar(c, type, 2));
  return [
    `${type.name} a[${n}] = { ${items.join(', ')} };`,
    block(`for (int i = 1; i < ${n}; i++) {`, [
      `${type.name} x = a[i];`,
      'int j = i;',
      'while (j > 0 && a[j - 1] > x) { a[j] = a[j - 1]; j--; }',
      'a[j] = x;',
    ]),
    `for (int i = 0; i < ${n}; i++) printf("${formatOf(type, random)} ", a[i]);`,
    'printf("\\n");',
  ];
};

const newton: Scene = (c) => [
  `double x = ${scalar(c, double, 2)}, r = 1;`,
  'if (x < 0) x = -x;',
  'if (!(x < 1e12)) x = 2;',
  `for (int i = 0; i < ${c.random.between(3, 12)}; i++) r = (r + x / r) / 2;`,
  'printf("%.17g\\n", r != r ? 0 : r);',
];

const ring: Scene = (c) => {
  const { random } = c;
  const type = anyInteger(random);
  const name = c.globalName('ring');
  const size = random.pick([2, 4, 8]);
  c.top.push(
    `struct ${name} { ${type.name} slots[${size}]; unsigned head, tail; };`,
    `static int ${name}_put(struct ${name} *r, ${type.name} x) { if (r->tail - r->head == ${size}) return 0; r->slots[r->tail++ % ${size}] = x; return 1; }`,
    `static int ${name}_get(struct ${name} *r, ${type.name} *x) { if (r->tail == r->head) return 0; *x = r->slots[r->head++ & ${size - 1}]; return 1; }`,
  );
  return [
    `struct ${name} r = { .head = 0xfffffffeu, .tail = 0xfffffffeu };`,
    `${type.name} x = 0;`,
    block('for (int i = 0; i < 12; i++) {', [
      `int did = (i * ${random.between(1, 9)} + ${random.between(0, 9)}) % 3 ? ${name}_put(&r, (${type.name})(i * ${random.between(1, 99)})) : ${name}_get(&r, &x);`,
      `printf("%d:${formatOf(type, random)} ", did, x);`,
    ]),
    'printf("%u\\n", r.tail - r.head);',
  ];
};

export const kernelScenes = { hash, generator, gcd, sieve, matrix, insertionSort, newton, ring };
