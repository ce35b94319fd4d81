/** Which instructions assembly stands for; what it does is tested with programs, in tests/c/run. */
import { describe, expect, test } from 'vitest';
import { parseModule } from '../../../src/c/ir/parser.ts';
import { printModule } from '../../../src/c/ir/printer.ts';

function translated(call: string): string[] {
  const text = `define void @f(ptr %p, i32 %x, i32 %y) {\n  ${call}\n  ret void\n}\n`;
  const [, body = ''] = /\{\n([\s\S]*?)\n\}/.exec(printModule(parseModule(text, 'a.ll'))) ?? [];
  return body
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => !/^(\w+:|ret void)?$/.test(line));
}

const m = 'ptr elementtype(i32) %p';

describe('assembly', () => {
  test.each([
    ['call void asm sideeffect "", "~{memory}"()', []],
    ['call void asm sideeffect "pause", ""()', []],
    ['call void asm sideeffect "rep; nop", "~{memory}"()', []],
    ['call void asm sideeffect "wfe; sev; yield; isb sy", "~{memory}"()', []],
    ['call void asm sideeffect "mfence", "~{memory}"()', ['fence seq_cst']],
    ['call void asm sideeffect "lock; addl $$0,0(%rsp)", "~{memory},~{cc}"()', ['fence seq_cst']],
    // a comment goes on to the end of its line
    ['call void asm sideeffect "pause # no; mfence", "~{memory}"()', []],
    ['call void asm sideeffect "pause // no; mfence", "~{memory}"()', []],
    ['call void asm sideeffect "pause # no /* no\\0Amfence # */", "~{memory}"()', ['fence seq_cst']],
    ['call void asm sideeffect "/* no;\\0Amfence # */ nop", "~{memory}"()', []],
    ['call void asm sideeffect "lfence", "~{memory}"()', ['fence acquire']],
    ['call void asm sideeffect "sfence", "~{memory}"()', ['fence release']],
    ['call void asm sideeffect "dmb ish", "~{memory}"()', ['fence seq_cst']],
    ['call void asm sideeffect "dsb sy", "~{memory}"()', ['fence seq_cst']],
    ['call void asm sideeffect "dmb ishld", "~{memory}"()', ['fence acquire']],
    [
      `call void asm sideeffect "lock; incl $0", "=*m,*m,~{memory}"(${m}, ${m})`,
      ['atomicrmw add ptr %p, i32 1 seq_cst, align 4'],
    ],
    [
      `call void asm sideeffect "lock\\0A\\09decl $0", "=*m,*m"(${m}, ${m})`,
      ['atomicrmw sub ptr %p, i32 1 monotonic, align 4'],
    ],
    [
      `call void asm sideeffect "lock orl $1,$0", "=*m,ri,*m"(${m}, i32 8, ${m})`,
      ['atomicrmw or ptr %p, i32 8 monotonic, align 4'],
    ],
    [
      `call void asm sideeffect "movl $1,$0", "=*m,r,~{memory}"(${m}, i32 %x)`,
      ['store atomic i32 %x, ptr %p release, align 4'],
    ],
    [`%v = call i32 asm sideeffect "mov $1,$0", "=r,*m,~{memory}"(${m})`, ['load atomic i32, ptr %p acquire, align 4']],
    [
      `%v = call i32 asm sideeffect "xchgl $0,$1", "=r,*m,0,~{memory}"(${m}, i32 %x)`,
      ['atomicrmw xchg ptr %p, i32 %x seq_cst, align 4'],
    ],
    [
      `%v = call i32 asm sideeffect "xchg $0,($1)", "=r,r,0,~{memory}"(ptr %p, i32 %x)`,
      ['atomicrmw xchg ptr %p, i32 %x seq_cst, align 4'],
    ],
    [
      `%v = call i32 asm sideeffect "lock; cmpxchgl $1,$2\\0A#registers a,,,", "=r,r,*m,0,~{memory}"(i32 %x, ${m}, i32 %y)`,
      ['cmpxchg ptr %p, i32 %y, i32 %x seq_cst seq_cst, align 4'],
    ],
    [
      // octal
      `call void asm sideeffect "lock; addl $$010,$0", "=*m,*m"(${m}, ${m})`,
      ['atomicrmw add ptr %p, i32 8 monotonic, align 4'],
    ],
    [
      // a pointer, and a `long` as compiling says: 64 bits elsewhere
      `%v = call ptr asm "xchgq $0,($1)", "=r,r,0,~{memory}"(ptr %p, ptr %p)`,
      ['atomicrmw xchg ptr %p, ptr %p seq_cst, align 4'],
    ],
    [
      `call void asm sideeffect "lock incq $0\\0A#registers ,long", "=*m,i,*m"(${m}, i32 1, ${m})`,
      ['atomicrmw add ptr %p, i32 1 monotonic, align 4'],
    ],
  ] as const)('%s', (call, expected) => {
    const lines = translated(call).map((line) => line.replace(/^%\w+ = /, ''));
    expect(lines.filter((line) => !/^(extractvalue|(add|sub|or) i32)/.test(line))).toEqual(expected);
  });

  test('clearing a register sets flags', () => {
    const exchange = 'lock cmpxchgl $2,$1; xorl %eax,%eax; sete $0\\0A#registers ,,,a';
    const call = `%v = call i8 asm "${exchange}", "=r,*m,r,r,~{memory}"(${m}, i32 %x, i32 %y)`;
    expect(translated(`${call}\n  store i8 %v, ptr %p`).at(-3)).toMatch(/= icmp eq i32 0, 0$/);
  });

  test.each([
    // what it does is not known
    ['call void asm sideeffect "hlt", ""()', 'hlt'],
    ['call void asm sideeffect "dmb ishst", "~{memory}"()', 'dmb ishst'],
    [`%v = call i32 asm "i32.add $0, $$1", "=r,0"(i32 %x)`, 'i32.add %0, $1'],
    [`%v = call i32 asm sideeffect "ldxr\\09\${0:w}, $1", "=&r,*m"(${m})`, 'ldxr\t%w0, %1'],
    ['call void asm sideeffect "rep; mfence", "~{memory}"()', 'rep; mfence'],
    // of ARM, where this is a number and no comment
    ['call void asm sideeffect "dmb #9", "~{memory}"()', 'dmb #9'],
    // only a locked instruction orders stores before loads, and adding an operand to the stack changes it
    ['call void asm sideeffect "addl $$0,0(%esp)", "~{memory}"()', 'addl $0,0(%esp)'],
    ['call void asm sideeffect "lock; addl $0,0(%esp)", "r,~{memory}"(i32 %x)', 'lock; addl %0,0(%esp)'],
    // flags of what is on the stack
    [
      `%v = call i8 asm "lock; decl $1; lock; addl $$0,(%esp); sete $0", "=r,=*m,*m,~{memory}"(${m}, ${m})`,
      'lock; decl %1; lock; addl $0,(%esp); sete %0',
    ],
    // what is read was never written
    ['%v = call i32 asm "", "=r"()', ''],
    // not atomic, so that it is two accesses
    [`call void asm sideeffect "incl $0", "=*m,*m"(${m}, ${m})`, 'incl %0'],
    [`%v = call i32 asm "cmpxchgl $1,$2\\0A#registers a,,,", "=r,r,*m,0"(i32 %x, ${m}, i32 %y)`, 'cmpxchgl %1,%2'],
    // a part of the operand
    [`call void asm sideeffect "lock; incb $0", "=*m,*m"(${m}, ${m})`, 'lock; incb %0'],
    [`call void asm sideeffect "movb $1,$0", "=*m,r"(${m}, i8 1)`, 'movb %1,%0'],
    // more than the operand
    [`call void asm sideeffect "lock incq $0", "=*m,*m"(${m}, ${m})`, 'lock incq %0'],
    [`call void asm sideeffect "lock incq $0\\0A#registers ,long", "=*m,i,*m"(${m}, i32 0, ${m})`, 'lock incq %0'],
    ['call void asm sideeffect "lock incl $0", "=*m"(ptr elementtype(i8) %p)', 'lock incl %0'],
    [
      // the memory is a `long`, the accumulator is not
      `%v = call i32 asm "lock cmpxchgq $2,$1\\0A#registers a,,,long", "=r,=*m,r,i,0,*m"(${m}, i32 %x, i32 6, i32 %y, ${m})`,
      'lock cmpxchgq %2,%1',
    ],
    ['call void asm sideeffect "movq $$0,($0)", "r"(ptr %p)', 'movq $0,(%0)'],
    // registers of another width than the instruction
    [`%v = call i32 asm "movb $1,$0", "=r,r,0"(i32 %x, i32 %y)`, 'movb %1,%0'],
    [`%v = call i32 asm "mov \${1:w},\${0:b}", "=r,r,0"(i32 %x, i32 %y)`, 'mov %w1,%b0'],
    [`%v = call i32 asm "lock; decl $1; sete $0", "=r,=*m,*m"(${m}, ${m})`, 'lock; decl %1; sete %0'],
    ['call void asm sideeffect "xchgl %al,($0)\\0A#registers ,a", "r,r"(ptr %p, i32 %x)', 'xchgl %al,(%0)'],
    // what is above was never written
    [`%v = call i32 asm "movb $$5,\${0:b}", "=r"()`, 'movb $5,%b0'],
    // the second byte
    [`call void asm sideeffect "movb \${1:h},$0", "=*m,r"(ptr elementtype(i8) %p, i32 %x)`, 'movb %h1,%0'],
    // numbers that no instruction has room for
    [`call void asm sideeffect "lock; addl $$09,$0", "=*m,*m"(${m}, ${m})`, 'lock; addl $09,%0'],
    [`call void asm sideeffect "lock; addl $$0x100000000,$0", "=*m,*m"(${m}, ${m})`, 'lock; addl $0x100000000,%0'],
    // no processor locks that
    [`call void asm sideeffect "lock movl $$1,$0", "=*m"(${m})`, 'lock movl $1,%0'],
    [`%v = call i32 asm "lock xorl $0,$0", "=r"()`, 'lock xorl %0,%0'],
    [`%v = call i32 asm "lock movzbl \${1:b},$0", "=r,r"(i32 %x)`, 'lock movzbl %b1,%0'],
    // a half of what the clock gave was changed
    ['%v = call i64 asm "rdtsc; xorl %eax,%eax\\0A#registers A", "=r"()', 'rdtsc; xorl %eax,%eax'],
    // the compiler may move accesses across
    [
      'call void asm sideeffect "mfence", ""()',
      'mfence (without a "memory" clobber the compiler may move accesses across it)',
    ],
  ])('is left to be refused: %s', (call, text) => {
    const module = parseModule(`define void @f(ptr %p, i32 %x, i32 %y) {\n  ${call}\n  ret void\n}\n`, 'a.ll');
    expect([...module.functions.keys()]).toEqual(['f', `llvm.heddle.assembly.${text}`]);
    expect(() => parseModule(printModule(module), 'again.ll')).not.toThrow();
  });
});
