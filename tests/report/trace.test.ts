import { join } from 'node:path';
import { expect, test } from 'vitest';
import { InputError } from '../../src/index.ts';
import { errorOfTrace, readTrace } from '../../src/report/read-trace.ts';
import { replaySteps } from '../../src/report/replay.ts';
import { type Trace, traceSchema } from '../../src/report/schema.ts';
import { traceOf, traceText } from '../../src/report/trace.ts';
import { cwd, errorOf, load, resultOf, source } from './reports.ts';

async function traceTextOf(name: string): Promise<string> {
  const result = await resultOf(name);
  return traceText(traceOf(result, await errorOf(name), source, join(cwd, 'traces/t.json')));
}

async function runAgain(name: string, trace: Trace): Promise<void> {
  const steps = replaySteps(await load(name), trace);
  while (steps.next().done !== true);
}

const names = ['counter', 'race', 'deadlock', 'livelock', 'unlock-stranger', 'values', 'two-errors'];

test.each(names)('the trace of %s is as the schema has it, and relative to its folder', async (name) => {
  const trace = traceSchema.parse(JSON.parse(await traceTextOf(name)));
  expect(trace.source).toEqual(source);
  for (const step of trace.steps) expect(step.source?.file).toBe(`../${name}.ts`);
});

test.each(names)('the trace of %s can be run again', async (name) => {
  await runAgain(name, readTrace(await traceTextOf(name), join(cwd, 'traces/t.json')));
});

test.each(names)('the trace of %s holds the whole error', async (name) => {
  const error = await errorOf(name);
  const read = errorOfTrace(readTrace(await traceTextOf(name), join(cwd, 'traces/t.json')));
  expect(read.execution.steps.map(({ read: _, written: __, ...step }) => step)).toEqual(
    error.execution.steps.map(({ read: _, written: __, ...step }) => step),
  );
  expect({ ...read, execution: undefined, racing: undefined }).toEqual({
    ...error,
    execution: undefined,
    racing: undefined,
  });
  expect(read.racing === undefined).toBe(error.racing === undefined);
});

test('a trace of another program is noticed', async () => {
  const trace = readTrace(await traceTextOf('counter'), join(cwd, 'traces/t.json'));
  for (const name of names.filter((other) => other !== 'counter'))
    await expect(runAgain(name, trace)).rejects.toThrow(InputError);
});

test('whatever is done to a trace file, reading and running it gives a message at worst', async () => {
  const program = await load('counter');
  const whole = await traceTextOf('counter');
  for (let i = 0; i < whole.length; i += 7) {
    for (const damaged of [whole.slice(0, i) + whole.slice(i + 1), `${whole.slice(0, i)}7${whole.slice(i + 1)}`]) {
      try {
        const steps = replaySteps(program, readTrace(damaged, 't.json'));
        while (steps.next().done !== true);
      } catch (error) {
        expect(error, `byte ${i}: ${damaged.slice(i - 20, i + 20)}`).toBeInstanceOf(InputError);
      }
    }
  }
});
