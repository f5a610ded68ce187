// The frame around the pages: menu, palette, shortcuts, choices, an unknown place.

import { accessible, choose, expect, open, test } from './kit.js';

test('the menu, shortcuts and the palette lead everywhere', async ({ page, server }) => {
  await open(page, server);
  await page.keyboard.press('g');
  await page.keyboard.press('q');
  await expect(page).toHaveURL(/#\/queues$/);
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('sched');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/#\/schedules$/);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Schedules'); // which takes the focus once it is there
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog')).toContainText('Keyboard shortcuts');
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.keyboard.press('/');
  await expect(page.getByRole('searchbox').first()).toBeFocused();
});

test('a step and a change of its filter right after each other both count', async ({ page, server }) => {
  await open(page, server);
  await page.evaluate(async () => {
    /** @type {HTMLElement} */ (document.activeElement).blur(); // who types keeps the focus
    const { go, setQuery } = await import(new URL('console/lib/route.js', location.href).href);
    go('tasks', { type: 'both' });
    setQuery({ state: 'dead' });
  });
  await expect(page).toHaveURL(/#\/tasks\?type=both&state=dead$/);
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused(); // as after every step
});

test('a page that could not be loaded is loaded anew', async ({ fresh: page, server }) => {
  await choose(page);
  await open(page, server);
  await page.route('**/console/page/audit.js', (route) => route.abort());
  await page.getByRole('link', { name: 'Audit' }).click();
  await expect(page.getByRole('alert')).toContainText('That did not work');
  await page.unroute('**/console/page/audit.js');
  await page.getByRole('button', { name: 'Load the page anew' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Audit');
});

test('an action that fails is told, whatever came back, and also when its dialog was closed', async ({ page, server }) => {
  await server.call('/v1/queues/shell.failing', {}, 'PUT');
  await open(page, server, '/queues/shell.failing');
  const pause = async () => {
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause', exact: true }).click();
  };
  await page.route('**/pause', (route) => route.fulfill({ status: 200, contentType: 'text/html', body: '<h1>Please sign in to this network</h1>' }));
  await pause();
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText('The server does not answer.');
  await page.keyboard.press('Escape');
  await page.unroute('**/pause');
  let answer = () => {};
  const closed = new Promise((done) => { answer = () => done(undefined); });
  await page.route('**/pause', async (route) => { await closed; await route.fulfill({ status: 503, json: { status: 503, title: 'Service Unavailable', detail: 'the store is away' } }); });
  await pause();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  answer();
  await expect(page.getByRole('status').filter({ hasText: 'Pause: the store is away' })).toBeVisible();
});

test('a selection that ends outside a dialog does not close it, a press there does unless something was written', async ({ page, server }) => {
  await open(page, server, '/tasks');
  await page.getByRole('button', { name: 'Enqueue a task' }).click();
  const url = page.getByRole('dialog').getByLabel('URL to call');
  await url.fill('https://example.com/hook');
  const box = /** @type {{x: number, y: number}} */ (await url.boundingBox());
  await page.mouse.move(box.x + 60, box.y + 8);
  await page.mouse.down();
  await page.mouse.move(5, box.y + 8, { steps: 4 });
  await page.mouse.up();
  await expect(url).toHaveValue('https://example.com/hook');
  await page.mouse.click(5, 300); // something was written
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText('What you wrote here would be lost.');
  await expect(url).toHaveValue('https://example.com/hook');
  await url.fill('https://example.com/other');
  await expect(page.getByRole('dialog').getByRole('alert')).toHaveCount(0);
  for (const left of [1, 0]) {
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(left);
  }
  await page.getByRole('button', { name: 'Enqueue a task' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.mouse.click(5, 300);
  await expect(page.getByRole('dialog')).toHaveCount(0);
});

test('choices hold after a reload, and an unknown place says so', async ({ fresh: page, server }) => {
  await open(page, server, '/settings');
  await page.getByLabel('Language').selectOption('zh');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('设置');
  await page.getByLabel('配色').selectOption('dark');
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');
  await expect(page.locator('html')).toHaveAttribute('lang', 'zh-CN');
  await open(page, server, '/nowhere');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('没有这个页面。');
  await accessible(page);
});
