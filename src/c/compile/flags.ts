/** What a C file is compiled with. */

export interface CompileFlags {
  /** The folder that relative paths start from; an absolute path. */
  readonly cwd: string;
  /** NAME or NAME=VALUE */
  readonly defines?: readonly string[];
  readonly includeFolders?: readonly string[];
  /** Files that are included before the first line. */
  readonly includeFiles?: readonly string[];
  /** c11, gnu17, … Default: gnu17. */
  readonly standard?: string;
  /** An installed clang to use instead of the bundled one: its path, or its name in the search path. */
  readonly clang?: string;
}

/** The bundled compiler: the package @yowasp/clang of this very version. */
export const BUNDLED_VERSION = '22.0.0-git20542-10';

/** 32-bit integers and pointers, which suit JavaScript. */
export const TARGET = 'wasm32-unknown-wasip1';

export function standardOf({ standard }: CompileFlags): string {
  return `-std=${standard ?? 'gnu17'}`;
}

/** Names of the C library that its headers declare only on request. */
export const libraryMacros = [
  '_WASI_EMULATED_SIGNAL',
  '_WASI_EMULATED_MMAN',
  '_WASI_EMULATED_GETPID',
  '_WASI_EMULATED_PROCESS_CLOCKS',
] as const;

/** Where an atomic access is slow does not matter here; where it is not aligned, it is refused when it is performed. */
export const ourWarnings = ['-Wno-atomic-alignment'] as const;

/** The user's own flags, as both the driver of clang and its compiler proper take them. `path` spells paths for it. */
export function userArguments(flags: CompileFlags, path: (path: string) => string): string[] {
  return [
    ...(flags.defines ?? []).flatMap((definition) => ['-D', definition]),
    ...(flags.includeFolders ?? []).flatMap((folder) => ['-I', path(folder)]),
    ...(flags.includeFiles ?? []).flatMap((file) => ['-include', path(file)]),
  ];
}
