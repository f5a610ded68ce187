// Writes types/openapi.d.ts, the shapes of the API's answers, from the document that the
// program of this checkout serves. With --check it only compares.
import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import openapi, { astToString } from 'openapi-typescript';

const home = join(dirname(fileURLToPath(import.meta.url)), '..');
const said = spawnSync('go', ['run', './internal/openapi'], { cwd: join(home, '../..'), encoding: 'utf8', maxBuffer: 64 << 20 });
if (said.status !== 0) throw new Error(`api: ${said.stderr}`);

const wanted = astToString(await openapi(said.stdout, { defaultNonNullable: false }));
const place = join(home, 'types/openapi.d.ts');
const is = await readFile(place, 'utf8').catch(() => '');
if (is !== wanted) {
  if (process.argv.includes('--check')) {
    console.error('api: types/openapi.d.ts is not what the API is: run npm run api');
    process.exit(1);
  }
  await writeFile(place, wanted);
}
