/** The name of what is called in the place of assembly that is not known begins so; its text follows. */
export const REFUSED_ASSEMBLY = 'llvm.heddle.assembly.';
