/** Where a program begins. */

/** As clang calls `main` for this target, by the parameters that it has. */
export const entryNames: readonly string[] = ['main', '__main_void', '__main_argc_argv', '__original_main'];
