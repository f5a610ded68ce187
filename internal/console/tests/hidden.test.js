// Forms with credentials that are not shown: what says [hidden] keeps its value, what is
// typed over it replaces it, and neither goes to another host.

import { expect, open, test, until } from './kit.js';

const dialog = (page) => page.getByRole('dialog');
const save = async (page) => {
  await dialog(page).getByRole('button', { name: 'Save', exact: true }).click();
  await expect(dialog(page)).toHaveCount(0);
};

test('the header of a schedule is kept by its form, and replaced when it is typed over', async ({ page, server, receiver }) => {
  await server.call('/v1/schedules/hides', { every: '40m', task: { type: 'sync', target: { url: `${receiver.url}/sync`, headers: { Authorization: 'Bearer first', 'X-Region': 'eu' } } } }, 'PUT');
  const sent = async () => {
    const n = receiver.calls.length;
    await server.call('/v1/schedules/hides/trigger', {});
    await until(async () => receiver.calls.length > n, 'the call of a tick');
    return receiver.calls.at(-1).headers.authorization;
  };
  await open(page, server, '/schedules/hides');
  await expect(page.getByRole('region', { name: 'What each tick enqueues' })).toContainText('[hidden]');
  await expect(page.locator('main')).not.toContainText('Bearer first');
  await page.getByRole('button', { name: 'Edit' }).click();
  const body = dialog(page).getByLabel(/^The task/);
  await expect(body).toHaveValue(/"Authorization": "\[hidden\]"/);
  await dialog(page).getByLabel('Interval, such as 15m').fill('45m');
  await expect(dialog(page).getByRole('table', { name: 'Next ticks' }).getByRole('row')).toHaveCount(6);
  await expect(dialog(page).getByRole('alert')).toHaveCount(0);
  await save(page);
  await expect(page.getByText('every 45 min')).toBeVisible();
  expect(await sent()).toBe('Bearer first');

  await page.getByRole('button', { name: 'Edit' }).click();
  await body.fill((await body.inputValue()).replace('[hidden]', 'Bearer second'));
  await save(page);
  await expect(page.getByRole('region', { name: 'What each tick enqueues' })).toContainText('[hidden]');
  expect(await sent()).toBe('Bearer second');

  await page.getByRole('button', { name: 'Edit' }).click();
  await body.fill((await body.inputValue()).replace('127.0.0.1', 'localhost'));
  await dialog(page).getByRole('button', { name: 'Save', exact: true }).click();
  await expect(dialog(page).getByRole('alert').first()).toContainText('the requests go elsewhere now');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await server.call('/v1/schedules/hides', undefined, 'DELETE');
});

test('the header of a policy is kept by its form and by a version put back, and replaced when it is typed over', async ({ page, server, receiver }) => {
  receiver.answer = ({ path }) => ({ status: path === '/tell' ? 200 : 404 });
  const name = `hides.${process.pid}`;
  await server.call(`/v1/policies/${name}`, { max_attempts: 1, fallback: { type: 'tell', target: { url: `${receiver.url}/tell`, headers: { 'X-Api-Key': 'first' } } } }, 'PUT');
  const sent = async () => {
    const told = () => receiver.calls.filter(({ path }) => path === '/tell'), n = told().length;
    await server.call('/v1/tasks', { type: 'dies', policy: name, target: { url: `${receiver.url}/gone` } });
    await until(async () => told().length > n, 'the call of the fallback');
    return told().at(-1).headers['x-api-key'];
  };
  const json = page.getByRole('textbox', { name: 'JSON' });
  const version = (/** @type {number} */ n) => expect(page.getByRole('heading', { level: 1 })).toContainText(`Version ${n}`);
  await open(page, server, `/policies/${name}/edit`);
  await expect(json).toHaveValue(/"X-Api-Key": "\[hidden\]"/);
  await page.getByLabel('Attempts, the first included').fill('2');
  await page.getByLabel('Attempts, the first included').press('Tab');
  await page.getByRole('button', { name: 'Check' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'becomes version 2' })).toBeVisible();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await version(2);
  expect(await sent()).toBe('first');

  await page.getByRole('link', { name: 'Edit' }).click();
  await json.fill((await json.inputValue()).replace('[hidden]', 'second'));
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await version(3);
  await expect(page.locator('main')).not.toContainText('"second"');
  expect(await sent()).toBe('second');

  await page.getByRole('table', { name: 'Versions' }).locator(':scope > tbody > tr').last().getByRole('button', { name: 'Restore' }).click();
  await dialog(page).getByRole('button', { name: 'Restore' }).click();
  await version(4);
  expect((await server.call(`/v1/policies/${name}`)).policy.max_attempts).toBe(1);
  expect(await sent()).toBe('second'); // the value that stands there, and not what once did

  await page.getByRole('link', { name: 'Edit' }).click();
  await json.fill((await json.inputValue()).replace('127.0.0.1', 'localhost'));
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'the requests go elsewhere now' }).first()).toBeVisible();
});
