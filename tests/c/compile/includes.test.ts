import { relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sourcesOf } from '../../../src/c/compile/includes.ts';
import { folderWith } from '../../cli/heddle.ts';

function found(files: Readonly<Record<string, string>>, flags = {}, hints: string[] = []) {
  const cwd = folderWith(files);
  const sources = sourcesOf('main.c', { cwd, ...flags }, hints);
  return { names: [...sources.files.keys()].map((path) => relative(cwd, path)), hasHidden: sources.hasHidden };
}

describe('the files that a file may need', () => {
  test('are found through includes of every spelling', () => {
    const { names, hasHidden } = found(
      {
        'main.c':
          '#include "a.h"\n  #  include\t"b.h" // comment\n#include \\\n"c.h"\n#import "d.h"\n#if __has_include( "e.h" )\n#endif\n' +
          'const char text[] = {\n#embed "f.bin"\n};\n#include <g.h>\n#include "missing.h"\n#include <stdio.h>\n',
        'a.h': '#include "sub/../a2.h"\n#include "main.c"\n',
        'a2.h': '',
        'sub/x': '',
        'b.h': '',
        'c.h': '',
        'd.h': '',
        'e.h': '',
        'f.bin': '',
        'g.h': 'not found: only in the folder of the file',
        'sys/g.h': '',
      },
      { includeFolders: ['nowhere', 'sys'] },
    );
    expect(names[0]).toBe('main.c');
    expect(names.toSorted()).toEqual(
      ['main.c', 'a.h', 'a2.h', 'b.h', 'c.h', 'd.h', 'e.h', 'f.bin', 'sys/g.h'].toSorted(),
    );
    expect(hasHidden).toBe(false);
  });

  test('are found in the order in which clang looks, and all of them for include_next', () => {
    const files = { 'main.c': '#include "x.h"\n', 'one/x.h': '', 'two/x.h': '' };
    expect(found(files, { includeFolders: ['one', 'two'] }).names).toEqual(['main.c', 'one/x.h']);
    const next = { ...files, 'one/x.h': '#include_next <x.h>\n' };
    expect(found(next, { includeFolders: ['one', 'two'] }).names).toEqual(['main.c', 'one/x.h', 'two/x.h']);
  });

  test('may have names that macros make up', () => {
    const files = { 'main.c': '#include NAME\n', 'x.h': '', 'y.h': '' };
    expect(found(files)).toEqual({ names: ['main.c'], hasHidden: true });
    expect(found(files, { defines: ['NAME="x.h"', 'OTHER=1'] }).names).toEqual(['main.c', 'x.h']);
    expect(found(files, {}, ['y.h']).names).toEqual(['main.c', 'y.h']);
  });

  test('are none if the file does not exist or is a folder', () => {
    expect(found({}).names).toEqual([]);
    expect(found({ 'main.c/x': '' }).names).toEqual([]);
  });
});
