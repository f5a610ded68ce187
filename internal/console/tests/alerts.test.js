// Alerts: a dead letter is told to a channel and acknowledged; rules, channels and silences
// are made, changed and taken away.

import { accessible, choose, expect, fits, open, test, until } from './kit.js';

const dialog = (page) => page.getByRole('dialog');
const rowOf = (page, name) => page.getByRole('row').filter({ has: page.getByText(name, { exact: true }) });
const confirm = async (page, name) => {
  await dialog(page).getByRole('button', { name, exact: true }).click();
  await expect(dialog(page)).toHaveCount(0);
};

const hostile = 'no <img src=x onerror=alert(1)> \u202ecustomer\u001b[31m';

/** A channel to the receiver, a rule that tells it of a type, and a task that died of it. */
async function tell(server, receiver, name) {
  receiver.answer = ({ path }) => (path === '/bad' ? { status: 400, text: hostile } : { status: 200 });
  await server.call(`/v1/alerts/channels/${name}`, { kind: 'webhook', url: `${receiver.url}/hook` }, 'PUT');
  await server.call(`/v1/alerts/rules/${name}`, { on: 'dead', when: `type == "${name}"`, channels: [name], cooldown: '0s', severity: 'critical' }, 'PUT');
  return die(server, receiver, name);
}

/** A task that dies, and what is told of it. */
async function die(server, receiver, name) {
  const before = (await eventsOf(server, name)).length;
  await server.call('/v1/tasks', { type: name, target: { url: `${receiver.url}/bad` } });
  return until(async () => { const all = await eventsOf(server, name); return all.length > before && all[0].state !== 'pending' && all[0]; }, `a message of ${name}`);
}

const eventsOf = async (server, rule) => (await server.call('/v1/alerts/events?limit=500')).events.filter((e) => e.rule === rule);

test('a channel is made, tried, changed and deleted', async ({ page, server, receiver }) => {
  await open(page, server, '/alerts?tab=channels');
  await page.getByRole('button', { name: 'New channel' }).click();
  await dialog(page).getByLabel('Name', { exact: true }).fill('pager');
  await dialog(page).getByLabel('URL', { exact: true }).fill(`${receiver.url}/hook`);
  await expect(dialog(page).locator('.command').first()).toContainText(`outlast alert put-channel pager '{"kind":"webhook","url":"${receiver.url}/hook"}'`);
  await confirm(page, 'Save');
  const row = rowOf(page, 'pager');
  await expect(row).toContainText('works');

  await row.getByRole('button', { name: 'Send a test' }).click();
  await confirm(page, 'Send a test');
  await expect(page.getByRole('status')).toContainText('The channel took the message');
  expect(receiver.calls.map((c) => JSON.parse(c.body).data?.kind ?? JSON.parse(c.body).kind)).toContain('test');

  receiver.answer = () => ({ status: 403 });
  await row.getByRole('button', { name: 'Send a test' }).click();
  await dialog(page).getByRole('button', { name: 'Send a test', exact: true }).click();
  await expect(dialog(page).getByRole('alert')).toContainText('did not take the message');
  await page.keyboard.press('Escape');

  await row.getByRole('button', { name: 'Edit: pager' }).click();
  await dialog(page).getByLabel('Kind').selectOption('slack');
  await dialog(page).getByLabel('Variable that holds the URL').fill('OUTLAST_SECRET_PAGER');
  await confirm(page, 'Save');
  await expect(row).toContainText('$OUTLAST_SECRET_PAGER');
  await expect(row).toContainText('is not set');
  expect((await server.call('/v1/alerts/channels/pager')).channel).toEqual({ name: 'pager', kind: 'slack', url_env: 'OUTLAST_SECRET_PAGER' });

  await row.getByRole('button', { name: 'Delete' }).click();
  await confirm(page, 'Delete');
  await expect(rowOf(page, 'pager')).toHaveCount(0);
});

test('a rule shows the mistake of its condition where it is, and is switched, reset and deleted', async ({ page, server }) => {
  await open(page, server, '/alerts?tab=rules');
  await page.getByRole('button', { name: 'New rule' }).click();
  await dialog(page).getByLabel('Name', { exact: true }).fill('slow_mail');
  await dialog(page).getByLabel('Condition (CEL); empty: always').fill('type == "mail" && attemt > 1');
  await dialog(page).getByText('What the condition can use').click();
  await expect(dialog(page).getByRole('row', { name: /^max_attempts int/ })).toBeVisible();
  await dialog(page).getByRole('button', { name: 'Save', exact: true }).click();
  await expect(dialog(page).getByText('The mistake is at column 19:')).toBeVisible();
  await expect(dialog(page).locator('mark')).toHaveText('a');
  await expect(dialog(page)).toContainText('did you mean attempt?');
  await dialog(page).getByLabel('Condition (CEL); empty: always').fill('type == "mail" && attempt > 1');
  await dialog(page).getByLabel('log', { exact: true }).check();
  await dialog(page).getByLabel('Severity').selectOption('critical');
  await confirm(page, 'Save');
  const row = rowOf(page, 'slow_mail');
  await expect(row).toContainText('critical');
  expect((await server.call('/v1/alerts/rules/slow_mail')).rule).toEqual({ name: 'slow_mail', on: 'dead', when: 'type == "mail" && attempt > 1', channels: ['log'], severity: 'critical' });

  await row.getByRole('button', { name: 'Turn off' }).click();
  await confirm(page, 'Turn off');
  await row.getByRole('button', { name: 'Turn on' }).click();
  await confirm(page, 'Turn on');
  await expect(row).toContainText('holds');
  await row.getByRole('button', { name: 'Delete' }).click();
  await confirm(page, 'Delete');
  await expect(rowOf(page, 'slow_mail')).toHaveCount(0);

  const builtin = rowOf(page, 'no_owner');
  await builtin.getByRole('button', { name: 'Edit: no_owner' }).click();
  await dialog(page).getByLabel('It must have held for, such as 1m').fill('5m');
  await confirm(page, 'Save');
  await expect(builtin).toContainText('built in, changed');
  expect((await server.call('/v1/alerts/rules/no_owner')).rule).toMatchObject({ on: 'queue', for: '5m0s', severity: 'critical' });
  await builtin.getByRole('button', { name: 'Reset' }).click();
  await confirm(page, 'Reset');
  await expect(builtin.getByRole('button', { name: 'Reset' })).toHaveCount(0);
});

test('what a dead letter raised is seen, found and acknowledged', async ({ page, server, receiver }) => {
  const event = await tell(server, receiver, 'seen.mail');
  expect(event.state).toBe('sent');
  await open(page, server, '/alerts?rule=seen.mail');
  const row = page.getByRole('row').filter({ hasText: 'seen.mail died after 1 attempt' });
  await expect(row).toContainText('critical');
  await expect(row).toContainText('sent');
  await row.getByText('Details').click();
  await expect(row).toContainText('no <img src=x onerror=alert(1)> \\u202ecustomer');
  await expect(page.locator('img[src="x"]')).toHaveCount(0);
  await row.getByRole('button', { name: 'Acknowledge' }).click();
  await expect(dialog(page).locator('.command').first()).toContainText(`outlast alert ack ${event.id}`);
  await confirm(page, 'Acknowledge');
  await expect(row).toContainText('Acknowledged');
  await expect(row.getByRole('button', { name: 'Acknowledge' })).toHaveCount(0);
  expect((await eventsOf(server, 'seen.mail'))[0].acked_by).toBe('api');

  const grouped = await page.getByRole('checkbox', { name: 'One row for each rule and subject' }).elementHandle();
  await page.getByLabel('Delivery').evaluate((/** @type {any} */ select, /** @type {any} */ box) => { // the one right after the other
    box.click();
    select.value = 'sent';
    select.dispatchEvent(new Event('change', { bubbles: true }));
  }, grouped);
  await page.reload();
  await expect(page.getByRole('checkbox', { name: 'One row for each rule and subject' })).toBeChecked();
  await expect(page).toHaveURL(/rule=seen.mail.*group=rule.*state=sent/);
  await expect(rowOf(page, 'seen.mail').first()).toContainText('sent 1');
  await page.getByLabel('Delivery').selectOption('failed');
  await expect(page.getByText('No message matches.')).toBeVisible();
});

test('an alert leads to its cause and to the repair in three clicks', async ({ page, server, receiver }) => {
  const event = await tell(server, receiver, 'led.mail');
  const letter = event.fields.find((f) => f.name === 'task').value;
  await open(page, server, '/alerts?rule=led.mail');
  const row = page.getByRole('row').filter({ hasText: 'led.mail died after 1 attempt' });
  await expect(row.getByRole('link', { name: 'Dead letters led.mail' })).toHaveAttribute('href', '#/dead/letters?type=led.mail');
  await row.getByTitle(letter).click();
  await expect(page).toHaveURL(new RegExp(`#/tasks/${letter}$`));
  receiver.answer = () => ({ status: 200 });
  await page.getByRole('button', { name: 'Redrive', exact: true }).click();
  await dialog(page).getByRole('button', { name: 'Redrive 1', exact: true }).click();
  await until(async () => (await server.call(`/v1/tasks/${letter}`)).state === 'succeeded', 'the letter succeeds');
});

test('a silence of an alert is filled in, in the list and from the link of a message', async ({ page, server, receiver }) => {
  await tell(server, receiver, 'filled.mail');
  await open(page, server, '/alerts?rule=filled.mail');
  await page.getByRole('row').filter({ hasText: 'filled.mail died' }).getByRole('button', { name: 'Silence…' }).click();
  await expect(dialog(page).getByLabel('Subject')).toHaveValue('filled.mail');
  await page.keyboard.press('Escape');
  await open(page, server, '/alerts?tab=silences&rule=filled.mail&subject=filled.mail');
  await expect(dialog(page).getByLabel('Rule')).toHaveValue('filled.mail');
  await dialog(page).getByLabel('Why').fill('known');
  await confirm(page, 'New silence');
  await expect(page.getByRole('row').filter({ hasText: 'known' })).toContainText('filled.mail');
});

test('a silence keeps a message back until it is ended', async ({ page, server, receiver }) => {
  await tell(server, receiver, 'quiet.mail');
  await open(page, server, '/alerts?tab=silences');
  await page.getByRole('button', { name: 'New silence' }).click();
  await dialog(page).getByLabel('Rule').fill('quiet.*');
  await dialog(page).getByLabel('Why').fill('maintenance');
  await dialog(page).getByRole('button', { name: 'What would it have kept back?' }).click();
  await expect(dialog(page)).toContainText('1 message of the last day would have been kept back. Rules that match: quiet.mail');
  await expect(dialog(page).getByRole('row', { name: /^quiet\.mail quiet\.mail 1$/ })).toBeVisible();
  await expect(dialog(page).locator('.command').first()).toContainText("outlast alert silence add --rule 'quiet.*' --for 2h --reason maintenance");
  await confirm(page, 'New silence');
  await expect(page.getByRole('row').filter({ hasText: 'quiet.*' })).toContainText('maintenance');
  expect((await die(server, receiver, 'quiet.mail')).state).toBe('silenced');
  await open(page, server, '/alerts?rule=quiet.mail');
  await page.getByRole('link', { name: /silenced by/ }).click();
  const silence = page.getByRole('row').filter({ hasText: 'quiet.*' });
  await silence.getByRole('button', { name: 'End now' }).click();
  await confirm(page, 'End now');
  await expect(silence).toContainText('ended');
  expect((await die(server, receiver, 'quiet.mail')).state).toBe('sent');
});

test('a form of alerts is reached by keyboard, fits a phone and is accessible in the dark', async ({ fresh: page, server }) => {
  await choose(page, { theme: 'dark' });
  await page.setViewportSize({ width: 360, height: 740 });
  await open(page, server, '/alerts?tab=rules');
  await page.getByRole('button', { name: 'New rule' }).focus();
  await page.keyboard.press('Enter');
  await expect(dialog(page)).toBeVisible();
  await fits(page);
  await accessible(page, { part: 'dialog' });
  await page.keyboard.press('Escape');
  await expect(page.getByRole('button', { name: 'New rule' })).toBeFocused();
});
