/**
 * After a build: makes one folder of few files, dist/bundle, of all that the command runs, and lets dist/cli/main.js start it.
 * Node takes half a millisecond for each module that it loads, and a check loads some 200 of them in two threads. The other
 * modules in dist/ stay as they are, for who imports the library; programs that the command checks get the library from the
 * bundle (`hooks.ts`), so that there is one instance of it.
 */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const output = `${dist}bundle`;

/** `cli/worker.js` → `cli-worker.js`: all files of the bundle lie in one folder. */
const nameOf = (file) => relative(dist, file).split(sep).join('-');

/** Modules refer to files beside them by way of their own address, and have another one now. */
const addresses = {
  name: 'addresses',
  transform(code, id) {
    if (!id.startsWith(dist) || !code.includes('import.meta.url')) return null;
    const here = `new URL(${JSON.stringify(`../${relative(dist, id).split(sep).join('/')}`)}, import.meta.url).href`;
    const changed = code.replaceAll(/new URL\('([^']+)', import\.meta\.url\)|import\.meta\.url/g, (_all, path) => {
      if (path === undefined) return here;
      const file = fileURLToPath(new URL(path, pathToFileURL(id)));
      if (!file.endsWith('.js') || !existsSync(file)) return `new URL('${path}', ${here})`;
      // a module that is started by its address, such as a worker
      this.emitFile({ type: 'chunk', id: file, fileName: nameOf(file) });
      return `new URL('./${nameOf(file)}', import.meta.url)`;
    });
    return { code: changed };
  },
};

rmSync(output, { recursive: true, force: true });
const bundle = await rolldown({
  input: { main: `${dist}cli/main.js` },
  platform: 'node',
  external: (id) => !/^[./]|^[A-Z]:/i.test(id), // packages are loaded as packages
  plugins: [addresses],
});
await bundle.write({
  dir: output,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
});
await bundle.close();
writeFileSync(`${dist}cli/main.js`, "#!/usr/bin/env node\nimport '../bundle/main.js';\n");
