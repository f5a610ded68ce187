// Policies: edited and seen to hold, checked first, told apart when two edit at once, put
// back, tried on a share, deleted; nothing that the form does not show is changed by it.

import { writeFile } from 'node:fs/promises';
import { accessible, choose, expect, fits, open, serve, test, until } from './kit.js';

const dialog = (page) => page.getByRole('dialog');
let last = 0;
/** A name that no other test has. @param {string} name */
const fresh = (name) => `${name}.${process.pid}.${++last}`;
/** @param {any} server @param {string} name @param {any} body */
const put = (server, name, body) => server.call(`/v1/policies/${name}`, body, 'PUT');
const json = (page) => page.getByRole('textbox', { name: 'JSON' });
const confirm = async (page, name) => {
  await page.getByRole('button', { name, exact: true }).first().click();
  await dialog(page).getByRole('button', { name, exact: true }).click();
  await expect(dialog(page)).toHaveCount(0);
};

const calm = { budget: 'none', breaker: 'none', backoff: { kind: 'fixed', initial: '1h', jitter: 'none' } };

test('an edit holds for the next attempt of a task that fails', async ({ page, server, receiver }) => {
  receiver.answer = () => ({ status: 503, text: 'closed' });
  const name = fresh('edited');
  await put(server, name, { ...calm, max_attempts: 9 });
  const { id } = await server.call('/v1/tasks', { type: fresh('mail'), policy: name, target: { url: receiver.url } });
  await until(async () => (await server.call(`/v1/tasks/${id}`)).last_error, 'a failed attempt');

  await open(page, server, `/policies/${name}`);
  await page.getByRole('link', { name: 'Edit' }).click();
  const attempts = page.getByLabel('Attempts, the first included');
  await expect(attempts).toHaveValue('9');
  await attempts.fill('2');
  await attempts.press('Enter');
  await expect(json(page)).toHaveValue(/"max_attempts": 2,/);
  await expect(page.getByText('fixed 1h, no jitter, 1 retry')).toBeVisible();
  await page.getByRole('button', { name: 'Check' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Version 1 becomes version 2.' })).toBeVisible();
  expect((await server.call(`/v1/policies/${name}`)).version).toBe(1);
  await page.getByText('The same by command line').click();
  await expect(page.locator('.command').first()).toContainText(`outlast policy apply - --name ${name} --version 1 <<'EOF'`);
  await expect(page.locator('.command').last()).toContainText(`/v1/policies/${name}?version=1`);
  await accessible(page, { part: 'main' });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Saved: version 2 holds' })).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`#/policies/${name}$`));

  await open(page, server, `/tasks/${id}`);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('waiting to retry');
  await confirm(page, 'Retry now');
  await expect(page.getByRole('heading', { level: 1 })).toContainText('dead');
  const rows = page.getByRole('table', { name: 'Attempts' }).locator('tbody tr');
  await expect(rows).toHaveCount(2);
  await expect(rows.first()).toContainText(`${name} 2`);
  await expect(rows.last()).toContainText(`${name} 1`);
  expect((await server.call(`/v1/tasks/${id}`)).dead_reason).toBe('exhausted');

  const unused = fresh('unused');
  await put(server, unused, { max_attempts: 4 });
  await server.call(`/v1/queues/${name}`, { policy: name }, 'PUT');
  await open(page, server, '/policies');
  const row = (policy) => page.getByRole('table', { name: 'Policies' }).getByRole('row').filter({ has: page.getByRole('link', { name: policy, exact: true }) });
  await expect(row(name)).toContainText(`queue/${name}`);
  await expect(row(unused)).toContainText('no queue, no type');
  await expect(row('default')).toContainText('all that name no policy');
});

test('a wrong value is told at its field, with what helps', async ({ page, server }) => {
  const name = fresh('wrong');
  await put(server, name, { max_attempts: 4 });
  await open(page, server, `/policies/${name}/edit`);
  const field = (label) => page.locator('label.field').filter({ hasText: label });
  await page.getByLabel('First wait').fill('soon');
  await page.getByLabel('First wait').press('Tab');
  await expect(field('First wait')).toContainText('"soon" is not a duration');
  await expect(field('First wait')).toContainText('write it with units, such as 1.5s');
  await expect(page.getByLabel('First wait')).toHaveAttribute('aria-invalid', 'true');
  await page.getByLabel('Attempts, the first included').fill('0');
  await page.getByLabel('Attempts, the first included').press('Tab');
  await expect(field('Attempts, the first included')).toContainText('0 is outside 1 to 1000000');
  await expect(field('First wait')).toContainText('is not a duration');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('alert')).toContainText('max_attempts');
  await expect(field('Attempts, the first included')).toContainText('the first attempt counts');
  await page.getByLabel('First wait').fill('2s');
  await page.getByLabel('First wait').press('Tab');
  await page.getByLabel('Attempts, the first included').fill('3');
  await page.getByLabel('Attempts, the first included').press('Tab');
  await expect(page.getByRole('alert')).toHaveCount(0);
  await expect(field('First wait')).not.toContainText('is not a duration');
  await json(page).fill('{"max_atempts": 3}');
  await expect(page.getByRole('alert')).toContainText('max_atempts');
  await json(page).fill('{"max_attempts": ');
  await expect(page.getByRole('alert')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Save', exact: true })).toBeDisabled();
  await json(page).fill('null');
  await expect(page.getByRole('alert')).toContainText('A policy is a JSON object');
  expect((await server.call(`/v1/policies/${name}`)).version).toBe(1);
});

const big = '{"fallback": {"type": "order.manual", "payload": {"n": 9007199254740993, "f": 1.10}}, "max_attempts": 4}';

test('numbers that JavaScript cannot hold survive the form, the text and a version put back', async ({ page, server }) => {
  const name = fresh('big');
  const raw = async () => (await fetch(`${server.url}/v1/policies/${name}`)).text();
  await put(server, name, big);
  await open(page, server, `/policies/${name}`);
  await expect(page.locator('main')).toContainText('9007199254740993');
  await page.getByRole('link', { name: 'Edit' }).click();
  await page.getByLabel('Attempts, the first included').fill('6');
  await page.getByLabel('Attempts, the first included').press('Tab');
  await page.getByLabel('Limit of an attempt').fill('5s');
  await page.getByLabel('Limit of an attempt').press('Tab');
  await page.getByLabel('Jitter').selectOption('equal');
  await expect(json(page)).toHaveValue(/"f": 1.10,\s*"n": 9007199254740993[^]*"timeout": "5s"[^]*"jitter": "equal"/);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`#/policies/${name}$`));
  expect(await raw()).toMatch(/"n":9007199254740993.*"max_attempts":6|"max_attempts":6.*"n":9007199254740993/);

  await page.getByRole('link', { name: 'Edit' }).click();
  await json(page).fill((await json(page).inputValue()).replace('9007199254740993', '9007199254740995'));
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Version 3');
  expect(await raw()).toContain('9007199254740995');
  const versions = page.getByRole('table', { name: 'Versions' }).locator(':scope > tbody > tr');
  await expect(versions).toHaveCount(3);
  await versions.first().getByText('What changed').click();
  await expect(versions.first().getByRole('row', { name: /fallback.payload.n/ })).toContainText('9007199254740993');
  await expect(versions.first().getByRole('row', { name: /fallback.payload.n/ })).toContainText('9007199254740995');

  await versions.last().getByRole('button', { name: 'Restore' }).click();
  await expect(dialog(page)).toContainText(`Version 1 of ${name} becomes the newest version`);
  await dialog(page).getByText('The same by command line').click();
  await expect(dialog(page)).toContainText('9007199254740993');
  await dialog(page).getByRole('button', { name: 'Restore' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Version 4');
  expect(await raw()).toContain('9007199254740993');
  await page.setViewportSize({ width: 360, height: 740 });
  await fits(page);
});

test('an edit that was not saved is there again on return, until it is discarded or saved', async ({ page, server }) => {
  const name = fresh('kept');
  await put(server, name, { max_attempts: 4 });
  await open(page, server, `/policies/${name}`);
  await page.getByRole('link', { name: 'Edit' }).click();
  const attempts = page.getByLabel('Attempts, the first included');
  const told = page.getByRole('note').filter({ hasText: 'Your unsaved edit' });
  await expect(attempts).toHaveValue('4');
  await expect(told).toHaveCount(0);
  await attempts.fill('6'); // not left before the page is
  await page.goBack();
  await expect(page.getByText('holds now')).toBeVisible();
  await page.goForward();
  await expect(told).toBeVisible();
  await expect(attempts).toHaveValue('6');
  await accessible(page, { part: 'main' });
  await page.getByRole('link', { name: 'What would it have done last day?' }).click();
  await page.getByRole('link', { name: 'Queues' }).first().click();
  await page.goBack();
  await page.goBack();
  await expect(attempts).toHaveValue('6');
  await told.getByRole('button', { name: 'Discard it' }).click();
  await expect(attempts).toHaveValue('4');
  await expect(told).toHaveCount(0);
  await attempts.fill('9');
  await attempts.press('Tab');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('link', { name: 'Edit' }).click();
  await expect(attempts).toHaveValue('9');
  await expect(told).toHaveCount(0);
});

test('the plot is in view while the fields are written', async ({ page, server }) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await open(page, server, '/policies/payment/edit');
  await expect(page.getByRole('img', { name: 'Schedule' })).toBeInViewport({ ratio: 0.9 });
  await expect(page.getByRole('button', { name: 'Save', exact: true })).toBeInViewport();
  await page.setViewportSize({ width: 360, height: 740 });
  const top = async (part) => (await part.boundingBox()).y;
  expect(await top(page.getByRole('img', { name: 'Schedule' }))).toBeLessThan(await top(json(page)));
  await fits(page);
});

test('what somebody else saved meanwhile is shown, and nothing is lost', async ({ page, server }) => {
  const name = fresh('raced');
  await put(server, name, { max_attempts: 4 });
  await open(page, server, `/policies/${name}/edit`);
  await page.getByLabel('Attempts, the first included').fill('7');
  await page.getByLabel('Attempts, the first included').press('Tab');
  await put(server, name, { max_attempts: 5, timeout: '9s' });
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const told = page.getByRole('note').filter({ hasText: 'Meanwhile version 2 was saved' });
  await expect(told).toContainText('by api');
  await expect(told.getByRole('row', { name: /max_attempts/ })).toHaveText(/max_attempts\s*5\s*7/);
  await expect(told.getByRole('row', { name: /timeout/ })).toContainText('9s');
  await page.evaluate(() => scrollTo(0, 0)); // the bar above covers nothing
  await accessible(page, { part: 'main' });
  expect(await server.call(`/v1/policies/${name}`)).toMatchObject({ version: 2, policy: { max_attempts: 5 } });
  await told.getByRole('button', { name: 'Begin anew with version 2' }).click();
  await expect(page.getByLabel('Attempts, the first included')).toHaveValue('5');
  await expect(page.getByLabel('Limit of an attempt')).toHaveValue('9s');
  await page.getByLabel('Attempts, the first included').fill('8');
  await page.getByLabel('Attempts, the first included').press('Tab');
  await put(server, name, { max_attempts: 6 });
  await page.getByRole('button', { name: 'Check' }).click();
  await page.getByRole('button', { name: 'Keep mine, to be saved after version 3' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Version 4');
  expect((await server.call(`/v1/policies/${name}`)).policy).toEqual({ max_attempts: 8, timeout: '9s' });
  await open(page, server, `/policies/${name}/edit`);
  await server.call(`/v1/policies/${name}`, undefined, 'DELETE');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('note').filter({ hasText: 'The policy was deleted.' }).getByRole('button').click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`#/policies/${name}$`));
  expect((await server.call(`/v1/policies/${name}`)).policy).toEqual({ max_attempts: 8, timeout: '9s' });
});

test('a new policy does not take the place of one that has its name', async ({ page, server }) => {
  const name = fresh('taken');
  await put(server, name, { max_attempts: 4 });
  await open(page, server, '/policies');
  await page.getByRole('link', { name: 'New policy' }).click();
  await expect(page.getByRole('button', { name: 'Save', exact: true })).toBeDisabled();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByRole('note').filter({ hasText: 'Meanwhile version 1 was saved' })).toBeVisible();
  await page.getByLabel('Name', { exact: true }).fill(`${name}.new`);
  await page.getByLabel('Waits').selectOption('steps');
  await page.getByLabel('Waits, separated by spaces').fill('1s 5s 1m');
  await page.getByLabel('Waits, separated by spaces').press('Enter');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`#/policies/${name}.new$`));
  expect((await server.call(`/v1/policies/${name}`)).version).toBe(1);
  expect((await server.call(`/v1/policies/${name}.new`)).policy.backoff).toMatchObject({ kind: 'steps', steps: ['1s', '5s', '1m0s'], jitter: 'full' });
  await page.getByRole('link', { name: 'All policies' }).click();
  await expect(page.getByRole('row').filter({ hasText: `${name}.new` })).toContainText('API');
  await page.getByRole('link', { name: 'New policy' }).click();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'Keep mine, to be saved after version 1' }).click();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page).toHaveURL(new RegExp(`#/policies/${name}$`));
  expect((await server.call(`/v1/policies/${name}`)).version).toBe(2);
});

test('a version is tried on a share, ended, tried again and promoted', async ({ page, server }) => {
  const name = fresh('tried');
  await put(server, name, { max_attempts: 4 });
  const share = async (text) => {
    await open(page, server, `/policies/${name}/edit`);
    await page.getByLabel('Attempts, the first included').fill('7');
    await page.getByLabel('Attempts, the first included').press('Tab');
    await page.getByLabel(/^Try on a share/).fill(text);
    await page.getByLabel(/^Try on a share/).press('Tab');
    await page.getByRole('button', { name: 'Check' }).click();
    await expect(page.getByRole('status').filter({ hasText: `It is tried on ${text} of the tasks` })).toBeVisible();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(page.getByRole('status').filter({ hasText: new RegExp(`Saved: version \\d+ is tried on ${text} of the tasks`) })).toBeVisible();
    await expect(page).toHaveURL(new RegExp(`#/policies/${name}$`));
  };
  await share('10%');
  const versions = page.getByRole('table', { name: 'Versions' }).locator(':scope > tbody > tr');
  await expect(versions.first()).toContainText('tried on 10%');
  await expect(versions.last()).toContainText('holds for the rest');
  const trial = page.getByRole('note').filter({ hasText: 'On trial' });
  await expect(trial).toContainText('Version 2 holds for 10% of the tasks; version 1 for the others.');
  await expect(trial.getByRole('link', { name: 'How both did' })).toHaveAttribute('href', '#/simulator?tab=history&by=policy_version');
  await trial.getByRole('button', { name: 'End the trial' }).click();
  await dialog(page).getByText('The same by command line').click();
  await expect(dialog(page)).toContainText(`outlast policy abort ${name}`);
  await dialog(page).getByRole('button', { name: 'End the trial' }).click();
  await expect(trial).toHaveCount(0);
  expect((await server.call(`/v1/policies/${name}`)).policy).toEqual({ max_attempts: 4 });
  await share('25%');
  await trial.getByRole('button', { name: 'Promote' }).click();
  await dialog(page).getByRole('button', { name: 'Promote' }).click();
  await expect(trial).toHaveCount(0);
  expect((await server.call(`/v1/policies/${name}`)).policy).toEqual({ max_attempts: 7 });
});

test('a policy is deleted, but not while a queue names it', async ({ page, server }) => {
  const name = fresh('gone'), queue = fresh('named');
  await put(server, name, { max_attempts: 4 });
  await server.call(`/v1/queues/${queue}`, { policy: name }, 'PUT');
  await open(page, server, `/policies/${name}`);
  await page.getByRole('button', { name: 'Delete' }).click();
  await dialog(page).getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(dialog(page).getByRole('alert')).toContainText(queue);
  await page.keyboard.press('Escape');
  await server.call(`/v1/queues/${queue}`, { policy: 'payment' }, 'PUT');
  await confirm(page, 'Delete');
  await expect(page).toHaveURL(/#\/policies$/);
  await expect(page.getByRole('link', { name, exact: true })).toHaveCount(0);
});

test('a policy of the configuration file is shown and not edited', async ({ fresh: page }, info) => {
  await choose(page);
  const file = info.outputPath('outlast.yaml');
  await writeFile(file, 'policies:\n  house:\n    max_attempts: 4\n');
  const server = await serve({ args: ['--config', file] });
  await open(page, server, '/policies/house');
  await expect(page.getByRole('heading', { level: 1 })).toContainText('configuration file');
  await expect(page.getByText('This policy stands in the configuration file.')).toBeVisible();
  for (const name of ['Edit', 'Delete', 'Restore']) await expect(page.getByRole('button', { name }).or(page.getByRole('link', { name }))).toHaveCount(0);
  await open(page, server, '/policies/house/edit');
  await expect(page.getByText('This policy stands in the configuration file.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Save' })).toHaveCount(0);
  await server.stop();
});
