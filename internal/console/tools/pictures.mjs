// Draws the pictures of the README and docs/how-to/console.md: the console over the demo, in a
// browser. npm run pictures, in internal/console/.
import { execFileSync, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { chromium } from '@playwright/test';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const out = join(root, 'docs/pictures');
const program = process.env.OUTLAST_PROGRAM ?? join(root, '.cache/outlast');
if (!process.env.OUTLAST_PROGRAM) execFileSync(process.env.GO ?? 'go', ['build', '-o', program, './cmd/outlast'], { cwd: root, stdio: 'inherit' });

/** Waits until check gives something. */
async function until(check, what, within = 90_000) {
  for (const end = Date.now() + within; ;) {
    const value = await check();
    if (value) return value;
    if (Date.now() > end) throw new Error(`not within ${within} ms: ${what}`);
    await new Promise((next) => setTimeout(next, 250));
  }
}

const demo = spawn(program, ['demo', '--keep'], { stdio: ['ignore', 'ignore', 'pipe'] });
let said = '';
demo.stderr.on('data', (data) => { said += data; });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });

try {
  await until(() => said.includes('curl -X POST'), 'the end of the story');
  const url = /** @type {RegExpMatchArray} */ (said.match(/^console: (\S+)\//m))[1];
  const read = async (path) => (await fetch(url + path)).json();
  const page = await browser.newPage({ viewport: { width: 1200, height: 760 }, colorScheme: 'light', locale: 'en-GB', timezoneId: 'UTC' });
  const open = async (place) => {
    await page.goto(`${url}/#${place}`);
    await page.locator('main h1').first().waitFor();
    await until(async () => (await page.locator('[aria-busy="true"]').count()) === 0, 'all to be loaded');
  };
  const draw = (name) => page.screenshot({ path: join(out, `console-${name}.png`) });

  await until(async () => (await read('/v1/stats/series?step=10s')).points.filter((point) => point.nodes > 0).length > 8, 'charts with something in them', 180_000);
  await open('/');
  await draw('overview');

  const waits = await until(async () => (await read('/v1/tasks?state=pending&attempt_min=3&type=invoice.book')).tasks.find((task) => task.attempt < 6), 'an invoice that waits');
  await page.setViewportSize({ width: 1200, height: 900 });
  await open(`/tasks/${waits.id}`);
  await draw('task');

  await open('/dead');
  await page.getByRole('button', { name: /^Redrive/ }).first().click();
  await page.getByRole('dialog').getByRole('table').waitFor();
  await draw('dead');
} finally {
  await browser.close();
  demo.kill('SIGTERM');
}
