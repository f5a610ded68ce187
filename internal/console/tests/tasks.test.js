// Tasks: enqueued, found, explained, acted on, by mouse and by keyboard.

import { accessible, choose, expect, fits, loseAnswer, open, receive, test, until } from './kit.js';

const never = { budget: 'none', breaker: 'none' };
/** @param {string} wait @param {number} [attempts] */
const steady = (wait, attempts = 9) => ({ ...never, max_attempts: attempts, backoff: { kind: 'fixed', initial: wait, jitter: 'none' } });
let last = 0;
/** A name that no other test has. @param {string} name */
const fresh = (name) => `${name}.${process.pid}.${++last}`;

/** @param {any} page */
const dialog = (page) => page.getByRole('dialog');

test('a task enqueued here arrives byte for byte', async ({ page, server, receiver }) => {
  await open(page, server, '/tasks');
  await page.getByRole('button', { name: 'Enqueue a task' }).click();
  const payload = '{"z": 9007199254740993, "a": 1.10,\n "a": -0.0, "text": "<b>&\u2028\\u0041 中文"}';
  await dialog(page).getByLabel('URL to call').fill(receiver.url + '/in');
  await dialog(page).getByLabel('Payload').fill('{"z": ');
  await expect(dialog(page).getByRole('alert')).toBeVisible();
  await expect(dialog(page).getByRole('button', { name: 'Enqueue a task' })).toBeDisabled();
  await dialog(page).getByLabel('Payload').fill(payload);
  await dialog(page).getByText('The same by command line').click();
  await expect(dialog(page)).toContainText('9007199254740993');
  await dialog(page).getByRole('button', { name: 'Enqueue a task' }).click();
  await expect(page).toHaveURL(/#\/tasks\/[0-9a-f-]{36}$/);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('succeeded');
  expect(receiver.calls.map((call) => call.body)).toEqual([payload]);
  await expect(page.getByRole('region', { name: 'Payload' })).toContainText('"z": 9007199254740993');
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download' }).first().click()]);
  const { readFile } = await import('node:fs/promises');
  expect(await readFile(await file.path(), 'utf8')).toBe(payload);
});

test('an enqueue whose answer is lost is sent again, and makes one task', async ({ page, server }) => {
  const type = fresh('charge'), other = fresh('charge');
  const enqueue = dialog(page).getByRole('button', { name: 'Enqueue a task' });
  for (const lose of [undefined, (/** @type {any} */ route) => route.abort()]) {
    await open(page, server, '/tasks');
    const sent = await loseAnswer(page, '/v1/tasks', lose);
    await page.getByRole('button', { name: 'Enqueue a task' }).click();
    await dialog(page).getByLabel('Type', { exact: false }).first().fill(lose ? other : type);
    await enqueue.click();
    await expect(dialog(page).getByRole('alert')).toBeVisible();
    await enqueue.click();
    await expect(page).toHaveURL(/#\/tasks\/[0-9a-f-]{36}$/);
    expect(sent).toHaveLength(2);
    expect(sent[1]).toEqual(sent[0]);
    expect(Math.abs(Date.now() - parseInt(sent[0].id.replace('-', '').slice(0, 12), 16))).toBeLessThan(60_000);
    expect((await server.call(`/v1/tasks?type=${lose ? other : type}`)).tasks).toHaveLength(1);
    await page.unroute('**/v1/tasks');
  }
  await open(page, server, '/tasks');
  const sent = await loseAnswer(page, '/v1/tasks');
  await page.getByRole('button', { name: 'Enqueue a task' }).click();
  await dialog(page).getByLabel('Type', { exact: false }).first().fill(type);
  await enqueue.click();
  await expect(dialog(page).getByRole('alert')).toBeVisible();
  await dialog(page).getByLabel('Payload').fill('{"n": 2}'); // another task
  await enqueue.click();
  await expect(page).toHaveURL(/#\/tasks\/[0-9a-f-]{36}$/);
  expect(sent[1].id).not.toBe(sent[0].id);
  expect((await server.call(`/v1/tasks?type=${type}`)).tasks).toHaveLength(3);
});

test('a retry is counted down, and happens without a reload', async ({ page, server, receiver }) => {
  let up = false;
  receiver.answer = () => (up ? { status: 200, text: '{"sent":true}' } : { status: 503, text: 'the shop is closed' });
  const { id } = await server.call('/v1/tasks', { type: fresh('mail'), target: { url: receiver.url }, retry: steady('100s') });
  await until(async () => (await server.call(`/v1/tasks/${id}`)).last_error, 'a failed attempt');
  await open(page, server, `/tasks/${id}`);
  await page.evaluate(() => { globalThis.stays = true; });
  await expect(page.getByRole('heading', { level: 1 })).toContainText('waiting to retry');
  const why = page.getByRole('note').filter({ hasText: 'Why is it not running?' });
  await expect(why).toContainText('It failed, and waits before the next attempt.');
  await expect(why).toContainText('the shop is closed');
  const seconds = async () => Number((await why.locator('time').first().innerText()).match(/in (\d+) sec/)?.[1] ?? NaN);
  const first = await seconds();
  expect(first).toBeLessThanOrEqual(100);
  await expect.poll(seconds).toBeLessThan(first);
  await expect(page.getByRole('heading', { name: 'If it goes on failing' })).toBeVisible();
  up = true;
  await server.call(`/v1/tasks/${id}/reschedule`, { delay: '1s' }); // it was seen to count
  await expect(page.getByRole('heading', { level: 1 })).toContainText('succeeded');
  await expect(page.getByRole('table', { name: 'Attempts' }).getByRole('row')).toHaveCount(3);
  await page.getByText('Compare two attempts').click();
  const diff = page.getByRole('table', { name: 'Compare two attempts' });
  await expect(diff.getByRole('row', { name: /^Outcome/ })).toContainText('succeeded');
  await expect(diff.getByRole('row', { name: /^Started/ })).toContainText('UTC');
  await page.getByLabel('Second attempt').selectOption({ index: 0 });
  await expect(diff.locator('tbody tr')).toHaveCount(0);
  await page.getByLabel('Second attempt').selectOption({ index: 1 });
  await expect(diff).toContainText('the shop is closed');
  expect(await page.evaluate(() => globalThis.stays)).toBe(true);
  await accessible(page, { part: 'main' });
});

test('filters stand in the address, through a reload and back', async ({ page, server }) => {
  const type = fresh('report');
  await server.call('/v1/tasks', { type, delay: '1h' });
  await open(page, server, '/tasks');
  await page.getByLabel('Type', { exact: true }).fill(type);
  await expect(page).toHaveURL(new RegExp(`type=${type}`));
  const state = (/** @type {string} */ name) => page.getByRole('navigation', { name: 'State' }).getByRole('link', { name });
  await state('pending').click();
  const rows = page.getByRole('table', { name: 'Tasks' }).locator('tbody tr');
  await expect(rows).toHaveCount(1);
  await page.reload();
  await expect(page.getByLabel('Type', { exact: true })).toHaveValue(type);
  await expect(state('pending')).toHaveAttribute('aria-current', 'page');
  await expect(rows).toHaveCount(1);
  await rows.getByRole('link').first().click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText(type);
  await page.goBack();
  await expect(page.getByLabel('Type', { exact: true })).toHaveValue(type);
  await state('succeeded').click();
  await expect(page.getByText('No task matches.')).toBeVisible();
  await page.goBack();
  await expect(rows).toHaveCount(1);
  await page.getByRole('button', { name: 'Clear' }).click();
  await expect(page.getByLabel('Type', { exact: true })).toHaveValue('');
  await page.getByLabel('Id, key, type or error').fill('half a '); // and a pause before the rest
  await expect(page).toHaveURL(/q=half\+a$/);
  await page.getByLabel('Id, key, type or error').pressSequentially('phrase');
  await expect(page).toHaveURL(/q=half\+a\+phrase$/);
  await expect(page.getByRole('searchbox', { name: 'Search tasks' })).toHaveValue('half a phrase');
});

test('a time is given by the clocks of the chosen zone', async ({ fresh: page, server }) => {
  await choose(page, { zone: 'America/New_York' });
  const type = fresh('timed');
  await server.call('/v1/tasks', { type, delay: '1h' });
  await open(page, server, `/tasks?type=${type}`);
  await page.getByRole('button', { name: 'More filters' }).click();
  await page.getByLabel('Enqueued after').fill('2026-07-04T12:30');
  await page.getByLabel('Enqueued after').press('Enter');
  await expect(page).toHaveURL(/since=2026-07-04T16%3A30%3A00\.000Z/); // in summer
  await page.getByLabel('Enqueued before').fill('2099-01-04T12:30');
  await page.getByLabel('Enqueued before').blur();
  await expect(page).toHaveURL(/until=2099-01-04T17%3A30%3A00\.000Z/);
  await expect(page.getByRole('table', { name: 'Tasks' }).locator('tbody tr')).toHaveCount(1);
  await page.reload();
  await expect(page.getByLabel('Enqueued after')).toHaveValue(/^2026-07-04T12:30/);
});

test('tasks are found by id, key, type, error and metadata', async ({ page, server, receiver }) => {
  const type = fresh('search'), key = fresh('customer'), mark = fresh('mark');
  receiver.answer = () => ({ status: 400, text: `no ${mark} in stock` });
  const { id } = await server.call('/v1/tasks', { type, key, metadata: { order: mark }, target: { url: receiver.url } });
  await until(async () => (await server.call(`/v1/tasks/${id}`)).state === 'dead', 'the end of it');
  await server.call('/v1/tasks', { type: fresh('other'), delay: '1h' });
  await open(page, server, '/tasks');
  const rows = page.getByRole('table', { name: 'Tasks' }).locator('tbody tr');
  const search = page.getByRole('searchbox', { name: 'Search tasks' });
  await page.getByLabel('Type', { exact: true }).fill(type);
  await expect(rows).toHaveCount(1);
  const shown = await rows.getByRole('link').first().evaluate((link) => {
    getSelection()?.selectAllChildren(link); // its end is seen, and all of it is copied
    return String(getSelection());
  });
  expect(shown).toBe(id);
  await page.getByRole('button', { name: 'Clear' }).click();
  for (const text of [id, id.slice(0, 20), key, type, `no ${mark.toUpperCase()} in`]) {
    await search.fill(text);
    await search.press('Enter');
    await expect(page).toHaveURL(/q=/);
    await expect(rows, text).toHaveCount(1);
    await expect(rows.getByRole('link').first()).toHaveAttribute('href', `#/tasks/${id}`);
    await page.getByRole('button', { name: 'Clear' }).click();
  }
  await page.getByRole('button', { name: 'More filters' }).click();
  await page.getByLabel('Metadata').fill(`order:${mark}`);
  await expect(rows).toHaveCount(1);
  await expect(page).toHaveURL(/metadata=order/);
});

test('a list counts the states, and tells what a request is and whom it calls', async ({ page, server, receiver }) => {
  const queue = fresh('counted'), type = fresh('named');
  receiver.answer = () => ({ status: 400 });
  await server.call(`/v1/queues/${queue}`, {}, 'PUT');
  const add = (/** @type {any} */ task) => server.call('/v1/tasks', { queue, delay: '1h', ...task });
  const request = await add({ target: { url: 'https://api.example.com:8443/hook/1?token=secret', method: 'PUT' } });
  const long = await server.call('/v1/tasks?wait=20s', { queue, target: { url: receiver.url + '/' + 'x'.repeat(100) }, retry: { ...never, max_attempts: 1 } });
  const host = new URL(receiver.url).host;
  const listed = [
    [request, 'PUT api.example.com:8443/hook/1', 'api.example.com:8443'],
    [await add({ type, target: { url: 'https://api.example.com/other' } }), type, 'api.example.com'],
    [await add({ type, target: { group: 'mailers', path: '/mail' } }), type, 'group:mailers'],
    [await add({ type }), type, '—'],
    [long, `POST ${host}/${'x'.repeat(60 - 6 - host.length)}…`, host],
  ];
  await open(page, server, `/tasks?queue=${queue}`);
  const tab = (/** @type {string} */ name) => page.getByRole('navigation', { name: 'State' }).getByRole('link', { name });
  for (const [name, text] of [['all', 'all'], ['pending', 'pending 4'], ['running', 'running 0'], ['succeeded', 'succeeded'], ['dead', 'dead 1'], ['canceled', 'canceled'], ['failed', 'failed']]) await expect(tab(name)).toHaveText(text);
  const rows = page.getByRole('table', { name: 'Tasks' }).locator('tbody tr');
  const row = (/** @type {{id: string}} */ { id }) => rows.filter({ has: page.locator(`a[href="#/tasks/${id}"]`) }), called = 'td[data-label="Name"]';
  for (const [task, name, target] of listed) {
    await expect(row(task).locator(called)).toHaveText(name);
    await expect(row(task).locator('td[data-label="Target"]')).toHaveText(target);
  }
  await expect(row(long).locator(`${called} bdi`)).toHaveAttribute('title', `POST ${host}/${'x'.repeat(100)}`);
  const wide = await rows.first().locator('a.id').evaluate((link) => link.getBoundingClientRect().width);
  expect(wide, 'an id shows its end only').toBeLessThan(130);
  await add({ type });
  await expect(tab('pending')).toHaveText('pending 5');
  await page.setViewportSize({ width: 390, height: 844 });
  await fits(page);
  await accessible(page);
  await tab('dead').click();
  await expect(page).toHaveURL(new RegExp(`queue=${queue}&state=dead`));
  await expect(rows).toHaveCount(1);
  await open(page, server, `/tasks?queue=${queue}&type=${type}`); // nobody counts these
  await expect(rows).toHaveCount(4);
  await expect(tab('pending')).toHaveText('pending');
  await open(page, server, `/tasks/${request.id}`);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('PUT api.example.com:8443/hook/1');
  await expect(page).toHaveTitle(/PUT api\.example\.com/);
});

test('a list goes on below, and what came before stays', async ({ page, server }) => {
  const type = fresh('many');
  const add = (/** @type {number} */ n) => server.call('/v1/tasks/batch', { tasks: Array.from({ length: n }, () => ({ type, delay: '1h' })) });
  await add(120);
  await open(page, server, `/tasks?type=${type}`);
  const rows = page.getByRole('table', { name: 'Tasks' }).locator('tbody tr');
  await expect(rows).toHaveCount(50);
  await page.getByRole('button', { name: 'Show more' }).click();
  await expect(rows).toHaveCount(100);
  await page.getByRole('button', { name: 'Show more' }).click();
  await expect(rows).toHaveCount(120);
  await expect(page.getByRole('button', { name: 'Show more' })).toHaveCount(0);
  await add(7);
  await expect(rows).toHaveCount(127);
  const links = await rows.locator('a.id').evaluateAll((all) => all.map((a) => a.getAttribute('href')));
  expect(new Set(links).size).toBe(127);
});

test('a list whose first page is another one altogether begins anew', async ({ page, server }) => {
  const queue = fresh('anew');
  const add = (/** @type {string} */ type) => server.call('/v1/tasks/batch', { tasks: Array.from({ length: 60 }, () => ({ type, queue, delay: '10h' })) });
  const old = fresh('old'), young = fresh('young');
  await server.call(`/v1/queues/${queue}`, {}, 'PUT');
  await add(old);
  await add(old);
  await open(page, server, `/tasks?queue=${queue}&state=pending`);
  const rows = page.getByRole('table', { name: 'Tasks' }).locator('tbody tr');
  await page.getByRole('button', { name: 'Show more' }).click();
  await expect(rows).toHaveCount(100);
  await add(young);
  await server.call('/v1/tasks/bulk', { action: 'cancel', filter: { type: old } });
  await until(async () => (await server.call(`/v1/tasks?queue=${queue}&state=pending&limit=500`)).tasks.length === 60, 'the end of the old');
  await expect(rows.filter({ hasText: old })).toHaveCount(0);
  await expect(rows).toHaveCount(50);
  await page.getByRole('button', { name: 'Show more' }).click();
  await expect(rows.filter({ hasText: young })).toHaveCount(60);
  await expect(page.getByRole('button', { name: 'Show more' })).toHaveCount(0);
});

test('a task that does not run says why, and when it is looked at again', async ({ page, server, receiver }) => {
  receiver.answer = () => ({ status: 503 });
  const queue = fresh('held');
  await server.call(`/v1/queues/${queue}`, {}, 'PUT');
  await server.call(`/v1/queues/${queue}/pause`, {});
  const other = await receive();
  const target = { url: other.url };
  const key = fresh('key');
  const paused = await server.call('/v1/tasks', { type: 'http', queue, target });
  const later = await server.call('/v1/tasks', { type: 'http', delay: '2h', target });
  const head = await server.call('/v1/tasks', { type: 'http', key, target: { url: receiver.url }, retry: steady('1h') });
  await until(async () => (await server.call(`/v1/tasks/${head.id}`)).last_error, 'a failed attempt');
  const behind = await server.call('/v1/tasks', { type: 'http', key, target: { url: receiver.url } });
  const nobody = await server.call('/v1/tasks', { type: fresh('nobody') });
  await server.call(`/v1/targets/${encodeURIComponent(new URL(other.url).host)}/open`, {});
  const broken = await server.call('/v1/tasks', { type: 'http', target });
  const host = encodeURIComponent(new URL(other.url).host);
  const cases = [[paused, 'Its queue is paused.', undefined, `#/queues/${queue}`], [later, 'Its time has not come.', /in (11\d min|2 hr)/], [head, 'It failed, and waits', /in (5\d|60) min/], [behind, 'the same ordering key goes first', /in (5\d|60) min/, `#/tasks?queue=default&key=${key}`],
    [nobody, 'No node and no worker can start tasks of its type.', undefined, '#/workers'], [broken, 'The breaker of its target is open', undefined, `#/targets/${host}`]];
  for (const [task, text, when, to] of cases) {
    await until(async () => (await server.call(`/v1/tasks/${task.id}`)).waiting !== 'no slot', 'an answer');
    await open(page, server, `/tasks/${task.id}`);
    const why = page.getByRole('note').filter({ hasText: 'Why is it not running?' });
    await expect(why).toContainText(text);
    if (when) await expect(why.locator('time').first()).toHaveText(when);
    else await expect(why).toContainText(/Looked at again|Nobody can know/);
    if (!to) continue;
    await why.locator(`a[href="${to}"]`).click();
    await expect(page.locator('main h1')).toBeVisible();
    await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
    await expect(page.getByText('That did not work')).toHaveCount(0);
  }
  await other.close();
});

test('what a dead letter blocks leads to it, and goes on when it is sent back or the key is released', async ({ page, server, receiver }) => {
  const key = fresh('order/7'), type = fresh('blocks');
  receiver.answer = ({ path }) => ({ status: path === '/first' ? 400 : 200, text: 'no such order' });
  const add = (/** @type {string} */ path) => server.call('/v1/tasks', { type, key, target: { url: receiver.url + path }, retry: { ...never, max_attempts: 1 } });
  const first = await add('/first');
  await until(async () => (await server.call(`/v1/tasks/${first.id}`)).state === 'dead', 'its death');
  const behind = await add('/behind');
  await until(async () => (await server.call(`/v1/tasks/${behind.id}`)).waiting === 'key blocked', 'the block');
  await open(page, server, `/tasks/${behind.id}`);
  const why = page.getByRole('note').filter({ hasText: 'Why is it not running?' });
  await expect(why).toContainText('A dead letter with the same ordering key blocks it.');
  await why.getByRole('button', { name: 'Redrive…' }).click();
  await expect(dialog(page)).toContainText('1 dead letter matches.');
  await dialog(page).getByText('The same by command line').click();
  await expect(dialog(page)).toContainText(`outlast dead redrive --queue default --key ${key}`);
  await page.keyboard.press('Escape');
  await why.getByRole('link', { name: 'Dead letters with the ordering key' }).click();
  const rows = page.getByRole('table', { name: 'All letters' }).locator('tbody tr');
  await expect(rows).toHaveCount(1);
  await expect(rows.getByRole('link').first()).toHaveAttribute('href', `#/tasks/${first.id}`);
  await page.goBack();
  await why.getByRole('button', { name: 'Release the key…' }).click();
  await dialog(page).getByText('The same by command line').click();
  await expect(dialog(page)).toContainText(`outlast queue release-key default ${key}`);
  await accessible(page, { part: 'dialog' });
  await dialog(page).getByRole('button', { name: 'Release the key', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('succeeded');
  expect((await server.call(`/v1/tasks/${first.id}`)).state).toBe('dead');
});

test('retry now, reschedule and cancel', async ({ page, server, receiver }) => {
  receiver.answer = () => ({ status: 503, text: 'not yet' });
  const { id } = await server.call('/v1/tasks', { type: fresh('acted'), target: { url: receiver.url }, retry: steady('1h') });
  const now = () => server.call(`/v1/tasks/${id}`);
  await until(async () => (await now()).last_error, 'a failed attempt');
  await open(page, server, `/tasks/${id}`);
  await page.getByRole('button', { name: 'Retry now' }).click();
  await dialog(page).getByText('The same by command line').click();
  await expect(dialog(page)).toContainText(`outlast task retry ${id}`);
  await dialog(page).getByRole('button', { name: 'Retry now' }).click();
  await expect(page.getByRole('status')).toContainText('Will run now');
  await until(async () => (await now()).attempt === 2, 'the second attempt');
  await expect(page.getByRole('table', { name: 'Attempts' }).locator('tbody tr')).toHaveCount(2);
  await page.getByRole('button', { name: 'Reschedule' }).click();
  await dialog(page).getByLabel('Wait from now').fill('soon');
  await dialog(page).getByRole('button', { name: 'Reschedule' }).click();
  await expect(dialog(page).getByRole('alert')).toContainText('delay');
  await dialog(page).getByLabel('Wait from now').fill('5h');
  await dialog(page).getByText('The same by command line').click();
  await expect(dialog(page)).toContainText(`outlast task reschedule ${id} --delay 5h`);
  await dialog(page).getByRole('button', { name: 'Reschedule' }).click();
  await expect(page.getByRole('note').filter({ hasText: 'Why is it not running?' })).toContainText(/in (4|5) hr/);
  await page.getByRole('button', { name: 'Cancel the task' }).click();
  await expect(dialog(page).getByRole('button', { name: 'Keep it' })).toBeVisible();
  await expect(dialog(page).getByRole('button', { name: 'Cancel', exact: true })).toHaveCount(0);
  await dialog(page).getByRole('button', { name: 'Cancel the task' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('canceled');
  await expect(page.getByRole('button', { name: 'Retry now' })).toHaveCount(0);
  await expect(page.getByRole('heading', { name: 'What was done to it' })).toBeVisible();
  expect((await now()).state).toBe('canceled');
});

test('by keyboard alone: to the list, to a task, an action, and out of it', async ({ page, server }) => {
  const type = fresh('keys');
  await server.call('/v1/tasks', { type, delay: '1h' });
  const { id } = await server.call('/v1/tasks', { type, delay: '1h' });
  await open(page, server);
  await page.keyboard.press('g');
  await page.keyboard.press('t');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Tasks');
  await page.keyboard.press('/');
  await page.keyboard.type(type);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('table', { name: 'Tasks' }).locator('tbody tr')).toHaveCount(2);
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { level: 1 }).focus();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(`#/tasks/${id}$`));
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await tabTo(page, 'Cancel the task');
  await page.keyboard.press('Enter');
  await expect(dialog(page)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.locator('dialog')).toHaveCount(0); // it is gone, and not only closed: else the next press is lost
  await expect(page.getByRole('button', { name: 'Cancel the task' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(dialog(page)).toBeVisible();
  await tabTo(page, 'Cancel the task');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toContainText('canceled');
});

/** Goes on by Tab until something is reached. @param {any} page @param {string} name */
async function tabTo(page, name) {
  for (let i = 0; i < 30; i++) {
    await page.keyboard.press('Tab');
    if (await page.evaluate((text) => document.activeElement?.textContent === text, name)) return;
  }
  throw new Error(`not reached by Tab: ${name}`);
}

test('what failed is listed by when it failed, and a time of failure is a filter', async ({ page, server }) => {
  const fails = fresh('fails'), waits = fresh('waits');
  await server.call('/v1/tasks', { type: waits, delay: '1h' });
  const made = await server.call('/v1/tasks', { type: fails, target: { url: 'http://127.0.0.1:1/' }, retry: steady('1h') });
  await until(async () => (await server.call(`/v1/tasks/${made.id}`)).last_failed_at, 'a failure');
  await open(page, server, '/tasks?state=failed');
  const table = page.getByRole('table', { name: 'Tasks' });
  await expect(page.getByText('What failed in the last hour')).toBeVisible();
  await expect(table.getByRole('columnheader', { name: 'Failed' })).toBeVisible();
  await expect(table.getByText(fails)).toBeVisible();
  await expect(table.getByText(waits)).toHaveCount(0);
  await open(page, server, `/tasks?failed_since=2999-01-01T00:00:00Z`);
  await expect(page.getByLabel('Failed after')).toBeVisible();
  await expect(page.getByText('No task matches.')).toBeVisible();
  await accessible(page, { part: 'main' });
});
