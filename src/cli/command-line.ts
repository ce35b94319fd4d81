/** The command `heddle`: its subcommands and options. Each command's work is in a file of its own, loaded when it is run. */
import { existsSync } from 'node:fs';
import { extname } from 'node:path';
import { Command, CommanderError } from 'commander';
import { nearest } from '../check/nearest.ts';
import { frontEnds } from '../front-ends.ts';
import { InputError } from '../program/input-error.ts';
import { version } from '../version.ts';
import { addAlgorithmOptions } from './algorithm-flags.ts';
import { addClusterCommands } from './cluster/command-line.ts';
import { Exit, reportProblem, writeRefusal } from './exit.ts';
import {
  addLimitOptions,
  addRunOptions,
  addSearchOptions,
  type CheckFlags,
  type CompareFlags,
  modelOption,
  type ReplayFlags,
  type ResumeFlags,
  usualModels,
} from './flags.ts';
import { addFrontEndOptions, normaliseArguments } from './front-end-flags.ts';
import { watchStreams } from './terminal.ts';

/** Runs the command and gives the exit code. */
export async function runCommandLine(args: readonly string[]): Promise<number> {
  watchStreams();
  let words = args;
  let exitCode: number = Exit.OK;
  const heddle = commandTree((code) => {
    exitCode = code;
  });
  try {
    words = normaliseArguments(args);
    await heddle.parseAsync(words, { from: 'user' });
    return exitCode;
  } catch (error) {
    const isJson = words.includes('--json'); // what the program is given are no options of ours
    if (!(error instanceof CommanderError)) return reportProblem(error, isJson);
    const isAnswer = error.code === 'commander.helpDisplayed' || error.code === 'commander.version';
    if (isAnswer) return Exit.OK;
    if (isJson) writeRefusal({ message: error.message.replace(/^error: /, ''), position: undefined });
    return Exit.BAD_INPUT;
  }
}

function commandTree(exit: (code: number) => void): Command {
  const heddle = new Command('heddle')
    .description(
      'Checks a concurrent program in every execution that differs in a way that\nmatters: proves that none of them fails, or shows one that does.',
    )
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'heddle: ')) })
    .addHelpText('after', mainHelp);
  heddle.on('command:*', ([word]: string[]) => {
    throw unknownCommand(word ?? '', heddle);
  });
  addCheck(heddle, exit);
  addResume(heddle, exit);
  addCompare(heddle, exit);
  addReplay(heddle, exit);
  addList(heddle, exit);
  addClusterCommands(heddle, exit);
  return heddle;
}

const descriptions = Object.values(frontEnds).map(({ description }) => description);

function addCheck(heddle: Command, exit: (code: number) => void): void {
  const command = heddle
    .command('check')
    .summary('check one program')
    .description(`Checks ${descriptions.join(',\nor ')}.`)
    .argument('<file...>', 'the file or files with the program; - is a C program from standard input')
    .addOption(modelOption(usualModels()))
    .option('--algorithm <name>', 'how to search: see heddle list (default: trust)');
  addRunOptions(addSearchOptions(command));
  addAlgorithmOptions(command);
  addFrontEndOptions(command, true)
    .option('--cluster <address>', 'let the workers of a cluster search: redis://HOST:PORT (see heddle worker --help)')
    .addHelpText('after', checkHelp)
    .action(async (files: readonly string[], flags: CheckFlags) => {
      const { runCheck } = await import('./check.ts');
      const { withStandardInput } = await import('./standard-input.ts');
      exit(await withStandardInput(files, flags.trace, (given, name) => runCheck(given, flags, name)));
    });
}

function addResume(heddle: Command, exit: (code: number) => void): void {
  const command = heddle
    .command('resume')
    .summary('go on with a check that was stopped')
    .description(
      'Goes on with a check that was stopped, from the checkpoint that it has left (heddle check … --checkpoint FILE).',
    )
    .argument('<checkpoint>', 'the checkpoint');
  addRunOptions(addLimitOptions(command))
    .addHelpText('after', resumeHelp)
    .action(async (file: string, flags: ResumeFlags) => {
      const { runResume } = await import('./resume.ts');
      exit(await runResume(file, flags));
    });
}

function addCompare(heddle: Command, exit: (code: number) => void): void {
  const command = heddle
    .command('compare')
    .summary('run several algorithms, or all memory models, on one program')
    .description(
      'Runs the algorithms, each with every equivalence that it has, on one program, and prints a table. With --models, runs it under every memory model instead.',
    )
    .argument('<file...>', 'the file or files with the program')
    .addOption(modelOption('sc'))
    .option('--algorithms <names>', 'only these, with commas between (default: all that support the model)')
    .option('--models', 'compare the memory models: how many executions each allows, and which of them shows the error')
    .option('--csv <file>', 'write the table here, as comma-separated values')
    .option('--plot <file>', 'draw the table here, as SVG');
  addSearchOptions(command);
  addAlgorithmOptions(command);
  addFrontEndOptions(command, false)
    .addHelpText('after', compareHelp)
    .action(async (files: readonly string[], flags: CompareFlags) => {
      const { runCompare } = await import('./compare.ts');
      exit(await runCompare(files, flags));
    });
}

function addReplay(heddle: Command, exit: (code: number) => void): void {
  heddle
    .command('replay')
    .summary('run one recorded execution again, step by step')
    .description('Runs the execution that heddle check --trace recorded again, and prints each step as it happens.')
    .argument('<trace>', 'the trace file')
    .option('--json', 'print one JSON object and nothing else')
    .option('--step', 'wait for the Enter key before each step')
    .addHelpText('after', replayHelp)
    .action(async (file: string, flags: ReplayFlags) => {
      const { runReplay } = await import('./replay.ts');
      exit(await runReplay(file, flags));
    });
}

function addList(heddle: Command, exit: (code: number) => void): void {
  heddle
    .command('list')
    .summary('list the memory models, the algorithms and their options')
    .description('Lists the memory models, the algorithms and their options, one line each.')
    .option('--json', 'print one JSON object and nothing else')
    .action(async (flags: { readonly json?: boolean }) => {
      const { runList } = await import('./list.ts');
      exit(runList(flags));
    });
}

function unknownCommand(word: string, heddle: Command): InputError {
  if (extname(word) !== '' || existsSync(word))
    return new InputError(`unknown command ${word}. To check a program: heddle check ${word}`);
  const names = heddle.commands.map((command) => command.name());
  const near = nearest(word, names);
  const hint = near === undefined ? '' : ` Did you mean ${near}?`;
  return new InputError(`unknown command ${word}; there is ${names.join(', ')}.${hint}`);
}

const mainHelp = `
A program is C with pthreads, C11 threads and atomics, as it is:

  #include <assert.h>
  #include <pthread.h>
  #include <stdatomic.h>

  atomic_int x;
  void *writer(void *unused) { x = 1; return 0; }
  int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    assert(x == 0);  // fails if the writer came first
    pthread_join(thread, 0);
  }

or a TypeScript or JavaScript file, whose threads are generator functions:

  import { assert, atomic, program, spawn } from 'heddle';

  export default program(function* () {
    const x = atomic(0);
    const writer = yield* spawn(function* writer() { yield* x.store(1); });
    assert((yield* x.load()) === 0, 'the writer came first');
    yield* writer.join();
  });

Examples:
  heddle check queue.c -DN=3 -I include        is there an execution that fails?
  heddle check counter.ts                      the same for TypeScript
  heddle check queue.c --bound 2               … with at most two preemptions?
  heddle check spin.ts --fair-bound 1          … where threads that wait in loops yield?
  heddle check counter.ts --trace t.json       keep the failing execution …
  heddle replay t.json                         … and run it again
  heddle check queue.c --checkpoint q.state    stop it at any time …
  heddle resume q.state                        … and go on
  heddle compare counter.ts                    which algorithm needs how many executions?

Exit code: 0 no error, 1 an error was found, 2 bad usage or input, 3 the search was cut short and found nothing.`;

const checkHelp = `
Verdicts:
  verified      every execution was covered: a proof for this program as it is
  bounded       no error, but a bound such as --bound or --unroll left executions out
  error         an execution fails; the report shows its steps
  incomplete    a limit, Ctrl-C, SIGTERM, loops that need not end, or too little memory stopped the search
                before it found an error

C programs are compiled by an installed clang that is known to give the same, or else by the one that comes
with Heddle (--clang), for a 32-bit target, and checked under the memory model of C11 and C++20 (rc11), so that memory orders such as memory_order_relaxed count; TypeScript
programs under sequential consistency (sc). For another one: --model. docs/memory-models.md explains them.
A loop that only waits for another thread needs no bound: rounds that change nothing are left out, and a
loop that nothing will end is a livelock. One that changes something in each round is explored with more
and more rounds, as far as a limit allows.
What was compiled is kept in the cache folder of your system, or in HEDDLE_CACHE=FOLDER (or off).
#include <heddle.h> declares __VERIFIER_assume(condition), __VERIFIER_nondet_int() and the like.

Examples:
  heddle check stack.c
  heddle check stack.c hazard.c -std=c11 -DTHREADS=3 -I include
  heddle check lock.c --model tso
  heddle check lock.c --unroll 3 --trace t.json
  heddle check queue.c --bound 2
  heddle check queue.c --iterate --timeout 60
  heddle check input.c --nondet -1..3
  heddle check sort.c --stdin numbers.txt -- 3 1
  heddle check counter.ts --keep-going --json
  heddle check queue.ts --timeout 60 --equivalence rf`;

const resumeHelp = `
The program, the memory model, the algorithm and its options are those of the check that was stopped; limits are
for this run alone. New checkpoints are written to the same file, unless --checkpoint names another one. A program
that has changed meanwhile, or another version of Heddle, is refused.

Examples:
  heddle check queue.c --checkpoint queue.checkpoint --timeout 3600
  heddle resume queue.checkpoint --timeout 3600 --workers 8`;

const compareHelp = `
Without --timeout each run may take 60 seconds; one that needs more is shown as incomplete.

Examples:
  heddle compare stack.c -DN=2
  heddle compare lock.c --models
  heddle compare stack.c --plot stack.svg --csv stack.csv
  heddle compare counter.ts --algorithms trust,dfs --timeout 10`;

const replayHelp = `
What the program prints (console.log) appears between the steps, so a line added to a thread shows its variables.

Exit code: 1 it failed as recorded, 2 the program does something else now.

Examples:
  heddle check counter.ts --trace t.json
  heddle replay t.json
  heddle replay t.json --step`;
