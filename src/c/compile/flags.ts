/** What a C file is compiled with. */
import { InputError } from '../../program/input-error.ts';

export interface CompileFlags {
  /** The folder that relative paths start from; an absolute path. */
  readonly cwd: string;
  /** NAME or NAME=VALUE */
  readonly defines?: readonly string[];
  readonly includeFolders?: readonly string[];
  /** Only for names in quotes, and before `includeFolders`. */
  readonly quoteFolders?: readonly string[];
  /** After the headers of the system. */
  readonly lateFolders?: readonly string[];
  /** Files that are included before the first line. */
  readonly includeFiles?: readonly string[];
  /** Other flags of C compilers (`-funsigned-char`, `-O2`), as they are written: see `flagsThatCount`. */
  readonly compilerFlags?: readonly string[];
  /** c11, gnu17, … Default: gnu17. */
  readonly standard?: string;
  /**
   * Which clang: `auto`, an installed one that is known to give the same IR, or else the bundled one; `bundled`; or the
   * path of an installed one, or its name in the search path. Default: auto.
   */
  readonly clang?: string;
}

/** The bundled compiler: the package @yowasp/clang of this very version. */
export const BUNDLED_VERSION = '22.0.0-git20542-10';

/** 32-bit integers and pointers, which suit JavaScript. */
export const TARGET = 'wasm32-unknown-wasip1';

export function standardOf({ standard, compilerFlags = [] }: CompileFlags): string {
  return `-std=${standard ?? (compilerFlags.includes('-ansi') ? 'c89' : 'gnu17')}`;
}

/** Errors of clang that other compilers of C only warn about. */
const onlyWarnings = [
  'implicit-function-declaration',
  'implicit-int',
  'int-conversion',
  'incompatible-pointer-types',
  'incompatible-function-pointer-types',
  'return-mismatch',
  'return-type',
];

export const lenience: readonly string[] = [
  '-Wno-unknown-warning-option', // an older clang may not know them all
  ...onlyWarnings.map((name) => `-Wno-error=${name}`),
];

/**
 * The flags of compilers that change what a program means, or which warnings are shown; all others (how to optimise, to
 * link, for which processor) mean nothing here. Their values: how the compiler proper spells them, if not as its driver.
 */
const flagsThatCount: readonly (readonly [pattern: RegExp, proper?: readonly string[]])[] = [
  [/^-U./],
  [/^-w$/],
  [/^-Wno-(?!error)./],
  [/^-f(unsigned-char|no-signed-char)$/, ['-fno-signed-char']],
  [/^-fshort-wchar$/, ['-fwchar-type=short', '-fno-signed-wchar']],
  [/^-fno-asm$/, ['-fno-gnu-keywords']],
  [/^-f(short-enums|common|wrapv|gnu89-inline|ms-extensions|freestanding|pack-struct=\d+)$/],
];

const unsupportedFlags: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/^-fopenmp/, 'OpenMP is not supported'],
  [/^-fblocks$/, 'blocks are not supported'],
  [/^-x(?!c$|none$)/, 'the language is C'],
  [/^-Wp,(?!-MM?D|-D_FORTIFY_SOURCE)/, 'give what follows -Wp, as flags of their own'],
];

/** The flags that count, as the compiler proper takes them. Throws an InputError if one cannot be. */
export function otherFlags({ compilerFlags = [] }: CompileFlags): string[] {
  return compilerFlags.flatMap((flag) => {
    const reason = unsupportedFlags.find(([pattern]) => pattern.test(flag))?.[1];
    if (reason !== undefined) throw new InputError(`${flag}: ${reason}.`);
    const known = flagsThatCount.find(([pattern]) => pattern.test(flag));
    return known === undefined ? [] : (known[1] ?? [flag]);
  });
}

/** Names of the C library that its headers declare only on request. */
export const libraryMacros = [
  '_WASI_EMULATED_SIGNAL',
  '_WASI_EMULATED_MMAN',
  '_WASI_EMULATED_GETPID',
  '_WASI_EMULATED_PROCESS_CLOCKS',
] as const;

/** What programs ask to find out where they are: headers and functions are those of Linux, the language is gcc's. */
export const platform: readonly string[] = [
  ...['__linux__', '__linux', '__gnu_linux__', '__unix__', '__unix'].map((name) => `-D${name}`),
  '-fgnuc-version=13.2.0',
];
/** Where an atomic access is slow does not matter here; where it is not aligned, it is refused when it is performed. */
export const ourWarnings = ['-Wno-atomic-alignment'] as const;

/** The user's own flags. `path` spells paths for clang. */
export function userArguments(flags: CompileFlags, path: (path: string) => string): string[] {
  return [
    ...(flags.defines ?? []).flatMap((definition) => ['-D', definition]),
    ...(flags.quoteFolders ?? []).flatMap((folder) => ['-iquote', path(folder)]),
    ...(flags.includeFolders ?? []).flatMap((folder) => ['-I', path(folder)]),
    ...(flags.lateFolders ?? []).flatMap((folder) => ['-idirafter', path(folder)]),
    ...(flags.includeFiles ?? []).flatMap((file) => ['-include', path(file)]),
  ];
}
