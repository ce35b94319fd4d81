/** After a build: makes `npx heddle` in this folder run this very build, as it does where the package is installed. */
import { chmodSync, existsSync, rmSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../node_modules/.bin/', import.meta.url));
if (existsSync(folder) && process.platform !== 'win32') {
  chmodSync(fileURLToPath(new URL('../dist/cli/main.js', import.meta.url)), 0o755);
  rmSync(`${folder}heddle`, { force: true });
  symlinkSync('../../dist/cli/main.js', `${folder}heddle`);
}
