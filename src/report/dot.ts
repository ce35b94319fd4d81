/** The failing execution as a graph for Graphviz: a column of events per thread, and the edges between them. */
import type { CheckError, CheckResult, RecordedExecution, RecordedStep } from '../check/result.ts';
import { linesOfError } from './execution.ts';
import { titleOf } from './kinds.ts';
import { type LabelContext, labelContext, labelOf, labelOfAll, weaknessNote } from './label.ts';
import { showLine } from './source.ts';

export function dotReport(error: CheckError, result: Pick<CheckResult, 'model' | 'language'>, cwd: string): string {
  const { execution } = error;
  const context = labelContext(error, result);
  const ends = endNodes(error, context, cwd);
  const nodes = nodesOf(error);
  const clusters = execution.threads.flatMap(({ id, name }) => {
    const events = nodes.lines.flatMap((line) =>
      line.steps[0]?.thread === id ? [eventNode(line, error, context, cwd)] : [],
    );
    return cluster(id, name, [...events, ...(ends.get(id) ?? [])]);
  });
  return [
    'digraph execution {',
    `  label=${quote(`${titleOf(error.kind)}: ${error.message}${error.underSc === 'impossible' ? '\nnot possible under SC' : ''}`)}; labelloc=t; fontname="sans-serif";`,
    '  node [shape=box, style=rounded, fontname="monospace", fontsize=11];',
    '  edge [fontname="sans-serif", fontsize=9];',
    ...clusters,
    ...programOrder(error, nodes, new Set(ends.keys())),
    ...new Set(error.execution.steps.flatMap((step, i) => edgesInto(step, i, error, nodes))),
    ...coherenceEdges(execution, nodes),
    ...staleEdges(execution, nodes),
    ...raceEdge(error, nodes),
    '}',
    '',
  ].join('\n');
}

/** The steps of one line of the report are one node. */
interface Line {
  readonly first: number;
  readonly steps: readonly RecordedStep[];
}

interface Nodes {
  readonly lines: readonly Line[];
  /** The node of a step. */
  of(step: number): string;
}

function nodesOf(error: CheckError): Nodes {
  const lines: Line[] = [];
  const firsts: number[] = [];
  for (const steps of linesOfError(error)) {
    const first = firsts.length;
    lines.push({ first, steps });
    firsts.push(...steps.map(() => first));
  }
  return { lines, of: (step) => `e${firsts[step]}` };
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

function eventNode({ first, steps }: Line, error: CheckError, context: LabelContext, cwd: string): string {
  const step = steps.at(-1) as RecordedStep;
  const weakness = weaknessNote(step, error.execution.steps, context);
  const number = steps.length === 1 ? `#${first + 1}` : `#${first + 1}–${first + steps.length}`;
  const label = [`${number}  ${labelOfAll(steps, context)}`, weakness].filter((line) => line !== '').join('\n');
  const colour = error.racing?.[0] === step ? ', color=red' : weakness === '' ? '' : ', color=orange';
  return `    e${first} [label=${quote(withSource(label, step.source, cwd))}${colour}];`;
}

/** By thread: the node of the operation it is at when it has not ended, or of how it failed. */
function endNodes(error: CheckError, context: LabelContext, cwd: string): Map<number, string[]> {
  const nodes = new Map<number, string[]>();
  for (const { thread, state, next } of error.execution.ends) {
    if (state === 'failed')
      nodes.set(thread, [endNode(thread, withSource(titleOf(error.kind), error.location, cwd), 'red')]);
    const isClashing = next !== undefined && next.thread === error.racing?.[1].thread;
    if (next === undefined || (state === 'ready' && !isClashing)) continue;
    const text = `${labelOf(next, context)}${state === 'waiting' && next.words === undefined ? ' (waits)' : ''}`;
    const colour = error.threads.includes(thread) ? 'red' : 'gray';
    nodes.set(thread, [endNode(thread, withSource(text, next.source, cwd), colour)]);
  }
  return nodes;
}

function endNode(thread: number, text: string, colour: string): string {
  return `    end${thread} [label=${quote(text)}, color=${colour}, style="rounded,dashed"];`;
}

function programOrder({ execution }: CheckError, { lines }: Nodes, withEnd: ReadonlySet<number>): string[] {
  return execution.threads.flatMap(({ id }) => {
    const own = lines.flatMap(({ first, steps }) => (steps[0]?.thread === id ? [`e${first}`] : []));
    const nodes = [startOf(id), ...own, ...(withEnd.has(id) ? [`end${id}`] : [])];
    return nodes.length === 1 ? [] : [`  ${nodes.join(' -> ')};`];
  });
}

/** Reads-from, spawn and join. */
function edgesInto(step: RecordedStep, i: number, { execution }: CheckError, nodes: Nodes): string[] {
  const { steps, threads } = execution;
  if (step.op === 'join') return joinEdge(steps, i, nodes);
  if (step.op === 'spawn') {
    const isShown = threads.some(({ id }) => id === step.target);
    return isShown
      ? [`  ${nodes.of(i)} -> ${startOf(step.target as number)} [label="spawn", color=blue, fontcolor=blue];`]
      : [];
  }
  if (step.readsFrom === undefined || step.readsFrom < 0) return [];
  return [
    `  ${nodes.of(step.readsFrom)} -> ${nodes.of(i)} [label="rf", color=darkgreen, fontcolor=darkgreen, style=dashed, constraint=false];`,
  ];
}

/** The order of the writes to each location, where that is not the order of the steps. */
function coherenceEdges({ steps }: RecordedExecution, nodes: Nodes): string[] {
  const places = new Map<string, number>();
  for (const [i, { location, coherence }] of steps.entries())
    if (coherence !== undefined) places.set(`${coherence} ${location}`, i);
  return steps.flatMap(({ location, coherence }, i) => {
    const next = coherence === undefined ? undefined : places.get(`${coherence + 1} ${location}`);
    return next === undefined
      ? []
      : [`  ${nodes.of(i)} -> ${nodes.of(next)} [label="co", color=brown, fontcolor=brown, constraint=false];`];
  });
}

/** From a stale read to the write that it did not see: it comes before that write. */
function staleEdges({ steps }: RecordedExecution, nodes: Nodes): string[] {
  return steps.flatMap(({ missed }, i) =>
    missed === undefined
      ? []
      : [
          `  ${nodes.of(i)} -> ${nodes.of(missed)} [label="fr", color=orange, fontcolor=orange, style=dashed, constraint=false];`,
        ],
  );
}

function raceEdge(error: CheckError, nodes: Nodes): string[] {
  const { racing, execution } = error;
  if (racing === undefined) return [];
  const [first, second] = racing;
  const from = nodes.of(execution.steps.indexOf(first));
  const label = error.kind === 'race' ? 'race' : titleOf(error.kind);
  return [
    `  ${from} -> end${second.thread} [label=${quote(label)}, color=red, fontcolor=red, dir=none, constraint=false];`,
  ];
}

function joinEdge(steps: readonly RecordedStep[], join: number, nodes: Nodes): string[] {
  const target = (steps[join] as RecordedStep).target as number;
  const last = steps.findLastIndex((step, i) => i < join && step.thread === target);
  return [
    `  ${last < 0 ? startOf(target) : nodes.of(last)} -> ${nodes.of(join)} [label="join", color=blue, fontcolor=blue];`,
  ];
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
