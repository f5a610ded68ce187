// The documentation that the server shows below /docs: what internal/site cannot see without a
// browser.

import { accessible, expect, fits, test } from './kit.js';

test('the documentation is searched in both languages', async ({ fresh: page, server }) => {
  await page.goto(`${server.url}/docs/how-to/redrive.html`);
  const field = page.getByRole('searchbox');
  const first = page.locator('header ol a').first();
  await field.fill('dead letters');
  await expect(first).toHaveAttribute('hreflang', 'en');
  await page.getByRole('link', { name: '中文' }).first().click();
  await expect(page.locator('html')).toHaveAttribute('lang', 'zh-CN');
  await field.fill('死信重投'); // which stands nowhere as one word
  await expect(first).toHaveAttribute('hreflang', 'zh-CN');
  await field.press('Enter');
  await expect(page.locator('main')).toContainText('重投');
  await expect(page.locator('main')).toContainText('死信');
});

for (const width of [390, 1400]) {
  test(`the documentation fits ${width} pixels, and can be read by all`, async ({ fresh: page, server }) => {
    await page.setViewportSize({ width, height: 900 });
    for (const name of ['index', 'index.zh-CN', 'tutorial/webhook-sender', 'how-to/console', 'reference/metrics', 'explanation/concepts.zh-CN']) {
      await page.goto(`${server.url}/docs/${name}.html`);
      await fits(page);
      await accessible(page);
    }
  });
}
