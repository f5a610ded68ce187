// The console beside a large store: run by hand, against a server that has it (of a million
// tasks and a million dead letters, say: bench B14 makes such a store).
//   OUTLAST_LARGE=http://127.0.0.1:8080 OUTLAST_PROGRAM=../../outlast npx playwright test large --workers 1

import { choose, expect, open, test } from './kit.js';

const url = process.env.OUTLAST_LARGE;
const loads = 5, mores = 20;

/** Milliseconds until a place is there with all that it asks for, and with a row of data. */
async function timeTo(page, place) {
  const begun = performance.now();
  await open(page, { url }, place);
  await expect(page.locator('main tbody tr').first()).toBeVisible();
  return Math.round(performance.now() - begun);
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

/** The longest time without a frame, in ms, while something is done. */
async function freeze(page, act) {
  await page.evaluate(() => {
    let last = performance.now();
    const look = (now) => { globalThis.worst = Math.max(globalThis.worst, now - last); last = now; globalThis.looking = requestAnimationFrame(look); };
    globalThis.worst = 0;
    globalThis.looking = requestAnimationFrame(look);
  });
  await act();
  return page.evaluate(() => { cancelAnimationFrame(globalThis.looking); return Math.round(globalThis.worst); });
}

if (url) {
  test('the first page is there within 1.5 s', async ({ browser }, info) => {
    const places = { overview: '/', tasks: '/tasks', dead: '/dead', letters: '/dead/letters', queues: '/queues' };
    for (const [name, place] of Object.entries(places)) {
      const times = [];
      for (let i = 0; i < loads; i++) {
        const context = await browser.newContext(); // nothing is in its cache
        const page = await context.newPage();
        await choose(page);
        times.push(await timeTo(page, place));
        await context.close();
      }
      info.annotations.push({ type: name, description: `${times.join(', ')} ms` });
      console.log(`${name}: ${times.join(', ')} ms`);
      expect(median(times), name).toBeLessThanOrEqual(1500);
    }
  });

  for (const [name, place] of [['tasks', '/tasks'], ['letters', '/dead/letters']]) {
    test(`a list of ${name} that grows does not freeze the tab`, async ({ fresh: page }) => {
      await choose(page);
      await timeTo(page, place);
      const rows = page.locator('main tbody tr'), more = page.getByRole('button', { name: 'Show more' });
      const worst = await freeze(page, async () => {
        for (let i = 1; i <= mores; i++) {
          const before = await rows.count();
          await more.click();
          await expect.poll(() => rows.count()).toBeGreaterThan(before);
        }
      });
      console.log(`${name}: ${await rows.count()} rows, longest without a frame ${worst} ms`);
      expect(worst).toBeLessThanOrEqual(500);
    });
  }

  test('a search that finds nothing answers', async ({ fresh: page }) => {
    await choose(page);
    await timeTo(page, '/tasks');
    const begun = performance.now();
    await page.goto(`${url}/#/tasks?q=nothing+says+this`);
    await expect(page.locator('main tbody tr')).toHaveCount(0);
    await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
    const took = Math.round(performance.now() - begun);
    console.log(`search: ${took} ms`);
    expect(took).toBeLessThanOrEqual(1500);
  });
}
