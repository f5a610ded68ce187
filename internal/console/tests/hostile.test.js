// Data that means harm: every page that shows it shows it as text, keeps the window's width,
// opens nothing, and gives it back whole.

import { readFile } from 'node:fs/promises';
import { accessible, choose, expect, fits, open, receive, serve, test as base, until } from './kit.js';

const markup = `"><img src=x onerror=alert(1)><script>alert(2)</script>'&lt;`;
const bidi = 'invoice\u202egnp.exe\u2066\u200b\u00ad';
const ansi = '\u001b[31mred\u001b]0;title\u0007\u009b';
const wide = 'W'.repeat(120);
const evil = `${markup} ${bidi}`; // for keys and metadata
const name = encodeURIComponent(evil);
const plain = 'Q.'.repeat(64); // the longest name; others than A-Z a-z 0-9 . _ : - are refused
const pieces = '"big": 9007199254740993, "huge": 123456789012345678901234567890, "tiny": 1e-400, "zero": -0.0, "again": 1, "again": 2, "__proto__": {"x": 1}';

const test = base.extend({
  hostile: async ({}, use) => {
    const server = await serve(), receiver = await receive();
    const made = await fill(server, receiver);
    await use({ server, receiver, ...made });
    await receiver.close();
    await server.stop();
  },
});

/** Puts hostile text wherever the server takes text. */
async function fill(server, receiver) {
  receiver.answer = ({ path }) => ({ status: path === '/good' ? 200 : 400, headers: { 'Content-Type': path === '/good' ? 'application/json' : 'text/plain' },
    text: path === '/good' ? `{${pieces}, "text": ${JSON.stringify(markup)}}` : `${markup}${bidi}${ansi}${'long '.repeat(2000)}` });
  const payload = `{${pieces}, "text": ${JSON.stringify(markup + bidi + ansi)},\n "blob": "${'<b>x</b>'.repeat(Math.floor((1 << 20) / 8) - 100)}"}`;
  const draft = (path, type) => `{"type": "${type}", "queue": "${plain}", "key": ${JSON.stringify(evil + type)}, "dedupe_key": ${JSON.stringify(type + wide)}, "metadata": ${JSON.stringify({ [evil]: markup + bidi, [wide]: wide + wide })},
    "target": {"url": "${receiver.url}${path}", "headers": {"X-Note": "<script>"}}, "retry": {"max_attempts": 1, "budget": "none", "breaker": "none"}, "payload": ${payload}}`;
  for (const path of ['/v1/queues/', '/v1/schedules/', '/v1/policies/']) await expect(server.call(path + encodeURIComponent(markup), {}, 'PUT')).rejects.toThrow('400');
  await expect(server.call('/v1/tasks', { type: evil })).rejects.toThrow('400');
  await server.call(`/v1/queues/${plain}`, {}, 'PUT');
  await server.call(`/v1/policies/${plain}`, `{"max_attempts": 3, "rules": [{"when": ${JSON.stringify(`message.contains(${JSON.stringify(markup)})`)}, "then": "dead"}], "fallback": {"type": "${wide}", "payload": {${pieces.replace(', "again": 2', '')}, "text": ${JSON.stringify(markup + bidi)}}}}`, 'PUT');
  await server.call('/v1/alerts/channels/hook', { kind: 'webhook', url: `${receiver.url}/good?${name}` }, 'PUT');
  await server.call('/v1/alerts/rules/hook', { on: 'dead', when: `message.contains(${JSON.stringify(markup)}) || message != ""`, channels: ['hook'], cooldown: '0s' }, 'PUT');
  await server.call('/v1/alerts/silences', { rule: 'nobody', for: '2h', reason: evil });
  const bad = await server.call('/v1/tasks', draft('/bad', plain));
  const good = await server.call('/v1/tasks', draft('/good', wide));
  await server.call('/v1/tasks', { type: wide, queue: plain, delay: '1h', payload: { text: bidi } });
  await server.call(`/v1/schedules/${plain}`, { cron: '0 3 * * *', zone: 'UTC', task: { type: wide, key: evil, metadata: { [evil]: bidi }, payload: { text: markup, n: 1 } } }, 'PUT');
  await until(async () => (await server.call(`/v1/tasks/${bad.id}`)).state === 'dead', 'the end of the bad');
  await until(async () => (await server.call('/v1/alerts/events')).events.length > 0, 'an alert of it');
  await server.call('/v1/targets/' + encodeURIComponent(new URL(receiver.url).host) + '/open', {});
  await server.call('/v1/targets/' + encodeURIComponent(new URL(receiver.url).host) + '/close', {});
  await until(async () => (await server.call(`/v1/tasks/${good.id}`)).state === 'succeeded', 'the end of the good');
  const said = `${markup}${bidi}${ansi}${'long '.repeat(2000)}`;
  const long = await server.call('/v1/tasks', { type: 'worker', queue: plain, retry: { max_attempts: 9 } });
  const { tasks: [{ id, claim }] } = await server.call('/v1/workers/poll', { worker: plain, queues: [plain], types: ['worker'], wait: '10s' });
  await server.call('/v1/workers/settle', { results: [{ id, claim, outcome: 'failed', retry_after: '1h', error: { message: said, code: wide } }] });
  return { payload, said, long: long.id, bad: await server.call(`/v1/tasks/${bad.id}`), good: good.id };
}

test('every page shows it as text, wide and narrow, and what is shown in part is there in whole', async ({ fresh: page, hostile }) => {
  const { server, receiver, bad, good, long, said, payload } = hostile;
  const widths = [1280, 360];
  await choose(page);
  page.on('dialog', (shown) => { throw new Error(`a script ran: ${shown.message()}`); });
  await page.addInitScript(() => { globalThis.alert = () => { document.title = 'a script ran'; }; });
  const places = ['/', '/tasks', `/tasks?key=${name}`, `/tasks?q=${name}`, `/tasks/${bad.id}`, `/tasks/${good}`, `/tasks/${long}`, '/dead', '/dead/letters', `/dead/letters?key=${name}`, `/dead/groups/${bad.last_error.fingerprint}`,
    '/queues', `/queues/${plain}`, '/targets', `/targets/${encodeURIComponent(new URL(receiver.url).host)}`, '/schedules', `/schedules/${plain}`, '/operations', '/audit', '/workers', '/workers/' + name, '/policies', `/policies/${plain}`, `/policies/${plain}/edit`, '/policies/' + name, '/queues/' + name, '/targets/' + name, '/schedules/' + name,
    '/simulator', `/simulator?tab=history&scenario=${name}`, '/alerts', `/alerts?rule=${name}`, '/alerts?tab=rules', '/alerts?tab=channels', '/alerts?tab=silences', '/settings', `/${name}`, `/tasks/${name}`, `/operations/${name}`, `/dead/groups/${name}`];
  for (const place of places) {
    await test.step(place.slice(0, 40), async () => {
      await open(page, server, place);
      for (const width of widths) {
        await page.setViewportSize({ width, height: 740 });
        await fits(page);
      }
      widths.reverse(); // the next begins where this one ends
      expect(await page.locator('main img:not([alt=""]), main script, main iframe, main bdi *, main pre b').count(), 'elements from outside').toBe(0);
      expect(await page.title()).not.toBe('a script ran');
      expect(await page.locator('main').evaluate((main) => main.innerText.match(/[\u0000-\u0008\u000b-\u001f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069]/)), 'characters that hide').toBeNull();
    });
  }
  await page.setViewportSize({ width: 1280, height: 740 });

  expect(receiver.calls.find(({ path }) => path === '/bad').body).toBe(payload);
  await open(page, server, `/tasks/${bad.id}`);
  await accessible(page);
  const shown = page.getByRole('region', { name: 'Payload' });
  for (const text of ['9007199254740993', '123456789012345678901234567890', '1e-400', '-0.0', '"__proto__"', '\\u202e']) await expect(shown).toContainText(text);
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Download' }).first().click()]);
  expect(await readFile(await file.path(), 'utf8')).toBe(payload);
  await page.getByRole('button', { name: /^Show all/ }).click();
  await expect.poll(() => shown.evaluate((pre) => pre.textContent?.length)).toBeGreaterThan(1_048_000);
  await page.getByText('The whole record').click();
  await fits(page);
  await open(page, server, `/tasks/${long}`);
  expect((await server.call(`/v1/tasks/${long}`)).last_error.message).toBe(said);
  const why = page.getByRole('note').filter({ hasText: 'Why is it not running?' });
  await why.getByRole('button', { name: 'Show' }).click();
  await expect.poll(() => why.evaluate((note) => note.textContent?.length)).toBeGreaterThan(10_000);
  await fits(page);
  await open(page, server, `/tasks/${good}`);
  await expect(page.getByRole('region', { name: 'Result' })).toContainText('"huge": 123456789012345678901234567890');
});

test('letters with hostile names go back by the button, and the command is quoted', async ({ fresh: page, hostile }) => {
  const { server, receiver, payload } = hostile;
  await choose(page);
  receiver.answer = () => ({ status: 200 });
  await open(page, server, `/dead/letters?key=${encodeURIComponent(evil + plain)}`);
  await page.getByRole('button', { name: 'Redrive all of these…' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('1 dead letter matches.');
  await dialog.getByText('The same by command line').click();
  await expect(dialog).toContainText(`--key '${markup.replace("'", `'\\''`)} `);
  await dialog.getByRole('button', { name: 'Redrive 1' }).click();
  await expect(page).toHaveURL(/#\/operations\/.+/);
  const sent = () => receiver.calls.filter(({ path }) => path === '/bad'); // alerts come elsewhere
  await until(async () => sent().length === 2, 'the letter again');
  expect(sent()[1].body).toBe(payload);
});
