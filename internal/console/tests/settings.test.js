// Settings: tokens and what their roles are offered, the way in and out, the time zone.

import { accessible, choose, expect, fits, open, serve, test } from './kit.js';

const dialog = (page) => page.getByRole('dialog');

/** Makes a token on the page, and returns it. */
async function make(page, name, role) {
  await page.getByRole('button', { name: 'New token' }).click();
  await dialog(page).getByLabel('Name', { exact: true }).fill(name);
  await dialog(page).getByLabel('Role').selectOption(role);
  await dialog(page).getByLabel(/^Queues/).fill('mail, bills');
  await expect(dialog(page).locator('.command').first()).toContainText(`outlast token create --name ${name} --role ${role} --queue mail --queue bills`);
  await dialog(page).getByLabel(/^Queues/).fill('');
  await dialog(page).getByRole('button', { name: 'New token', exact: true }).click();
  await expect(page.getByRole('dialog', { name: 'The new token' })).toBeVisible();
  const token = await dialog(page).locator('.command code').innerText();
  await page.keyboard.press('Escape');
  return token;
}

const enter = async (page, token) => {
  await page.getByLabel('Token', { exact: true }).fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
};

test('tokens are made, let in by their role, and end', async ({ fresh: page }) => {
  const server = await serve();
  await choose(page);
  await open(page, server, '/settings');
  await expect(page.locator('.fact').filter({ hasText: 'Role' })).toContainText('may do everything');
  const admin = await make(page, 'boss', 'admin');
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await accessible(page);
  await enter(page, 'olt_wrong');
  await expect(page.getByRole('alert')).toContainText('does not take this token');
  await enter(page, admin);
  await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible();
  const viewer = await make(page, 'guest', 'viewer');
  await expect(page.getByRole('row').filter({ hasText: 'guest' })).toContainText('viewer');
  await fits(page);
  expect(await page.evaluate((t) => location.href.includes(t) || JSON.stringify(localStorage).includes(t), admin)).toBe(false);

  await page.getByRole('button', { name: 'Sign out' }).first().click();
  await enter(page, viewer);
  await expect(page.locator('dd').filter({ hasText: /^viewer$/ })).toBeVisible();
  await expect(page.getByRole('button', { name: 'New token' })).toHaveCount(0);
  for (const [place, offered] of [['/queues', 'Pause'], ['/schedules', 'New schedule'], ['/simulator', 'Play'], ['/tasks', 'Enqueue a task'], ['/alerts?tab=channels', 'Send a test'], ['/alerts?tab=rules', 'New rule'], ['/alerts?tab=silences', 'New silence']]) {
    await open(page, server, place);
    await expect(page.getByRole('button', { name: offered })).toHaveCount(0);
  }
  await open(page, server, '/audit');
  await expect(page.getByText('The audit log is for operators and admins.')).toBeVisible();

  await page.reload();
  await expect(page.getByRole('heading', { name: 'Audit' })).toBeVisible();
  await page.getByRole('button', { name: 'Sign out' }).first().click();
  await enter(page, admin);
  await open(page, server, '/settings');
  await page.getByRole('row').filter({ hasText: 'guest' }).getByRole('button', { name: 'Revoke' }).click();
  await dialog(page).getByRole('button', { name: 'Revoke', exact: true }).click();
  await expect(page.getByRole('row').filter({ hasText: 'guest' })).toContainText('revoked');
  await page.getByRole('button', { name: 'Sign out' }).first().click();
  await enter(page, viewer);
  await expect(page.getByRole('alert')).toContainText('does not take this token');
  await server.stop();
});

test('a token that ends costs nothing that is being written', async ({ fresh: page }) => {
  const server = await serve();
  const made = async (name) => server.call('/v1/tokens', { name, role: 'admin' });
  const first = await made('first');
  server.token = first.token;
  const second = await made('second');
  server.token = second.token;
  await choose(page, { token: first.token });
  await open(page, server, '/policies?new=1');
  await page.getByLabel('Name', { exact: true }).fill('half.written');
  await page.getByRole('textbox', { name: 'JSON' }).fill('{"max_attempts": 7}');
  await server.call(`/v1/tokens/${(await server.call('/v1/tokens')).tokens.find((token) => token.name === 'first').id}`, undefined, 'DELETE');
  await page.getByRole('button', { name: 'Save', exact: true }).dispatchEvent('click'); // the planner or the stream may have been refused first, and the dialog be there
  await expect(dialog(page)).toContainText('What is written on the page stays.');
  await accessible(page, { part: 'dialog' });
  await page.keyboard.press('Escape'); // to read on
  await expect(page.getByRole('textbox', { name: 'JSON' })).toHaveValue('{"max_attempts": 7}');
  await page.getByRole('button', { name: 'Save', exact: true }).dispatchEvent('click'); // as above: the next to be refused may bring the dialog back
  await enter(page, 'olt_wrong');
  await expect(dialog(page).getByRole('alert')).toContainText('does not take this token');
  await enter(page, second.token);
  await expect(dialog(page)).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Live' })).toBeVisible();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page).toHaveURL(/#\/policies\/half\.written$/);
  expect((await server.call('/v1/policies/half.written')).policy).toEqual({ max_attempts: 7 });
  await server.stop();
});

test('the time zone changes all times, and is kept', async ({ fresh: page, server }) => {
  await server.call('/v1/schedules/zoned', { cron: '0 3 1 1 *', zone: 'UTC', task: { type: 'report.build' } }, 'PUT');
  const shown = async () => { await open(page, server, '/schedules/zoned'); return page.getByRole('table', { name: 'Next ticks' }).getByRole('row').nth(1).innerText(); };
  expect(await shown()).toContain('04:00:00'); // Berlin, of the browser
  await open(page, server, '/settings');
  await page.getByLabel('Time zone').selectOption('utc');
  expect(await shown()).toContain('03:00:00.000 UTC');
  await open(page, server, '/settings');
  await page.getByLabel('Time zone').selectOption('other');
  await page.getByLabel(/^Name of the zone/).fill('Asia/Nowhere');
  await expect(page.getByRole('alert')).toContainText('does not know the zone');
  await page.getByLabel(/^Name of the zone/).fill('Asia/Shanghai');
  await page.reload();
  await expect(page.getByLabel(/^Name of the zone/)).toHaveValue('Asia/Shanghai');
  expect(await shown()).toContain('11:00:00');
});
