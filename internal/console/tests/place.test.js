// Where the console lives: behind a path of a proxy, and without the rest of the internet.

import { createServer, request } from 'node:http';
import { choose, expect, open, test, until } from './kit.js';

/** A proxy that has the server under a path, as one before several services does. */
async function behind(server, path) {
  const asked = [];
  const proxy = createServer((req, res) => {
    asked.push(req.url);
    if (!req.url?.startsWith(path)) { res.writeHead(404).end('another service'); return; }
    const to = request(server.url + req.url.slice(path.length - 1), { method: req.method, headers: req.headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
      answer.on('error', () => res.destroy());
    });
    to.on('error', () => res.destroy());
    res.on('close', () => to.destroy());
    req.pipe(to);
  });
  await new Promise((ready) => proxy.listen(0, '127.0.0.1', () => ready(undefined)));
  return { asked, url: `http://127.0.0.1:${proxy.address().port}${path.replace(/\/$/, '')}`, close: () => new Promise((done) => { proxy.closeAllConnections(); proxy.close(done); }) };
}

test('under a path: pages, the stream, actions and their commands', async ({ fresh: page, server }) => {
  const proxy = await behind(server, '/tools/outlast/');
  await choose(page);
  await open(page, proxy, '/tasks');
  await expect(page.getByRole('button', { name: 'Live' })).toBeVisible();
  await page.getByRole('button', { name: 'Enqueue a task' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(/^Type/).fill('proxied');
  await dialog.getByLabel(/^Wait first/).fill('1h');
  await dialog.getByText('The same by command line').click();
  await expect(dialog).toContainText(`${proxy.url}/v1/tasks`);
  await dialog.getByRole('button', { name: 'Enqueue a task' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('proxied');
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('proxied');
  for (const name of ['Overview', 'Policies', 'Alerts', 'Settings']) {
    await page.getByRole('navigation', { name: 'Menu' }).getByRole('link', { name }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(name);
    await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
  }
  expect(proxy.asked.filter((place) => !place.startsWith('/tools/outlast/') && place !== '/favicon.ico')).toEqual([]);
  await proxy.close();
});

test('a request to another origin is refused by the page itself', async ({ browser, server, receiver }) => {
  const page = await browser.newPage(); // of its own: this breach is meant
  const asked = [];
  page.on('request', (request) => asked.push(new URL(request.url()).origin));
  await page.goto(server.url);
  await expect(page.locator('main h1')).toBeVisible();
  const failed = await page.evaluate((url) => fetch(url).then(() => '', (error) => String(error)), receiver.url);
  expect(failed).toContain('Failed to fetch');
  expect(receiver.calls, 'what came through').toEqual([]);
  expect([...new Set(asked)].filter((origin) => origin !== server.url && origin !== receiver.url)).toEqual([]);
  await page.close();
});

test('an operation is canceled, and its letters stay', async ({ page, server, receiver }) => {
  receiver.answer = () => ({ status: 400, text: 'refused' });
  await server.call('/v1/tasks/batch', { tasks: Array.from({ length: 9 }, () => ({ type: 'kept', target: { url: receiver.url }, retry: { max_attempts: 1, budget: 'none', breaker: 'none' } })) });
  const kept = async () => (await server.call('/v1/dead/stats')).by_type?.kept;
  await until(async () => (await kept()) === 9, 'nine dead letters');
  receiver.answer = () => ({ status: 200 });
  const { operation } = await server.call('/v1/dead/redrive', { filter: { type: 'kept' }, rate: 0.01 }); // one now, the next in 100 s
  await open(page, server, '/operations');
  await page.getByRole('table', { name: 'Operations' }).locator('tbody tr').first().getByRole('link').first().click();
  await expect(page).toHaveURL(new RegExp(`#/operations/${operation}$`));
  await page.getByRole('button', { name: 'Cancel the operation' }).click();
  await expect(page.getByRole('dialog').getByRole('button', { name: 'Keep it' })).toBeVisible();
  await page.getByRole('dialog').getByText('The same by command line').click();
  await expect(page.getByRole('dialog')).toContainText(`outlast operation cancel ${operation}`);
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the operation' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('canceled');
  expect(await kept()).toBeGreaterThanOrEqual(7);
});
