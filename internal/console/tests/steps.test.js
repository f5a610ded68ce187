// What is done of a task: shown without loss, and undone when one asks. A worker does some in
// the first test; in the others steps are put into the server's answers, and cancels kept from it.

import { accessible, choose, expect, fits, open, test, until } from './kit.js';

/** A step as the server writes it. @param {string} name @param {Record<string, any>} [more] */
const step = (name, more = {}) => ({ name, occurrence: 1, attempt: 1, started_at: '2026-11-27T10:00:00Z', ended_at: '2026-11-27T10:00:02Z', ...more });
const release = { type: 'order.release', payload: { item: 'desk' } };

/** A pending task that the server shows with steps; exact stands for the text "exact" in them.
 * @param {any} page @param {any} server @param {any[]} steps @param {Record<string, any>} [more] of the task */
async function doneOf(page, server, steps, more = {}, exact = '1') {
  const { id } = await server.call('/v1/tasks', { type: 'order.place', delay: '1h' });
  await page.route(`**/v1/tasks/${id}`, async (/** @type {any} */ route) => {
    const answer = await route.fetch();
    const body = JSON.stringify({ ...await answer.json(), steps: steps.length ? steps : undefined, ...more }).replaceAll('"exact"', exact);
    await route.fulfill({ response: answer, body });
  });
  return id;
}

/** Keeps the bodies of cancels, and answers them. @param {any} page @param {string} id */
async function cancels(page, id) {
  /** @type {any[]} */
  const bodies = [];
  await page.route(`**/v1/tasks/${id}/cancel`, (/** @type {any} */ route) => {
    bodies.push(route.request().postDataJSON());
    return route.fulfill({ json: {} });
  });
  return bodies;
}

test('what a worker has done of a task is shown, and undone with its cancel', async ({ page, server }) => {
  const type = `order.place.${process.pid}`;
  const { id } = await server.call('/v1/tasks', { type });
  const [{ claim }] = (await server.call('/v1/workers/poll', { worker: `w.${process.pid}`, types: [type], wait: '30s', lease: '10m' })).tasks;
  await open(page, server, `/tasks/${id}`);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('running');
  await server.call('/v1/workers/steps', { items: [{ id, claim, name: 'reserve', result: { desks: 1 }, compensation: release }] });
  await expect(page.getByRole('table', { name: 'Steps' }).locator('tbody tr')).toContainText(/reserve.*\{"desks":1\}.*order\.release/s); // by the next look
  await page.getByRole('button', { name: 'Cancel the task' }).click();
  await page.getByRole('dialog').getByRole('checkbox').check();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the task' }).click();
  await expect(page.getByRole('status')).toContainText('Canceled');
  await server.call('/v1/workers/settle', { results: [{ id, claim, outcome: 'canceled' }] });
  await until(async () => (await server.call(`/v1/tasks?key=compensation:${id}`)).tasks.length === 1, 'what undoes the step');
  await expect(page.getByRole('heading', { level: 1 })).toContainText('canceled');
  await page.getByRole('link', { name: 'Tasks that undo them' }).click();
  await expect(page.getByRole('table', { name: 'Tasks' }).locator('tbody tr')).toContainText('order.release');
});

test('steps are told with what they gave, byte for byte, and with what undoes them', async ({ page, server }) => {
  const id = await doneOf(page, server, [
    step('reserve', { compensation: release, undone: true }),
    step('charge', { attempt: 2, result: { cents: 'exact', note: 'x'.repeat(100) }, type: 'main.Charge', compensation: { type: 'order.refund', payload: { cents: 'exact' } } }),
    step('mail <b>ada</b>\u202e', { occurrence: 3, result: 'sent' }),
    step('a while', { type: 'sleep', until: '2026-11-30T10:00:00Z' }),
    step('secret', { unreadable: 'the key k7 is missing' }),
    step('approval', { type: 'await', until: '2026-12-04T10:00:00Z' }),
    step('approval', { occurrence: 0, attempt: undefined, type: 'signal', started_at: undefined, result: { by: 'ada' } }),
    step('call back', { occurrence: 0, type: 'timeout', started_at: undefined }),
  ], {}, '9007199254740993.10');
  await open(page, server, `/tasks/${id}`);
  const rows = page.getByRole('table', { name: 'Steps' }).locator('tbody tr');
  await expect(rows).toHaveCount(8);
  await expect(rows.nth(5)).toContainText('waits for the signal until');
  await expect(rows.nth(6)).toContainText(/approval signal.*\{"by":"ada"\}/s);
  await expect(rows.nth(7)).toContainText('call back no signal came');
  await expect(rows.nth(0)).toContainText(/reserve .*undone.*2(\.0)? s.*order\.release/s);
  await expect(rows.nth(1)).not.toContainText(/undone|time 1/);
  await expect(rows.nth(2)).toContainText('mail <b>ada</b>\\u202e time 3');
  await expect(rows.nth(3)).toContainText('sleeps until');
  await expect(rows.nth(3).locator('td[data-label="Result"]')).toContainText('2026');
  await expect(rows.nth(4)).toContainText('the key k7 is missing');
  await expect(rows.nth(1).locator('pre')).toHaveCount(0);
  await rows.nth(1).locator('summary').first().click();
  await expect(rows.nth(1).getByRole('region', { name: 'Result' })).toContainText('"cents": 9007199254740993.10');
  await rows.nth(1).locator('summary').last().click();
  await expect(rows.nth(1).getByRole('region', { name: 'Payload of the compensation' })).toContainText('9007199254740993.10');
  await expect(page.getByRole('link', { name: 'Tasks that undo them' })).toHaveAttribute('href', `#/tasks?key=${encodeURIComponent(`compensation:${id}`)}`);
  await accessible(page, { part: '.panel:has([aria-label="Steps"])' });
});

test('many steps are told when one asks for all, and a task without any tells none', async ({ page, server }) => {
  const many = await doneOf(page, server, Array.from({ length: 120 }, (_, i) => step('part', { occurrence: i + 1 })));
  await open(page, server, `/tasks/${many}`);
  const rows = page.getByRole('table', { name: 'Steps' }).locator('tbody tr');
  await expect(rows).toHaveCount(100);
  await page.getByRole('button', { name: 'Show all 120 steps' }).click();
  await expect(rows).toHaveCount(120);
  await expect(page.getByRole('link', { name: 'Tasks that undo them' })).toHaveCount(0);
  const none = await doneOf(page, server, []);
  await open(page, server, `/tasks/${none}`);
  await expect(page.getByRole('heading', { name: 'Attempts' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Steps' })).toHaveCount(0);
});

test('a cancel undoes steps only when one asks for it, and asks only where there is something to undo', async ({ page, server }) => {
  const dialog = page.getByRole('dialog'), box = dialog.getByRole('checkbox', { name: 'Undo what its steps have done' });
  const cancel = () => page.getByRole('button', { name: 'Cancel the task' });
  for (const [steps, asks] of /** @type {[any[], boolean][]} */ ([[[], false], [[step('note')], false], [[step('reserve', { compensation: release, undone: true })], false], [[step('note'), step('reserve', { compensation: release })], true]])) {
    const id = await doneOf(page, server, steps);
    const sent = await cancels(page, id);
    await open(page, server, `/tasks/${id}`);
    await cancel().click();
    await expect(box).toHaveCount(asks ? 1 : 0);
    await dialog.getByText('The same by command line').click();
    await expect(dialog).toContainText(`outlast task cancel ${id}`);
    if (asks) {
      await accessible(page, { part: 'dialog' });
      await box.check();
      await expect(dialog).toContainText(`outlast task cancel --compensate ${id}`);
      await expect(dialog).toContainText('{"compensate":true}');
    }
    await dialog.getByRole('button', { name: 'Cancel the task' }).click();
    await expect(dialog).toHaveCount(0);
    expect(sent).toEqual([asks ? { compensate: true } : {}]);
  }
});

test('what a canceled task has done can still be undone, once', async ({ page, server }) => {
  const steps = [step('reserve', { compensation: release })];
  const id = await doneOf(page, server, steps, { state: 'canceled' });
  const sent = await cancels(page, id);
  await open(page, server, `/tasks/${id}`);
  await page.getByRole('button', { name: 'Undo its steps' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Undo its steps' }).click();
  await expect(page.getByRole('status')).toContainText('Its steps are being undone');
  expect(sent).toEqual([{ compensate: true }]);
  const asked = await doneOf(page, server, steps, { state: 'canceled', compensation_task: id, compensation_state: 'pending' });
  await open(page, server, `/tasks/${asked}`);
  await expect(page.getByRole('link', { name: new RegExp(id.slice(0, 20)) })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Undo its steps' })).toHaveCount(0);
});

test('a signal is sent to a task that waits for it, with a payload byte for byte', async ({ page, server }) => {
  const waits = step('approval/1', { type: 'await', until: '2026-12-04T10:00:00Z' });
  const id = await doneOf(page, server, [waits, step('early', { type: 'await', until: '2026-12-04T10:00:00Z' }), step('early', { occurrence: 0, type: 'signal' })]);
  /** @type {string[]} */
  const sent = [];
  await page.route(`**/v1/tasks/${id}/signals/approval%2F1`, (/** @type {any} */ route) => {
    sent.push(route.request().postData());
    return route.fulfill({ json: { id, name: 'approval/1', state: 'pending' } });
  });
  await open(page, server, `/tasks/${id}`);
  await expect(page.getByRole('button', { name: /Send signal/ })).toHaveCount(1);
  await page.getByRole('button', { name: 'Send signal “approval/1”' }).click();
  const dialog = page.getByRole('dialog'), box = dialog.getByRole('textbox', { name: 'Payload, JSON or nothing' }), send = dialog.getByRole('button', { name: 'Send signal “approval/1”' });
  await box.fill('{"cents":');
  await expect(send).toBeDisabled();
  await box.fill('{"cents":9007199254740993.10}');
  await dialog.getByText('The same by command line').click();
  await expect(dialog).toContainText(`outlast task signal ${id} approval/1 '{"cents":9007199254740993.10}'`);
  await accessible(page, { part: 'dialog' });
  await send.click();
  await expect(page.getByRole('status')).toContainText('Sent.');
  expect(sent).toEqual(['{"cents":9007199254740993.10}']);
});

test('steps fit a phone, in Chinese', async ({ fresh: page, server }) => {
  await choose(page, { language: 'zh', theme: 'dark' });
  await page.setViewportSize({ width: 360, height: 740 });
  const id = await doneOf(page, server, [step('n'.repeat(128), { result: 'y'.repeat(500), compensation: release }), step('a while', { until: '2026-11-30T10:00:00Z' })]);
  await open(page, server, `/tasks/${id}`);
  const table = page.getByRole('table', { name: '步骤' });
  await expect(table).toContainText('睡眠至');
  await table.locator('summary').first().click();
  await fits(page);
  await accessible(page, { part: 'main' });
});
