export function moduleOf(file: string): { readonly classes: ReadonlyMap<string, unknown> };
