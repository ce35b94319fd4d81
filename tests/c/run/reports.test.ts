/** What reports say of small C programs: names, words, lines. All are compiled in one run of the compiler. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compileC } from '../../../src/c/compile/compile.ts';
import { parseModule } from '../../../src/c/ir/parser.ts';
import { cProgram } from '../../../src/c/program.ts';
import type { CRunOptions } from '../../../src/c/runtime.ts';
import type { RecordedExecution } from '../../../src/check/result.ts';
import { type CheckError, type CheckOptions, type CheckResult, checkSync, type Program } from '../../../src/index.ts';
import type { SourcePosition } from '../../../src/program/operation.ts';
import { dotReport } from '../../../src/report/dot.ts';
import { errorOfTrace, readTrace } from '../../../src/report/read-trace.ts';
import { replaySteps } from '../../../src/report/replay.ts';
import { textReport } from '../../../src/report/text.ts';
import { traceOf, traceText } from '../../../src/report/trace.ts';
import { source } from '../../report/reports.ts';
import { programs } from './report-programs.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-reports-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const header = `#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#line 1
`;
const texts = new Map<string, string>();

beforeAll(async () => {
  const names = Object.keys(programs);
  for (const name of names) writeFileSync(join(folder, `${name}.c`), header + programs[name]);
  const { modules } = await compileC(
    names.map((name) => `${name}.c`),
    { cwd: folder },
  );
  for (const [i, { text }] of modules.entries()) texts.set(names[i] as string, text);
}, 120_000);

function programOf(names: readonly string[], settings: Partial<CRunOptions>): Program {
  const modules = names.map((name) => parseModule(texts.get(name) as string, `${name}.c`));
  return cProgram(modules, { name: names[0] as string, ...settings });
}

function run(names: readonly string[], options: CheckOptions = {}, settings: Partial<CRunOptions> = {}): CheckResult {
  return checkSync(programOf(names, settings), options);
}

const options = { colour: false, width: 20, cwd: folder };

/** The rows of the steps, without numbers and places, with one space between words. */
function rowsOf(names: string | readonly string[], checked?: CheckOptions, settings?: Partial<CRunOptions>): string[] {
  return rowsOfReport(textReport(run([names].flat(), checked, settings), options));
}

function rowsOfReport(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => /^ *(\d+(–\d+)?|✘) +\[/.test(line))
    .map((line) =>
      line
        .replace(/\s+\S+\.c:\d+$/, '')
        .replace(/^ *\S+ +/, '')
        .replace(/\s+/g, ' '),
    );
}

function messageOf(name: string, options?: CheckOptions): string | undefined {
  return run([name], options).errors[0]?.message;
}

describe('variables of several threads', () => {
  test('are told apart by their threads, also in what points to them', () => {
    const rows = rowsOf('locals-of-two-threads');
    expect(rows).toContain('[worker 1] me.turn@worker 1 = 1');
    expect(rows).toContain('[worker 2] exchange last &me@worker 1→&me@worker 2 ⟵ #4');
    expect(rows.at(-1)).toBe('[worker 2] me.turn@worker 1 = 7 is gone since #5');
    expect(messageOf('locals-of-two-threads')).toContain('me.turn@worker 1');
  });

  test('are numbered if one thread has several, and have no addition if there is one', () => {
    expect(rowsOf('locals-of-two-calls')).toEqual([
      '[main] x#1 = 1',
      '[main] shared = &x#1',
      '[main] leave keep',
      '[main] x#2 = 2',
      '[main] shared = &x#2',
      '[main] leave keep',
      '[main] spawn reader',
      '[reader] shared → &x#2 ⟵ #5',
      '[reader] load x#2 is gone since #6',
    ]);
    expect(rowsOf('local-of-one-thread')).toContain('[worker] shared = &only');
  });

  test('are told from a global of the same name, and thread-locals from each other', () => {
    const rows = rowsOf('local-and-global');
    expect(rows).toContain('[main] x@main = 2');
    expect(rows).toContain('[main] x = 1');
    const locals = rowsOf('thread-locals');
    expect(locals).toContain('[worker 1] mine@worker 1 = 1');
    expect(locals).toContain('[worker 2] mine@worker 2 = 1');
  });

  test('that are static in two functions or two files have these', () => {
    expect(rowsOf('statics-of-functions')).toEqual(expect.arrayContaining(['[main] n@one = 1', '[main] n@two = 2']));
    expect(rowsOf(['static-of-a-file', 'static-of-another'])).toEqual(
      expect.arrayContaining(['[main] n@static-of-a-file.c = 1', '[main] n@static-of-another.c = 2']),
    );
  });
});

describe('an access to several locations', () => {
  test('is one line, with the numbers of all its steps', () => {
    const rows = rowsOf('structs-at-once');
    expect(rows).toContain('[main] point#1 = {0}');
    expect(rows).toContain(`[main] point#1 = {1, 2, 'a', 'b', …}`);
    expect(rows).toContain(`[main] other = point#1: {1, 2, 'a', 'b', …} ⟵ #10, #11, #12, …`);
    expect(rows).toContain('[main] point#1.name[0..1] = "z"');
    expect(rows).toContain('[main] point#1.name[0..1] → "z" ⟵ #23, #24');
    const [error] = run(['structs-at-once']).errors;
    expect(error?.execution.steps.map(({ location }) => location)).toContain('point#1.name[0]');
  });

  test('is a line each time it comes', () => {
    expect(rowsOf('fills-twice').filter((row) => row.includes('0xff'))).toEqual([
      '[main] a = {0xff, …}',
      '[main] a = {0xff, …}',
    ]);
  });

  test('is broken where one of its steps races', () => {
    expect(rowsOf('struct-races')).toEqual([
      '[main] spawn worker',
      '[main] shared.y → 0 (initial)',
      '[worker] shared.x = 1',
      '[worker] shared.y = 2 races with #2',
    ]);
  });

  test('a struct that ends in an array of any length is no array', () => {
    const rows = rowsOf('flexible-array');
    expect(rows).toContain('[main] buffer#1.length = 5');
    expect(rows).toContain('[worker] buffer#1.data[3] = 7');
  });
});

test('memory is named by the pointers that it is used through, wherever it was allocated', () => {
  const rows = rowsOf('made-elsewhere');
  expect(rows.filter((row) => /heap#|\+/.test(row))).toEqual([]);
  expect(rows).toEqual(
    expect.arrayContaining([
      '[main] malloc 28 bytes → &list#1',
      '[main] malloc 8 bytes → &node#1',
      '[main] list#1.first = &node#1',
      '[main] init list#1.m',
      '[main] tables.nodes = &node#2',
      '[main] tables.counts = &int#1',
      '[main] char#1[3] = 1',
      '[worker] node#3.next = &node#1',
      '[worker] lock list#1.m',
      '[worker] node#2[1].value = 3',
      '[worker] int#1[2] = 4',
    ]),
  );
});

describe('a condition variable', () => {
  test('says that a signal is lost, and what is waited for', () => {
    const rows = rowsOf('lost-signal');
    expect(rows).toContain('[main] init gate#1.opened');
    expect(rows).toContain('[main] signal gate#1.opened: nobody waits');
    expect(rows.slice(-3)).toEqual([
      '[worker] unlock gate#1.m',
      '[main] join worker waits',
      '[worker] waits for a signal on gate#1.opened',
    ]);
  });

  test('says who wakes', () => {
    const rows = rowsOf('woken-too-early');
    const number = rows.indexOf('[main] broadcast c') + 1;
    expect(rows).toContain('[worker] waits on c');
    expect(rows).toContain(`[worker] is woken on c by #${number}`);
    expect(number).toBeGreaterThan(0);
  });

  test('says that nobody did', () => {
    const rows = rowsOf('woken-by-nobody', {}, { spuriousWakeups: true });
    expect(rows).toContain('[worker] wakes from c without a signal (a spurious wakeup)');
    expect(run(['woken-by-nobody']).verdict).toBe('ok');
    const lost = rowsOf('lost-signal', {}, { spuriousWakeups: true });
    expect(lost).toContain('[worker] is to wake by a signal');
    expect([...rows, ...lost].filter((row) => row.includes('choose'))).toEqual([]);
  });

  test('and a futex likewise, which is told from its word', () => {
    const rows = rowsOf('a-futex').join('\n');
    expect(rows).toContain('wakes nobody on futex word');
    expect(rows).toContain('waits to be woken on futex word');
    expect(rows).toContain('word → 0');
  });

  test('says that time is up', () => {
    expect(rowsOf('times-out')).toContain('[worker] times out on c');
  });

  test('and a barrier whom it waits for', () => {
    expect(rowsOf('barrier-too-large')).toEqual([
      '[main] init b for 2',
      '[main] spawn worker',
      '[worker] arrives at b',
      '[main] join worker waits',
      '[worker] waits for others at b',
    ]);
  });
});

describe('other words', () => {
  test('a number in several cells is one', () => {
    const rows = rowsOf('double-in-a-union');
    expect(rows).toContain('[worker] n.d = 1.5');
    expect(rows).toContain('[main] n.d → 1.5 ⟵ #2, #3');
  });

  test('semaphores and pthread_once', () => {
    const rows = rowsOf('semaphore-and-once');
    expect(rows).toEqual(
      expect.arrayContaining([
        '[worker 1] is the first at started',
        '[worker 1] init s to 1',
        '[worker 1] started is done',
        '[worker 2] finds started done by #5',
        '[worker 2] sem_wait s waits',
      ]),
    );
  });

  test('that a mutex was initialised is looked at in passing', () => {
    expect(rowsOf('locks-in-a-circle').slice(-5)).toEqual([
      '[worker] lock pair#1.b',
      '[worker] pair → &pair#1 ⟵ #2',
      '[worker] looks at pair#1.a',
      '[main] lock pair#1.b waits',
      '[worker] lock pair#1.a waits',
    ]);
  });

  test('what would lie beyond the end; a string that nobody looks into', () => {
    expect(messageOf('beyond-the-end')).toBe(
      'a write of 4 bytes at offset 16 of int#1, which has 16 bytes: int#1[4] is beyond its end',
    );
    expect(rowsOf('beyond-the-end')).toContain('[main] heap#1 = "hello"');
    expect(rowsOf('unlocks-what-it-does-not-hold').slice(-2)).toEqual(['[worker] looks at m', '[worker] lock misuse']);
  });

  test('thread-specific data', () => {
    expect(rowsOf('thread-specific-data').slice(0, 3)).toEqual([
      '[main] create key 1',
      '[main] set the destructor of key 1',
      '[main] key = 1',
    ]);
  });

  test('bit-fields that share their bytes', () => {
    const rows = rowsOf('bit-fields');
    expect(rows).toContain('[worker] flags.{open, mode, delta} = {0, 9, 0}');
    expect(rows).toContain('[worker] flags.{open, mode, delta} = {0, 9, -2}');
  });

  test('pointers to constants', () => {
    const rows = rowsOf('points-to-constants');
    expect(rows).toContain('[worker] text = "one\\n"');
    expect(rows).toContain('[worker] number = &table[2]');
    expect(rows).toContain('[worker] line[0..4] = "one\\n"');
  });

  test('a function that has returned is not said to be freed', () => {
    const text = textReport(run(['locals-of-two-calls']), options);
    expect(text).toContain('  main leaves keep at locals-of-two-calls.c:3:');
  });

  test('columns count bytes', () => {
    const result = run(['columns-in-bytes']);
    const [error] = result.errors;
    const file = join(folder, 'columns.c');
    writeFileSync(file, programs['columns-in-bytes'] as string);
    const location = { ...(error?.location as SourcePosition), file };
    const lines = textReport({ ...result, errors: [{ ...(error as CheckError), location }] }, options).split('\n');
    const at = lines.findIndex((line) => line.includes('assert(unused);'));
    // the picture is as wide as two letters
    expect(lines[at + 1]?.indexOf('^')).toBe((lines[at] as string).replace('😀', '..').indexOf('assert('));
  });
});

describe('a replay', () => {
  test.each(Object.keys(programs).filter((name) => programs[name]?.includes('int main')))(
    'of %s has the same names',
    (name) => {
      const names = name === 'static-of-a-file' ? [name, 'static-of-another'] : [name];
      const settings = { spuriousWakeups: true };
      const program = programOf(names, settings);
      const result = checkSync(program);
      const error = result.errors[0] as CheckError;
      const trace = readTrace(
        traceText(traceOf(result, error, source, join(folder, 't.json'))),
        join(folder, 't.json'),
      );
      const again = programOf(names, settings);
      again.learn?.(program.knowledge?.());
      const steps = replaySteps(again, trace);
      let step = steps.next();
      while (step.done !== true) step = steps.next();
      const places = ({ steps, ends }: RecordedExecution) =>
        [...steps, ...ends.map(({ next }) => next)].map((at) => [at?.location, at?.detail, at?.words, at?.part]);
      expect(places(step.value)).toEqual(places(error.execution));
      expect(rowsOfReport(textReport({ ...result, errors: [errorOfTrace(trace)] }, options))).toEqual(
        rowsOfReport(textReport(result, options)),
      );
    },
  );
});

test('a picture has the same lines', () => {
  const result = run(['structs-at-once']);
  const picture = dotReport(result.errors[0] as CheckError, result, folder);
  expect(picture).toContain('e3 [label="#4–8  point#1 = {0}\\nstructs-at-once.c:');
  expect(picture).toContain('e3 -> e8 -> e9');
  expect(picture).toContain('e9 -> e15 [label="rf"');
});
