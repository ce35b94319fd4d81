/** The failing execution as a graph for Graphviz: a column of events per thread, and the edges between them. */
import type { CheckError, CheckResult, RecordedExecution, RecordedStep } from '../check/result.ts';
import { titleOf } from './kinds.ts';
import { type LabelContext, labelContext, labelOf, weaknessNote } from './label.ts';
import { showLine } from './source.ts';

export function dotReport(error: CheckError, result: Pick<CheckResult, 'model' | 'language'>, cwd: string): string {
  const { execution } = error;
  const context = labelContext(error, result);
  const ends = endNodes(error, context, cwd);
  const clusters = execution.threads.flatMap(({ id, name }) => {
    const events = execution.steps.flatMap((step, i) =>
      step.thread === id ? [eventNode(i, step, error, context, cwd)] : [],
    );
    return cluster(id, name, [...events, ...(ends.get(id) ?? [])]);
  });
  return [
    'digraph execution {',
    `  label=${quote(`${titleOf(error.kind)}: ${error.message}${error.underSc === 'impossible' ? '\nnot possible under SC' : ''}`)}; labelloc=t; fontname="sans-serif";`,
    '  node [shape=box, style=rounded, fontname="monospace", fontsize=11];',
    '  edge [fontname="sans-serif", fontsize=9];',
    ...clusters,
    ...programOrder(error, new Set(ends.keys())),
    ...error.execution.steps.flatMap((step, i) => edgesInto(step, i, error)),
    ...coherenceEdges(execution),
    ...staleEdges(execution),
    ...raceEdge(error),
    '}',
    '',
  ].join('\n');
}

function cluster(id: number, name: string, events: readonly string[]): string[] {
  return [
    `  subgraph cluster_${id} {`,
    `    label=${quote(name)}; color=gray; fontname="sans-serif";`,
    `    ${startOf(id)} [label="start", shape=plaintext];`,
    ...events,
    '  }',
  ];
}

function eventNode(i: number, step: RecordedStep, error: CheckError, context: LabelContext, cwd: string): string {
  const weakness = weaknessNote(step, error.execution.steps, context);
  const label = [`#${i + 1}  ${labelOf(step, context)}`, weakness].filter((line) => line !== '').join('\n');
  const colour = error.racing?.[0] === step ? ', color=red' : weakness === '' ? '' : ', color=orange';
  return `    e${i} [label=${quote(withSource(label, step.source, cwd))}${colour}];`;
}

/** By thread: the node of the operation it is at when it has not ended, or of how it failed. */
function endNodes(error: CheckError, context: LabelContext, cwd: string): Map<number, string[]> {
  const nodes = new Map<number, string[]>();
  for (const { thread, state, next } of error.execution.ends) {
    if (state === 'failed')
      nodes.set(thread, [endNode(thread, withSource(titleOf(error.kind), error.location, cwd), 'red')]);
    const isClashing = next !== undefined && next.thread === error.racing?.[1].thread;
    if (next === undefined || (state === 'ready' && !isClashing)) continue;
    const text = `${labelOf(next, context)}${state === 'waiting' ? ' (waits)' : ''}`;
    const colour = error.threads.includes(thread) ? 'red' : 'gray';
    nodes.set(thread, [endNode(thread, withSource(text, next.source, cwd), colour)]);
  }
  return nodes;
}

function endNode(thread: number, text: string, colour: string): string {
  return `    end${thread} [label=${quote(text)}, color=${colour}, style="rounded,dashed"];`;
}

function programOrder({ execution }: CheckError, withEnd: ReadonlySet<number>): string[] {
  return execution.threads.flatMap(({ id }) => {
    const own = execution.steps.flatMap((step, i) => (step.thread === id ? [`e${i}`] : []));
    const nodes = [startOf(id), ...own, ...(withEnd.has(id) ? [`end${id}`] : [])];
    return nodes.length === 1 ? [] : [`  ${nodes.join(' -> ')};`];
  });
}

/** Reads-from, spawn and join. */
function edgesInto(step: RecordedStep, i: number, { execution }: CheckError): string[] {
  const { steps, threads } = execution;
  if (step.op === 'join') return joinEdge(steps, i);
  if (step.op === 'spawn') {
    const isShown = threads.some(({ id }) => id === step.target);
    return isShown ? [`  e${i} -> ${startOf(step.target as number)} [label="spawn", color=blue, fontcolor=blue];`] : [];
  }
  if (step.readsFrom === undefined || step.readsFrom < 0) return [];
  return [
    `  e${step.readsFrom} -> e${i} [label="rf", color=darkgreen, fontcolor=darkgreen, style=dashed, constraint=false];`,
  ];
}

/** The order of the writes to each location, where that is not the order of the steps. */
function coherenceEdges({ steps }: RecordedExecution): string[] {
  const places = new Map<string, number>();
  for (const [i, { location, coherence }] of steps.entries())
    if (coherence !== undefined) places.set(`${coherence} ${location}`, i);
  return steps.flatMap(({ location, coherence }, i) => {
    const next = coherence === undefined ? undefined : places.get(`${coherence + 1} ${location}`);
    return next === undefined
      ? []
      : [`  e${i} -> e${next} [label="co", color=brown, fontcolor=brown, constraint=false];`];
  });
}

/** From a stale read to the write that it did not see: it comes before that write. */
function staleEdges({ steps }: RecordedExecution): string[] {
  return steps.flatMap(({ missed }, i) =>
    missed === undefined
      ? []
      : [`  e${i} -> e${missed} [label="fr", color=orange, fontcolor=orange, style=dashed, constraint=false];`],
  );
}

function raceEdge(error: CheckError): string[] {
  const { racing, execution } = error;
  if (racing === undefined) return [];
  const [first, second] = racing;
  const from = `e${execution.steps.indexOf(first)}`;
  const label = error.kind === 'race' ? 'race' : titleOf(error.kind);
  return [
    `  ${from} -> end${second.thread} [label=${quote(label)}, color=red, fontcolor=red, dir=none, constraint=false];`,
  ];
}

function joinEdge(steps: readonly RecordedStep[], join: number): string[] {
  const target = (steps[join] as RecordedStep).target as number;
  const last = steps.findLastIndex((step, i) => i < join && step.thread === target);
  return [`  ${last < 0 ? startOf(target) : `e${last}`} -> e${join} [label="join", color=blue, fontcolor=blue];`];
}

function startOf(thread: number): string {
  return `start${thread}`;
}

function withSource(text: string, source: RecordedStep['source'], cwd: string): string {
  return source === undefined ? text : `${text}\n${showLine(source, cwd)}`;
}

/** A DOT string. Backslashes are doubled, since \l, \r and \N mean something in labels. */
function quote(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}
