/** Which objects a search by `trust` has, and what is known of one that hot code is for: see translate.mjs. */
import { fileURLToPath } from 'node:url';
import { moduleOf } from './sources.mjs';
import { defined } from './translate.mjs';

const source = (file) => fileURLToPath(new URL(`../../src/${file}`, import.meta.url));
const classIn = (file, name) => moduleOf(source(file)).classes.get(name);

/** By model: its class. */
const models = {
  sc: classIn('models/sc.ts', 'SequentialConsistency'),
  tso: classIn('models/tso.ts', 'TotalStoreOrder'),
  pso: classIn('models/pso.ts', 'PartialStoreOrder'),
  ra: classIn('models/ra.ts', 'ReleaseAcquire'),
  rc11: classIn('models/rc11.ts', 'Rc11'),
};

const linearisation = classIn('models/linearisation.ts', 'Linearisation');

/** By model without coherence: its class, and where and what the search is that it comes to in the end. */
const modelsRf = {
  'sc-rf': [classIn('models/sc-rf.ts', 'SequentialConsistencyRf'), 'slow', linearisation],
  'tso-rf': [classIn('models/tso-rf.ts', 'TotalStoreOrderRf'), 'slow', linearisation],
  'pso-rf': [classIn('models/pso-rf.ts', 'PartialStoreOrderRf'), 'slow', linearisation],
  'ra-rf': [
    classIn('models/ra-rf.ts', 'ReleaseAcquireRf'),
    'model.visible',
    classIn('models/ra-rf.ts', 'ReleaseAcquireSearch'),
  ],
  'rc11-rf': [classIn('models/rc11-rf.ts', 'Rc11Rf'), 'slow', classIn('models/rc11-rf.ts', 'Rc11Search')],
};

const preemptionBound = classIn('explore/graphs/buster.ts', 'PreemptionBound');

const searchOf = (model, policy) => ({
  singletons: {
    TruSt: ['search', classIn('explore/graphs/trust.ts', 'TruSt')],
    Behaviours: ['behaviours', classIn('program/behaviours.ts', 'Behaviours')],
    LocationTable: ['locationTable', classIn('program/location-table.ts', 'LocationTable')],
    Graph: ['g', classIn('graph/graph.ts', 'Graph')],
    GraphModel: ['model', model],
    ProgramGraph: ['threads', classIn('explore/graphs/program-graph.ts', 'ProgramGraph')],
    Findings: ['findings', classIn('explore/findings.ts', 'Findings')],
    Clashes: ['clashes', classIn('explore/graphs/clashes.ts', 'Clashes')],
    Exclusions: ['exclusions', classIn('explore/graphs/exclusions.ts', 'Exclusions')],
    EndOfGraph: ['end', classIn('explore/graphs/end-of-graph.ts', 'EndOfGraph')],
    Ends: ['ends', classIn('explore/graphs/ends.ts', 'Ends')],
    QuietTail: ['tail', classIn('explore/graphs/quiet-tail.ts', 'QuietTail')],
    GraphPolicy: ['policy', policy],
    Ordered: ['model', model],
    Waits: ['policy', policy],
  },
  bound: { 'ends.#options': 'search.#stack', 'model.#psc.#hb': 'model.clocks' },
  assumed: {
    'search.#admitsAll': policy === undefined,
    'ends.#admitsAll': policy === undefined,
    ...(policy === undefined
      ? { 'policy.preemptions': undefined, 'policy.countsLastOnly': undefined, 'clashes.#deferred': undefined }
      : { 'policy.preemptions': defined, 'clashes.#deferred': defined, 'policy.#isOwn': true }),
    ...(model.members.has('happensBefore') || /^ReleaseAcquire/.test(model.parent)
      ? {}
      : { 'model.happensBefore': undefined }),
  },
});

const searchRfOf = ([model, name, search]) => {
  const { singletons, bound, assumed } = searchOf(model);
  const objects = ['model.order.#psc', 'model.visible.writesBefore', 'slow.writesBefore', 'slow.#psc'];
  return {
    singletons: { ...singletons, CoherenceSearch: [name, search] },
    bound: {
      'ends.#options': bound['ends.#options'],
      ...Object.fromEntries(objects.map((object) => [`${object}.#hb`, 'model.order.clocks'])),
      'slow.#psc.#writesBefore': 'slow.writesBefore',
    },
    assumed: {
      ...assumed,
      ...(model.name === 'SequentialConsistencyRf' ? { 'model.search.#isStrong': undefined } : {}),
    },
  };
};

const loop = ['TruSt', '#run'];

/** The kinds of searches that there is hot code for. */
export const searches = [
  ...Object.entries(models).map(([name, model]) => ({ name, model: name, search: searchOf(model), loop })),
  ...Object.entries(modelsRf).map(([name, how]) => ({ name, model: name, search: searchRfOf(how), loop })),
  { name: 'buster-sc', model: 'sc', search: searchOf(models.sc, preemptionBound), loop },
];
