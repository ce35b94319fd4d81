/** The modules of a program, for where its files are not: what is imported while it is loaded, as text. */
import { register } from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import type { Host } from '../../program/front-end.ts';
import { InputError } from '../../program/input-error.ts';

/** Plain data. */
export interface Bundle {
  /** The URL of the module with the program. Positions are those of the machine that it comes from. */
  readonly entry: string;
  /** By their URLs. */
  readonly modules: Readonly<Record<string, string>>;
}

/** What the module hooks find while they load a program that is to travel. */
export type Imported =
  | { readonly kind: 'module'; readonly url: string; readonly text: string }
  | { readonly kind: 'other'; readonly url: string; readonly specifier: string };

/** Loads the program: what it imports later, while it runs, is not in the bundle. */
export async function bundleOf(file: string, host: Host): Promise<Bundle> {
  const entry = pathToFileURL(resolve(file)).href;
  const { port1, port2 } = new MessageChannel();
  register(new URL('./hooks.js', import.meta.url), {
    data: { recorded: { entry, port: port2 } },
    transferList: [port2],
  });
  const { loadScript } = await import('./load.ts');
  await loadScript(file, host);
  const modules: Record<string, string> = {};
  for (;;) {
    const received = receiveMessageOnPort(port1);
    if (received === undefined) break;
    const imported = received.message as Imported;
    if (imported.kind === 'other') throw cannotTravel(file, imported);
    modules[imported.url] = imported.text;
  }
  port1.close();
  return { entry, modules };
}

function cannotTravel(file: string, { url, specifier }: Extract<Imported, { kind: 'other' }>): InputError {
  const where = url.startsWith('file:') && !url.includes('/node_modules/') ? fileURLToPath(url) : specifier;
  return new InputError(
    `${file} cannot travel to other machines: it imports ${where}. Only modules beside it can, in TypeScript or JavaScript, and what is part of Node and Heddle.`,
  );
}
