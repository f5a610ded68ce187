// Ordering keys that dead letters block: seen, understood, let go on.

import { accessible, choose, expect, fits, open, serve, test, until } from './kit.js';

const dialog = (page) => page.getByRole('dialog');
const keys = (page) => page.getByRole('table', { name: 'Blocked ordering keys' }).locator('tbody tr');
const once = { max_attempts: 1, budget: 'none', breaker: 'none' };

/** A server where a dead letter of each key blocks it, and tasks wait behind. @param {Record<string, number>} waiting tasks behind each key */
async function blocked(receiver, waiting, queue = 'default', shared = undefined) {
  const server = shared ?? await serve();
  receiver.answer = ({ path }) => ({ status: path === '/bad' ? 400 : 200, text: 'no such lamp' });
  if (queue !== 'default') await server.call(`/v1/queues/${queue}`, {}, 'PUT');
  const letters = {}, behind = {};
  for (const [key, n] of Object.entries(waiting)) {
    letters[key] = (await server.call('/v1/tasks', { type: 'lamp.off', queue, key, target: { url: `${receiver.url}/bad` }, retry: once })).id;
    await until(async () => (await server.call(`/v1/tasks/${letters[key]}`)).state === 'dead', 'a dead letter');
    behind[key] = [];
    for (let i = 0; i < n; i++) behind[key].push((await server.call('/v1/tasks', { type: 'lamp.on', queue, key, payload: { i }, target: { url: `${receiver.url}/good` } })).id);
  }
  return { server, letters, behind };
}

test('blocked keys are listed with letter and number, live, and a key is released after what that does was said', async ({ fresh: page, receiver }) => {
  await choose(page);
  const { server, letters, behind } = await blocked(receiver, { 'lamp A': 3, lampB: 1, idle: 0 });
  await open(page, server, '/queues');
  await page.getByRole('link', { name: 'Blocked ordering keys' }).click();
  await expect(keys(page)).toHaveCount(2);
  const row = keys(page).filter({ hasText: 'lamp A' });
  await expect(row).toContainText(/default.*3/);
  await expect(row.locator('time')).toBeVisible();
  await expect(row.getByRole('link', { name: letters['lamp A'] })).toHaveAttribute('href', `#/tasks/${letters['lamp A']}`);
  await server.call('/v1/tasks', { type: 'lamp.on', key: 'lampB', target: { url: `${receiver.url}/good` } });
  await expect(keys(page).filter({ hasText: 'lampB' }).getByRole('link', { name: '2', exact: true })).toBeVisible();
  await page.getByLabel('Also keys that nobody waits for').check();
  await expect(page).toHaveURL(/all=true/);
  await expect(keys(page)).toHaveCount(3);

  await row.getByRole('button', { name: 'Release the key…' }).click();
  await expect(dialog(page)).toContainText('3 tasks wait behind the dead letter of lamp A, and would go on in their order.');
  await expect(dialog(page)).toContainText('The letter stays');
  await expect(dialog(page).getByRole('table').locator('tbody tr')).toHaveCount(3);
  await dialog(page).getByText('The same by command line').click();
  await expect(dialog(page)).toContainText("outlast queue release-key default 'lamp A'");
  await accessible(page, { part: 'dialog' });
  await fits(page);
  await dialog(page).getByRole('button', { name: 'Cancel' }).click();
  expect((await server.call(`/v1/tasks/${behind['lamp A'][0]}`)).state).toBe('pending'); // nothing was done
  await row.getByRole('button', { name: 'Release the key…' }).click();
  await dialog(page).getByRole('button', { name: 'Release the key', exact: true }).click();
  await expect(row).toHaveCount(0);
  for (const id of behind['lamp A']) await expect.poll(async () => (await server.call(`/v1/tasks/${id}`)).state).toBe('succeeded');
  expect((await server.call(`/v1/dead/${letters['lamp A']}`)).state).toBe('dead');
  await server.stop();
});

test('a letter is sent back from the list of blocked keys, and the tasks behind it follow', async ({ page, server, receiver }) => {
  const { letters, behind } = await blocked(receiver, { k: 1 }, 'lamps', server);
  await open(page, server, '/queues/lamps');
  await expect(keys(page)).toHaveCount(1);
  receiver.answer = () => ({ status: 200 });
  await keys(page).getByRole('button', { name: 'Redrive…' }).click();
  await expect(dialog(page)).toContainText('1 dead letter matches.');
  await dialog(page).getByRole('button', { name: 'Redrive 1' }).click();
  await expect.poll(async () => (await server.call(`/v1/tasks/${behind.k[0]}`)).state).toBe('succeeded');
  expect((await server.call(`/v1/tasks/${letters.k}`)).state).toBe('succeeded');
  await open(page, server, '/queues');
  await open(page, server, '/queues/lamps');
  await expect(page.getByText('No task waits behind a dead letter.')).toBeVisible();
});

test('overview, alert and task lead to the blocked keys, and the list of tasks is filtered by what they wait for', async ({ fresh: page, receiver }) => {
  await choose(page);
  const { server, letters, behind } = await blocked(receiver, { lampA: 1 });
  await server.call('/v1/tasks', { type: 'later', delay: '1h' });
  await until(async () => (await server.call('/v1/alerts/events?rule=key_blocked')).events.length > 0, 'the alert');
  await open(page, server);
  await page.getByRole('alert').filter({ hasText: 'blocked keys' }).getByRole('link', { name: 'Look' }).click();
  await expect(keys(page)).toHaveCount(1);
  await open(page, server, `/tasks/${behind.lampA[0]}`);
  await page.getByRole('link', { name: 'Blocked ordering keys' }).click();
  await expect(page.getByRole('searchbox', { name: 'Queue' })).toHaveValue('default');
  await expect(keys(page)).toHaveCount(1);
  await open(page, server, '/alerts?rule=key_blocked');
  await expect(page.locator('tbody').getByRole('link', { name: letters.lampA })).toHaveAttribute('href', `#/tasks/${letters.lampA}`);
  await page.locator('tbody').getByRole('link', { name: 'Blocked ordering keys' }).click();
  await expect(keys(page)).toHaveCount(1);

  await open(page, server, '/tasks');
  const tasks = page.getByRole('table', { name: 'Tasks' }).locator('tbody tr');
  await page.getByRole('button', { name: 'More filters' }).click();
  await page.getByLabel('Waits for').selectOption({ label: 'a dead letter of its key' });
  await expect(page).toHaveURL(/waiting=key%20blocked|waiting=key\+blocked/);
  await expect(tasks).toHaveCount(1);
  await expect(tasks).toContainText('lamp.on');
  await expect(page.getByRole('button', { name: /all of these/ })).toHaveCount(0); // an action has no such filter
  await page.getByLabel('Waits for').selectOption({ label: 'its time' });
  await expect(tasks).toContainText('later');
  await server.stop();
});

test('a token for certain queues sees their blocked keys only, and one that may only look is offered nothing', async ({ fresh: page, receiver }) => {
  const { server } = await blocked(receiver, { mine: 1 }, 'mine');
  server.token = (await server.call('/v1/tokens', { name: 'boss', role: 'admin' })).token;
  await server.call('/v1/queues/other', {}, 'PUT');
  const letter = await server.call('/v1/tasks', { type: 'x', queue: 'other', key: 'theirs', target: { url: `${receiver.url}/bad` }, retry: once });
  await until(async () => (await server.call(`/v1/tasks/${letter.id}`)).state === 'dead', 'a dead letter');
  await server.call('/v1/tasks', { type: 'x', queue: 'other', key: 'theirs', target: { url: `${receiver.url}/good` } });
  await choose(page, { token: (await server.call('/v1/tokens', { name: 'guest', role: 'viewer', queues: ['mine'] })).token });
  await open(page, server, '/queues?tab=keys');
  await expect(keys(page)).toHaveCount(1);
  await expect(keys(page)).toContainText('mine');
  await expect(keys(page).getByRole('button')).toHaveCount(0);
  await server.stop();
});
