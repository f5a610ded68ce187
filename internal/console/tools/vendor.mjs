// Copies the libraries of package-lock.json that run in the browser to web/vendor, as
// they are published but for the names in their imports, which a browser cannot look
// up, and for the comments that name source maps. With --check it only compares.
import { readFile, writeFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const home = join(dirname(fileURLToPath(import.meta.url)), '..');

/** From a file of node_modules to its name in web/vendor. */
const files = {
  'preact/dist/preact.mjs': 'preact.js',
  'preact/hooks/dist/hooks.mjs': 'hooks.js',
  '@preact/signals-core/dist/signals-core.mjs': 'signals-core.js',
  '@preact/signals/dist/signals.mjs': 'signals.js',
  'htm/dist/htm.mjs': 'htm.js',
  'preact/LICENSE': 'LICENSE.preact.txt',
  '@preact/signals/LICENSE': 'LICENSE.signals.txt',
  'htm/LICENSE': 'LICENSE.htm.txt',
};

/** Where the names in imports are found. */
const names = {
  preact: './preact.js',
  'preact/hooks': './hooks.js',
  '@preact/signals-core': './signals-core.js',
};

/** @param {string} text */
function browserReady(text) {
  return text
    .replace(/(from|import)\s*(["'])([^"']+)\2/g, (whole, word, quote, name) => {
      const path = names[/** @type {keyof typeof names} */ (name)];
      if (path) return word + quote + path + quote;
      if (name.startsWith('.')) return whole;
      throw new Error(`vendor: no file is named for the import ${name}`);
    })
    .replace(/\n?\/\/# sourceMappingURL=.*\n?$/, '\n');
}

let stale = 0;
for (const [from, to] of Object.entries(files)) {
  const text = await readFile(join(home, 'node_modules', from), 'utf8');
  const wanted = to.endsWith('.js') ? browserReady(text) : text;
  const place = join(home, 'web/vendor', to);
  const is = await readFile(place, 'utf8').catch(() => '');
  if (is === wanted) continue;
  if (process.argv.includes('--check')) {
    console.error(`vendor: web/vendor/${to} is not what package-lock.json names: run npm run vendor`);
    stale++;
    continue;
  }
  await mkdir(dirname(place), { recursive: true });
  await writeFile(place, wanted);
  console.log(`vendor: ${to}`);
}
process.exit(stale ? 1 : 0);
