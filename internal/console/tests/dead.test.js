// Dead letters: grouped, sent back in every way, deleted, downloaded.

import { readFile } from 'node:fs/promises';
import { accessible, choose, expect, open, serve, test as base, until } from './kit.js';

// Where letters of all types are counted, a test has a server of its own.
const test = base.extend({
  own: async ({}, use) => { const server = await serve(); await use(server); await server.stop(); },
});

const once = { budget: 'none', breaker: 'none', max_attempts: 1 };
const dialog = (page) => page.getByRole('dialog');

/** How many letters there are of each type. */
const dead = async (server) => (await server.call('/v1/dead/stats')).by_type ?? {};

/** Lets n tasks of a type die, beside those that did. */
async function kill(server, receiver, type, n, text, before = 0) {
  receiver.answer = () => ({ status: 400, text });
  await server.call('/v1/tasks/batch', { tasks: Array.from({ length: n }, (_, i) => ({ type, payload: { n: i }, key: `${type}-${before + i}`, target: { url: `${receiver.url}/${type}` }, retry: once })) });
  await until(async () => (await dead(server))[type] === before + n, `${n} dead letters`);
}

test('a group is sent back: counted, confirmed, followed, paused, resumed, reported', async ({ fresh: page, own: server, receiver }) => {
  await choose(page);
  await until(async () => Date.now() % 3_600_000 < 3_590_000, 'the next hour'); // they die in one, and are one bar
  await kill(server, receiver, 'invoice', 30, 'no such customer');
  await kill(server, receiver, 'mail', 2, 'mailbox full');
  receiver.answer = () => ({ status: 503, text: 'closed' });
  for (const more of [{ retry: once }, { retry: { ...once, max_attempts: 9, backoff: { kind: 'fixed', initial: '1h', jitter: 'none' } }, deadline: new Date(Date.now() + 60_000).toISOString() }]) { // one cause, two reasons
    await server.call('/v1/tasks?wait=20s', { type: 'shop', target: { url: receiver.url }, ...more });
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await open(page, server, '/dead');
  const groups = page.getByRole('table', { name: 'By what went wrong' }).locator('tbody tr');
  await expect(groups).toHaveCount(3);
  await expect(groups.filter({ hasText: 'shop' })).toContainText(/(all attempts failed:\s1|out of time:\s1){2}/);
  for (const row of await groups.all()) await expect(row.getByRole('button', { name: 'Redrive…' })).toBeInViewport({ ratio: 1 });
  await expect(groups.first()).toContainText('30');
  await expect(groups.first()).toContainText('no such customer');
  await expect(groups.first().getByRole('img', { name: /: 30$/ })).toBeVisible(); // when they died
  await groups.first().getByRole('link').first().click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('invoice · 30');
  const trend = page.getByRole('img', { name: /: 30$/ });
  const marks = await trend.locator('text').allTextContents();
  expect(marks.slice(0, 2)).toEqual(['0', '30']); // and from when to when, a day later
  expect(marks.slice(2)).toEqual([expect.stringMatching(/^\d\d\/\d\d, \d\d:\d\d$/), expect.stringMatching(/^\d\d\/\d\d, \d\d:\d\d$/)]);
  await expect(page.getByRole('table', { name: 'All letters' }).locator('tbody tr')).toHaveCount(30);
  receiver.answer = () => ({ status: 200 });
  receiver.calls.length = 0;
  await expect(page.getByRole('button', { name: 'Redrive…' })).toBeInViewport({ ratio: 1 });
  await page.getByRole('button', { name: 'Redrive…' }).click();
  await expect(dialog(page)).toContainText('30 dead letters match.');
  await expect(dialog(page).getByRole('button', { name: 'Redrive 30' })).toBeInViewport({ ratio: 1 });
  await expect(dialog(page).getByRole('table', { name: 'A sample' }).locator('tbody tr')).toHaveCount(5);
  await dialog(page).getByLabel('Letters per second').fill('2'); // so that there is time to pause it
  await dialog(page).getByText('The same by command line').click();
  await expect(dialog(page)).toContainText(/outlast dead redrive --fingerprint \w+ --rate 2/);
  await accessible(page, { part: 'dialog' });
  expect(receiver.calls).toHaveLength(0);
  await dialog(page).getByRole('button', { name: 'Redrive 30' }).click();
  await expect(page).toHaveURL(/#\/operations\/.+/);
  const bar = page.getByRole('progressbar').first();
  await expect.poll(async () => Number(await bar.getAttribute('value'))).toBeGreaterThan(2);
  await page.getByRole('button', { name: 'Pause' }).click();
  await dialog(page).getByRole('button', { name: 'Pause' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('paused');
  const [operation] = (await server.call('/v1/operations')).operations;
  expect(operation.state).toBe('paused');
  expect(operation.done).toBeLessThan(30);
  await page.reload();
  await page.getByRole('button', { name: 'Resume' }).click();
  await dialog(page).getByRole('button', { name: 'Resume' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('done', { timeout: 60_000 });
  const report = page.getByRole('table', { name: 'Report' }).locator('tbody tr');
  await expect(report).toHaveCount(30);
  await expect(report.filter({ hasText: 'succeeded' })).toHaveCount(30);
  expect(receiver.calls).toHaveLength(30);
});

test('a canary that fails stops the others, and the payload can be replaced', async ({ page, server, receiver }) => {
  await kill(server, receiver, 'charge', 6, 'amount missing');
  await open(page, server, '/dead/letters?type=charge');
  await page.getByRole('button', { name: 'Redrive all of these…' }).click();
  await dialog(page).getByLabel('First try with').fill('2');
  await dialog(page).getByRole('button', { name: 'Redrive 6' }).click();
  await expect(page).toHaveURL(/#\/operations\/.+/);
  await until(async () => receiver.calls.length === 8, 'the two of the canary');
  const operation = page.url().split('/').pop();
  await expect.poll(async () => (await server.call(`/v1/operations/${operation}`)).state, { timeout: 60_000 }).not.toBe('running');
  expect(receiver.calls).toHaveLength(8);
  await until(async () => (await dead(server)).charge === 6, 'all letters again');

  receiver.answer = ({ body }) => (body.includes('amount') ? { status: 200 } : { status: 400, text: 'amount missing' });
  await open(page, server, '/dead/letters?type=charge');
  await page.getByRole('button', { name: 'Redrive all of these…' }).click();
  await dialog(page).getByLabel('Replace the payload').check();
  const field = dialog(page).getByLabel('New payload');
  await expect(field).toHaveValue(/^\{\s+"n": \d\s+\}$/); // of one of the six, which is named
  await expect(dialog(page)).toContainText('It begins with the payload of an example:');
  await expect(dialog(page)).toContainText('It replaces the payload of all 6 letters');
  await field.fill('{"amount": ');
  await expect(dialog(page).getByRole('alert')).toBeVisible();
  await expect(dialog(page).getByRole('button', { name: 'Redrive 6' })).toBeDisabled();
  const payload = '{"amount": 90071992547409931, "a": 1.0}';
  await field.fill(payload);
  await dialog(page).getByRole('button', { name: 'Redrive 6' }).click();
  await until(async () => receiver.calls.length === 14, 'all six');
  await page.getByText('What was asked for').click();
  await expect(page.locator('main pre')).toContainText('90071992547409931');
  expect(receiver.calls.slice(8).map((call) => call.body)).toEqual(Array(6).fill(payload));
});

test('a redrive of many begins with care, and says what speaks against it', async ({ fresh: page, own: server, receiver }) => {
  await choose(page);
  await kill(server, receiver, 'care', 5, 'no such account');
  await open(page, server, '/dead/letters?type=care');
  const begin = page.getByRole('button', { name: 'Redrive all of these…' }), warning = dialog(page).getByRole('note');
  await begin.click();
  for (const [field, value] of [['Letters per second', '20'], ['First try with', '3'], ['Stop when this share fails again', '20']]) await expect(dialog(page).getByLabel(field)).toHaveValue(value);
  await dialog(page).getByText('The same by command line').click();
  await expect(dialog(page)).toContainText('outlast dead redrive --type care --rate 20 --canary 3 --stop-if-failing 0.2');
  await expect(dialog(page)).toContainText('"rate":20,"canary":3,"stop_if_failing":0.2');
  await expect(warning.getByRole('listitem')).toHaveText([/All of the newest 5 letters died of a permanent failure, and no release/]);
  await dialog(page).getByLabel('Replace the payload').check(); // which may be what mends them
  await expect(warning).toHaveCount(0);
  for (const field of ['Letters per second', 'First try with', 'Stop when']) await dialog(page).getByLabel(field).fill('');
  await dialog(page).getByLabel('Replace the payload').uncheck();
  await expect(dialog(page).getByText('outlast dead redrive --type care', { exact: true })).toBeVisible();
  await dialog(page).getByRole('button', { name: 'Close' }).click();

  const ids = (await server.call('/v1/dead')).tasks.map((letter) => letter.id);
  await server.call('/v1/dead/redrive', { ids: ids.slice(0, 2) });
  await until(async () => receiver.calls.filter((call) => call.path === '/care').length === 7 && (await dead(server)).care === 5, 'their second death');
  await server.call(`/v1/targets/${encodeURIComponent(new URL(receiver.url).host)}/open`, undefined, 'POST');
  await begin.click();
  await expect(warning.getByRole('listitem')).toHaveText([/2 of the newest 5 letters died again of the same error/, /All of the newest 5 letters died of a permanent failure/, /All of the newest 5 letters would wait, since the breaker of the target is open: 127/]);
  await accessible(page, { part: 'dialog' });
  await dialog(page).getByLabel('Replace the payload').check();
  await expect(warning.getByRole('listitem')).toHaveText([/would wait/]);
  await warning.getByRole('link').click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText(new URL(receiver.url).host);
  await open(page, server, `/tasks/${ids[0]}`);
  await page.getByRole('button', { name: 'Redrive', exact: true }).click();
  await expect(warning).toContainText(/The letter died again of the same error after an earlier redrive\./);
  await expect(dialog(page).getByLabel('First try with')).toHaveCount(0); // there is one
});

test('selected letters are sent back, by keyboard', async ({ page, server, receiver }) => {
  await kill(server, receiver, 'report', 5, 'no data');
  receiver.answer = () => ({ status: 200 });
  await open(page, server, '/dead/letters?type=report');
  const rows = page.getByRole('table', { name: 'All letters' }).locator('tbody tr');
  await expect(rows).toHaveCount(5);
  for (const key of ['j', 'x', 'j', 'j', 'x']) await page.keyboard.press(key);
  await expect(page.getByText('2 selected')).toBeVisible();
  await expect(rows.nth(2)).toHaveAttribute('aria-selected', 'true');
  await page.getByRole('button', { name: 'Redrive 2…' }).focus();
  await page.keyboard.press('Enter');
  await expect(dialog(page)).toContainText('2 dead letters match.');
  await dialog(page).getByRole('button', { name: 'Redrive 2' }).focus();
  await page.keyboard.press('Enter');
  await until(async () => (await dead(server)).report === 3, 'two letters less');
  await open(page, server, '/dead');
  await open(page, server, '/dead/letters?type=report');
  await expect(rows).toHaveCount(3); // the others have left the list
  await page.getByLabel('Select all on this page').check();
  await expect(page.getByText('3 selected')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Delete for good…' })).toBeVisible();
  await page.getByRole('button', { name: 'Clear the selection' }).click();
  await expect(page.getByText('3 selected')).toHaveCount(0);
});

test('what a filter matches is deleted after a typed word, and nothing else', async ({ page, server, receiver }) => {
  await kill(server, receiver, 'old', 4, 'gone');
  await kill(server, receiver, 'new', 3, 'gone too');
  await open(page, server, '/dead/letters?type=old');
  await expect(page.getByRole('button', { name: 'Live' })).toBeVisible(); // its beginning has all asked anew
  await page.getByRole('button', { name: 'Delete for good…' }).click();
  await expect(dialog(page)).toContainText('4 dead letters are deleted for good');
  await expect(dialog(page).getByRole('table').locator('tbody tr')).toHaveCount(4);
  await server.call('/v1/tasks', { type: 'old', payload: 'later', target: { url: receiver.url }, retry: once }); // it was not counted
  await until(async () => (await dead(server)).old === 5, 'a letter more');
  await expect(dialog(page).getByRole('table').locator('tbody tr')).toHaveCount(4);
  const sure = dialog(page).getByRole('button', { name: 'Delete 4 for good' });
  await expect(sure).toBeDisabled();
  await dialog(page).getByLabel('to confirm').fill('delete');
  await sure.click();
  await expect(page.getByRole('table', { name: 'All letters' }).locator('tbody tr')).toHaveCount(1);
  expect(await dead(server)).toMatchObject({ new: 3, old: 1 });
});

test('what is deleted is counted at each look, and a count that fails says so', async ({ page, server, receiver }) => {
  await kill(server, receiver, 'counted', 2, 'gone');
  await open(page, server, '/dead/letters?type=counted');
  const begin = page.getByRole('button', { name: 'Delete for good…' });
  await begin.click();
  await expect(dialog(page)).toContainText('2 dead letters are deleted for good');
  await page.keyboard.press('Escape');
  await expect(dialog(page)).toHaveCount(0);
  await kill(server, receiver, 'counted', 3, 'gone', 2);
  let answer = () => {};
  const held = new Promise((next) => { answer = () => next(undefined); });
  await page.route('**/v1/dead/purge', async (route) => {
    await held;
    await route.fulfill({ status: 503, contentType: 'application/problem+json', json: { status: 503, title: 'Unavailable', detail: 'the store is slow', code: 'unavailable' } });
  }, { times: 1 });
  await begin.click();
  await expect(dialog(page)).toBeVisible();
  await expect(dialog(page)).not.toContainText('deleted for good');
  answer();
  await expect(dialog(page).getByRole('alert')).toContainText('the store is slow');
  await expect(dialog(page)).not.toContainText('deleted for good');
  await dialog(page).getByRole('button', { name: 'Try again' }).click();
  await expect(dialog(page)).toContainText('5 dead letters are deleted for good');
});

test('all letters are downloaded, more than a page of them', async ({ page, server, receiver }) => {
  await kill(server, receiver, 'export', 180, 'refused');
  await open(page, server, '/dead/letters?type=export');
  await expect(page.getByRole('table', { name: 'All letters' }).locator('tbody tr')).toHaveCount(50);
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download' }).click()]);
  const lines = (await readFile(await file.path(), 'utf8')).trim().split('\n');
  expect(new Set(lines.map((line) => JSON.parse(line).id)).size).toBe(180);
});

test('one letter is edited and goes back from its page, losing nothing', async ({ page, server, receiver }) => {
  receiver.answer = ({ body }) => ({ status: body.includes('995') ? 200 : 400, text: 'no such order' });
  const payload = '{"order":9007199254740993,"price":1.10,"order":-0.0,"text":"中文 \\u0041"}';
  const enqueue = (sent) => server.call('/v1/tasks?wait=20s', `{"type":"edited","payload":${sent},"target":{"url":"${receiver.url}"},"retry":${JSON.stringify(once)}}`);
  const { id } = await enqueue(payload);
  await open(page, server, `/tasks/${id}`);
  const edit = page.getByRole('button', { name: 'Edit and redrive…' }), field = dialog(page).getByLabel('New payload');
  await edit.click();
  await expect(field).toHaveValue('{\n  "order": 9007199254740993,\n  "price": 1.10,\n  "order": -0.0,\n  "text": "中文 \\u0041"\n}');
  await expect(dialog(page)).toContainText('It begins with the letter’s own payload.');
  await expect(dialog(page).getByLabel('Letters per second')).toHaveCount(0); // there is one
  await accessible(page, { part: 'dialog' });
  await dialog(page).getByRole('button', { name: 'Redrive 1' }).click();
  await until(async () => receiver.calls.length === 2 && (await server.call(`/v1/tasks/${id}`)).state === 'dead', 'the second death');
  expect(receiver.calls.map((call) => call.body)).toEqual([payload, payload]);
  await page.reload(); // what it showed may be of the first death, and go on to the second
  await expect(page.getByRole('heading', { level: 1 })).toContainText('dead');
  await edit.click();
  await field.fill((await field.inputValue()).replace('993', '995'));
  await dialog(page).getByText('The same by command line').click();
  await expect(dialog(page)).toContainText('9007199254740995');
  await dialog(page).getByRole('button', { name: 'Redrive 1' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('succeeded');
  expect(receiver.calls[2].body.replaceAll(/\s/g, '')).toBe(payload.replace('993', '995').replaceAll(/\s/g, ''));

  // What cannot be edited is not begun with, and that is said.
  const large = await enqueue(`"${'x'.repeat(200_000)}"`), letter = await server.call(`/v1/tasks/${large.id}`);
  for (const [said, change] of [['too large to be edited here', (task) => task], ['no JSON and cannot be edited here', (task) => ({ ...task, payload: undefined, payload_base64: 'AAE=' })], ['lacks the key to show it', (task) => ({ ...task, payload: 'sealed:1:AAAA' })], ['has no payload', (task) => ({ ...task, payload: undefined })]]) {
    await page.route(`**/v1/tasks/${large.id}`, (route) => route.fulfill({ json: change(letter) })); // answered at once: none is on its way when the route ends
    await open(page, server, `/tasks/${large.id}`);
    await edit.click();
    await expect(dialog(page).getByRole('note')).toContainText(said);
    await expect(field).toHaveValue('');
    await expect(dialog(page).getByRole('button', { name: 'Redrive 1' })).toBeDisabled();
    await page.unroute(`**/v1/tasks/${large.id}`);
    await page.keyboard.press('Escape');
    await open(page, server, '/dead');
  }
});

test('one letter goes back from its page, and shares lead to their letters', async ({ fresh: page, own: server, receiver }) => {
  await choose(page);
  await kill(server, receiver, 'one', 2, 'refused');
  receiver.answer = () => ({ status: 200 });
  await open(page, server, '/dead');
  await page.getByRole('link', { name: 'permanent failure' }).click();
  await expect(page).toHaveURL(/reason=permanent/);
  const rows = page.getByRole('table', { name: 'All letters' }).locator('tbody tr');
  await expect(rows).toHaveCount(2);
  await rows.first().getByRole('link').click();
  await expect(page.getByRole('alert')).toContainText('refused');
  await page.getByRole('button', { name: 'Redrive', exact: true }).click();
  await dialog(page).getByRole('button', { name: 'Redrive' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('succeeded');
  await page.goBack();
  await expect(rows).toHaveCount(1);
});
