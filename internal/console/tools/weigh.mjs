// Weighs the first load: the page, its styles, and every module that the overview needs,
// compressed as the server does it. Fails above the bound.
import { readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const bound = 150_000; // bytes
const web = join(dirname(fileURLToPath(import.meta.url)), '../web');
/** @type {Map<string, number>} */
const weights = new Map();

/** @param {string} path */
async function weigh(path) {
  if (weights.has(path)) return;
  const text = await readFile(path, 'utf8');
  weights.set(path, gzipSync(text, { level: 9 }).length);
  for (const [, name] of text.matchAll(/(?:^|[\s;}])(?:import|export)\s*(?:[\w*{}\s,$]+from\s*)?["'](\.[^"']+)["']/g)) await weigh(join(dirname(path), name));
}

const page = join(web, 'index.html');
await weigh(page);
for (const [, name] of (await readFile(page, 'utf8')).matchAll(/(?:href|src)="console\/([^"]+)"/g)) await weigh(join(web, name));
await weigh(join(web, 'page/overview.js'));

const sum = [...weights.values()].reduce((a, b) => a + b, 0);
if (process.argv.includes('--list')) for (const [path, weight] of weights) console.log(String(weight).padStart(7), relative(web, path));
console.log(`weigh: the first load is ${weights.size} files, ${sum} bytes compressed, of at most ${bound}`);
process.exit(sum > bound ? 1 : 0);
