// What if: recorded tasks again under other policies, and how the editor asks for it.

import { writeFile } from 'node:fs/promises';
import { accessible, choose, expect, fits, open, serve, test, until } from './kit.js';

const row = (page, name) => page.getByRole('table', { name: 'What would have happened' }).getByRole('row').filter({ hasText: name });

/** Tasks of the policy mine that a target refuses for a while, and that succeed then. */
async function record(server, receiver) {
  let down = true;
  receiver.answer = () => ({ status: down ? 503 : 200 });
  for (let i = 0; i < 5; i++) await server.call('/v1/tasks', { type: 'mail.send', policy: 'mine', target: { url: receiver.url } });
  await until(() => receiver.calls.length >= 40, 'failed attempts');
  down = false;
  await until(async () => (await server.call('/v1/tasks?state=succeeded')).tasks.length === 5, 'five successes');
  await server.call('/v1/tasks?wait=10s', { type: 'other', target: { url: receiver.url } });
}

test('a draft is replayed on what happened', async ({ fresh: page, receiver }) => {
  const server = await serve();
  await server.call('/v1/policies/mine', { max_attempts: 50, backoff: { kind: 'fixed', initial: '300ms', jitter: 'none' }, budget: 'none', breaker: 'none' }, 'PUT');
  await record(server, receiver);
  await choose(page);
  await open(page, server, '/policies/mine/edit');
  await page.getByLabel('JSON', { exact: true }).fill('{"max_attempts": 2, "backoff": {"kind": "fixed", "initial": "1ms"}, "budget": "none", "breaker": "none"}');
  await page.getByRole('link', { name: 'What would it have done last day?' }).click();
  await expect(row(page, 'as recorded')).toContainText('5');
  await expect(row(page, 'policies of now')).toBeVisible();
  await expect(page.getByText(/Tasks created from .*: 5, with/)).toBeVisible();
  await expect(page.getByText('1 task that ran under another policy is left out.')).toBeVisible();
  const draft = row(page, 'Draft of mine');
  await expect(draft.getByRole('cell').nth(1)).toContainText(/^10\b/); // two of each
  await expect(draft).toContainText('died: attempts spent 5');
  await expect(page.getByText('What a target would have answered at another time.')).toBeVisible();
  const chart = page.getByRole('figure').filter({ hasText: 'Attempts per second' });
  await expect(chart.getByRole('img')).toBeVisible();
  await chart.getByText('Numbers').click();
  await expect(chart.getByRole('table')).toContainText('Draft of mine');
  await accessible(page, { part: 'main' });
  await fits(page);

  await page.getByText('The same', { exact: false }).first().click();
  await expect(page.locator('.command').first()).toContainText('outlast sim whatif --of mine --since 24h --tasks 2000 --policy draft.json');
  await page.getByLabel('Type', { exact: true }).fill('none');
  await page.getByLabel('Type', { exact: true }).press('Tab');
  await page.getByRole('checkbox', { name: 'payment', exact: true }).check();
  await expect(page).toHaveURL(/type=none.*policies=payment/);
  await page.getByRole('button', { name: 'Replay' }).click();
  await expect(page.getByText(/No task that was created from/)).toBeVisible();
  await page.reload(); // the address has the question
  await expect(page.getByRole('checkbox', { name: 'payment', exact: true })).toBeChecked();
  await expect(page.getByLabel('Type', { exact: true })).toHaveValue('none');
  await page.getByRole('link', { name: 'Go on editing mine' }).click();
  await expect(page.getByLabel('JSON', { exact: true })).toHaveValue(/"max_attempts": 2/);
  await server.stop();
});

test('a change of a policy of the configuration file is replayed', async ({ fresh: page, receiver }, info) => {
  const file = info.outputPath('outlast.yaml');
  await writeFile(file, 'policies:\n  mine:\n    max_attempts: 50\n    backoff: {kind: fixed, initial: 300ms, jitter: none}\n    budget: none\n    breaker: none\n');
  const server = await serve({ args: ['--config', file] });
  await record(server, receiver);
  await choose(page);
  await open(page, server, '/policies/mine');
  await page.getByRole('link', { name: 'What would it have done last day?' }).click();
  await expect(page.getByText(/Tasks created from .*: 5, with/)).toBeVisible(); // as it is
  const draft = page.getByLabel(/As JSON/);
  await expect(draft).toHaveValue(/"max_attempts": 50/);
  await draft.fill('{"max_attempts": 2, "backoff": {"kind": "fixed", "initial": "1ms"}, "budget": "none", "breaker": "none"}');
  await draft.press('Tab');
  await page.getByRole('button', { name: 'Replay' }).click();
  await expect(row(page, 'A policy that is not saved')).toContainText('died: attempts spent 5');
  await expect(page.getByText('1 task that ran under another policy is left out.')).toBeVisible();
  await expect(page.getByRole('link', { name: /Go on editing/ })).toHaveCount(0);
  await server.stop();
});

test('a replay is stopped, and says what is wrong', async ({ fresh: page, server }) => {
  await choose(page, { language: 'zh', theme: 'dark' });
  await page.setViewportSize({ width: 360, height: 740 });
  await open(page, server, '/simulator?tab=whatif');
  await expect(page.getByText('选择任务和策略，然后重放。')).toBeVisible();
  let held = () => {};
  await page.route('**/v1/sim/whatif', (route) => { held = () => route.abort(); });
  await page.getByRole('button', { name: '重放' }).click();
  await expect(page.getByRole('status').filter({ hasText: '正在读取' })).toBeVisible();
  await page.getByRole('button', { name: '停止' }).click();
  await expect(page.getByRole('button', { name: '停止' })).toHaveCount(0);
  await expect(page.getByRole('button', { name: '重放' })).toBeEnabled();
  held();
  await page.unroute('**/v1/sim/whatif');
  await page.getByText('未保存的策略').click();
  await page.getByLabel(/JSON 格式/).fill('{"max_attempts": 0}');
  await page.getByLabel(/JSON 格式/).press('Tab');
  await page.getByRole('button', { name: '重放' }).click();
  await expect(page.getByRole('alert')).toContainText('policies[0].policy.max_attempts');
  await page.getByLabel(/JSON 格式/).fill('{"max_attempts": ');
  await page.getByLabel(/JSON 格式/).press('Tab');
  await expect(page.getByRole('button', { name: '重放' })).toBeDisabled();
  await accessible(page, { part: 'main' });
  await fits(page);
});

test('an answer belongs to its question', async ({ page, server }) => {
  await open(page, server, '/simulator?tab=whatif&type=first');
  const nothing = page.getByText(/No task that was created from/);
  const type = page.getByLabel('Type', { exact: true });
  let held = () => {}, came = () => {};
  const read = new Promise((next) => { came = () => next(undefined); });
  await page.route('**/v1/sim/whatif', async (route) => {
    const response = await route.fetch();
    held = () => route.fulfill({ response }).catch(() => {});
    came();
  }, { times: 1 });
  await page.getByRole('button', { name: 'Replay' }).click();
  await read;
  const ended = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/v1/sim/whatif'));
  await type.fill('second');
  await type.press('Tab');
  await expect(page.getByRole('button', { name: 'Replay' })).toBeEnabled();
  await ended; // so nobody hears what is answered now
  held();
  await expect(page.getByText('Choose tasks and policies')).toBeVisible();
  await expect(nothing).toHaveCount(0);
  await page.getByRole('button', { name: 'Replay' }).click();
  await expect(nothing).toBeVisible();
  await type.fill('third');
  const [asked] = await Promise.all([page.waitForRequest('**/v1/sim/whatif'), type.press('Enter')]);
  expect(asked.postDataJSON().type).toBe('third');
  await expect(nothing).toBeVisible();
  await type.fill('fourth');
  await type.press('Tab');
  await expect(nothing).toHaveCount(0);
});

test('who may only look is told so', async ({ fresh: page }) => {
  const server = await serve();
  const { token } = await server.call('/v1/tokens', { name: 'boss', role: 'admin' });
  server.token = token;
  const viewer = await server.call('/v1/tokens', { name: 'looks', role: 'viewer' });
  await page.addInitScript((text) => sessionStorage.setItem('outlast.token', text), viewer.token);
  await choose(page);
  await open(page, server, '/simulator?tab=whatif&draft=%7B%7D');
  await expect(page.getByText('it is for operators and admins')).toBeVisible();
  await server.stop();
});
