/**
 * Tests run the sources; so that they run hot code as a build has it, the sources are rewritten as they are loaded, and the modules made
 * beforehand, in a folder that keeps them until a source changes.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildHot } from './build.mjs';
import { loadedFiles } from './sources.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** `isChecked`: with hot code that notices when it leaves a column. */
export function hotCode(isChecked = false) {
  let hot;
  let folder;
  /** With the modules that were made, and from the first step on; in the long tier after a few, so that a search is seen to change over. */
  const looped = (code) => {
    const address = `new URL(${JSON.stringify(`${pathToFileURL(folder).href}/`)})`;
    const changes = [
      [/new URL\(["']\.\.\/\.\.\/hot\/["'], import\.meta\.url\)/, address],
      [/HOT_AFTER = \d+/, `HOT_AFTER = ${isChecked ? 5 : 0}`],
    ];
    return changes.reduce((text, [from, to]) => {
      if (!from.test(text)) throw new Error(`hot-loop.ts has nothing like ${from}`);
      return text.replace(from, to);
    }, code);
  };
  return {
    name: 'hot-code',
    enforce: 'post',
    buildStart() {
      if (hot !== undefined) return;
      hot = buildHot({ isChecked });
      const hash = createHash('sha256').update(String(isChecked));
      const scripts = readdirSync(join(root, 'scripts/hot')).map((name) => join(root, 'scripts/hot', name));
      for (const file of [...loadedFiles(), ...scripts]) hash.update(readFileSync(file));
      folder = join(root, 'node_modules/.cache/heddle-hot', hash.digest('hex').slice(0, 16));
      if (existsSync(folder)) return;
      const made = `${folder}.${process.pid}`;
      mkdirSync(made, { recursive: true });
      const layouts = {};
      for (const [name, { bytes, layout }] of hot.modules) {
        writeFileSync(join(made, `${name}.wasm`), bytes);
        layouts[name] = layout;
      }
      writeFileSync(join(made, 'layouts.json'), JSON.stringify(layouts));
      renameSync(made, folder);
    },
    transform(code, id) {
      const [file] = id.split('?');
      if (file.endsWith('src/explore/graphs/hot-loop.ts')) return { code: looped(code), map: null };
      const changed = hot.rewrite(file, code);
      return changed === undefined ? null : { code: changed, map: null };
    },
  };
}
