/** What users choose by name about how a program is understood. The command line needs it before anything is loaded. */

/** What a volatile access is: an ordinary one, or an atomic one of a memory order. */
export const volatileKinds = ['plain', 'relaxed', 'seq_cst'] as const;
export type VolatileKind = (typeof volatileKinds)[number];

/** When a value that was never set is an error: when it is used, or already when it is read. */
export const uninitialisedChecks = ['used', 'strict'] as const;
export type UninitialisedCheck = (typeof uninitialisedChecks)[number];
