/** `heddle list` */
import { type AlgorithmEntry, algorithms } from '../explore/registry.ts';
import { type Equivalence, type ModelEntry, models } from '../models/registry.ts';
import { styleOf } from '../report/style.ts';
import { Exit } from './exit.ts';
import { isColourful } from './terminal.ts';

const equivalences: Readonly<Record<Equivalence, string>> = {
  co: 'executions differ if a read reads from another write or two writes to one location change places',
  rf: 'executions differ only if a read reads from another write: never more of them than with co',
};

export function runList({ json }: { readonly json?: boolean }): number {
  const [modelTable, algorithmTable]: [Record<string, ModelEntry>, Record<string, AlgorithmEntry>] = [
    models,
    algorithms,
  ];
  const lists = {
    models: Object.entries(modelTable).map(([name, { summary }]) => ({ name, summary })),
    algorithms: Object.entries(algorithmTable).map(([name, entry]) => ({
      name,
      summary: entry.summary,
      models: entry.models,
      equivalences: entry.equivalences,
    })),
    equivalences: Object.entries(equivalences).map(([name, summary]) => ({ name, summary })),
  };
  process.stdout.write(json === true ? `${JSON.stringify(lists, null, 2)}\n` : text(lists));
  return Exit.OK;
}

interface Item {
  readonly name: string;
  readonly summary: string;
}

function text(lists: Readonly<Record<'models' | 'algorithms' | 'equivalences', readonly Item[]>>): string {
  const style = styleOf(isColourful(process.stdout));
  const width = Math.max(...Object.values(lists).flatMap((items) => items.map(({ name }) => name.length)));
  const section = (title: string, items: readonly Item[]): string =>
    [style('bold', title), ...items.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`)].join('\n');
  return `${[
    section('Memory models (--model)', lists.models),
    section('Algorithms (--algorithm)', lists.algorithms),
    section('Equivalences (--equivalence)', lists.equivalences),
  ].join('\n\n')}\n`;
}
