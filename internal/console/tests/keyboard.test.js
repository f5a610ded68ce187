// The main ways by keyboard alone: nothing here clicks, and nothing but a heading is given the focus.

import { choose, expect, open, receive, serve, test as base, until } from './kit.js';

const test = base.extend({
  own: async ({}, use) => { const server = await serve(); await use(server); await server.stop(); },
});

/** Goes on by Tab, or back, until what has the focus is named so. @param {any} page @param {string|RegExp} name */
async function tabTo(page, name, key = 'Tab') {
  const seen = [];
  for (let i = 0; i < 60; i++) {
    await page.keyboard.press(key);
    const text = await page.evaluate(() => { const e = document.activeElement; return (e?.getAttribute('aria-label') || (e instanceof HTMLInputElement ? e.labels?.[0]?.textContent : e?.textContent) || '').trim(); });
    if (typeof name === 'string' ? text === name : name.test(text)) return;
    seen.push(text.slice(0, 20));
  }
  throw new Error(`${name} is not reached by ${key}: ${seen.join(' | ')}`);
}

const keys = async (page, ...all) => { for (const key of all) await page.keyboard.press(key); };

test('from the first screen to the dead letters, and all of a group back', async ({ fresh: page, own: server }) => {
  const receiver = await receive();
  receiver.answer = () => ({ status: 400, text: 'no such customer' });
  await server.call('/v1/tasks/batch', { tasks: Array.from({ length: 3 }, () => ({ type: 'invoice', target: { url: receiver.url }, retry: { max_attempts: 1, budget: 'none', breaker: 'none' } })) });
  await until(async () => (await server.call('/v1/dead/stats')).total === 3, 'three dead letters');
  await choose(page);
  await open(page, server);
  await keys(page, 'g', 'd');
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await expect(page.getByRole('table', { name: 'By what went wrong' })).toContainText('no such customer');
  await keys(page, 'j', 'r');
  await expect(page.getByRole('dialog')).toContainText('3 dead letters match.');
  await keys(page, 'Escape', 'Enter');
  await expect(page.getByRole('heading', { level: 1 })).toContainText('invoice · 3');
  await expect(page.getByRole('table', { name: 'All letters' }).locator('tbody tr')).toHaveCount(3);
  await keys(page, 'j', 'j', 'r');
  await expect(page.getByRole('dialog')).toContainText('1 dead letter matches.');
  await keys(page, 'Escape');
  await expect(page.locator('tr.at')).toBeFocused();
  await keys(page, 'x');
  await page.getByRole('heading', { level: 1 }).focus();
  receiver.answer = () => ({ status: 200 });
  await tabTo(page, 'Redrive…');
  await keys(page, 'Enter');
  await expect(page.getByRole('dialog')).toContainText('3 dead letters match.');
  await tabTo(page, 'Redrive 3');
  await keys(page, 'Enter');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await until(async () => (await server.call('/v1/dead/stats')).total === 0, 'no dead letter');
  await receiver.close();
});

test('r retries the task that is shown, and sends it back once it is dead', async ({ page, server }) => {
  const receiver = await receive();
  receiver.answer = () => ({ status: 400, text: 'no such customer' });
  const { id } = await server.call('/v1/tasks', { type: 'invoice', target: { url: receiver.url }, delay: '10h', retry: { max_attempts: 1, budget: 'none', breaker: 'none' } });
  await open(page, server, `/tasks/${id}`);
  await keys(page, 'r');
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText(`outlast task retry ${id}`);
  await tabTo(page, 'Retry now');
  await keys(page, 'Enter');
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('dead');
  await keys(page, 'r');
  await expect(dialog).toContainText(`outlast dead redrive ${id}`);
  await receiver.close();
});

test('a task is enqueued, found by its type, and rescheduled', async ({ page, server }) => {
  await open(page, server, '/tasks');
  await tabTo(page, 'Enqueue a task');
  await keys(page, 'Enter');
  await tabTo(page, /^Type/);
  await page.keyboard.type('typed.here');
  await tabTo(page, /^Wait first/);
  await page.keyboard.type('1h');
  await keys(page, 'Enter');
  await expect(page).toHaveURL(/#\/tasks\/[0-9a-f-]{36}$/);
  const id = page.url().split('/').pop();
  await keys(page, 'g', 't', '/');
  await page.keyboard.type('typed.here');
  await keys(page, 'Enter');
  await expect(page).toHaveURL(/q=typed\.here$/);
  const rows = page.getByRole('table', { name: 'Tasks' }).locator('tbody tr');
  await expect(rows).toHaveCount(1);
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
  await tabTo(page, String(id));
  await keys(page, 'Enter');
  await expect(page.getByRole('heading', { level: 1 })).toContainText('typed.here');
  await tabTo(page, 'Reschedule');
  await keys(page, 'Enter');
  await tabTo(page, /^Wait from now/);
  await keys(page, 'Control+a');
  await page.keyboard.type('5h');
  await keys(page, 'Enter');
  await expect(page.getByRole('note').filter({ hasText: 'Why is it not running?' })).toContainText(/in (4|5) hr/);
});

test('a queue is paused, and a policy is edited', async ({ fresh: page, own: server }) => {
  await server.call('/v1/queues/mail', {}, 'PUT');
  await server.call('/v1/policies/shop', { max_attempts: 4 }, 'PUT');
  await choose(page);
  await open(page, server);
  await keys(page, 'g', 'q');
  await expect(page.getByRole('table', { name: 'Queues' })).toContainText('mail');
  await tabTo(page, 'mail');
  await keys(page, 'Enter');
  await expect(page.getByRole('heading', { level: 1 })).toContainText('mail');
  await tabTo(page, 'Pause');
  await keys(page, 'Enter');
  await expect(page.getByRole('dialog')).toBeVisible();
  await tabTo(page, 'Pause');
  await keys(page, 'Enter');
  await expect(page.getByRole('heading', { level: 1 })).toContainText('paused');
  await keys(page, 'Control+k');
  await page.keyboard.type('polic');
  await keys(page, 'Enter');
  await expect(page.getByRole('link', { name: 'shop', exact: true })).toBeVisible();
  await tabTo(page, 'shop');
  await keys(page, 'Enter');
  await expect(page.getByRole('link', { name: 'Edit' })).toBeVisible();
  await tabTo(page, 'Edit');
  await keys(page, 'Enter');
  await expect(page.getByLabel('Attempts, the first included')).toBeVisible();
  await tabTo(page, 'Attempts, the first included');
  await keys(page, 'Control+a');
  await page.keyboard.type('6');
  await tabTo(page, 'Save');
  await keys(page, 'Enter');
  await expect.poll(async () => (await server.call('/v1/policies/shop')).policy.max_attempts).toBe(6);
});

test('the cursor stays with its row while others come', async ({ page, server }) => {
  const add = async (n) => { for (let i = 0; i < n; i++) await server.call('/v1/tasks', { type: 'slides', delay: '1h' }); };
  await add(3);
  await open(page, server, '/tasks?type=slides');
  await expect(page.locator('tbody tr')).toHaveCount(3);
  await page.keyboard.press('j');
  await expect(page.locator('tr.at')).toBeFocused();
  const link = page.locator('tr.at a').first(), at = await link.getAttribute('href');
  await add(2);
  await expect(page.locator('tbody tr')).toHaveCount(5);
  await expect(link).toHaveAttribute('href', at ?? '');
  await page.keyboard.press('x');
  await expect(page.locator('tr[aria-selected="true"] a').first()).toHaveAttribute('href', at ?? '');
  await expect(page.locator('tr.at')).toBeFocused();
  await keys(page, 'k', 'k', 'k', 'k', 'x', 'r');
  await expect(page.getByRole('dialog', { name: 'Retry tasks now' })).toContainText('2 tasks match');
});
