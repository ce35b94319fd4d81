/** Explorers that are wrong, each in its own way, so that the laws can be seen to notice. */
import type { ExploreOptions, Finding } from '../../../src/explore/explorer.ts';
import { TruSt } from '../../../src/explore/graphs/trust.ts';
import { algorithms } from '../../../src/explore/registry.ts';
import { DepthFirstSearch } from '../../../src/explore/schedules/dfs.ts';
import { type Equivalence, models } from '../../../src/models/registry.ts';
import type { Ending } from '../../../src/program/ending.ts';
import type { SavedSearch } from '../../../src/program/execution.ts';
import { type ExplorerUnderTest, underTest } from './laws.ts';

/** The kit gives every algorithm all options. */
const chosen = (options: ExploreOptions) => options as ExploreOptions & { readonly equivalence: Equivalence };

/** An algorithm that is right but for what becomes of the executions that it visits. */
function telling(
  onExecution: (ending: Ending, number: number, tell: (ending: Ending) => void) => void,
): ExplorerUnderTest {
  const { make } = algorithms.trust;
  return {
    ...underTest('trust'),
    make: (behaviours, model, options) => {
      let number = 0;
      const tell = (ending: Ending): void => options.onExecution?.(ending);
      return make(behaviours, model, {
        ...chosen(options),
        onExecution: (ending) => onExecution(ending, ++number, tell),
      });
    },
  };
}

export const dropsAnExecution = telling((ending, number, tell) => {
  if (number !== 2) tell(ending);
});

export const visitsTwice = telling((ending, number, tell) => {
  tell(ending);
  if (number === 2) tell(ending);
});

export const takesDeadlocksForEnds = telling((ending, _number, tell) => {
  tell(ending === 'deadlock' ? 'complete' : ending);
});

/** Explores what a weaker model allows. */
export const weakerThanItSays: ExplorerUnderTest = {
  ...underTest('trust'),
  make: (behaviours, _model, options) => new TruSt(behaviours, models.ra.graph[chosen(options).equivalence], options),
};

/** Stops at the first error although it was told to go on. */
export const stopsEarly: ExplorerUnderTest = {
  ...underTest('dfs'),
  make: (behaviours, _model, options) => new DepthFirstSearch(behaviours, { ...options, keepGoing: false }),
};

function dfs(
  Wrong: new (...args: ConstructorParameters<typeof DepthFirstSearch>) => DepthFirstSearch,
): ExplorerUnderTest {
  return {
    ...underTest('dfs'),
    make: (behaviours, _model, options) => new Wrong(behaviours, options),
  };
}

/** Reports an error that is none. */
export const falseAlarm = dfs(
  class extends DepthFirstSearch {
    override get findings(): readonly Finding[] {
      const witness = { threads: [], steps: [] };
      return [...super.findings, { kind: 'deadlock', message: '', position: undefined, threads: [], witness }];
    }
  },
);

/** Keeps the errors to itself. */
export const silent = dfs(
  class extends DepthFirstSearch {
    override get findings(): readonly Finding[] {
      return [];
    }
  },
);

/** Tells errors without the last step that leads to them. */
export const shortWitness = dfs(
  class extends DepthFirstSearch {
    override get findings(): readonly Finding[] {
      return super.findings.map(({ witness, ...finding }) => {
        const steps = witness.steps.slice(0, -1);
        return { ...finding, witness: { ...witness, steps } };
      });
    }
  },
);

/** Writes down less than is left. */
export const forgetful = dfs(
  class extends DepthFirstSearch {
    override save(): SavedSearch {
      const { items, ...rest } = super.save();
      return { ...rest, items: items.slice(1) };
    }
  },
);

/** Begins to count at one. */
function countingFrom(name: 'dfs' | 'optimal', count: 'complete' | 'redundant'): ExplorerUnderTest {
  return {
    ...underTest(name),
    make: (behaviours, model, options) => {
      const explorer = underTest(name).make(behaviours, model, options);
      explorer.counts[count] = 1;
      return explorer;
    },
  };
}

export const miscounts = countingFrom('dfs', 'complete');
export const wasteful = countingFrom('optimal', 'redundant');

/** Does not look for races. */
export const blindToRaces: ExplorerUnderTest = {
  ...underTest('source'),
  make: (behaviours, model, options) => underTest('source').make(behaviours, model, { ...options, races: false }),
};
