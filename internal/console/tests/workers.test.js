// Remote workers with what they have in hand, worker groups, nodes with their share of the
// lanes, and what nobody can run.

import { accessible, choose, expect, fits, open, test } from './kit.js';

const table = (page, name) => page.getByRole('table', { name, exact: true });

test('remote workers are listed with what they have in hand', async ({ page, server }) => {
  const type = `hand.${process.pid}`, worker = `busy.${process.pid}`;
  const { id } = await server.call('/v1/tasks', { type });
  const { tasks } = await server.call('/v1/workers/poll', { worker, release: '1.4', types: [type, 'other'], wait: '30s', lease: '10m' });
  await open(page, server, '/workers');
  const row = table(page, 'Remote workers').getByRole('row').filter({ hasText: worker });
  await expect(row).toContainText('1.4');
  await expect(row).toContainText(`${type}, other`);
  await expect(row).toContainText('1, first lease ends');
  await row.locator('summary').click();
  await expect(row.getByRole('link')).toHaveAttribute('href', `#/tasks/${id}`);
  await server.call('/v1/workers/settle', { results: [{ id, claim: tasks[0].claim, outcome: 'succeeded' }] });
  await expect(row.locator('summary')).toHaveCount(0);
  const waits = server.call('/v1/workers/poll', { worker, types: [type], wait: '60s' });
  await expect(row).toContainText('waits for tasks');
  await server.call('/v1/tasks', { type });
  const [{ id: last, claim }] = (await waits).tasks;
  await server.call('/v1/workers/settle', { results: [{ id: last, claim, outcome: 'succeeded' }] });
});

test('what nobody can run is told, with what helps', async ({ page, server }) => {
  const type = `nobodys.${process.pid}`;
  await server.call('/v1/queues/odd', {}, 'PUT');
  const tasks = [await server.call('/v1/tasks', { type, queue: 'odd' }), await server.call('/v1/tasks', { type, queue: 'odd' })];
  await open(page, server, '/workers');
  const row = table(page, 'What nobody can run').getByRole('row').filter({ hasText: type });
  await expect(row).toContainText('odd', { timeout: 60_000 }); // the queues are looked at now and then
  await expect(row.locator('td').nth(2)).toHaveText('2');
  await expect(row).toContainText(`outlast task cancel --state pending --queue odd --type ${type}`);
  await expect(row.getByRole('link', { name: type })).toHaveAttribute('href', new RegExp(`^#/tasks\\?.*type=${type}`));
  await accessible(page);
  for (const { id } of tasks) await server.call(`/v1/tasks/${id}/cancel`, {});
  await expect(row).toHaveCount(0, { timeout: 60_000 });
});

test('groups have rows, members are folded, and nodes have their share of the lanes', async ({ page, server }) => {
  await server.call('/v1/groups/mailers/workers/m1', { url: 'http://127.0.0.1:1', capacity: 3, load: 2, ttl: '10m' }, 'PUT');
  await open(page, server, '/workers');
  const row = table(page, 'Worker groups').getByRole('row').filter({ hasText: 'mailers' });
  await expect(row).toContainText('takes tasks');
  await expect(row.getByText('m1')).toBeHidden();
  await row.getByText('1 of 1 alive').click();
  await expect(row.getByText('m1')).toBeVisible();
  await expect(row).toContainText('2/3');
  await expect(table(page, 'Nodes').getByRole('row').nth(1)).toContainText('· 100%');
  await server.call('/v1/groups/mailers/workers/m1', undefined, 'DELETE');
});

test('workers are read on a phone, in Chinese too', async ({ fresh: page, server }) => {
  const type = `scoped.${process.pid}`, worker = `scoped.${process.pid}`;
  await server.call('/v1/queues/scoped', {}, 'PUT');
  await server.call('/v1/tasks', { type, queue: 'scoped' });
  const { tasks: [{ id, claim }] } = await server.call('/v1/workers/poll', { worker, queues: ['scoped', 'default'], types: [type], wait: '30s', lease: '10m' });
  await choose(page, { language: 'zh' });
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page, server, '/workers');
  const row = table(page, '远程工作进程').getByRole('row').filter({ hasText: worker });
  await expect(row).toContainText('最早的租约到期');
  await row.locator('summary').click();
  await fits(page);
  await accessible(page);
  await server.call('/v1/workers/settle', { results: [{ id, claim, outcome: 'succeeded' }] });
});
