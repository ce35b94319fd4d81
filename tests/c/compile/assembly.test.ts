import { describe, expect, test } from 'vitest';
import { portableAssembly } from '../../../src/c/compile/assembly.ts';

describe('assembly for other processors', () => {
  const cases: readonly (readonly [what: string, text: string, after: string])[] = [
    [
      'a register by name',
      'asm volatile("x %1,%2" : "=a"(old) : "r"(new), "m"(*p), "0"(e) : "memory");',
      'asm volatile("x %1,%2" "\\n#registers a,,," : "=r"(old) : "r"(new), "m"(*p), "0"(e) : "memory");',
    ],
    [
      'registers of a kind, and numbers of a size',
      '__asm__("x" : "=q"(a), "+Q"(b), "=&c"(c) : "Ir"(d), "er"(e), "qm"(f));',
      '__asm__("x" "\\n#registers ,,c,,," : "=r"(a), "+r"(b), "=&r"(c) : "ir"(d), "r"(e), "rm"(f));',
    ],
    ['a result that may be in memory', 'asm("x" : "=qm"(a), "+g"(b));', 'asm("x" : "=r"(a), "+r"(b));'],
    ['a condition', 'asm("x" : "=@ccz" (ok));', 'asm("x" "\\n#registers @ccz" : "=r" (ok));'],
    [
      'clobbered registers',
      'asm("x" : : : "eax", "%rcx", "cc", "memory");',
      'asm("x" : : : "cc", "cc", "cc", "memory");',
    ],
    [
      'names, and values with commas, colons and assembly in them',
      '__asm ( "x" : [o] "=a" (f(a, b ? c : d)) : [i] "d" (g[1]) );',
      '__asm ( "x" "\\n#registers a,d" : [o] "=r" (f(a, b ? c : d)) : [i] "r" (g[1]) );',
    ],
    [
      'what may be for 64 bits, as a long is elsewhere',
      'asm("incq %0" : "+m"(p->n) : : "memory"); asm("addq %1,%0" : "+m" \\\n (a \\\n [i]) : "a"(1));',
      'asm("incq %0" "\\n#registers ,long" : "+m"(p->n) : "i"(_Generic((p->n), long: 1, unsigned long: 1, default: 0)) : "memory"); ' +
        'asm("addq %1,%0" "\\n#registers ,a,long" : "+m" \\\n (a \\\n [i]) : "r"(1), ' +
        '"i"(_Generic((a [i]), long: 1, unsigned long: 1, default: 0) | _Generic((1), long: 2, unsigned long: 2, default: 0)) );',
    ],
    [
      'the same without inputs',
      'asm("incq %0" : "+m"(n));',
      'asm("incq %0" "\\n#registers ,long" : "+m"(n): "i"(_Generic((n), long: 1, unsigned long: 1, default: 0)) );',
    ],
    [
      'the body of a macro',
      '#define X(p, v) ({ __asm__ __volatile__("x" #v \\\n  : "=a"(v) \\\n  : "m"(*(p)) \\\n  : "memory"); })',
      '#define X(p, v) ({ __asm__ __volatile__("x" #v \\\n  "\\n#registers a," : "=r"(v) \\\n  : "m"(*(p)) \\\n  : "memory"); })',
    ],
  ];
  test.each(cases)('%s', (_what, text, after) => {
    expect(portableAssembly(text)).toBe(after);
    expect(portableAssembly(text).split('\n').length).toBe(text.split('\n').length);
  });

  test.each([
    'asm volatile("" ::: "memory");',
    'asm("mfence");',
    'int f(void) __asm__("g");',
    '// asm("x" : "=a"(y));\n/* asm("x" : "=a"(y)); */ char *s = "asm(\\"x\\" : \\"=a\\"(y))";',
    'asm goto("x" : : "a"(y) : : out);',
    'asm("x" : OUTPUT(a), "=r"(b));',
    'asm("unbalanced" : "=a"(',
    'int asmx, __asm_; asm',
    'asm("incq %0" : "+m"(a##b));',
  ])('nothing is changed in: %s', (text) => expect(portableAssembly(text)).toBe(text));
});
