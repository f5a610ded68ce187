// What the other tests stand on leaves nothing behind.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { expect, test } from './kit.js';

test('a server ends with who started it', async () => {
  const from = new URL('server.js', import.meta.url).href;
  const worker = spawn(process.execPath, ['--input-type=module', '-e', `import { serve } from '${from}'; const { url, dir } = await serve(); console.log(JSON.stringify({ url, dir }));`], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [said] = await once(worker.stdout, 'data');
  const { url, dir } = JSON.parse(String(said));
  expect((await fetch(`${url}/livez`)).ok).toBe(true);
  worker.kill('SIGKILL'); // as one whose time is up
  await expect.poll(() => existsSync(dir)).toBe(false);
  await expect.poll(() => fetch(`${url}/livez`).then(() => true, () => false)).toBe(false);
});
