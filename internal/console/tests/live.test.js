// What two thousand tasks a second tell the overview: it keeps up and does not grow. Without
// a stream it asks; after a restart of the server the stream goes on.

import { createServer, request } from 'node:http';
import { connect, createServer as listener } from 'node:net';
import { choose, expect, open, serve, test, until } from './kit.js';

/** What stands between a page and the server, and can do as it likes with the stream of events.
 * @param {any} server @param {(from: import('node:http').IncomingMessage, to: import('node:http').ServerResponse) => void} relay */
async function between(server, relay) {
  const proxy = createServer((req, res) => {
    const call = request(server.url + req.url, { method: req.method, headers: req.headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      if (req.url === '/v1/events') relay(answer, res); else answer.pipe(res);
    });
    call.on('error', () => res.destroy());
    res.on('close', () => call.destroy());
    req.pipe(call);
  });
  await new Promise((ready) => proxy.listen(0, '127.0.0.1', () => ready(undefined)));
  return { url: `http://127.0.0.1:${proxy.address().port}`, close: () => new Promise((done) => { proxy.closeAllConnections(); proxy.close(done); }) };
}

/** Nodes, listeners and bytes of the page, after its garbage is gone. */
async function weight(cdp) {
  await cdp.send('HeapProfiler.collectGarbage');
  const { metrics } = await cdp.send('Performance.getMetrics');
  const of = (name) => metrics.find((metric) => metric.name === name).value;
  return { nodes: of('Nodes'), listeners: of('JSEventListeners'), heap: of('JSHeapUsedSize') };
}

/** A message of the server at 2000 tasks a second, as TestEventsUnderLoad has them: four in a second, with a hundred tasks at most. */
function message(n) {
  const at = new Date().toISOString(), listed = 100, seen = 500;
  const tasks = Array.from({ length: listed }, (_, i) => ({ id: `01a214b6-36b3-7e7c-992d-${String(n * listed + i).padStart(12, '0')}`, type: `burst.${n}.`, queue: 'default', state: 'pending', attempt: 0, what: 'enqueued', at }));
  return `event: tasks\ndata: ${JSON.stringify({ at, seen, left_out: seen - listed, tasks })}\n\n`;
}

test('the overview keeps up with 2000 tasks a second and does not grow', async ({ fresh: page, server }) => {
  let tell = (/** @type {string} */ _text) => {};
  const front = await between(server, (from, to) => { from.pipe(to); tell = (text) => to.write(text); });
  await choose(page);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
  await open(page, front);
  await expect(page.getByRole('button', { name: 'Live' })).toBeVisible();
  const tail = page.getByRole('listitem').filter({ hasText: 'enqueued' });
  const hear = async (/** @type {number} */ n) => { tell(message(n)); await expect(tail.first()).toContainText(`burst.${n}.`); };
  await hear(0);
  const before = await weight(cdp);
  for (let n = 1; n <= 80; n++) await hear(n); // of twenty seconds
  const after = await weight(cdp);
  expect(await tail.count()).toBeLessThanOrEqual(40);
  expect(after.nodes, 'nodes').toBeLessThan(before.nodes * 1.25 + 500);
  expect(after.listeners, 'listeners').toBeLessThan(before.listeners * 1.25 + 100);
  expect(after.heap, 'bytes').toBeLessThan(before.heap + (8 << 20));
  await front.close();
});

test('without a stream the page asks', async ({ fresh: page, server }) => {
  await choose(page);
  await page.route('**/v1/events', (route) => route.fulfill({ status: 503, json: { status: 503, title: 'no stream' } }));
  const { id } = await server.call('/v1/tasks', { type: 'asked', delay: '1h' });
  await open(page, server, `/tasks/${id}`);
  await expect(page.getByRole('button', { name: 'Asking every 3 s' })).toBeVisible();
  await server.call(`/v1/tasks/${id}/cancel`, {});
  await expect(page.getByRole('heading', { level: 1 })).toContainText('canceled');
});

/** An address that stays while the server behind it is another: a port that was let go may be somebody else's. */
async function door(server) {
  const opened = new Set();
  const shown = { url: '', behind: server, close: () => new Promise((done) => { for (const one of opened) one.destroy(); outer.close(done); }) };
  const outer = listener((from) => {
    const to = connect(Number(new URL(shown.behind.url).port), '127.0.0.1');
    for (const [one, other] of [[from, to], [to, from]]) {
      opened.add(one);
      one.on('error', () => {}).on('close', () => { opened.delete(one); other.destroy(); });
      one.pipe(other);
    }
  });
  await new Promise((ready) => outer.listen(0, '127.0.0.1', () => ready(undefined)));
  shown.url = `http://127.0.0.1:${outer.address().port}`;
  return shown;
}

test('the stream goes on after a restart of the server', async ({ fresh: page }) => {
  await choose(page);
  const server = await serve(), front = await door(server);
  const { id } = await server.call('/v1/tasks', { type: 'kept', delay: '1h' });
  await open(page, front, `/tasks/${id}`);
  await expect(page.getByRole('button', { name: 'Live' })).toBeVisible();
  server.kill();
  await expect(page.getByRole('button', { name: 'Asking every 3 s' })).toBeVisible();
  await expect(page.getByText('The server does not answer.')).toBeVisible(); // once, and not in each panel
  await expect(page.getByRole('heading', { level: 1 })).toContainText('kept'); // what was there stays
  const again = await serve({ args: ['--store', `sqlite:${server.dir}/o.db`] });
  front.behind = again;
  await expect(page.getByRole('button', { name: 'Live' })).toBeVisible({ timeout: 60_000 }); // it waits up to 45 s between two tries
  await expect(page.getByText('The server does not answer.')).toHaveCount(0);
  await until(async () => again.call(`/v1/tasks/${id}/cancel`, {}).then(() => true, () => false), 'the server to work');
  await expect(page.getByRole('heading', { level: 1 })).toContainText('canceled');
  await front.close();
  await again.stop();
  await server.stop();
});

test('with several nodes, what the others do is seen too', async ({ fresh: page, server }) => {
  await choose(page);
  await page.addInitScript(() => { // without the looks that a list takes anyway
    const every = globalThis.setInterval;
    globalThis.setInterval = /** @type {any} */ ((/** @type {any} */ act, /** @type {number} */ ms) => (ms === 15_000 ? 0 : every(act, ms)));
  });
  const other = await serve({ args: ['--store', `sqlite:${server.dir}/o.db`] });
  await until(async () => (await server.call('/v1/nodes')).nodes.filter((node) => node.state === 'alive').length === 2, 'two nodes');
  await open(page, server, '/tasks?type=elsewhere');
  await expect(page.getByRole('button', { name: 'Live' })).toBeVisible();
  await until(async () => new Set((await server.call('/v1/lanes')).lanes.map((lane) => lane.owner)).size === 2, 'lanes of both');
  const ids = [];
  for (let i = 0; i < 12; i++) ids.push((await other.call('/v1/tasks', { type: 'elsewhere', delay: '1h' })).id); // in lanes of both
  const rows = page.getByRole('table', { name: 'Tasks' }).locator('tbody tr');
  await expect(rows).toHaveCount(12);
  for (const id of ids) await other.call(`/v1/tasks/${id}/cancel`, {});
  await expect(rows.filter({ hasText: 'canceled' })).toHaveCount(12);
  await other.stop();
});

/** Makes a message of tasks come during each look at the list, before its answer. Answers are
 * held until flow(), and then come by themselves. */
async function tellDuringLooks(page) {
  await page.addInitScript(() => {
    const really = globalThis.fetch, looks = { at: /** @type {number[]} */ ([]), release: () => {}, flow: false };
    let tell = (/** @type {string} */ _text) => {};
    globalThis.looks = looks;
    globalThis.fetch = async (input, init) => {
      if (String(input) === 'v1/events') {
        const told = new ReadableStream({ start(stream) { tell = (text) => stream.enqueue(new TextEncoder().encode(text)); } });
        return new Response(told, { headers: { 'Content-Type': 'text/event-stream' } });
      }
      if (!String(input).startsWith('v1/tasks?')) return really(input, init);
      looks.at.push(Date.now());
      const letGo = looks.flow ? undefined : new Promise((next) => { looks.release = () => next(undefined); });
      const answer = await really(input, init);
      const { on } = await import(new URL('console/lib/live.js', location.href).href);
      const heard = new Promise((next) => { const end = on('tasks', () => { end(); next(undefined); }); });
      tell('event: tasks\ndata: {"seen":1,"left_out":0,"tasks":[]}\n\n');
      await heard;
      await letGo;
      return answer;
    };
  });
  return { at: () => page.evaluate(() => globalThis.looks.at), flow: () => page.evaluate(() => { globalThis.looks.flow = true; globalThis.looks.release(); }) };
}

test('a slow answer is waited for, and what happens meanwhile is asked for a second after that call began', async ({ fresh: page, server }) => {
  await page.clock.install();
  await choose(page);
  const looks = await tellDuringLooks(page);
  const { id } = await server.call('/v1/tasks', { type: 'slowly', delay: '1h' });
  await page.goto(`${server.url}/#/tasks`);
  await expect.poll(async () => (await looks.at()).length).toBe(1);
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1000));
  await page.clock.runFor(10_000); // as often as pages ask by themselves
  expect((await looks.at()).length, 'looks during a look').toBe(1);
  const rows = page.getByRole('table', { name: 'Tasks' }).locator('tbody tr').filter({ hasText: 'slowly' });
  const passes = async (/** @type {() => Promise<any>} */ what) => { await page.clock.runFor(100); return what(); };
  await looks.flow();
  await expect.poll(() => passes(() => rows.count()), { intervals: [20] }).toBeGreaterThan(0);
  const before = (await looks.at()).length;
  await expect.poll(() => passes(async () => (await looks.at()).length - before), { intervals: [20] }).toBeGreaterThan(3);
  const at = (await looks.at()).slice(before);
  const gaps = at.slice(1).map((time, i) => time - at[i]);
  expect(gaps.filter((gap) => gap < 1000), `looks at ${at.join(', ')}`).toEqual([]);
  await page.evaluate(() => { location.hash = '#/tasks?type=nothing'; }); // which ends the call under way
  await page.evaluate((place) => { location.hash = place; }, '#/tasks?type=slowly&state=pending');
  await expect.poll(() => passes(() => rows.count()), { intervals: [20] }).toBeGreaterThan(0);
  await server.call(`/v1/tasks/${id}/cancel`, {});
});

test('a stream that says nothing any more is begun anew, and another version of the server is told', async ({ fresh: page, server }) => {
  let streams = 0;
  const front = await between(server, (from, to) => {
    const first = ++streams === 1;
    from.once('data', (data) => {
      to.write(first ? data : String(data).replace(/"version":"[^"]*",?/, '').replace('{"node"', '{"version":"v99","node"'));
      if (!first) from.pipe(to);
    });
    if (first) from.on('data', () => {}); // lost on the way, and nobody hears of it
  });
  await page.clock.install();
  await choose(page);
  await open(page, front, '/queues');
  await expect(page.getByRole('button', { name: 'Live' })).toBeVisible();
  await expect.poll(async () => { await page.clock.runFor(5000); return streams; }).toBe(2);
  await expect(page.getByRole('note').filter({ hasText: 'The server has another version than this page.' })).toBeVisible();
  await front.close();
});
