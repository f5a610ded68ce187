// What a newcomer sees first, after make demo: what failed, why, when it is tried again, and
// how dead letters go back.

import { spawn } from 'node:child_process';
import { choose, expect, fits, open, serve, test, until } from './kit.js';

/** Starts the demo and waits for what goes on after its story. */
async function demo() {
  const child = spawn(/** @type {string} */ (process.env.OUTLAST_PROGRAM), ['demo', '--keep'], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (data) => { said += data; });
  const [, repair] = await until(async () => said.match(/curl -X POST (\S+)/), 'the end of the story', 60_000);
  const url = /** @type {RegExpMatchArray} */ (said.match(/^console: (\S+)\//))[1];
  const read = async (path) => (await fetch(url + path)).json();
  await until(async () => (await read('/v1/tasks?state=pending&attempt_min=2&type=invoice.book')).tasks.length > 2, 'invoices that wait');
  return { url, read, said: () => said, repair, stop: () => new Promise((done) => { child.once('exit', done); child.kill('SIGTERM'); }) };
}

test('the first screen tells a newcomer what failed, why, what happens next and what to do', async ({ fresh: page }) => {
  const shown = await demo();
  await choose(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  await open(page, shown);
  const seen = (locator) => expect(locator).toBeInViewport();

  await seen(page.getByRole('alert').filter({ hasText: '1 problem' }).filter({ hasText: /blocked keys: .* began \d+ sec ago/ }));
  for (const chart of ['Tasks and failed attempts per second', 'Retries and duration of attempts', 'Tasks that are due, and the oldest']) {
    await expect(page.locator('figure').filter({ hasText: chart }).getByRole('img')).toBeInViewport({ ratio: 1 });
  }
  const fails = page.getByRole('table', { name: 'What fails' }).locator('tbody tr');
  await seen(fails.first());
  await expect(fails.first()).toContainText('6');
  await expect(fails.first()).toContainText('address.check');
  await expect(fails.first()).toContainText('unknown country code XK');
  await expect(page.getByText('When the cause is repaired, redrive them')).toBeInViewport();
  const next = page.getByRole('table', { name: 'Tried again next' }).locator('tbody tr');
  await seen(next.first());
  const order = next.filter({ hasText: 'the shop is being deployed' }).first();
  await expect(order).toContainText(/in \d+ (sec|min)|held: breaker|now/);
  await expect(order).toContainText(/order\.place.*\d\/8/);
  await expect(page.getByRole('link', { name: 'Dead letters 11', exact: true })).toBeVisible();
  await expect(page.getByRole('listitem').filter({ hasText: 'newsletter.send' }).first()).toBeVisible();

  // Too early: they die again, and the page says so.
  await fails.first().getByRole('button', { name: 'Redrive' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('6 dead letters match.');
  await dialog.getByRole('button', { name: 'Cancel' }).click();

  await fetch(shown.repair, { method: 'POST' });
  await fails.first().getByRole('button', { name: 'Redrive' }).click();
  await dialog.getByRole('button', { name: /^Redrive \d$/ }).click();
  await expect(page).toHaveURL(/#\/operations\//);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('done');
  await expect(page.getByRole('table', { name: 'Report' }).locator('tbody tr').filter({ hasText: 'succeeded' })).toHaveCount(6);
  await page.getByRole('link', { name: 'Overview' }).click();
  await expect(page.getByRole('note').filter({ hasText: '5 dead letters to redrive' })).toBeVisible(); // no key is blocked any more
  await expect(page.getByRole('table', { name: 'What fails' })).not.toContainText('address.check');
  await shown.stop();
});

test('the first screen of a new server says what to try', async ({ fresh: page }) => {
  const server = await serve();
  await choose(page);
  await page.setViewportSize({ width: 360, height: 740 });
  await open(page, server);
  await expect(page.getByText('outlast task enqueue --url')).toBeVisible();
  await fits(page);
  await server.stop();
});

test('what is tried again next is the soonest of all, and targets in trouble are counted', async ({ fresh: page, receiver }) => {
  const server = await serve();
  receiver.answer = () => ({ status: 503 });
  const draft = (initial) => ({ target: { url: receiver.url }, retry: { backoff: { kind: 'fixed', initial, jitter: 'none' }, max_attempts: 9, breaker: 'none', budget: 'none' } });
  const soonest = await server.call('/v1/tasks', draft('30m'));
  for (let n = 0; n < 4; n++) await server.call('/v1/tasks', draft('1h')); // as many as are shown
  await server.call('/v1/tasks/batch', { tasks: Array.from({ length: 150 }, () => draft('3h')) });
  await until(async () => (await server.call('/v1/tasks?state=pending&attempt_min=1&limit=500')).tasks.length === 155, 'all have failed');
  for (let n = 0; n < 11; n++) await server.call(`/v1/targets/down-${n}/open`, {});
  await until(async () => (await server.call('/v1/targets?troubled=true')).total === 11, 'the orders are known');
  await choose(page);
  await open(page, server);
  const next = page.getByRole('table', { name: 'Tried again next' }).locator('tbody tr');
  await expect(next).toHaveCount(5);
  await expect(next.first().locator(`a[href$="${soonest.id}"]`)).toBeVisible();
  await expect(next.first()).toContainText(/in (2\d|30) min/);
  const unseen = page.getByText('More tasks wait than were looked at');
  await expect(unseen).toHaveCount(0);
  const troubled = page.getByRole('table', { name: 'Targets in trouble' });
  await expect(troubled.locator('tbody tr')).toHaveCount(8);
  expect(await troubled.evaluate((table) => table.offsetWidth - (table.parentElement?.clientWidth ?? 0)), 'cut off at the right').toBeLessThanOrEqual(0);
  await expect(page.getByRole('note').filter({ hasText: '11 targets in trouble' })).toContainText('≥'); // eight were looked at
  await expect(page.getByRole('link', { name: '3 more' })).toHaveAttribute('href', /#\/targets$/);
  await page.route('**/v1/tasks/upcoming*', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), complete: false } });
  });
  await page.reload();
  await expect(unseen).toBeVisible();
  await page.unrouteAll({ behavior: 'ignoreErrors' }); // it goes on asking
  await expect(page.getByText('All nodes, by the minute')).toBeVisible();
  await server.stop();
});

test('a target in trouble is told first, and how many tasks wait for it', async ({ fresh: page, receiver }) => {
  const server = await serve(), name = new URL(receiver.url).host, place = encodeURIComponent(name);
  await server.call(`/v1/targets/${place}/open`, {});
  for (let n = 0; n < 3; n++) await server.call('/v1/tasks', { target: { url: receiver.url } });
  const held = await until(async () => (await server.call('/v1/targets?troubled=true')).targets.find((target) => target.waiting.breaker === 3), 'tasks that wait');
  for (const [language, [title, waits]] of Object.entries({ en: ['1 target in trouble', '3 tasks wait'], zh: ['1 个目标有问题', '3 个任务在等待'] })) {
    await choose(page, { language });
    await page.goto('about:blank');
    await open(page, server);
    const note = page.getByRole('note').filter({ hasText: title });
    await expect(note).toContainText(waits);
    await expect(note.getByRole('link', { name })).toHaveAttribute('href', new RegExp(`#/targets/(${name}|${place})$`));
    const cells = page.locator('table').filter({ has: page.locator(`a[href*="#/targets/"]`) }).locator('tbody tr td.numeric');
    await expect(cells).toHaveText(['3', held.limit ? `0/${held.limit}` : '0']);
  }
  await server.call(`/v1/targets/${place}/close`, {});
  await expect(page.getByRole('note').filter({ hasText: '一切正常' })).toBeVisible();
  await server.stop();
});

test('charts beside one another have one time axis, and one cursor', async ({ fresh: page, server }) => {
  const from = Date.UTC(2026, 0, 31, 8), known = (i) => i > 1; // nothing is known of the beginning
  const point = (i) => ({ at: new Date(from + i * 60_000).toISOString(), nodes: known(i) ? 1 : 0, attempts: known(i) ? i : null, failed: known(i) ? i / 2 : null, finished: known(i) ? { succeeded: i, dead: 0, canceled: 0 } : null,
    retry_rate: i > 8 ? 0.5 : null, ...(i > 8 ? { run: { p99: '2s' } } : {}), backlog: i > 5 ? { due: 7, oldest_due: '3s' } : null });
  await page.route('**/v1/stats/series*', (route) => route.fulfill({ json: { source: 'all nodes', points: Array.from({ length: 12 }, (_, i) => point(i)) } }));
  await choose(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  await open(page, server);
  const charts = page.locator('figure.chart');
  await expect(charts).toHaveCount(3);
  const axes = await charts.evaluateAll((all) => all.map((chart) => [...chart.querySelectorAll('svg > text')].map((text) => text.textContent).filter((text) => /^\d\d:\d\d:\d\d$/.test(text ?? ''))));
  expect(axes[0][0]).toBe('08:01:00'); // the last of which nothing is known
  expect(axes[0].at(-1)).toBe('08:11:00');
  expect(axes[1]).toEqual(axes[0]);
  expect(axes[2]).toEqual(axes[0]);
  expect(new Set(await charts.evaluateAll((all) => all.map((chart) => Math.round(chart.querySelector('svg').getBoundingClientRect().top)))).size).toBe(1);
  await expect(charts.locator('line.cursor')).toHaveCount(0);
  await charts.nth(1).getByRole('img').hover();
  await expect(charts.locator('line.cursor')).toHaveCount(3);
  const pointed = await charts.evaluateAll((all) => all.map((chart) => chart.querySelector('.legend > .faint')?.textContent));
  expect(pointed[0]).toContain('2026');
  expect(new Set(pointed).size).toBe(1);
  await page.getByRole('heading', { level: 1 }).hover();
  await expect(charts.locator('line.cursor')).toHaveCount(0);
});
