/** See fresh-process.ts. Standard input: the traces; standard output: which ones fail otherwise than recorded, and why. */
import { text } from 'node:stream/consumers';
import { parseModule } from '../../dist/c/ir/parser.js';
import { cProgram } from '../../dist/c/program.js';
import { readTrace } from '../../dist/report/read-trace.js';
import { replaySteps } from '../../dist/report/replay.js';

/** undefined: it fails as recorded. */
function difference({ name, modules, options, trace }) {
  try {
    const recorded = readTrace(trace, '/anywhere/trace.json');
    const program = cProgram(
      modules.map((module) => parseModule(module.text, module.file)),
      { ...options, knowledge: recorded.source.knowledge, name },
    );
    const steps = replaySteps(program, recorded);
    while (steps.next().done !== true);
    return undefined;
  } catch (error) {
    return error.message;
  }
}

const found = JSON.parse(await text(process.stdin)).map((each) => [each.name, difference(each)]);
process.stdout.write(JSON.stringify(Object.fromEntries(found.filter(([, why]) => why !== undefined))));
