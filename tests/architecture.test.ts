/**
 * The arrows between the folders of src/ point one way (docs/architecture.md). This test reads the import lines, so that
 * an arrow against the current is noticed when it is drawn and not when it is in the way.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const src = fileURLToPath(new URL('../src/', import.meta.url));

/**
 * Who may import what: a folder of src/, one inside it, or one file where the rest of its folder is out of bounds. A
 * folder may always import from itself. Files that lie in src/ itself, or beside folders that are listed, are listed by
 * name.
 */
const arrows: Readonly<Record<string, readonly string[]>> = {
  // The contract between front ends and explorers: it knows neither.
  program: [],
  // A front end turns source code into operations. It knows no explorer.
  typescript: ['program'],
  // Of C: from the compiler's text to functions that ask for operations, room by room.
  'c/compile': ['program'],
  'c/ir': ['program'],
  // What a running thread offers to the library and to compiled code.
  'c/runtime.ts': ['c/ir', 'program'],
  'c/library': ['c/runtime.ts', 'c/ir', 'program'],
  // Analyses look, transformations change. Both ask the library what its functions do.
  'c/passes/analyses': ['c/library', 'c/ir'],
  'c/passes/transformations': ['c/passes/analyses', 'c/library', 'c/ir', 'program'],
  'c/passes/purity': ['c/passes/transformations', 'c/passes/analyses', 'c/library', 'c/ir', 'program'],
  'c/passes/index.ts': ['c/passes/purity', 'c/passes/transformations', 'c/passes/analyses', 'c/ir', 'program'],
  // What runs knows what was found out, and not how code was changed.
  'c/run': ['c/passes/analyses', 'c/library', 'c/runtime.ts', 'c/ir', 'program'],
  'c/language.ts': ['program'],
  'c/choices.ts': [],
  'c/program.ts': ['c/run', 'c/passes', 'c/runtime.ts', 'c/ir', 'c/choices.ts', 'c/language.ts', 'program'],
  'c/index.ts': ['c/program.ts', 'c/run', 'c/ir', 'c/compile', 'program'],
  // What the command line needs of it.
  'c/front-end': ['c/program.ts', 'c/run', 'c/ir', 'c/compile', 'c/choices.ts', 'c/language.ts', 'program'],
  graph: ['program'],
  models: ['graph', 'program'],
  // An explorer sees operations. It knows no front end, and neither files nor the terminal.
  explore: ['models', 'graph', 'program'],
  // Options in, result out. It picks by the tables; a model it knows by name only.
  check: [
    'explore/explorer.ts',
    'explore/options.ts',
    'explore/registry.ts',
    'models/registry.ts',
    'program',
    'version.ts',
  ],
  // A result becomes text, JSON, pictures. It knows what a count is, and no algorithm.
  report: ['check', 'explore/explorer.ts', 'program', 'version.ts'],
  // The command: it puts all of this together, lists what the two tables hold, and gives programs the library.
  cli: [
    'check',
    'report',
    'front-ends.ts',
    'program',
    'explore/explorer.ts',
    'explore/options.ts',
    'explore/registry.ts',
    'models/registry.ts',
    'version.ts',
    'index.ts',
    'vitest.ts',
    'c/index.ts',
  ],
  // The table of front ends.
  'front-ends.ts': ['c', 'typescript', 'program'],
  // What others import.
  'index.ts': ['check', 'explore/explorer.ts', 'program', 'report', 'typescript', 'version.ts'],
  'vitest.ts': ['check', 'program', 'report', 'typescript', 'version.ts'],
  'version.ts': [],
};

interface Import {
  /** Both as seen from src/, with / between folders. */
  readonly file: string;
  readonly imported: string;
}

/** Static and dynamic imports, re-exports, and files that are named to be run as workers; packages are left out. */
function importsOf(file: string, text: string): Import[] {
  const code = text.replaceAll(/^\s*(?:\*|\/\/).*$/gm, '');
  const pattern = /(?:\bfrom|\bimport|\bimport\(|\bnew URL\()\s*'(\.{1,2}\/[^']+\.[jt]s)'/g;
  return [...code.matchAll(pattern)].map(([, path = '']) => ({
    file,
    imported: normalize(join(dirname(file), path))
      .split(sep)
      .join('/')
      .replace(/\.js$/, '.ts'),
  }));
}

function violations(imports: readonly Import[]): string[] {
  return imports.flatMap(({ file, imported }) => {
    const from = placeOf(file);
    const allowed = arrows[from];
    if (allowed === undefined) return [`${file}: ${from} is not in the table of arrows`];
    if (from === placeOf(imported) || allowed.some((entry) => covers(entry, imported))) return [];
    return [
      `${file} imports ${imported}, but ${from} may import ${allowed.length === 0 ? 'nothing' : `only ${allowed.join(', ')}`}`,
    ];
  });
}

/** Whether a file or folder is the one that is listed, or lies in it. */
function covers(listed: string, path: string): boolean {
  return path === listed || path.startsWith(`${listed}/`);
}

/** Where in the table a file or folder stands; if nowhere, the folder of src/ that it lies in. */
function placeOf(path: string): string {
  const places = Object.keys(arrows).filter((place) => covers(place, path));
  return places.sort((a, b) => b.length - a.length)[0] ?? (path.split('/')[0] as string);
}

/** The places that an arrow to a file or folder leads to. */
function placesIn(path: string): string[] {
  const inside = Object.keys(arrows).filter((place) => covers(path, place));
  return inside.length === 0 ? [placeOf(path)] : inside;
}

function sourceFiles(): string[] {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' });
  return files.filter((file) => file.endsWith('.ts')).map((file) => file.split(sep).join('/'));
}

test('imports between the folders of src/ follow the arrows', () => {
  const imports = sourceFiles().flatMap((file) => importsOf(file, readFileSync(join(src, file), 'utf8')));
  expect(imports.length).toBeGreaterThan(50); // else the pattern above has gone blind
  expect(violations(imports)).toEqual([]);
});

test('the arrows have no cycle', () => {
  const done: string[] = [];
  const visit = (place: string, path: readonly string[]): void => {
    expect(path, `a cycle: ${[...path, place].join(' → ')}`).not.toContain(place);
    if (done.includes(place)) return;
    for (const next of (arrows[place] ?? []).flatMap(placesIn)) visit(next, [...path, place]);
    done.push(place);
  };
  for (const place of Object.keys(arrows)) visit(place, []);
});

test('only src/cli touches the process', () => {
  const others = sourceFiles().filter((file) => placeOf(file) !== 'cli');
  const touching = others.filter((file) => /(?<![.\w])process\.\w/.test(readFileSync(join(src, file), 'utf8')));
  expect(touching).toEqual([]);
});

test('only front ends and their table know a language', () => {
  const others = sourceFiles().filter((file) => !/^(?:c|typescript|front-ends\.ts)(?:\/|$)/.test(file));
  const naming = others.filter((file) => /(['"`])(?:c|typescript)\1/i.test(readFileSync(join(src, file), 'utf8')));
  expect(naming).toEqual([]);
});

describe('the checker', () => {
  test('finds every kind of import', () => {
    const text = [
      "import { a } from './a.ts';",
      "import type { B } from '../graph/b.ts';",
      'import {\n  c,\n} from "not seen: double quotes are not our style";',
      "import {\n  type D,\n  d,\n} from '../program/d.ts';",
      "export { e } from '../cli/e.ts';",
      "import '../report/f.ts';",
      "const g = await import('../check/g.ts');",
      "new Worker(new URL('./h.js', import.meta.url));",
      "import { z } from 'zod';",
      " * import { example } from './comment.ts';",
    ].join('\n');
    expect(importsOf('models/x.ts', text).map(({ imported }) => imported)).toEqual([
      'models/a.ts',
      'graph/b.ts',
      'program/d.ts',
      'cli/e.ts',
      'report/f.ts',
      'check/g.ts',
      'models/h.ts',
    ]);
  });

  test('names the file and the import that go against an arrow', () => {
    const imports = [
      { file: 'explore/trust.ts', imported: 'graph/graph.ts' },
      { file: 'explore/trust.ts', imported: 'typescript/api.ts' },
      { file: 'typescript/api.ts', imported: 'explore/explorer.ts' },
      { file: 'check/check.ts', imported: 'models/registry.ts' },
      { file: 'check/check.ts', imported: 'models/sc.ts' },
      { file: 'program/values.ts', imported: 'version.ts' },
      { file: 'c/passes/purity/index.ts', imported: 'c/passes/transformations/fold.ts' },
      { file: 'c/passes/transformations/fold.ts', imported: 'c/passes/purity/index.ts' },
      { file: 'front-ends.ts', imported: 'c/front-end/index.ts' },
      { file: 'c/new.ts', imported: 'c/program.ts' },
      { file: 'somewhere/new.ts', imported: 'program/values.ts' },
    ];
    expect(violations(imports)).toEqual([
      'explore/trust.ts imports typescript/api.ts, but explore may import only models, graph, program',
      'typescript/api.ts imports explore/explorer.ts, but typescript may import only program',
      'check/check.ts imports models/sc.ts, but check may import only explore/explorer.ts, explore/options.ts, explore/registry.ts, models/registry.ts, program, version.ts',
      'program/values.ts imports version.ts, but program may import nothing',
      'c/passes/transformations/fold.ts imports c/passes/purity/index.ts, but c/passes/transformations may import only c/passes/analyses, c/library, c/ir, program',
      'c/new.ts: c is not in the table of arrows',
      'somewhere/new.ts: somewhere is not in the table of arrows',
    ]);
  });
});
