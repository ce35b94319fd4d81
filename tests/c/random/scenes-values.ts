/** Scenes about values: atomics of all widths, bit counts, overflow, special floating-point values, thread-locals. */
import { floating, integer, reduce } from './expressions.ts';
import { block, type Piece } from './pieces.ts';
import { anyInteger, formatOf, int, integerTypes, leastOf } from './scalars.ts';
import type { Scene } from './scenes.ts';

const orders = ['relaxed', 'acquire', 'release', 'acq_rel', 'seq_cst'] as const;

/** Atomic operations of <stdatomic.h>, used by one thread. */
const atomics: Scene = (c) => {
  const { random } = c;
  const type = anyInteger(random);
  const isBool = type.bits === 1;
  const isGlobal = random.chance(0.6);
  const x = isGlobal ? c.globalName('atomic') : c.name('x');
  const initial = random.between(0, 99);
  if (isGlobal) c.top.push(`static _Atomic(${type.name}) ${x} = ${initial};`);
  const format = formatOf(type, random);
  const any = () => `memory_order_${random.pick(orders)}`;
  const value = () => `(${type.name})${integer(c, 2).text}`;
  const step = (): Piece[] => {
    const operation = random.pick(isBool ? ['or', 'and', 'xor'] : ['add', 'sub', 'or', 'and', 'xor']);
    switch (random.between(0, 8)) {
      case 0:
        return [`atomic_store(&${x}, ${value()});`];
      case 1:
        return [
          `atomic_store_explicit(&${x}, ${value()}, memory_order_${random.pick(['relaxed', 'release', 'seq_cst'])});`,
        ];
      case 2:
        return [
          `printf("${format} ", atomic_load_explicit(&${x}, memory_order_${random.pick(['relaxed', 'acquire', 'seq_cst'])}));`,
        ];
      case 3:
        return [`printf("${format} ", atomic_exchange_explicit(&${x}, ${value()}, ${any()}));`];
      case 4:
      case 5:
        return [`printf("${format} ", atomic_fetch_${operation}_explicit(&${x}, ${value()}, ${any()}));`];
      case 6: {
        const strength = random.pick(['strong', 'weak']);
        const expected = random.chance(0.5) ? `atomic_load(&${x})` : value();
        return [
          block('{', [
            `${type.name} expected = ${expected};`,
            `int done = atomic_compare_exchange_${strength}(&${x}, &expected, ${value()});`,
            `printf("%d ${format} ", done, expected);`,
          ]),
        ];
      }
      case 7:
        // Operators on atomic objects are atomic and wrap around.
        return [
          `${x} ${random.pick(['+=', '-=', '^=', '|=', '&='])} (${isBool ? '_Bool' : 'unsigned'})${integer(c, 1).text};`,
        ];
      default:
        return isBool
          ? [`${x} = 1;`]
          : [`printf("${format} ", (${type.name})${random.pick([`${x}++`, `++${x}`, `${x}--`, `--${x}`])});`];
    }
  };
  const steps = Array.from({ length: random.between(2, 7) }, step).flat();
  const own: Piece[] = isGlobal ? [] : [`_Atomic(${type.name}) ${x};`, `atomic_init(&${x}, ${initial});`];
  return [...own, ...steps, `printf("${format}\\n", (${type.name})${x});`];
};

/** Flags, fences, atomic pointers, the compiler's own builtins. */
const atomicExtras: Scene = (c) => {
  const { random } = c;
  const flag = c.globalName('flag');
  const word = c.globalName('word');
  const type = random.pick(integerTypes.filter((t) => t.bits >= 8));
  c.top.push(
    `static atomic_flag ${flag} = ATOMIC_FLAG_INIT;`,
    `static ${type.name} ${word} = ${random.between(0, 99)};`,
  );
  const format = formatOf(type, random);
  const v = () => `(${type.name})${integer(c, 1).text}`;
  const lines = [
    `printf("%d ", atomic_flag_test_and_set(&${flag}));`,
    `printf("%d ", atomic_flag_test_and_set_explicit(&${flag}, memory_order_acquire)); atomic_flag_clear(&${flag});`,
    'atomic_thread_fence(memory_order_seq_cst); atomic_signal_fence(memory_order_acquire);',
    `printf("${format} ", __atomic_fetch_add(&${word}, ${v()}, __ATOMIC_SEQ_CST));`,
    `printf("${format} ", __atomic_add_fetch(&${word}, ${v()}, __ATOMIC_RELAXED));`,
    `printf("${format} ", __atomic_nand_fetch(&${word}, ${v()}, __ATOMIC_ACQ_REL));`,
    `printf("${format} ", __sync_fetch_and_sub(&${word}, ${v()}));`,
    `printf("${format} ", __sync_val_compare_and_swap(&${word}, ${v()}, ${v()}));`,
    `printf("%d ", __sync_bool_compare_and_swap(&${word}, ${word}, ${v()}));`,
    `__atomic_store_n(&${word}, ${v()}, __ATOMIC_RELEASE);`,
    `printf("${format} ", __atomic_load_n(&${word}, __ATOMIC_ACQUIRE));`,
    `{ int at[3] = {5, 6, 7}; int *_Atomic p = at; p++; int *old = atomic_fetch_add(&p, 1); printf("%d %d ", *old, *atomic_load(&p)); }`,
    `{ struct pair { short a, b; } plain = {1, 2}; _Atomic(struct pair) s; atomic_init(&s, plain); plain.a = 9; plain = atomic_exchange(&s, plain); printf("%d %d ", plain.a, plain.b); }`,
    `{ _Atomic double d = 1.5; d += 0.25; d = d * 2; printf("%g ", (double)d); }`,
  ];
  return [...lines.filter(() => random.chance(0.5)), `printf("${format}\\n", ${word});`];
};

/** Bit counting, byte swapping, rotation. */
const bitTricks: Scene = (c) => {
  const { random } = c;
  return [
    `unsigned w = (unsigned)${integer(c, 3).text}; unsigned long long q = (unsigned long long)${integer(c, 3).text};`,
    'printf("%d %d %d %d ", __builtin_popcount(w), __builtin_popcountll(q), __builtin_clz(w | 1), __builtin_clzll(q | 1));',
    'printf("%d %d %d %d ", __builtin_ctz(w | 0x80000000u), __builtin_ctzll(q | 1ull << 63), __builtin_ffs((int)w), __builtin_parity(w));',
    'printf("%x %llx %x ", __builtin_bswap32(w), (unsigned long long)__builtin_bswap64(q), __builtin_bswap16((uint16_t)w));',
    `int r = ${random.between(1, 31)}; w = w << r | w >> (32 - r); q = q << r | q >> (64 - r);`,
    'printf("%x %llx\\n", w, q);',
  ];
};

/** Arithmetic that tells whether it overflowed. */
const overflow: Scene = (c) => {
  const { random } = c;
  const type = random.pick(integerTypes.filter((t) => t.bits >= 8));
  const operations = ['add', 'sub', 'mul'].filter(() => random.chance(0.7));
  return [
    `${type.name} a = (${type.name})${integer(c, 3).text}, b = (${type.name})${integer(c, 3).text}, r;`,
    ...operations.map(
      (o) => `{ int over = __builtin_${o}_overflow(a, b, &r); printf("%d ${formatOf(type, random)} ", over, r); }`,
    ),
    'printf("\\n");',
  ];
};

/** Infinities, not-a-number, minus zero, comparisons that are never true. */
const specialFloats: Scene = (c) => {
  const type = c.random.pick(['double', 'float']);
  return [
    `volatile ${type} zero = 0; ${type} inf = 1 / zero, nan = zero / zero, minus = -zero;`,
    `${type} x = ${c.random.pick(['inf', 'nan', 'minus', '1', 'zero'])}, y = ${c.random.pick(['inf', 'nan', 'minus', '-inf', 'zero'])};`,
    'printf("%d%d%d%d%d%d ", x < y, x <= y, x > y, x >= y, x == y, x != y);',
    'printf("%d%d%d%d ", !(x < y), !(x >= y), x ? 1 : 0, !y);',
    'printf("%g %g %g %d %d ", inf, -inf, minus, nan == nan, 1 / minus < 0);',
    'printf("%d %d %d\\n", __builtin_isnan(x), __builtin_isinf(y), __builtin_signbit(minus) != 0);',
  ];
};

/** Conversions at the edges of what a type can hold. */
const conversions: Scene = (c) => {
  const { random } = c;
  const value = `tame(${floating(c, 2).text})`;
  const edge = random.pick([
    '2147483648.0',
    '4294967296.0',
    '9007199254740993.0',
    '16777217.0',
    '1e-40',
    '0.3',
    '3.4e38',
  ]);
  return [
    `double d = ${value}, edge = ${edge}; float f = (float)edge;`,
    'printf("%.17g %.9g %.17g ", (double)(float)d, f, (double)f - edge);',
    `long long l = (long long)${integer(c, 3).text}; unsigned long long u = (unsigned long long)l;`,
    'printf("%.17g %.17g %.9g %.9g ", (double)l, (double)u, (float)l, (float)u);',
    'if (d > -1e9 && d < 1e9) printf("%d %lld %d %d ", (int)d, (long long)d, (short)(int)d, (int)(signed char)(int)d);',
    'if (d >= 0 && d < 4e9) printf("%u %llu ", (unsigned)d, (unsigned long long)d);',
    'printf("%d\\n", (_Bool)d + (_Bool)f + (_Bool)l);',
  ];
};

/** Variables of which each thread has its own. */
const threadLocal: Scene = (c) => {
  const { random } = c;
  const type = anyInteger(random);
  const [x, f] = [c.globalName('own'), c.globalName('touch')];
  c.top.push(
    `static _Thread_local ${type.name} ${x} = ${random.between(0, 9)};`,
    `static _Thread_local struct { int a[3]; long long b; } ${x}_s = { {1, 2}, ${random.between(0, 99)} };`,
    `static ${type.name} *${f}(int by) { ${x} ^= by; ${x}_s.a[2] += by; return &${x}; }`,
  );
  return [
    `${x} = ${random.between(0, 100)}; ${x}_s.a[2] = 3;`,
    `*${f}(${random.between(0, 100)}) |= ${reduce(c, integer(c, 1)).text};`,
    `printf("${formatOf(type, random)} %d %d %lld\\n", ${x}, ${x}_s.a[1], ${x}_s.a[2], ${x}_s.b);`,
  ];
};

/** Products of 64 bits and more, in 64-bit arithmetic. */
const wide: Scene = (c) => [
  `unsigned long long a = (unsigned long long)${integer(c, 3).text}, b = ${c.random.between(1, 999_999_999)}ull * 0x9e3779b97f4a7c15ull;`,
  'unsigned long long lo = (a & 0xffffffffu) * (b & 0xffffffffu), mid = (a >> 32) * (b & 0xffffffffu) + (lo >> 32);',
  'unsigned long long mid2 = (a & 0xffffffffu) * (b >> 32) + (mid & 0xffffffffu), hi = (a >> 32) * (b >> 32) + (mid >> 32) + (mid2 >> 32);',
  'printf("%llx %llx %lld %lld\\n", a * b, hi, (long long)(a / (b | 1)), (long long)a % ((long long)(b >> 1) | 1));',
  `int64_t s = ${c.random.chance(0.5) ? `${leastOf({ ...int, bits: 63 })}` : 'INT64_MIN'}; printf("%lld %lld %d\\n", (long long)(s >> ${c.random.between(0, 63)}), (long long)(s / 3), s < 0);`,
];

export const valueScenes = {
  atomics,
  atomicsAgain: atomics,
  atomicExtras,
  bitTricks,
  overflow,
  specialFloats,
  conversions,
  threadLocal,
  wide,
};
