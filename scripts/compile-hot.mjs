/**
 * After a build: translates the inner loop of `trust` to WebAssembly, for each model, and lets the classes in dist/ keep what it uses in
 * the memory that it shares with them. The sources are what they are without it (`hot/translate.mjs`).
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildHot } from './hot/build.mjs';

const root = fileURLToPath(new URL('../', import.meta.url));
const { modules, rewrite, files } = buildHot();
const output = join(root, 'dist/hot');
rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });
const layouts = {};
for (const [name, { bytes, layout }] of modules) {
  writeFileSync(join(output, `${name}.wasm`), bytes);
  layouts[name] = layout;
}
writeFileSync(join(output, 'layouts.json'), JSON.stringify(layouts));
for (const source of files) {
  const built = join(root, 'dist', relative(join(root, 'src'), source)).replace(/\.ts$/, '.js');
  writeFileSync(built, rewrite(source, readFileSync(built, 'utf8')));
}
