import { describe, expect, test } from 'vitest';
import { linkModules } from '../../../src/c/ir/link.ts';
import type { Module } from '../../../src/c/ir/module.ts';
import { parseModule } from '../../../src/c/ir/parser.ts';
import { printModule } from '../../../src/c/ir/printer.ts';
import { verifyModule } from '../../../src/c/ir/verifier.ts';
import { InputError } from '../../../src/program/input-error.ts';
import { fixtureNames, fixtureText, instructionsOf } from './texts.ts';

/** Links a.ll, b.ll, …; the result is valid. */
function link(...texts: string[]): Module {
  const module = linkModules(texts.map((text, i) => parseModule(text, `${'abcdef'[i]}.ll`)));
  verifyModule(module);
  return module;
}

function failure(...texts: string[]): string {
  try {
    link(...texts);
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
  throw new Error('the modules were linked');
}

/** What a function returns: a constant. */
function returned(module: Module, name: string): unknown {
  const fn = module.functions.get(module.aliases.get(name) ?? name)!;
  return instructionsOf(fn).at(-1)!.operands[0];
}

const define = (words: string, value: number, name = 'f'): string =>
  `define ${words} i32 @${name}() {\n  ret i32 ${value}\n}\n`;

test('one module is itself', () => {
  const module = parseModule('@g = global i32 0', 'a.ll');
  expect(linkModules([module])).toBe(module);
});

describe('functions', () => {
  test('declarations are resolved, in either order', () => {
    for (const texts of [
      ['declare i32 @f()', define('', 1)],
      [define('', 1), 'declare i32 @f()'],
    ]) {
      const module = link(...texts);
      expect(module.functions.size).toBe(1);
      expect(returned(module, 'f')).toMatchObject({ value: 1n });
    }
  });

  test('weak definitions give way, and among them the first counts', () => {
    expect(returned(link(define('weak', 1), define('', 2)), 'f')).toMatchObject({ value: 2n });
    expect(returned(link(define('', 2), define('linkonce_odr', 1)), 'f')).toMatchObject({ value: 2n });
    expect(returned(link(define('weak', 1), define('linkonce', 2)), 'f')).toMatchObject({ value: 1n });
    expect(returned(link('declare extern_weak i32 @f()', define('weak', 1)), 'f')).toMatchObject({ value: 1n });
  });

  test('a function that one module needs is needed', () => {
    expect(link('declare extern_weak i32 @f()', 'declare i32 @f()').functions.get('f')!.isWeak).toBe(false);
    expect(link('declare extern_weak i32 @f()', 'declare extern_weak i32 @f()').functions.get('f')!.isWeak).toBe(true);
  });

  test('two definitions are refused', () => {
    expect(failure(define('', 1), define('', 2))).toBe('f is defined in a.ll and in b.ll');
    const at = (line: number): string => `define void @f() !dbg !0 {
  ret void
}
!0 = distinct !DISubprogram(name: "f", file: !1, line: ${line})
!1 = !DIFile(filename: "x.c", directory: "/")`;
    expect(failure(at(3), at(9))).toBe('f is defined in a.ll and in b.ll (first at x.c:3)');
  });

  test('a function is not a variable', () => {
    expect(failure(define('', 1), '@f = external global i32')).toBe(
      'f is a function in one file and a variable in another',
    );
  });
});

describe('variables', () => {
  test('definitions resolve declarations and give their type', () => {
    const module = link(
      '@a = external global [0 x i32]\n@p = global ptr @a',
      '@a = global [3 x i32] zeroinitializer, align 16',
    );
    expect(module.globals.get('a')).toMatchObject({ type: { count: 3 }, align: 16, initializer: { kind: 'zero' } });
    expect([...module.globals.keys()].sort()).toEqual(['a', 'p']);
  });

  test('common ones are merged into the largest; a real definition counts more', () => {
    const small = '@c = common global i32 0';
    const large = '@c = common global [4 x i32] zeroinitializer';
    expect(link(small, large).globals.get('c')!.type).toMatchObject({ kind: 'array' });
    expect(link(large, small).globals.get('c')!.type).toMatchObject({ kind: 'array' });
    expect(link(large, '@c = global i32 7').globals.get('c')!.initializer).toMatchObject({ value: 7n });
    expect(failure('@c = global i32 7', '@c = global i32 7')).toBe('c is defined in a.ll and in b.ll');
  });

  test('thread-local in one file only', () => {
    expect(failure('@t = thread_local global i32 0', '@t = external global i32')).toBe(
      't is thread-local in one file and not in another',
    );
  });

  test('lists of functions to run before main are joined', () => {
    const list = (name: string): string =>
      `define internal void @${name}() {\n  ret void\n}
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @${name}, ptr null }]`;
    const module = link(list('one'), list('one'));
    expect(module.globals.get('llvm.global_ctors')!.type).toMatchObject({ count: 2 });
    expect(printModule(module)).toContain('@one.1');
  });
});

describe('internal symbols', () => {
  const text = (value: number): string => `
@counter = internal global i32 ${value}
@table = internal constant [2 x ptr] [ptr @counter, ptr getelementptr (i8, ptr @counter, i32 1)]
define internal i32 @helper() {
  %v = load i32, ptr @counter
  ret i32 %v
}
define i32 @use${value}() {
  %v = call i32 @helper()
  ret i32 %v
}
@other${value} = alias i32 (), ptr @helper`;

  test('of one name are told apart, with all uses', () => {
    const module = link(text(1), text(2));
    expect([...module.functions.keys()].sort()).toEqual(['helper.1', 'helper.2', 'use1', 'use2']);
    expect([...module.globals.keys()].sort()).toEqual(['counter.1', 'counter.2', 'table.1', 'table.2']);
    expect(module.globals.get('counter.2')!.initializer).toMatchObject({ value: 2n });
    const [load] = instructionsOf(module.functions.get('helper.2')!);
    expect(load!.operands[0]).toMatchObject({ name: 'counter.2' });
    expect(instructionsOf(module.functions.get('use2')!)[0]!.operands[0]).toMatchObject({ name: 'helper.2' });
    expect(module.aliases.get('other2')).toBe('helper.2');
    expect(module.globals.get('table.2')!.initializer).toMatchObject({
      elements: [{ name: 'counter.2' }, { operands: [{ name: 'counter.2' }, {}] }],
    });
  });

  test('do not resolve declarations of others', () => {
    const module = link(define('internal', 1), 'declare i32 @f()\n@p = global ptr @f');
    expect(module.functions.get('f')!.blocks).toEqual([]);
    expect(module.globals.get('p')!.initializer).toMatchObject({ name: 'f' });
    expect(returned(module, 'f.1')).toMatchObject({ value: 1n });
  });
});

describe('aliases', () => {
  const aliased = (words: string): string => `${define('internal', 1, 'own')}@f = ${words} alias i32 (), ptr @own`;

  test('resolve declarations', () => {
    const module = link('declare i32 @f()', aliased(''));
    expect([...module.functions.keys()]).toEqual(['own']);
    expect(returned(module, 'f')).toMatchObject({ value: 1n });
    expect(link(aliased(''), 'declare i32 @f()').functions.size).toBe(1);
  });

  test('that are weak give way to definitions, others do not', () => {
    const module = link(aliased('weak'), define('', 2));
    expect(module.aliases.size).toBe(0);
    expect(returned(module, 'f')).toMatchObject({ value: 2n });
    expect(failure(aliased(''), define('', 2))).toBe('f is defined in a.ll and in b.ll');
  });
});

test('types of one name and two structures are told apart when printed', () => {
  const text = (body: string, name: string): string => `%s = type ${body}\n@${name} = global %s zeroinitializer`;
  const module = link(text('{ i32 }', 'a'), text('{ i64 }', 'b'), text('{ i32 }', 'c'));
  const printed = printModule(module);
  expect(printed).toContain('%s = type { i32 }\n%s.1 = type { i64 }\n@a = global %s');
  expect(printed).toContain('@b = global %s.1 ');
  expect(printed).toContain('@c = global %s ');
});

test('what clang writes is linked', () => {
  const module = link(...fixtureNames.map(fixtureText));
  expect(module.functions.has('updates') && module.functions.has('choose') && module.functions.has('set')).toBe(true);
  const printed = printModule(module);
  expect(printModule(parseModule(printed, module.name))).toBe(printed);
});
