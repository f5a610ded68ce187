// The simulator: a storm is played against its numbers, policies are held side by side, and
// what really happened is told by release or by version of a policy.

import { accessible, expect, fits, open, test, until } from './kit.js';

/** Plays, again while the node is busy with another's storm or too slow for it. */
async function play(page, shown) {
  await expect(async () => {
    await page.getByRole('button', { name: 'Play' }).click();
    await expect(page.getByRole('button', { name: 'Play' })).toBeEnabled({ timeout: 20_000 });
    await expect(shown).toBeVisible({ timeout: 1000 });
  }).toPass({ timeout: 120_000 });
}

test('a storm is chosen, played with our clients and with a policy of one\'s own, and judged', async ({ page, server }) => {
  await server.call('/v1/policies/calm', { max_attempts: 2, backoff: { kind: 'fixed', initial: '5s', jitter: 'full' } }, 'PUT');
  await open(page, server, '/simulator');
  await expect(page.getByText('Choose a storm and play it.')).toBeVisible();
  await page.getByLabel('Scenario').selectOption('S10');
  await expect(page).toHaveURL(/scenario=S10/);
  await expect(page.getByText('Instances that trip together must not probe together')).toBeVisible();
  await page.reload();
  await expect(page.getByLabel('Scenario')).toHaveValue('S10');
  const verdicts = page.getByRole('table', { name: 'Acceptance numbers' }).locator('tbody tr');
  await play(page, verdicts.first());
  expect(await verdicts.count()).toBe(await verdicts.filter({ hasText: 'kept' }).count());
  await expect(page.getByRole('table', { name: 'What each kind of client did' })).toContainText('control: must fail');
  await expect(page.locator('figure').filter({ hasText: 'Attempts per second that reach the server' }).getByRole('img')).toBeVisible();
  await accessible(page, { part: 'main' });

  await page.getByLabel('Scenario').selectOption('S2');
  await expect(verdicts).toHaveCount(0);
  await page.getByLabel(/^With/).selectOption('calm');
  await play(page, page.getByRole('table', { name: 'What each kind of client did' }).getByRole('row').filter({ hasText: 'calm' }).first());
  await page.setViewportSize({ width: 360, height: 740 });
  await fits(page);
  await accessible(page, { rules: ['color-contrast', 'target-size', 'scrollable-region-focusable'], part: 'main' });
});

test('policies side by side: the same storm, drawn and in numbers', async ({ page, server }) => {
  await server.call('/v1/policies/eager', { max_attempts: 9, backoff: { kind: 'fixed', initial: '10ms', jitter: 'none' }, budget: 'none', breaker: 'none' }, 'PUT');
  await open(page, server, '/simulator?tab=compare&scenario=S4');
  for (const name of ['payment', 'eager']) await page.getByRole('checkbox', { name, exact: true }).check();
  const rows = page.getByRole('table', { name: 'What each kind of client did' }).locator('tbody tr');
  await play(page, rows.first());
  await expect(rows).toHaveCount(2);
  const number = async (name, label) => Number((await rows.filter({ hasText: name }).locator(`[data-label="${label}"]`).innerText()).replaceAll(',', ''));
  expect(await number('eager', 'Attempts per call')).toBeGreaterThan(await number('payment', 'Attempts per call'));
  const load = page.locator('figure').filter({ hasText: 'Attempts per second that reach the server' });
  await expect(load.getByRole('img')).toBeVisible();
  await expect(load.locator('.legend')).toContainText('eager');
  await load.getByText('The numbers').click();
  await expect(load.getByRole('table').locator('tbody tr')).not.toHaveCount(0);
  await expect(load.getByRole('table').locator('thead')).toContainText('payment');
  await page.evaluate(() => scrollTo(0, 0)); // the bar above covers nothing
  await accessible(page, { part: 'main' });
  await page.setViewportSize({ width: 360, height: 740 });
  await fits(page);
});

test('a storm that the server refuses says why, and can be played again', async ({ page, server }) => {
  await open(page, server, '/simulator?scenario=S11');
  await page.route('**/v1/sim/run', (route) => route.fulfill({ status: 429, json: { status: 429, title: 'Too many', detail: 'this node plays another scenario', code: 'rate_limited' } }), { times: 1 });
  await page.getByRole('button', { name: 'Play' }).click();
  await expect(page.getByRole('alert')).toContainText('this node plays another scenario');
  await play(page, page.getByRole('table', { name: 'Acceptance numbers' }));
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('a storm that comes after another was chosen is not drawn', async ({ page, server }) => {
  await open(page, server, '/simulator?scenario=S4');
  let held = () => {}, asked = () => {};
  const played = new Promise((next) => { asked = () => next(undefined); });
  await page.route('**/v1/sim/run', (route) => {
    held = () => route.fulfill({ json: { verdicts: [{ name: 'of S4', bound: '1', measured: '1', ok: true }], variants: [] } }).catch(() => {});
    asked();
  }, { times: 1 });
  await page.getByRole('button', { name: 'Play' }).click();
  await played;
  const ended = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/v1/sim/run'));
  await page.getByLabel('Scenario').selectOption('S1');
  await expect(page.getByRole('button', { name: 'Play' })).toBeEnabled();
  await ended; // so nobody hears what is answered now
  held();
  await expect(page.getByText('Choose a storm and play it.')).toBeVisible();
  await expect(page.getByText('of S4')).toHaveCount(0);
  await page.route('**/v1/sim/run', (route) => route.fulfill({ json: { verdicts: [{ name: 'of S1', bound: '1', measured: '1', ok: true }], variants: [] } }), { times: 1 });
  await page.getByRole('button', { name: 'Play' }).click();
  await expect(page.getByText('of S1')).toBeVisible();
  await page.getByLabel(/^With/).selectOption('payment');
  await expect(page.getByText('of S1')).toHaveCount(0);
});

test('what really happened: two versions of a policy side by side', async ({ page, server, receiver }) => {
  const type = `seen.${process.pid}`;
  receiver.answer = ({ path }) => ({ status: path === '/bad' ? 400 : 200 });
  for (const [version, path] of [[1, '/good'], [2, '/bad']]) {
    await server.call('/v1/policies/judged', { max_attempts: 2 + Number(version) }, 'PUT');
    const { id } = await server.call('/v1/tasks', { type, policy: 'judged', target: { url: receiver.url + path } });
    await until(async () => !['pending', 'running'].includes((await server.call(`/v1/tasks/${id}`)).state), 'the end of it');
  }
  await open(page, server, '/simulator?tab=history');
  await page.getByLabel('Compare by').selectOption({ label: 'policy version' });
  await expect(page).toHaveURL(/by=policy_version/);
  const row = page.getByRole('table', { name: 'What really happened' }).getByRole('row').filter({ hasText: type });
  await expect(row.locator('[data-label="Before"]')).toContainText(/judged@1\s*Attempts: 1, Failed: 0%/);
  await expect(row.locator('[data-label="Now"]')).toContainText(/judged@2\s*Attempts: 1, Failed: 100%/);
  await accessible(page, { part: 'main' });
});
