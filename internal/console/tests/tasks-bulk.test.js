// Tasks, many at once: selected or by filter, counted, confirmed, followed, reported.

import { accessible, expect, fits, open, test, until } from './kit.js';

const dialog = (page) => page.getByRole('dialog');
const tasks = (page) => page.getByRole('table', { name: 'Tasks' }).locator('tbody tr');

/** Enqueues n tasks of a type that wait. */
const wait = (server, type, n) => server.call('/v1/tasks/batch', { tasks: Array.from({ length: n }, (_, i) => ({ type, payload: { n: i }, delay: '10h' })) });

test('all that match are canceled: counted, confirmed, followed, reported', async ({ page, server, receiver }) => {
  await wait(server, 'bulk.invoice', 59);
  receiver.answer = () => ({ status: 503, text: 'the shop is closed' });
  const { id } = await server.call('/v1/tasks', { type: 'bulk.invoice', target: { url: receiver.url }, retry: { max_attempts: 9, budget: 'none', breaker: 'none', backoff: { kind: 'fixed', initial: '1h', jitter: 'none' } } });
  await until(async () => (await server.call(`/v1/tasks/${id}`)).last_error, 'a failed attempt');
  await wait(server, 'bulk.mail', 2);
  const pending = async (/** @type {string} */ type) => (await server.call(`/v1/tasks?state=pending&limit=500&type=${type}`)).tasks.length;
  await open(page, server, '/tasks');
  await expect(page.getByRole('button', { name: 'Cancel all of these…' })).toHaveCount(0);
  await open(page, server, '/tasks?type=bulk.invoice');
  await page.getByRole('button', { name: 'Cancel all of these…' }).click();
  await expect(dialog(page)).toContainText('60 tasks match.');
  const sample = dialog(page).getByRole('table', { name: 'A sample' }).locator('tbody tr');
  await expect(sample).toHaveCount(5);
  await expect(sample.filter({ hasText: 'waiting to retry' })).toContainText('the shop is closed'); // as its row in the list
  await expect(sample.filter({ hasText: 'waiting to retry' })).toContainText(/1\/9.*in \d+ (min|hr)/);
  await dialog(page).getByLabel('Reason').fill('the customer left');
  await dialog(page).getByText('The same by command line').click();
  await expect(dialog(page)).toContainText("outlast task cancel --type bulk.invoice --reason 'the customer left'");
  await accessible(page, { part: 'dialog' });
  await fits(page);
  await expect(dialog(page).getByRole('button', { name: 'Cancel', exact: true })).toHaveCount(0); // beside "Cancel 60"
  await dialog(page).getByRole('button', { name: 'Keep them' }).click();
  await expect(dialog(page)).toHaveCount(0);
  expect(await pending('bulk.invoice')).toBe(60);
  await page.getByRole('button', { name: 'Cancel all of these…' }).click();
  await dialog(page).getByLabel('Reason').fill('the customer left');
  await dialog(page).getByRole('button', { name: 'Cancel 60' }).click();
  await expect(page).toHaveURL(/#\/operations\/.+/);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('cancel tasks');
  await expect(page.getByRole('heading', { level: 1 })).toContainText('done');
  await expect(page.getByRole('table', { name: 'Report' }).locator('tbody tr').first()).toContainText('changed');
  expect([await pending('bulk.invoice'), await pending('bulk.mail')]).toEqual([0, 2]);
  const operation = await server.call(`/v1/operations/${page.url().split('/').pop()}`);
  expect([operation.kind, operation.changed, operation.bulk.reason]).toEqual(['cancel', 60, 'the customer left']);
});

test('selected tasks are rescheduled and run now, by keyboard', async ({ page, server }) => {
  await wait(server, 'bulk.report', 5);
  await open(page, server, '/tasks?type=bulk.report');
  await expect(tasks(page)).toHaveCount(5);
  for (const key of ['j', 'x', 'j', 'j', 'x']) await page.keyboard.press(key);
  await expect(page.getByText('2 selected')).toBeVisible();
  await page.getByRole('button', { name: 'Reschedule 2…' }).focus();
  await page.keyboard.press('Enter');
  await expect(dialog(page)).toContainText('2 tasks match.');
  await dialog(page).getByLabel('Next run, counted from now').fill('50h');
  await page.keyboard.press('Enter');
  const late = async () => (await server.call('/v1/tasks?type=bulk.report')).tasks.filter((task) => new Date(task.run_at) > Date.now() + 40 * 3_600_000).length;
  await until(async () => (await late()) === 2, 'two tasks later');
  await expect(dialog(page)).toHaveCount(0);
  await page.getByLabel('Select all on this page').check();
  await page.getByRole('button', { name: 'Retry 5 now…' }).click();
  await dialog(page).getByRole('button', { name: 'Retry 5 now' }).click();
  await until(async () => (await late()) === 0, 'none later');
});

test('what cannot be done is not offered, and is said', async ({ page, server }) => {
  await wait(server, 'bulk.old', 3);
  const { tasks: [first] } = await server.call('/v1/tasks?type=bulk.old');
  await server.call(`/v1/tasks/${first.id}/cancel`, {});
  await open(page, server, '/tasks?type=bulk.old&state=canceled');
  await expect(tasks(page)).toHaveCount(1);
  await expect(page.getByRole('button', { name: /all of these/ })).toHaveCount(0);
  await open(page, server, '/tasks?type=bulk.old');
  await page.getByLabel('Select all on this page').check();
  await page.getByRole('button', { name: 'Cancel 3…' }).click();
  await expect(dialog(page)).toContainText('2 tasks match.');
  await expect(dialog(page)).toContainText('One of those chosen runs or has ended, and is left alone.');
  await dialog(page).getByRole('button', { name: 'Cancel 2' }).click();
  await until(async () => (await server.call('/v1/tasks?type=bulk.old&state=canceled')).tasks.length === 3, 'all canceled');
});
