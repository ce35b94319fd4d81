/**
 * What clang is asked for: the compiler proper (`-cc1`), not its driver. Every clang, bundled or installed, gets the same
 * arguments, and nothing of the machine that it runs on (its headers, its configuration) comes in.
 */
import { basename } from 'node:path';
import {
  type CompileFlags,
  lenience,
  libraryMacros,
  otherFlags,
  ourWarnings,
  platform,
  standardOf,
  TARGET,
  userArguments,
} from './flags.ts';

/** Where things are for the clang that is asked. */
export interface Places {
  /** Our own headers, which come first. */
  readonly ownHeaders: string;
  /** The bundled package's, as `include` in it. */
  readonly resources: string;
  /** Other contents for some files, if there are any. */
  readonly overlay?: string | undefined;
  /** The folder that relative paths start from, if not the one that it is run in. */
  readonly workingFolder?: string | undefined;
  /** Folders that debug information and macros are to call otherwise: what a header is called tells nobody who compiled it. */
  readonly otherNames?: readonly (readonly [folder: string, name: string])[] | undefined;
  /** Spells a path of this computer. */
  path(path: string): string;
}

/** The IR goes to standard output. */
export function argumentsFor(file: string, flags: CompileFlags, places: Places): string[] {
  const { ownHeaders, resources, overlay, workingFolder, otherNames = [], path } = places;
  return [
    '-cc1',
    ...['-triple', TARGET, '-emit-llvm', '-disable-free'],
    // memory as written, nothing optimised, and nothing marked as not to be optimised
    ...['-O0', '-disable-O0-optnone', '-fno-builtin', '-ffp-contract=off'],
    ...['-target-feature', '+atomics', '-target-feature', '+bulk-memory', '-pthread'],
    // paths in debug information stay as given: from any other folder clang would cut off what they share with it
    ...['-debug-info-kind=constructor', '-dwarf-version=4', '-fdebug-compilation-dir=/'],
    ...['-ferror-limit', '20', '-main-file-name', basename(file)],
    ...(overlay === undefined ? [] : ['-ivfsoverlay', overlay]),
    ...(workingFolder === undefined ? [] : ['-working-directory', workingFolder]),
    ...otherNames.flatMap(([folder, name]) => [
      `-fdebug-prefix-map=${folder}=${name}`,
      `-fmacro-prefix-map=${folder}=${name}`,
    ]),
    ...['-resource-dir', resources, '-internal-isystem', ownHeaders],
    ...['-internal-isystem', `${resources}/include`, '-internal-isystem', `${resources}/include/wasm32-wasip1`],
    ...libraryMacros.map((name) => `-D${name}`),
    ...platform,
    ...lenience,
    ...ourWarnings,
    standardOf(flags),
    ...otherFlags(flags),
    ...userArguments(flags, path),
    ...['-o', '-', '-x', 'c', path(file)],
  ];
}
