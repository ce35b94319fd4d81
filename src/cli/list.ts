/** `heddle list` */

import { wordOf } from '../explore/options.ts';
import { type AlgorithmEntry, algorithmOptions, algorithms } from '../explore/registry.ts';
import { type ModelEntry, models } from '../models/registry.ts';
import { listOf } from '../program/list-of.ts';
import { styleOf } from '../report/style.ts';
import { Exit } from './exit.ts';
import { isColourful } from './terminal.ts';

export function runList({ json }: { readonly json?: boolean }): number {
  const lists = { models: modelList(), algorithms: algorithmList(), options: optionList() };
  process.stdout.write(json === true ? `${JSON.stringify(lists, null, 2)}\n` : text(lists));
  return Exit.OK;
}

function modelList() {
  const table: Record<string, ModelEntry> = models;
  return Object.entries(table).map(([name, { summary }]) => ({ name, summary }));
}

function algorithmList() {
  const table: Record<string, AlgorithmEntry> = algorithms;
  return Object.entries(table).map(([name, { summary, models, options }]) => ({
    name,
    summary,
    models,
    options: Object.keys(options),
  }));
}

/** Those that only some algorithms have. */
function optionList() {
  return algorithmOptions.map(({ name, option, algorithms }) => {
    const { flags, summary, byDefault } = option;
    const values = option.kind === 'name' ? { title: option.title, values: itemsOf(option.names) } : {};
    const least = option.kind === 'number' ? { least: option.least } : {};
    return { name, option: wordOf(option), flags, summary, algorithms, default: byDefault, ...least, ...values };
  });
}

interface Item {
  readonly name: string;
  readonly summary: string;
}

function itemsOf(names: Readonly<Record<string, string>>): Item[] {
  return Object.entries(names).map(([name, summary]) => ({ name, summary }));
}

interface Section {
  readonly title: string;
  readonly items: readonly Item[];
}

function text(lists: {
  readonly models: readonly Item[];
  readonly algorithms: readonly Item[];
  readonly options: ReturnType<typeof optionList>;
}): string {
  const choices = lists.options.flatMap(({ option, algorithms, title = '', values }) =>
    values === undefined ? [] : [{ title: `${title} (${option}, for ${listOf(algorithms)})`, items: values }],
  );
  const others = lists.options
    .filter(({ values }) => values === undefined)
    .map(({ flags, summary, algorithms }) => ({ name: flags, summary: `for ${listOf(algorithms)}: ${summary}` }));
  const sections: readonly Section[] = [
    { title: 'Memory models (--model)', items: lists.models },
    { title: 'Algorithms (--algorithm)', items: lists.algorithms },
    ...choices,
    { title: 'Other options of algorithms', items: others },
  ];
  const width = Math.max(...sections.flatMap(({ items }) => items.map(({ name }) => name.length)));
  const style = styleOf(isColourful(process.stdout));
  const shown = sections
    .filter(({ items }) => items.length > 0)
    .map(({ title, items }) =>
      [style('bold', title), ...items.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`)].join('\n'),
    );
  return `${shown.join('\n\n')}\n`;
}
