import type { HotLayout } from '../../src/program/hot-memory.ts';

export interface HotSearch {
  readonly name: string;
  readonly model?: string;
  readonly loop: readonly [type: string, method: string];
  readonly search: {
    readonly singletons: Readonly<Record<string, readonly [object: string, cls: unknown]>>;
    readonly bound: Readonly<Record<string, string>>;
    readonly assumed: Readonly<Record<string, unknown>>;
  };
}

export interface HotBuild {
  readonly modules: ReadonlyMap<string, { readonly bytes: Uint8Array; readonly layout: HotLayout }>;
  readonly calls: ReadonlyMap<string, readonly string[]>;
  readonly files: readonly string[];
  readonly rewrite: (file: string, code: string) => string | undefined;
}

export function buildHot(options?: {
  readonly isChecked?: boolean;
  readonly searches?: readonly HotSearch[];
}): HotBuild;
