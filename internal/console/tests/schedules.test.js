// Schedules: made with a look at the next ticks, triggered, paused, edited, deleted.

import { expect, loseAnswer, open, test, until } from './kit.js';

const dialog = (page) => page.getByRole('dialog');
const confirm = async (page, name) => {
  await dialog(page).getByRole('button', { name, exact: true }).click();
  await expect(dialog(page)).toHaveCount(0);
};

test('a schedule is made, looked at, triggered, paused, edited and deleted', async ({ page, server }) => {
  await open(page, server, '/schedules');
  await page.getByRole('button', { name: 'New schedule' }).click();
  await dialog(page).getByLabel('Name', { exact: true }).fill('weekly');
  await dialog(page).getByLabel(/^Cron/).fill('61 * * * *');
  await expect(dialog(page).getByRole('alert')).toContainText(/cron/);
  await expect(dialog(page).getByRole('alert')).toContainText(/61|minute/);
  await dialog(page).getByLabel(/^Cron/).fill('0 9 * * 1');
  await dialog(page).getByLabel('Time zone').fill('Asia/Shanghai');
  const ticks = dialog(page).getByRole('table', { name: 'Next ticks' });
  await expect(ticks.getByRole('row')).toHaveCount(6);
  await expect(ticks).toContainText('01:00:00.000 UTC');
  await expect(ticks).toContainText('09:00:00 Asia/Shanghai');
  await dialog(page).getByLabel('Time zone').fill('Asia/Shang'); // half written
  await expect(dialog(page).getByRole('alert')).toContainText(/zone/);
  await dialog(page).getByLabel('Time zone').fill('Asia/Shanghai');
  await expect(ticks.getByRole('row')).toHaveCount(6);
  await dialog(page).getByLabel(/^The task/).fill('{"type": "report.build", "payload": {"n": 9007199254740993}}');
  await confirm(page, 'Save');
  await page.getByRole('button', { name: 'New schedule' }).click();
  await dialog(page).getByLabel('Name', { exact: true }).fill('weekly');
  await expect(dialog(page).getByRole('alert').first()).toContainText('There is one of this name already.');
  await expect(dialog(page).getByRole('button', { name: 'Save', exact: true })).toBeDisabled();
  await dialog(page).getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('link', { name: 'weekly' }).click();
  await expect(page.getByRole('region', { name: 'What each tick enqueues' })).toContainText('9007199254740993');

  await page.getByRole('button', { name: 'Pause' }).click();
  await expect(dialog(page).locator('.command').first()).toContainText('outlast schedule pause weekly');
  await confirm(page, 'Pause');
  await expect(page.getByRole('heading', { level: 1 })).toContainText('paused');
  await page.getByRole('button', { name: 'Resume' }).click();
  await expect(dialog(page)).toContainText('The ticks of its pause are left out.');
  await confirm(page, 'Resume');
  await expect(page.getByRole('button', { name: 'Pause' })).toBeVisible();

  await page.getByRole('button', { name: 'Trigger now' }).click();
  await confirm(page, 'Trigger now');
  await expect(page).toHaveURL(/#\/tasks\//);
  const id = page.url().split('/').pop();
  expect((await server.call(`/v1/tasks/${id}`)).type).toBe('report.build');
  await page.goBack();
  await expect(page.getByRole('table', { name: 'Tasks of this schedule' }).locator(`[title="${id}"]`).first()).toBeVisible();

  await page.getByRole('button', { name: 'Edit' }).click();
  await dialog(page).getByLabel('Kind').selectOption('every');
  await dialog(page).getByLabel('Interval, such as 15m').fill('45m');
  await dialog(page).getByLabel('While the last task runs').selectOption('skip');
  await expect(dialog(page).getByLabel(/^The task/)).toHaveValue(/9007199254740993/);
  await confirm(page, 'Save');
  await expect(page.getByText('every 45 min')).toBeVisible();
  expect(await server.call('/v1/schedules/weekly')).toMatchObject({ every: '45m0s', overlap: 'skip' });

  await page.getByRole('button', { name: 'Delete' }).click();
  await confirm(page, 'Delete');
  await expect(page).toHaveURL(/#\/schedules$/);
  await expect(page.getByRole('link', { name: 'weekly' })).toHaveCount(0);
});

test('a trigger whose answer is lost is sent again, and runs once', async ({ page, server }) => {
  await server.call('/v1/schedules/yearly', { cron: '0 0 1 1 *', task: { type: 'close.year' } }, 'PUT');
  await open(page, server, '/schedules/yearly');
  const sent = await loseAnswer(page, '/v1/schedules/yearly/trigger');
  await page.getByRole('button', { name: 'Trigger now' }).click();
  await dialog(page).getByRole('button', { name: 'Trigger now' }).click();
  await expect(dialog(page).getByRole('alert')).toBeVisible();
  await confirm(page, 'Trigger now');
  await expect(page).toHaveURL(/#\/tasks\//);
  expect(sent).toHaveLength(2);
  expect((await server.call('/v1/tasks?type=close.year')).tasks).toHaveLength(1);
  await page.goBack();
  await page.getByRole('button', { name: 'Trigger now' }).click();
  await confirm(page, 'Trigger now');
  await expect(page).toHaveURL(/#\/tasks\//);
  expect((await server.call('/v1/tasks?type=close.year')).tasks).toHaveLength(2);
  await server.call('/v1/schedules/yearly', undefined, 'DELETE');
});

test('a schedule that ticks moves on while one looks, and opens by keyboard', async ({ page, server }) => {
  await server.call('/v1/schedules/often', { every: '1s', task: { type: 'beat' } }, 'PUT');
  await open(page, server, '/schedules');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/#\/schedules\//);
  await open(page, server, '/schedules/often');
  const fired = page.locator('.fact').filter({ has: page.getByText('Ticks', { exact: true }) });
  await until(async () => Number((await fired.locator('dd').innerText()).replaceAll(',', '')) >= 2, 'two ticks on the page');
  await server.call('/v1/schedules/often', undefined, 'DELETE');
});
