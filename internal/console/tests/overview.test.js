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

  await seen(page.getByRole('alert').filter({ hasText: '1 problem' }).filter({ hasText: 'blocked keys' }));
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
