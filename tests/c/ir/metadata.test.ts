import { describe, expect, test } from 'vitest';
import type { CType } from '../../../src/c/ir/debug.ts';
import type { Module } from '../../../src/c/ir/module.ts';
import { fixtureText, instructionsOf, parse } from './texts.ts';

/** A type in a notation near to C, to the depth given. */
function describeType(type: CType | undefined, depth = 2): string {
  if (type === undefined) return 'void';
  switch (type.kind) {
    case 'base':
      return type.name;
    case 'pointer':
      return `*${describeType(type.to(), depth)}`;
    case 'array':
      return `[${type.count ?? ''}]${describeType(type.element(), depth)}`;
    case 'enum':
      return `enum ${type.name}`;
    case 'function':
      return 'function';
    case 'struct': {
      const heading = `${type.isUnion ? 'union' : 'struct'} ${type.name ?? ''}`.trim();
      if (depth === 0) return heading;
      const members = type.members().map(({ name, type, offset, isBitField }) => {
        return `${name ?? '-'}${isBitField ? ':' : ''}@${offset} ${describeType(type, depth - 1)}`;
      });
      return `${heading} { ${members.join(', ')} }`;
    }
  }
}

describe('variables of a file', () => {
  const { globals } = parse(fixtureText('data'));
  const cases: [string, string, string][] = [
    [
      'first',
      'first 8',
      'struct node { value@0 int, next@4 *struct node { value@0 int, next@4 *struct node, -@8 union, inner@16 struct }, -@8 union { f@0 float, bits@0 unsigned int }, inner@16 struct { tag@0 char, wide@8 long long } }',
    ],
    ['text', 'text 10', '*char'],
    ['grid', 'grid 11', '[2][3]int'],
    ['middle', 'middle 12', '*int'],
    ['third', 'third 15', 'double'],
    ['colour', 'colour 16', 'enum colour'],
    ['origin', 'origin 17', 'struct point { x@0 int, y@4 int }'],
    ['flags', 'flags 18', 'struct flags { low:@0 unsigned int, high:@0 int, on:@1 _Bool }'],
    ['dense', 'dense 19', 'struct packed { c@0 char, i@1 int }'],
    ['mine', 'mine 20', 'int'],
    ['huge', 'huge 22', '__int128'],
    ['pair', 'pair 23', 'struct point { x@0 int, y@4 int }'],
    ['set.calls', 'calls 29', 'int'],
    ['.str', 'undefined 10', '[17]char'],
  ];
  for (const [name, place, type] of cases) {
    test(name, () => {
      const { sourceName, position, debugType } = globals.get(name)!;
      expect(`${sourceName} ${position?.line}`).toBe(place);
      expect(position?.file).toBe('data.c');
      expect(describeType(debugType)).toBe(type);
    });
  }

  test('sizes, encodings and names of values', () => {
    expect(globals.get('grid')!.debugType).toMatchObject({ kind: 'array', size: 24, count: 2 });
    const grid = globals.get('grid')!.debugType!;
    expect(grid.kind === 'array' && grid.element()).toMatchObject({ kind: 'array', size: 12, count: 3 });
    expect(globals.get('third')!.debugType).toMatchObject({ size: 8, encoding: 'float' });
    expect(globals.get('text')!.debugType).toMatchObject({ kind: 'pointer', size: 4 });
    const { debugType: colour } = globals.get('colour')!;
    expect(colour?.kind === 'enum' && [...colour.names]).toEqual([
      [0n, 'RED'],
      [5n, 'GREEN'],
      [-3n, 'BLUE'],
    ]);
  });

  test('a recursive type is one object', () => {
    const type = globals.get('first')!.debugType!;
    const next = type.kind === 'struct' ? type.members()[1]!.type! : type;
    expect(next.kind === 'pointer' && next.to()).toBe(type);
  });
});

describe('functions', () => {
  const module = parse(fixtureText('control'));
  const variablesOf = (name: string): string[] =>
    [...module.functions.get(name)!.variables].map(
      ([{ name }, variable]) => `%${name} ${variable.name} ${describeType(variable.type, 0)}`,
    );

  test('positions of functions and instructions', () => {
    const fn = module.functions.get('choose')!;
    expect(fn.position).toEqual({ file: 'control.c', line: 24, column: 1 });
    const change = instructionsOf(fn).find(({ op }) => op === 'switch')!;
    expect(change.position).toEqual({ file: 'control.c', line: 25, column: 3 });
    expect(fn.blocks[0]!.instructions[0]!.position).toBeUndefined();
  });

  test('local variables by the stack object that holds them', () => {
    expect(variablesOf('sum')).toEqual(['%n.addr n int', '%list list *void', '%s s int', '%i i int']);
    expect(variablesOf('lengths')).toContain('%vla a []int');
    expect(module.functions.get('change')!.parameters.map(({ variable }) => variable?.name)).toEqual([
      undefined,
      'b',
      undefined,
    ]);
  });
});

describe('older and odd forms', () => {
  const debug = `
!0 = !DIFile(filename: "x.c", directory: "/")
!1 = distinct !DISubprogram(name: "f", file: !0, line: 5)
!2 = !DILexicalBlockFile(scope: !1, file: !4, discriminator: 0)
!3 = !DILocation(line: 7, scope: !2)
!4 = !DIFile(filename: "macros.h", directory: "")
!5 = !DILocalVariable(name: "v", scope: !1, type: !6)
!6 = !DIDerivedType(tag: DW_TAG_typedef, name: "self", baseType: !6)
!7 = !DILocation(line: 9, column: 2, scope: !8)
!8 = distinct !DILexicalBlock(scope: !1, line: 8)
`;
  const body = (text: string): Module =>
    parse(
      `define void @f() !dbg !1 {\n${text}\n  ret void\n}\ndeclare void @llvm.dbg.declare(metadata, metadata, metadata)\n${debug}`,
    );

  test('llvm.dbg.declare is read and dropped', () => {
    const fn = body(
      '  %x = alloca i32\n  call void @llvm.dbg.declare(metadata ptr %x, metadata !5, metadata !DIExpression()), !dbg !3',
    ).functions.get('f')!;
    expect(instructionsOf(fn).map(({ op }) => op)).toEqual(['alloca', 'ret']);
    expect([...fn.variables.values()]).toEqual([{ name: 'v', type: undefined }]);
  });

  test('positions come from the nearest scope with a file; column 0 is 1; they may be inline', () => {
    const fn = body(
      '  fence seq_cst, !dbg !3\n  fence seq_cst, !dbg !7\n  fence seq_cst, !dbg !DILocation(line: 3, column: 4, scope: !1)\n  fence seq_cst, !dbg !99',
    ).functions.get('f')!;
    expect(
      instructionsOf(fn).map(({ position }) => position && `${position.file}:${position.line}:${position.column}`),
    ).toEqual(['macros.h:7:1', 'x.c:9:2', 'x.c:3:4', undefined, undefined]);
  });

  test('other records, and places that are not the variable itself, are skipped', () => {
    const fn = body(`  %x = alloca ptr
    #dbg_declare(ptr %x, !5, !DIExpression(DW_OP_deref), !3)
    #dbg_declare(ptr poison, !5, !DIExpression(), !3)
    #dbg_value(i32 0, !5, !DIExpression(), !3)
    #dbg_label(!5, !3)`).functions.get('f')!;
    expect(fn.variables.size).toBe(0);
  });

  test('scopes in a circle end', () => {
    const text =
      'define void @f() {\n  ret void, !dbg !0\n}\n!0 = !DILocation(line: 1, column: 1, scope: !1)\n!1 = !DILexicalBlock(scope: !1)';
    expect(instructionsOf(parse(text).functions.get('f')!)[0]!.position).toBeUndefined();
  });
});
