// Share keys of a queue: who waits behind whom, and the limits that each has.

import { accessible, expect, open, test, until } from './kit.js';

test('a queue shows its share keys, and takes limits for each', async ({ page, server }) => {
  const queue = `shares.${process.pid}`, url = 'http://127.0.0.1:1/';
  await server.call(`/v1/queues/${queue}`, { lanes: 1 }, 'PUT');
  await server.call(`/v1/queues/${queue}/pause`, {});
  let id = '';
  for (const share_key of ['acme', 'acme', 'acme', 'bolt <b>']) ({ id } = await server.call('/v1/tasks', { queue, target: { url }, share_key }));
  await until(async () => (await server.call(`/v1/queues/${queue}/shares`)).total === 2, 'two share keys');
  await open(page, server, `/queues/${queue}`);
  const rows = page.getByRole('table', { name: 'Share keys' }).locator('tbody tr');
  await expect(rows).toHaveCount(2);
  await expect(rows.first()).toContainText(/acme.*0.*3/s);
  await expect(rows.last()).toContainText('bolt <b>');
  await accessible(page);
  await page.getByRole('button', { name: 'Change settings' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Starts of each share key').fill('50/s');
  await dialog.getByRole('button', { name: 'Change settings' }).click();
  await expect(page.getByRole('status')).toContainText('Changed');
  await until(async () => (await server.call(`/v1/queues/${queue}`)).shares?.rate === '50/s', 'the rate');
  await open(page, server, `/tasks/${id}`);
  await expect(page.getByText('bolt <b>', { exact: true })).toBeVisible();
});
