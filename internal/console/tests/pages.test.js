// Every page, on a bright desktop and on a dark phone: it shows itself, fits the window, and axe
// has no serious finding; some in Chinese too, whose letters are wider. That both languages
// have every text, language.test.js says. With PICTURES=1 pictures are in results/pages.
// What a page or its tabs lead to is in the list too, or the test of that page fails.

import { pages } from '../web/pages.js';
import { accessible, choose, expect, fits, open, receive, serve, test as base, until } from './kit.js';

/** The places of each test; {name} is one of what was made. */
const walks = {
  'what is done': ['/', '/tasks', '/tasks/{task}', '/tasks/{dead}', '/dead', '/dead/letters', '/dead/groups/{fingerprint}', '/operations', '/operations/{operation}', '/task-groups', '/task-groups/{group}'],
  'where it is done': ['/queues', '/queues?tab=keys', '/queues/{queue}', '/targets', '/targets/{target}', '/workers', '/workers/{node}', '/schedules', '/schedules/{schedule}'],
  'how it is done': ['/policies', '/policies?new=1', '/policies/{policy}', '/policies/{policy}/edit', '/simulator', '/simulator?tab=compare', '/simulator?tab=whatif', '/simulator?tab=history'],
  'who looks after it': ['/alerts', '/alerts?tab=rules', '/alerts?tab=channels', '/alerts?tab=silences', '/audit', '/settings'],
};

/** Parts of addresses that are words of the console and not names of something. */
const words = new Set([...pages.map((page) => page.place), 'letters', 'groups', 'edit']);

/** What kind of place an address leads to: names are taken away, but for the tab. @param {string} place */
function kindOf(place) {
  const [path, query = ''] = place.split('?');
  const tab = new URLSearchParams(query).get('tab') ?? '';
  return '/' + path.split('/').filter(Boolean).map((part, i) => (i === 0 || words.has(part) ? part : '*')).join('/') + (tab && `?tab=${tab}`);
}

// What a tab without a name of its own shows is the page.
const first = { '/simulator?tab=storms': '/simulator' };
const walked = new Set(Object.values(walks).flat().map(kindOf));

const test = base.extend({
  /** A server that has something of everything, so that no page is empty; one for each worker. */
  filled: [async ({}, use) => {
    const server = await serve(), receiver = await receive();
    const made = await fill(server, receiver);
    await use({ server, made });
    await receiver.close();
    await server.stop();
  }, { scope: 'worker' }],
});

const shut = { budget: 'none', breaker: 'none', max_attempts: 1 };

async function fill(server, receiver) {
  receiver.answer = ({ path }) => ({ status: { '/good': 200, '/bad': 400 }[path] ?? 503, text: path === '/bad' ? 'no such customer' : '' });
  const post = (draft) => server.call('/v1/tasks', draft), put = (path, body) => server.call(path, body, 'PUT');
  server.token = (await server.call('/v1/tokens', { name: 'walker', role: 'admin' })).token;
  await server.call('/v1/tokens', { name: 'guest', role: 'viewer', queues: ['default'] });
  await put('/v1/schedules/nightly', { cron: '0 3 * * *', zone: 'Asia/Shanghai', task: { type: 'report.build', payload: { a: 1 } } });
  for (const n of [3, 4]) await put('/v1/policies/shop', { max_attempts: n, backoff: { kind: 'exponential', initial: '1s', multiplier: 2, max: '1m', jitter: 'full' } });
  await put('/v1/policies/shop', { max_attempts: 5, canary: '10%' });
  await put('/v1/queues/other', { weight: 2, policy: 'shop' });
  await server.call('/v1/queues/other/pause', {});
  await put('/v1/alerts/channels/pager', { kind: 'webhook', url: `${receiver.url}/good` });
  await put('/v1/alerts/rules/deaths', { on: 'dead', channels: ['pager'], cooldown: '0s', severity: 'critical' });
  await server.call('/v1/alerts/silences', { rule: 'dead_*', for: '2h', reason: 'maintenance' });
  for (let i = 0; i < 3; i++) await post({ type: 'order.ship', target: { url: `${receiver.url}/good` } });
  for (let i = 0; i < 3; i++) await post({ type: 'invoice.print', target: { url: `${receiver.url}/bad` }, payload: { customer: i }, retry: shut });
  const waits = await post({ type: 'mail.send', target: { url: `${receiver.url}/down` }, key: 'customer-7', metadata: { customer: 'acme' }, retry: { max_attempts: 9, backoff: { kind: 'exponential', initial: '1m', multiplier: 4, max: '10m' } } });
  await until(async () => (await server.call('/v1/dead/stats')).total === 3, 'three dead letters');
  await until(async () => (await server.call(`/v1/tasks/${waits.id}`)).last_error, 'a failed attempt');
  const { operation } = await server.call('/v1/dead/redrive', { filter: { type: 'invoice.print' }, rate: 50 });
  await until(async () => (await server.call(`/v1/operations/${operation}`)).state === 'done' && (await server.call('/v1/dead/stats')).total === 3, 'the letters again');
  await put('/v1/queues/lamps', {});
  const stuck = (path) => post({ type: 'lamp.switch', queue: 'lamps', key: 'lamp-7', target: { url: receiver.url + path }, retry: shut });
  const blocks = await stuck('/bad');
  await until(async () => (await server.call(`/v1/tasks/${blocks.id}`)).state === 'dead', 'a dead letter that blocks its key');
  await stuck('/good');
  await server.call(`/v1/targets/${encodeURIComponent(new URL(receiver.url).host)}/open`, {});
  await server.call('/v1/workers/poll', { worker: 'print-1', queues: ['default'], types: ['print'], wait: '1ms' });
  await until(async () => (await server.call('/v1/alerts/events')).events.length >= 3, 'alerts');
  const group = (await server.call('/v1/task-groups', { label: 'invoices of March', callback: { type: 'report.build' } })).id;
  const letter = (await server.call('/v1/dead?type=invoice.print')).tasks[0];
  const { nodes } = await server.call('/v1/nodes');
  return { task: waits.id, dead: letter.id, fingerprint: letter.last_error.fingerprint, queue: 'other', target: new URL(receiver.url).host, node: nodes[0].id, policy: 'shop', schedule: 'nightly', operation, group };
}

/** The address of a place. @param {string} place @param {Record<string, string>} made */
const addressOf = (place, made) => place.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(made[name]));

test('every page of the menu is among the places', () => {
  for (const page of pages) expect([...walked], 'a page that the walk leaves out').toContain(`/${page.place}`);
});

const phone = { width: 360, height: 740 };

/** What a narrow window and other colours can spoil: the rest is the same markup. */
const rules = ['color-contrast', 'link-in-text-block', 'target-size', 'scrollable-region-focusable'];

/** Keeps a picture of a place for people, if they want them. */
async function picture(page, name, place) {
  if (process.env.PICTURES) await page.screenshot({ path: `results/pages/${name}${place.replaceAll(/[^a-z]+/g, '-')}.png`, fullPage: true });
}

for (const [name, places] of Object.entries(walks)) {
  test(`pages of ${name}`, async ({ fresh: page, filled: { server, made } }) => {
    await choose(page, { theme: 'system', token: server.token });
    for (const place of places) {
      await test.step(place, async () => {
        await open(page, server, addressOf(place, made));
        await fits(page);
        await accessible(page);
        await picture(page, 'light-desktop', place);
        await expect(page.getByRole('alert').filter({ hasText: /did not work|does not answer/ })).toHaveCount(0);
        const links = await page.locator('main a[href^="#/"]').evaluateAll((all) => all.map((a) => a.getAttribute('href').slice(1)));
        for (const kind of new Set(links.map(kindOf))) expect([...walked], 'a place that the page leads to and the walk leaves out').toContain(first[kind] ?? kind);
        await page.setViewportSize(phone);
        await page.emulateMedia({ colorScheme: 'dark' });
        await fits(page);
        await accessible(page, { rules, part: 'main' });
        await picture(page, 'dark-phone', place);
        await page.emulateMedia({ colorScheme: 'light' });
        await page.setViewportSize({ width: 1280, height: 800 });
      });
    }
  });
}

/** A page of words, one of many tables, a form. */
test('pages in Chinese', async ({ fresh: page, filled: { server, made } }) => {
  await choose(page, { language: 'zh', token: server.token });
  for (const place of ['/', '/tasks/{dead}', '/policies/{policy}/edit']) {
    await test.step(place, async () => {
      await open(page, server, addressOf(place, made));
      await fits(page);
      await picture(page, 'chinese-desktop', place);
      await page.setViewportSize(phone);
      await fits(page);
      await picture(page, 'chinese-phone', place);
      await page.setViewportSize({ width: 1280, height: 800 });
      await expect(page.locator('html')).toHaveAttribute('lang', 'zh-CN');
      await expect(page.getByRole('alert').filter({ hasText: /操作未成功|没有响应/ })).toHaveCount(0);
    });
  }
});
