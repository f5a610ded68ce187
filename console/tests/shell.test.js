// The frame around the pages: menu, palette, shortcuts, choices, an unknown place.

import { accessible, choose, expect, open, test } from './kit.js';

test('the menu, shortcuts and the palette lead everywhere', async ({ page, server }) => {
  await choose(page);
  await open(page, server);
  await page.keyboard.press('g');
  await page.keyboard.press('q');
  await expect(page).toHaveURL(/#\/queues$/);
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('sched');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/#\/schedules$/);
  await page.keyboard.press('?');
  await expect(page.getByRole('dialog')).toContainText('Keyboard shortcuts');
  await page.keyboard.press('Escape');
  await page.keyboard.press('/');
  await expect(page.getByRole('searchbox').first()).toBeFocused();
});

test('choices hold after a reload, and an unknown place says so', async ({ page, server }) => {
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
