// Every picture has its numbers beside it, and shows what they say.

import { expect, open, test, until } from './kit.js';

/** The numbers of a picture, row by row. @param {any} figure */
const numbers = (figure) => figure.locator('table tbody tr').evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));

/** Fails when a picture's edge cuts its labels. @param {any} figure */
async function within(figure) {
  const svg = figure.locator('svg').first(), box = await svg.boundingBox();
  for (const { text, left, right } of await svg.locator('text').evaluateAll((all) => all.map((one) => ({ text: one.textContent, left: one.getBoundingClientRect().left, right: one.getBoundingClientRect().right })))) {
    expect(left, text).toBeGreaterThanOrEqual(box.x - 1);
    expect(right, text).toBeLessThanOrEqual(box.x + box.width + 1);
  }
}

const slow = { max_attempts: 4, budget: 'none', breaker: 'none', backoff: { kind: 'exponential', initial: '2s', multiplier: 3, max: '10s', jitter: 'none' } };

test('the schedule of a policy, on its page, while it is edited, and on a task of its', async ({ page, server, receiver }) => {
  receiver.answer = () => ({ status: 503 });
  await server.call('/v1/policies/drawn', slow, 'PUT');
  const { id } = await server.call('/v1/tasks', { type: 'drawn', policy: 'drawn', target: { url: receiver.url } });
  await open(page, server, '/policies/drawn');
  const plot = page.locator('figure').filter({ hasText: 'Schedule' });
  await expect(plot.getByRole('img')).toBeVisible();
  await expect(plot.locator('svg rect')).toHaveCount(3);
  expect((await numbers(plot)).map((row) => row.slice(0, 2))).toEqual([['1', '2 s'], ['2', '6 s'], ['3', '10 s']]);
  await server.call('/v1/policies/long', { ...slow, max_attempts: 6, backoff: { kind: 'exponential', initial: '83m', multiplier: 1.3, max: '7h', jitter: 'none' } }, 'PUT');
  await page.setViewportSize({ width: 360, height: 740 });
  await open(page, server, '/policies/long');
  await within(plot);
  expect(await plot.locator('svg g > line.gridline + text').allTextContents()).toEqual(['0', '2 h', '4 h']); // round in hours, not in thousands
  await page.setViewportSize({ width: 1280, height: 720 });
  await open(page, server, '/policies/drawn/edit');
  await expect(plot.locator('svg rect')).toHaveCount(3);
  await page.getByLabel('Attempts, the first included').fill('6');
  await page.getByLabel('Attempts, the first included').press('Tab');
  await expect(plot.locator('svg rect')).toHaveCount(5);
  await until(async () => (await server.call(`/v1/tasks/${id}`)).last_error, 'a failed attempt');
  await open(page, server, `/tasks/${id}`);
  await expect(page.locator('figure.chart svg rect').first()).toBeVisible();
});

test('the attempts of a task are drawn to scale', async ({ page, server, receiver }) => {
  let calls = 0;
  receiver.answer = () => ({ status: 503, text: `the shop in the long street behind the old mill is closed, ticket ${++calls}0 of today` });
  const { id } = await server.call('/v1/tasks', { type: 'scaled', target: { url: receiver.url }, retry: { ...slow, max_attempts: 3 } });
  await open(page, server, `/tasks/${id}`);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('dead', { timeout: 30_000 });
  const line = page.locator('figure.timeline');
  await expect(line.locator('rect')).toHaveCount(3);
  const [first, second, third] = await line.locator('rect').evaluateAll((all) => all.map((rect) => Number(rect.getAttribute('x'))));
  const { attempts } = await server.call(`/v1/tasks/${id}/attempts`);
  const [a, b, c] = attempts.map((attempt) => Date.parse(attempt.started_at));
  expect((third - second) / (second - first)).toBeCloseTo((c - b) / (b - a), 1);
  await expect(line.locator('figcaption')).toContainText('from its enqueueing to its end');
  await page.getByText('Compare two attempts').click();
  await page.getByLabel('First attempt').selectOption({ index: 1 });
  await page.getByLabel('Second attempt').selectOption({ index: 2 });
  const error = page.getByRole('table', { name: 'Compare two attempts' }).getByRole('row', { name: /^Error/ });
  await expect(error.locator('mark')).toHaveText(['2', '3']);
  await expect(error).toContainText('ticket 20 of today');
});

test('a value that stands alone is a dot', async ({ page, server }) => {
  const at = (i) => new Date(Date.now() - (15 - i) * 60_000).toISOString();
  const point = (i, rate) => ({ at: at(i), nodes: 1, attempts: 9, failed: 0, retry_rate: rate, ...(rate === null ? {} : { run: { p99: '83m20s' } }) });
  await page.route('**/v1/stats/series*', (route) => route.fulfill({ json: { points: [null, 0.5, null, null, 0.2, 0.3, null, 0.4].map((rate, i) => point(i, rate)) } }));
  await open(page, server);
  const tried = page.locator('figure').filter({ hasText: 'Retries and duration of attempts' });
  await expect(tried.locator('circle')).toHaveCount(4); // two of each line
  const { width } = await tried.locator('circle').first().boundingBox();
  expect(width).toBeGreaterThan(2);
  await within(tried);
});

test('the overview draws what ended, what was tried again, and what waits', async ({ page, server, receiver }) => {
  receiver.answer = () => ({ status: 200 });
  await open(page, server);
  const beat = setInterval(() => void server.call('/v1/tasks', { type: 'beat', target: { url: receiver.url } }).catch(() => {}), 500);
  try {
    const ended = page.locator('figure').filter({ hasText: 'Tasks and failed attempts per second' });
    await expect(ended.getByRole('img')).toBeVisible({ timeout: 60_000 });
    await ended.getByText('The numbers').click();
    await expect(ended.getByRole('table')).toBeVisible();
    await expect.poll(async () => (await numbers(ended)).some((row) => Number(row[1]) > 0), { timeout: 60_000 }).toBe(true);
    const tried = page.locator('figure').filter({ hasText: 'Retries and duration of attempts' });
    await expect(tried.getByRole('img')).toBeVisible();
    expect((await numbers(tried)).length).toBeGreaterThan(1);
    await expect(page.locator('figure').filter({ hasText: 'Tasks that are due' })).toBeVisible(); // its first number comes later
    await page.getByRole('link', { name: '6 h' }).click();
    await expect(page).toHaveURL(/span=6h/);
    await page.reload();
    await expect(page.getByRole('link', { name: '6 h' })).toHaveAttribute('aria-current', 'page');
  } finally { clearInterval(beat); }
});
