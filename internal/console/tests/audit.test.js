// Audit: who did what, with what was before and what is after.

import { accessible, expect, fits, open, test } from './kit.js';

test('a change is there with what was before, and leads to what was changed', async ({ page, server }) => {
  await server.call('/v1/queues/audited', { weight: 2 }, 'PUT');
  await server.call('/v1/queues/audited', { weight: 5, policy: 'payment' }, 'PUT');
  await server.call('/v1/alerts/rules/audited', { on: 'dead', when: 'message == "<b>\\u202e"' }, 'PUT');
  await open(page, server, '/audit?action=queue.put');
  const row = page.getByRole('row').filter({ hasText: 'queue/audited' }).first();
  await expect(row).toContainText('api');
  await row.getByText('What changed').click();
  const weight = row.getByRole('row', { name: /weight/ });
  await expect(weight).toContainText('2');
  await expect(weight).toContainText('5');
  await expect(row.getByRole('row', { name: /policy/ })).toContainText('payment');
  await row.getByRole('link', { name: 'queue/audited' }).click();
  await expect(page).toHaveURL(/#\/queues\/audited$/);
});

test('numbers that JavaScript cannot hold are shown as they were', async ({ page, server }) => {
  for (const n of ['9007199254740993', '9007199254740995']) await server.call('/v1/policies/audited.big', `{"max_attempts": 2, "fallback": {"type": "x", "payload": {"n": ${n}}}}`, 'PUT');
  await open(page, server, '/audit?subject=policy/audited.big');
  const row = page.getByRole('row').filter({ hasText: 'policy/audited.big' }).first();
  await row.getByText('What changed').click();
  await expect(row.getByRole('row', { name: /payload\.n/ })).toHaveText(/9007199254740993\s*9007199254740995/);
});

test('filters are in the address, and a rule of alerts is found from its row', async ({ page, server }) => {
  await server.call('/v1/alerts/rules/found', { on: 'dead', when: 'message == "<b>\\u202e"' }, 'PUT');
  await server.call('/v1/queues/unfound', { weight: 2 }, 'PUT');
  await open(page, server, '/audit');
  await page.getByLabel('To what').fill('rule/found');
  await expect(page).toHaveURL(/subject=rule/);
  await expect(page.getByRole('link', { name: 'queue/unfound' })).toHaveCount(0);
  await page.reload();
  await expect(page.getByLabel('To what')).toHaveValue('rule/found');
  const row = page.getByRole('row').filter({ hasText: 'rule/found' }).first();
  await row.getByText('What changed').click();
  await expect(row).toContainText('<b>');
  await accessible(page, { part: 'main' });
  await page.setViewportSize({ width: 360, height: 740 });
  await fits(page);
  await row.getByRole('link', { name: 'rule/found' }).click();
  await expect(page.locator('tr.at')).toContainText('found');
  await open(page, server, '/audit?action=nothing.such');
  await expect(page.getByText('No row matches.')).toBeVisible();
});

test('a list that goes on below misses no row when others come', async ({ page, server }) => {
  const change = async (/** @type {number} */ n) => { for (let i = 0; i < n; i++) await server.call('/v1/queues/audited.much', { weight: ++weight }, 'PUT'); };
  let weight = 0;
  await change(70);
  await open(page, server, '/audit?subject=queue/audited.much');
  const rows = page.getByRole('table', { name: 'Audit' }).locator('tbody > tr').filter({ has: page.getByRole('link', { name: 'queue/audited.much' }) });
  await expect(rows).toHaveCount(50);
  await page.getByRole('button', { name: 'Show more' }).click();
  await expect(rows).toHaveCount(70);
  await change(20);
  await expect(rows).toHaveCount(90);
});
