// Queues and targets: paused, resumed, changed; opened, closed and reset, with the history of
// a breaker as a picture.

import { choose, expect, open, serve, test, until } from './kit.js';

const dialog = (page) => page.getByRole('dialog');
const confirm = async (page, name) => {
  await page.getByRole('button', { name, exact: true }).first().click();
  await dialog(page).getByRole('button', { name, exact: true }).click();
  await expect(dialog(page)).toHaveCount(0);
};

/** A node tells of a minute when it is over, some seconds later; a machine that is busy takes its time. */
const toldWithin = 300_000;

/** The languages, with the words for: held back, why, closed. */
const told = { en: ['held back', 'it asked to be left alone', 'closed'], zh: ['暂缓', '它要求暂时不要调用', '闭合'] };

test('a queue is paused, and its tasks wait until it is resumed', async ({ fresh: page, server, receiver }) => {
  await choose(page);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await server.call('/v1/queues/paused.here', {}, 'PUT');
  await open(page, server, '/queues');
  const row = page.getByRole('table', { name: 'Queues' }).getByRole('row').filter({ hasText: 'paused.here' });
  await row.getByRole('button', { name: 'Pause' }).click();
  await dialog(page).getByText('The same by command line').click();
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  const copy = (/** @type {number} */ n) => dialog(page).locator('.command').nth(n).getByRole('button');
  await copy(0).click();
  await expect.poll(clipboard).toBe('outlast queue pause paused.here');
  await copy(1).click();
  await expect.poll(clipboard).toBe(`curl -X POST -H "Authorization: Bearer $OUTLAST_TOKEN" ${server.url}/v1/queues/paused.here/pause`);
  await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })); // as without TLS
  await expect(async () => { // it says so for two seconds
    await copy(0).click();
    await expect(copy(0)).toHaveText('Copied', { timeout: 1000 });
  }).toPass();
  await expect(copy(0)).toBeFocused();
  await page.evaluate(() => delete /** @type {any} */ (navigator).clipboard);
  await expect.poll(clipboard).toBe('outlast queue pause paused.here');
  await dialog(page).getByRole('button', { name: 'Pause' }).click();
  await expect(row.locator('.state')).toContainText('paused');
  const { id } = await server.call('/v1/tasks', { type: 'http', queue: 'paused.here', target: { url: receiver.url } });
  await row.getByRole('link', { name: 'paused.here' }).click();
  await expect(page.getByRole('link', { name: /^Pending/ })).toContainText('1');
  expect((await server.call(`/v1/tasks/${id}`)).state).toBe('pending');
  expect(receiver.calls).toHaveLength(0);
  await confirm(page, 'Resume');
  await expect.poll(async () => (await server.call(`/v1/tasks/${id}`)).state).toBe('succeeded');
  await expect(page.getByRole('link', { name: /^Pending/ })).toContainText('0');
});

test('the list tells how late tasks start and how long the oldest waits, the longest wait first', async ({ page, server, receiver }) => {
  for (const name of ['delayed.here', 'stuck.here']) await server.call(`/v1/queues/${name}`, {}, 'PUT');
  for (let n = 0; n < 3; n++) await server.call('/v1/tasks', { type: 'http', queue: 'delayed.here', target: { url: receiver.url } });
  await server.call('/v1/tasks', { type: 'nobodys', queue: 'stuck.here' });
  const read = async (name) => (await server.call('/v1/queues')).queues.find((queue) => queue.name === name);
  await until(async () => (await read('delayed.here')).recent?.wait && (await read('stuck.here')).oldest_due, 'delays that are known', toldWithin);
  await page.route('**/v1/queues', async (route) => { // as if it had waited for long
    const answer = await route.fetch(), told = await answer.json();
    for (const queue of told.queues) if (queue.name === 'stuck.here') queue.oldest_due = '1h2m3s';
    await route.fulfill({ response: answer, json: told });
  });
  await open(page, server, '/queues');
  const rows = page.getByRole('table', { name: 'Queues' }).locator('tbody tr'), cell = (row, label) => row.locator(`td[data-label="${label}"]`);
  await expect(rows.first()).toContainText('stuck.here');
  await expect(cell(rows.first(), 'Oldest due')).toHaveText('1 h 2 min');
  await expect(cell(rows.first(), 'Delay p99')).toHaveText('—');
  const delayed = rows.filter({ hasText: 'delayed.here' });
  await expect(cell(delayed, 'Oldest due')).toHaveText('0');
  for (const share of ['Delay p50', 'Delay p99']) await expect(cell(delayed, share)).toHaveText(/^[\d.]+ (µs|ms|s)$/);
  await expect(cell(delayed, 'Attempts/s')).toHaveText(/^[\d.]+$/);
});

test('the page of a queue has its delays, trends and newest tasks, and its lanes folded away', async ({ page, server, receiver }) => {
  await server.call('/v1/queues/whole.here', { lanes: 3, policy: 'payment' }, 'PUT');
  const { id } = await server.call('/v1/tasks', { type: 'http', queue: 'whole.here', target: { url: receiver.url } });
  await until(async () => (await server.call('/v1/queues/whole.here')).recent?.wait, 'a delay that is known', toldWithin);
  const asked = page.waitForRequest(/\/v1\/stats\/series\?.*queue=whole\.here/);
  await open(page, server, '/queues/whole.here');
  await asked;
  await expect(page.locator('.tile').filter({ hasText: 'Delay p99' })).toContainText(/p50 [\d.]+ (µs|ms|s), in 5 min/);
  await expect(page.locator('figure.chart')).toHaveCount(3);
  await expect(page.locator('figure.chart').first()).toContainText('Start delay of attempts');
  await expect(page.getByRole('table', { name: 'Newest tasks' }).locator(`a[href$="${id}"]`)).toBeVisible();
  await expect(page.locator('.fact').filter({ hasText: 'Policy' }).getByRole('link', { name: 'payment' })).toBeVisible();
  const lanes = page.getByRole('table', { name: 'Lanes' });
  await expect(lanes).toBeHidden();
  await page.getByText('3 lanes · 1 node').click();
  await expect(lanes.locator('tbody tr')).toHaveCount(3);
  await page.getByRole('link', { name: '6 h' }).click();
  await expect(page).toHaveURL(/#\/queues\/whole\.here\?span=6h/);
});

test('the settings of a queue are changed, and a wrong one is told', async ({ page, server }) => {
  await server.call('/v1/queues/changed.here', { weight: 2 }, 'PUT');
  await open(page, server, '/queues/changed.here');
  await page.getByRole('button', { name: 'Change settings' }).click();
  await dialog(page).getByLabel('Policy').fill('nobody.knows');
  await dialog(page).getByLabel(/^Weight/).fill('7');
  await dialog(page).getByRole('button', { name: 'Change settings' }).click();
  await expect(dialog(page).getByRole('alert')).toContainText('policy');
  await dialog(page).getByLabel('Policy').fill('payment');
  await dialog(page).getByRole('button', { name: 'Change settings' }).click();
  await expect(dialog(page)).toHaveCount(0);
  await expect(page.locator('.fact').filter({ hasText: 'Weight' })).toContainText('7');
  expect(await server.call('/v1/queues/changed.here')).toMatchObject({ weight: 7, policy: 'payment' });
});

test('a target is blocked and allowed by hand, and its breaker is drawn', async ({ page, server, receiver }) => {
  const name = new URL(receiver.url).host, place = `/v1/targets/${encodeURIComponent(name)}`;
  await server.call('/v1/tasks', { type: 'http', target: { url: receiver.url } });
  await until(async () => receiver.calls.length === 1, 'the first call');
  await open(page, server, `/targets/${encodeURIComponent(name)}`);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('closed: calls pass');
  await page.getByRole('button', { name: 'Block', exact: true }).click();
  await dialog(page).getByText('The same by command line').click();
  await expect(dialog(page)).toContainText(`outlast target block ${name}`);
  await dialog(page).getByRole('button', { name: 'Block', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('open: nothing is sent');
  await expect(page.getByText('An operator blocked it')).toBeVisible();
  const { id } = await server.call('/v1/tasks', { type: 'http', target: { url: receiver.url } });
  await until(async () => (await server.call(`/v1/tasks/${id}`)).waiting === 'breaker open', 'a task that waits');
  await confirm(page, 'Allow');
  await expect.poll(async () => (await server.call(`/v1/tasks/${id}`)).state).toBe('succeeded');
  const band = page.getByRole('img', { name: 'What the breaker did' });
  await expect(band).toBeVisible();
  await expect(band.locator('rect.fill-bad')).toHaveCount(1);
  const steps = page.getByRole('table', { name: 'What the breaker did' }).locator('tbody tr');
  await expect(steps.filter({ hasText: /^.*open: nothing is sent/ })).toHaveCount(1);
  await expect(steps.filter({ hasText: 'ramping' })).toContainText('the order of an operator ended');
  await expect(steps.filter({ hasText: 'open: nothing' })).toContainText('ordered by an operator');
  const order = (await steps.allTextContents()).map((row) => row.match(/closed|ramping|open/)?.[0]);
  expect(order.slice(-3)).toEqual(['ramping', 'closed', 'open']); // the newest first, although two are of one moment
  await confirm(page, 'Reset');
  await expect(page.locator('.fact').filter({ hasText: 'Last order' })).toContainText('reset');
  expect((await server.call(place)).order.action).toBe('reset');
});

test('a target that asked to be left alone is told as that, and not as closed, in both languages', async ({ fresh: page, receiver }) => {
  const own = await serve();
  receiver.answer = () => ({ status: 429, headers: { 'Retry-After': '60' } });
  await own.call('/v1/tasks/batch', { tasks: Array.from({ length: 40 }, () => ({ type: 'busy', target: { url: receiver.url } })) });
  const name = new URL(receiver.url).host, place = encodeURIComponent(name);
  await until(async () => (await own.call('/v1/targets?troubled=true')).targets.find((target) => target.held_until && target.breaker.state === 'closed'), 'a target that is held');
  for (const [language, [held, why, closed]] of Object.entries(told)) {
    await choose(page, { language });
    await page.goto('about:blank');
    for (const list of ['/', '/targets']) {
      await open(page, own, list);
      const row = page.locator('tbody tr').filter({ has: page.locator(`a[href$="/targets/${name}"], a[href$="/targets/${place}"]`) });
      await expect(row).toContainText(held);
      await expect(row).not.toContainText(closed);
      if (list === '/') await expect(row).toContainText(why);
    }
    await open(page, own, `/targets/${place}`);
    await expect(page.getByRole('heading', { level: 1 })).toContainText(held);
    await expect(page.locator('.fact').filter({ hasText: why })).toHaveCount(1);
    await expect(page.getByRole('heading', { level: 1 })).not.toContainText(closed);
    await expect(page.locator('main tbody tr').last()).not.toContainText(closed); // as the node sees it
  }
  await own.stop();
});
