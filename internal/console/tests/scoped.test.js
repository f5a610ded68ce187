// What a token for certain queues shows: every page that is offered is whole, and says
// nothing that is not known; and the overview names what cannot go on.

import { choose, expect, open, serve, test, until } from './kit.js';

test('a token for certain queues has only pages that are whole', async ({ fresh: page, receiver }) => {
  const server = await serve();
  const made = async (name, role, queues) => (await server.call('/v1/tokens', { name, role, ...(queues ? { queues } : {}) })).token;
  server.token = await made('boss', 'admin');
  await server.call('/v1/queues/mail', {}, 'PUT');
  await server.call('/v1/queues/sms', {}, 'PUT');
  await server.call('/v1/queues/books', {}, 'PUT');
  await server.call('/v1/tasks', { type: 'a', queue: 'mail' });
  const dies = (/** @type {string} */ queue) => server.call('/v1/tasks', { type: 'refused', queue, target: { url: receiver.url }, retry: { max_attempts: 1 } });
  receiver.answer = () => ({ status: 404 });
  for (const queue of ['mail', 'sms', 'sms', 'books']) await dies(queue);
  await until(async () => (await server.call('/v1/dead/stats')).total === 4, 'letters in three queues');
  await choose(page, { token: await made('clerk', 'operator', ['mail', 'sms']) });
  await open(page, server);
  await expect(page.getByRole('note').filter({ hasText: 'your queues only' })).toBeVisible();
  const menu = page.getByRole('navigation', { name: 'Menu' });
  await expect(menu.getByRole('link', { name: 'Targets' })).toHaveCount(0);
  const places = await menu.getByRole('link').evaluateAll((links) => links.map((link) => (link.getAttribute('href') ?? '').replace(/^.*#/, '')));
  expect(places.length).toBeGreaterThan(5);
  for (const place of [...places, '/simulator?tab=history', '/']) {
    await open(page, server, place);
    await expect(page.locator('main')).not.toContainText(/NaN|undefined|\{\w+\}|but this concerns all queues/);
    await expect(page.locator('.loading')).toHaveCount(0);
    await expect(page.getByRole('alert')).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'Try again' })).toHaveCount(0);
  }
  const tile = (/** @type {string} */ label) => page.locator('.tile').filter({ has: page.locator('.label').getByText(label, { exact: true }) }).locator('.value');
  await expect(tile('Pending')).toHaveText('1');
  await expect(tile('Running')).toHaveText('0');
  await expect(tile('Dead letters')).toHaveText('3'); // and not the one of another queue
  await expect(tile('Due now')).toHaveCount(0);
  await expect(page.getByRole('table', { name: 'What fails' }).locator('tbody tr')).toHaveCount(1);
  await expect(page.getByRole('table', { name: 'What fails' }).locator('tbody tr')).toContainText('3');
  await open(page, server, `/dead/groups/${(await server.call('/v1/dead/groups')).groups[0].fingerprint}`);
  await expect(page.locator('main')).toContainText('refused');
  await expect(page.getByRole('button', { name: 'Try again' })).toHaveCount(0);
  for (const place of ['/targets', '/alerts']) {
    await open(page, server, place);
    await expect(page.getByRole('note')).toContainText('Your token is for certain queues (mail, sms)');
  }
  await server.stop();
});

test('the overview names what no node can start, with a stream and without one', async ({ fresh: page }) => {
  const server = await serve();
  server.token = (await server.call('/v1/tokens', { name: 'boss', role: 'admin' })).token;
  for (let i = 0; i < 3; i++) await server.call('/v1/tasks', { type: 'nobodys' });
  await until(async () => (await server.call('/v1/stats')).ready === 3, 'three tasks that are due');
  await choose(page, { token: server.token });
  const due = page.locator('.tile').filter({ hasText: 'Due now' });
  for (const way of ['stream', 'polling']) {
    if (way === 'polling') await page.route('**/v1/events*', (route) => route.abort());
    await open(page, server);
    await page.reload();
    await expect(due.locator('.value')).toHaveText('3');
    await expect(due).toContainText('oldest for');
    await expect(page.getByRole('alert').filter({ hasText: '1 problem' })).toContainText('nobodys (queue default)');
  }
  await server.stop();
});
