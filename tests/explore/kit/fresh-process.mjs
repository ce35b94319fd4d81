/** Continues searches that another process has begun. Standard input: the jobs; standard output: what became of each. */
import { register } from 'node:module';
import { text } from 'node:stream/consumers';

register('../../../dist/typescript/front-end/hooks.js', import.meta.url); // runs TypeScript
register('./hooks.mjs', import.meta.url);
const { continued } = await import('./continued.ts');
process.stdout.write(JSON.stringify(JSON.parse(await text(process.stdin)).map(continued)));
