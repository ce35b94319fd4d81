/** Scenes about the C library: strings, printf, sorting, numbers in text. */

import type { Random } from '../../random/prng.ts';
import { floating, integer, reduce } from './expressions.ts';
import { block, type Piece } from './pieces.ts';
import { anyInteger, formatOf } from './scalars.ts';
import type { Scene } from './scenes.ts';

const words = ['heddle', 'weft', 'warp', 'a', '', 'shuttle', 'loom loom', 'x1y2', 'AbC', 'needle'];

const quoted = (random: Random): string => `"${random.pick(words)}"`;

/** string.h on buffers that are large enough. */
const strings: Scene = (c) => {
  const { random } = c;
  const w = () => quoted(random);
  const steps: Piece[] = [
    `strcat(s, ${w()});`,
    `strncat(s, ${w()}, ${random.between(0, 4)});`,
    `strcpy(s, ${w()});`,
    `strncpy(t, ${w()}, ${random.between(1, 16)}); t[15] = 0;`,
    `printf("%u %u ", (unsigned)strlen(s), (unsigned)strnlen(s, ${random.between(0, 5)}));`,
    `{ int r = strcmp(s, ${w()}); printf("%d ", (r > 0) - (r < 0)); }`,
    `{ int r = strncmp(s, ${w()}, ${random.between(0, 5)}); printf("%d ", (r > 0) - (r < 0)); }`,
    `{ char *p = strchr(s, '${random.pick(['e', 'l', 'w', 'x', 'a'])}'); printf("%d ", p ? (int)(p - s) : -1); }`,
    `{ char *p = strrchr(s, '${random.pick(['e', 'l', 'm', 'd', 'a'])}'); printf("%d ", p ? (int)(p - s) : -1); }`,
    `{ const char *p = strstr(s, ${quoted(random)}); printf("%d ", p ? (int)(p - s) : -1); }`,
    `printf("%u %u ", (unsigned)strspn(s, "helow"), (unsigned)strcspn(s, "dtm"));`,
    `{ char *p = memchr(s, 'e', strlen(s)); printf("%d ", p ? (int)(p - s) : -1); }`,
    `memmove(s + 1, s, strlen(s) + 1); s[0] = '${random.pick(['A', 'z', '0'])}';`,
    `for (char *p = s; *p; p++) if (*p >= 'a' && *p <= 'z') *p = (char)(*p - 32);`,
    `for (int i = 0, n = (int)strlen(s); i < n / 2; i++) { char h = s[i]; s[i] = s[n - 1 - i]; s[n - 1 - i] = h; }`,
    `memset(t, '${random.pick(['-', '.', 'o'])}', ${random.between(0, 15)}); t[15] = 0;`,
    `{ char *d = strdup(s); printf("%s ", d); free(d); }`,
  ];
  return [
    `char s[200] = ${w()}, t[16] = ${w()};`,
    ...Array.from({ length: random.between(2, 7) }, () => random.pick(steps)),
    'printf("[%s] [%s]\\n", s, t);',
  ];
};

/** Formats of printf, and printing into buffers. */
const formats: Scene = (c) => {
  const { random } = c;
  const number = () => `(int)${integer(c, 2).text}`;
  const real = () => `tame(${floating(c, 2).text})`;
  const lines: Piece[] = [
    `printf("[%5d] [%-5d] [%05d] [%+d] [% d]\\n", ${number()}, ${number()}, ${number()}, ${number()}, ${number()});`,
    `printf("[%x] [%X] [%#x] [%o] [%#o] [%.4x]\\n", ${number()}, ${number()}, ${number()}, ${number()}, ${number()}, ${number()});`,
    `printf("[%*d] [%-*d] [%.*d]\\n", ${random.between(0, 12)}, ${number()}, ${random.between(0, 12)}, ${number()}, ${random.between(0, 12)}, ${number()});`,
    `printf("[%s] [%10s] [%-10s] [%.3s] [%10.2s]\\n", ${quoted(random)}, ${quoted(random)}, ${quoted(random)}, ${quoted(random)}, ${quoted(random)});`,
    `printf("[%c%c%c] %%\\n", 32 + (int)(${integer(c, 2).text} & 63), 'x', (char)(65 + (${integer(c, 1).text} & 15)));`,
    `printf("[%f] [%.0f] [%.3f] [%10.2f] [%-12.4f] [%+.1f]\\n", ${Array.from({ length: 6 }, () => `(double)(${reduce(c, integer(c, 2)).text}) / ${random.between(1, 64)}`).join(', ')});`,
    `printf("[%e] [%.3e] [%E] [%g] [%G] [%.12g] [%#g]\\n", ${Array.from({ length: 7 }, real).join(', ')});`,
    `printf("[%hhd] [%hu] [%ld] [%llu] [%zu] [%jd] [%td]\\n", (signed char)${number()}, (unsigned short)${number()}, (long)${number()}, (unsigned long long)${number()}, (size_t)${number()}, (intmax_t)${number()}, (ptrdiff_t)${number()});`,
    `{ char b[12]; int n = snprintf(b, sizeof b, "%d-%s", ${number()}, ${quoted(random)}); printf("%d [%s]\\n", n, b); }`,
    `{ char b[64]; int n = sprintf(b, "%u/%lld", (unsigned)${number()}, (long long)${number()}); printf("%d [%s]\\n", n, b); }`,
    `{ int n = printf("%s", ${quoted(random)}); printf(" %d\\n", n); }`,
    `puts(${quoted(random)}); putchar('${random.pick(['q', 'Z', '!'])}'); putchar('\\n');`,
    `fprintf(stdout, "%d\\n", ${number()}); fputs(${quoted(random)}, stdout); fputc('\\n', stdout);`,
  ];
  return lines.filter(() => random.chance(0.35));
};

/** printf through a va_list of our own. */
const logger: Scene = (c) => {
  const f = c.globalName('log');
  c.top.push(
    block(`static int ${f}(char *into, size_t size, const char *format, ...) {`, [
      'va_list list;',
      'va_start(list, format);',
      'int n = into ? vsnprintf(into, size, format, list) : vprintf(format, list);',
      'va_end(list);',
      'return n;',
    ]),
  );
  return [
    'char line[24];',
    `printf("%d ", ${f}(line, sizeof line, "%d %s %.2f", (int)${integer(c, 2).text}, ${quoted(c.random)}, tame(${floating(c, 2).text})));`,
    `printf("%d [%s]\\n", ${f}(NULL, 0, "%llx|%c|", (unsigned long long)${integer(c, 2).text}, 'v'), line);`,
  ];
};

/** qsort and bsearch with a comparison of ours. */
const sorting: Scene = (c) => {
  const { random } = c;
  const type = anyInteger(random);
  const compare = c.globalName('compare');
  const count = random.between(2, 9);
  const isStruct = random.chance(0.4);
  const element = isStruct ? `struct ${compare}_item` : type.name;
  const key = (p: string) => (isStruct ? `((const ${element} *)${p})->key` : `*(const ${element} *)${p}`);
  if (isStruct) c.top.push(`${element} { char tag; ${type.name} key; short rest[2]; };`);
  // Equal keys are told apart by nothing, so that the order in which they end up does not show.
  c.top.push(
    block(`static int ${compare}(const void *x, const void *y) {`, [
      `${type.name} a = ${key('x')}, b = ${key('y')};`,
      random.chance(0.7) ? 'return (a > b) - (a < b);' : 'return (a < b) - (a > b);',
    ]),
  );
  const set = isStruct ? 'items[i].tag = 7; items[i].rest[0] = items[i].rest[1] = 4; items[i].key' : 'items[i]';
  const read = isStruct ? 'items[i].key' : 'items[i]';
  const seed = c.repeated(count, () => integer(c, 2)).text;
  return [
    `${element} items[${count}];`,
    `for (int i = 0; i < ${count}; i++) { ${set} = (${type.name})((unsigned)(${seed}) * 2654435761u >> ${random.between(0, 24)}) ^ (${type.name})(i * ${random.between(1, 77)}); }`,
    `qsort(items, ${count}, sizeof items[0], ${compare});`,
    `for (int i = 0; i < ${count}; i++) printf("${formatOf(type, random)} ", ${read});`,
    `${element} wanted = items[${random.between(0, count - 1)}];`,
    `${element} *found = bsearch(&wanted, items, ${count}, sizeof items[0], ${compare});`,
    `printf("%d\\n", found != NULL && ${compare}(found, &wanted) == 0);`,
  ];
};

/** Text to numbers, characters, absolute values. */
const numbers: Scene = (c) => {
  const { random } = c;
  const text = () => `"${random.pick(['42', '-17', ' 99z', '0', '+5', '123456789', 'abc', '0x1f', '077', '-0'])}"`;
  const lines: Piece[] = [
    `printf("%d %ld %lld ", atoi(${text()}), atol(${text()}), atoll(${text()}));`,
    `{ char *end; const char *t = ${text()}; long v = strtol(t, &end, ${random.pick([0, 10, 16, 8])}); printf("%ld %d ", v, (int)(end - t)); }`,
    `printf("%lu ", strtoul(${text()}, NULL, ${random.pick([0, 10, 16])}));`,
    `printf("%d %ld %lld ", abs((int)${reduce(c, integer(c, 2)).text}), labs((long)${reduce(c, integer(c, 2)).text}), llabs((long long)${reduce(c, integer(c, 2)).text}));`,
    `for (const char *p = "aZ5 _\\n"; *p; p++) printf("%d%d%d%d%d%c ", !!isalpha(*p), !!isdigit(*p), !!isspace(*p), !!isupper(*p), !!isalnum(*p), isspace(*p) ? '.' : toupper(*p));`,
    `printf("%.17g %.17g %.17g ", fmod(${random.between(-99, 99)}.5, ${random.between(1, 9)}.25), fmin(tame(${floating(c, 1).text}), 1), fmax(-0.5, tame(${floating(c, 1).text})));`,
    `printf("%.17g %.9g %.17g ", sqrt(${random.between(0, 999)}.0), fabsf(-${random.between(0, 9)}.5f), copysign(${random.between(0, 9)}, -1));`,
  ];
  return [...lines.filter(() => random.chance(0.5)), 'printf("\\n");'];
};

export const libraryScenes = { strings, formats, logger, sorting, numbers };
