// What the tests of the console stand on: a server of the real program on a store of its
// own, a receiver that does as it is told, and a page in which the console is loaded.

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { test as base, expect } from '@playwright/test';
import { serve } from './server.js';

export { expect, serve };

/** A receiver: answer decides what it says to a request (default 200). */
export async function receive() {
  const calls = [];
  const receiver = { calls, url: '', answer: (_request) => ({ status: 200 }), close: () => new Promise((done) => { server.closeAllConnections(); server.close(done); }) };
  const server = createServer((req, res) => {
    let body = '';
    req.on('data', (part) => { body += part; });
    req.on('end', () => {
      calls.push({ path: req.url, body, headers: req.headers });
      const { status = 200, text = '', headers = {} } = receiver.answer({ path: req.url, body, headers: req.headers }) ?? {};
      res.writeHead(status, headers).end(text);
    });
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  receiver.url = `http://127.0.0.1:${server.address().port}`;
  return receiver;
}

/** Waits until check gives something. @template T @param {() => Promise<T>} check @param {string} what */
export async function until(check, what, within = 60_000) {
  const end = Date.now() + within;
  for (;;) {
    const value = await check();
    if (value) return value;
    if (Date.now() > end) throw new Error(`not within ${within} ms: ${what}`);
    await new Promise((next) => setTimeout(next, 100));
  }
}

/** A page of its own, and what was wrong with it: what the browser reports as an error or as a
 * breach of the policy of content, and requests to elsewhere. @param {import('@playwright/test').Browser} browser */
async function begin(browser) {
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'Europe/Berlin' });
  const page = await context.newPage();
  /** @type {string[]} */
  const wrong = [];
  page.on('pageerror', (error) => wrong.push(`error: ${error.stack}`));
  page.on('console', (message) => { if (/Content Security Policy|Trusted|Uncaught/.test(message.text())) wrong.push(message.text()); });
  let own = '';
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (request.isNavigationRequest()) own = origin;
    else if (protocol !== 'data:' && protocol !== 'blob:' && origin !== own) wrong.push(`asks elsewhere: ${request.url()}`);
  });
  return { page, wrong, close: () => context.close() };
}

const inOrder = (wrong) => expect(wrong, 'what the browser complained of').toEqual([]);
const size = { width: 1280, height: 720 };

/** Makes what takes a note away after six seconds (part/basics.js) something that a test's end can do at once. */
function hasten() {
  const after = globalThis.setTimeout;
  /** @type {(() => void)[]} */
  const notes = [];
  globalThis.setTimeout = /** @type {any} */ ((/** @type {any} */ act, /** @type {number} */ ms, /** @type {any[]} */ ...more) => {
    if (ms === 6000) notes.push(act);
    return after(act, ms, ...more);
  });
  globalThis.endNotes = () => notes.splice(0).forEach((end) => end());
}

/** Leaves the console of a kept page as a test finds it: loaded, at a place that is none, and
 * without notes. Another page, or a note that stays all the same, makes it begin anew. */
async function leave(page, server) {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.setViewportSize(size);
  if (new URL(page.url()).origin === server.url) {
    await page.evaluate(step, '/nowhere');
    await page.evaluate(() => globalThis.endNotes());
    await expect(page.locator('dialog')).toHaveCount(0);
    if (await page.locator('.toast').count() === 0) return;
  }
  await page.goto('about:blank');
}

/** Tests take a page in turn, since to load the console takes five times what a step within it
 * takes. It speaks English, is light, has no token, and says UTC. What chooses otherwise, needs
 * another server or begins anew takes fresh, a page of its own. Both fail their test when the
 * browser complained. */
export const test = base.extend({
  server: [async ({}, use) => { const server = await serve(); await use(server); await server.stop(); }, { scope: 'worker' }],
  receiver: async ({}, use) => { const receiver = await receive(); await use(receiver); await receiver.close(); },
  kept: [async ({ browser }, use) => {
    const kept = await begin(browser);
    await choose(kept.page);
    await kept.page.addInitScript(hasten);
    await use(kept);
    await kept.close();
  }, { scope: 'worker' }],
  page: async ({ kept: { page, wrong }, server }, use) => {
    wrong.length = 0;
    await use(page);
    inOrder(wrong);
    await leave(page, server);
  },
  fresh: async ({ browser }, use) => {
    const { page, wrong, close } = await begin(browser);
    await use(page);
    inOrder(wrong);
    await close();
  },
});

/** Chooses language and colours, and signs in, before a page is opened. @param {import('@playwright/test').Page} page */
export const choose = (page, { language = 'en', theme = 'light', zone = 'utc', token = '' } = {}) => page.addInitScript(([l, th, z, signed]) => {
  if (origin === 'null') return; // about:blank keeps nothing
  localStorage.setItem('outlast.language', l);
  localStorage.setItem('outlast.theme', th);
  localStorage.setItem('outlast.zone', z);
  if (signed) sessionStorage.setItem('outlast.token', signed);
}, [language, theme, zone, token]);

/** Lets the first POST to a path reach the server and loses its answer. Resolves to the bodies of
 * all. @param {import('@playwright/test').Page} page @param {string} path @param {(route: import('@playwright/test').Route) => Promise<void>} lose */
export async function loseAnswer(page, path, lose = (route) => route.fulfill({ status: 502, contentType: 'text/html', body: 'bad gateway' })) {
  /** @type {any[]} */
  const bodies = [];
  await page.route(`**${path}`, async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    if (bodies.push(route.request().postDataJSON()) > 1) return route.continue();
    await route.fetch();
    return lose(route);
  });
  return bodies;
}

/** Goes to a place in the console that is loaded, and waits until it was heard of. @param {string} to */
const step = (to) => new Promise((heard) => {
  const before = location.href;
  addEventListener('hashchange', heard, { once: true });
  location.hash = to;
  if (location.href === before) heard(undefined);
}).then(() => {});

/** Opens a place of the console and waits until nothing loads. */
export async function open(page, server, place = '/') {
  if (page.url().split('#')[0] === `${server.url}/`) await page.evaluate(step, place);
  else await page.goto(`${server.url}/#${place}`);
  await expect(page.locator('main h1').first()).toBeVisible();
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
}

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** Fails at serious findings of axe in what is shown, or in a part of it. @param {import('@playwright/test').Page} page
 * @param {{rules?: string[], part?: string}} [options] the rules, all without them */
export async function accessible(page, { rules, part } = {}) {
  if (!await page.evaluate(() => 'axe' in globalThis)) await page.evaluate(axe);
  const options = { resultTypes: ['violations'], preload: false, runOnly: rules ? { type: 'rule', values: rules } : { type: 'tag', values: tags } }; // no rule here reads what would be loaded
  const violations = await page.evaluate(([o, p]) => globalThis.axe.run(p ?? document, o).then((result) => result.violations), [options, part]);
  expect(violations.filter((v) => v.impact === 'serious' || v.impact === 'critical')
    .map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(' ') + ' ' + (n.failureSummary ?? '')).slice(0, 3).join(' | ')}`)).toEqual([]);
}

/** Fails when the page is wider than the window, and names what sticks out. */
export async function fits(page) {
  const wide = () => page.evaluate(() => (document.documentElement.scrollWidth <= innerWidth ? [] : [`${document.documentElement.scrollWidth - innerWidth} pixels`, ...[...document.querySelectorAll('body *')]
    .filter((e) => e.getBoundingClientRect().right > innerWidth + 1).map((e) => `${e.tagName}.${e.className}: ${e.textContent?.slice(0, 30)}`).slice(-8)]));
  await expect.poll(wide, 'beyond the window').toEqual([]);
}
