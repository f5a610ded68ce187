// What a reader sees in the language that was chosen: words, units and times. That both
// languages have every text is read in the files of texts; the pages themselves are walked
// in one language (pages.test.js).

import { readFile, readdir } from 'node:fs/promises';
import { choose, expect, fits, open, test, until } from './kit.js';

const web = new URL('../web/', import.meta.url);

/** Both languages of a file of texts. @param {string} file */
async function textsOf(file) {
  const source = await readFile(new URL(file, web), 'utf8');
  const body = source.replaceAll(/^import .*;$/gm, '').replace(/^export const t = translator\(en, zh\);$/m, 'return { en, zh };');
  expect(body, `${file} exports something else than its texts`).not.toMatch(/^export /m);
  return new Function(body)();
}

/** The names in braces, in all forms of a text. */
const namesIn = (text) => [...new Set([...JSON.stringify(text).matchAll(/\{(\w+)\}/g)].map((match) => match[1]))].sort();
const blank = (text) => (typeof text === 'string' ? [text] : [text?.one, text?.other]).some((form) => typeof form !== 'string' || form.trim() === '');

test('every text is there in both languages, with the same names in it', async () => {
  const files = (await readdir(web, { recursive: true })).filter((file) => file.endsWith('.text.js') && !file.endsWith('server.text.js')); // it knows what the server says, in Chinese only
  expect(files.length).toBeGreaterThan(15);
  for (const file of files) {
    const { en, zh } = await textsOf(file);
    expect(Object.keys(zh).sort(), file).toEqual(Object.keys(en).sort());
    for (const key of Object.keys(en)) {
      expect([key, namesIn(zh[key])], file).toEqual([key, namesIn(en[key])]);
      expect([en, zh].filter((language) => blank(language[key])), `${file}: ${key} says nothing`).toEqual([]);
    }
  }
});

const never = { budget: 'none', breaker: 'none' };
const once = { ...never, max_attempts: 1, backoff: { kind: 'fixed', initial: '1s', jitter: 'none' } };

for (const [language, words] of Object.entries({ en: ['Next row', 'Previous row', 'Open the row', 'Select the row'], zh: ['下一行', '上一行', '打开该行', '选择该行'] })) {
  test(`the help says what the keys of a table do, in ${language}`, async ({ fresh: page, server, receiver }) => {
    await server.call('/v1/tasks', { type: 'helped', target: { url: receiver.url } });
    await choose(page, { language });
    await open(page, server, '/tasks');
    await expect(page.locator('main table').first()).toBeVisible();
    await page.keyboard.press('?');
    for (const word of words) await expect(page.getByRole('dialog')).toContainText(word);
  });
}

test('a dead task is told in Chinese: reason, error, durations, times', async ({ fresh: page, server, receiver }) => {
  receiver.answer = () => ({ status: 404 });
  const { id } = await server.call('/v1/tasks', { type: 'gone', target: { url: receiver.url }, retry: once, timeout: '90s' });
  await until(async () => (await server.call(`/v1/tasks/${id}`)).state === 'dead', 'a dead task');
  await choose(page, { language: 'zh' });
  await open(page, server, `/tasks/${id}`);
  await expect(page.getByText(/^死亡原因: (永久失败|尝试全部失败)$/)).toBeVisible();
  await expect(page.getByRole('columnheader', { name: '错误', exact: true })).toBeVisible();
  await expect(page.getByText('1 分 30 秒')).toBeVisible();
  await expect(page.locator('time').filter({ hasText: /\d{2}:\d{2}:\d{2}\.\d{3} UTC/ }).first()).toBeVisible();
  await expect(page.locator('body')).not.toContainText(/\d (ms|min|s)\b/);
});

test('policies, what speaks against them, and storms are named in Chinese', async ({ fresh: page, server }) => {
  await server.call('/v1/policies/spoken', { max_attempts: 2, backoff: { kind: 'exponential', initial: '1s', multiplier: 2, max: '30s', jitter: 'full' } }, 'PUT');
  await choose(page, { language: 'zh' });
  await open(page, server, '/policies/spoken');
  await expect(page.getByText('指数 1 秒 × 2，上限 30 秒，完全抖动，重试 1 次').first()).toBeVisible();
  await expect(page.getByText('单次尝试没有限时')).toBeVisible();
  await open(page, server, '/simulator');
  await expect(page.locator('select').first()).toContainText('S4 · 亚稳态过载');
});

test('a task that an open breaker holds is not said to have been due', async ({ page, server, receiver }) => {
  receiver.answer = () => ({ status: 503 });
  const { id } = await server.call('/v1/tasks', { type: 'held', target: { url: receiver.url }, retry: { budget: 'none', max_attempts: 9, backoff: { kind: 'fixed', initial: '2s', jitter: 'none' } } });
  await until(async () => (await server.call(`/v1/tasks/${id}`)).last_error, 'a failed attempt');
  const { targets } = await server.call('/v1/targets');
  const target = targets.find((one) => one.name === new URL(receiver.url).host).name;
  await server.call(`/v1/targets/${encodeURIComponent(target)}/open`, {});
  await until(async () => (await server.call(`/v1/tasks/${id}`)).waiting === 'breaker open', 'a task that the breaker holds');
  await open(page, server, '/tasks?type=held');
  await expect(page.locator('main table')).toContainText('held: breaker');
  await open(page, server);
  await expect(page.locator('main').getByText('held: breaker')).toBeVisible();
});

test('what is next on a line of time is not cut off at its edge, and not drawn where nobody knows it', async ({ page, server }) => {
  const { id } = await server.call('/v1/tasks', { type: 'later', delay: '1h' });
  await open(page, server, `/tasks/${id}`);
  const label = page.locator('figure.timeline text', { hasText: 'next' });
  const [text, picture] = [await label.boundingBox(), await page.locator('figure.timeline svg').boundingBox()];
  expect(text.x).toBeGreaterThanOrEqual(picture.x);
  expect(text.x + text.width).toBeLessThanOrEqual(picture.x + picture.width);
  const { id: waits } = await server.call('/v1/tasks', { type: 'nobody.runs.it' });
  await open(page, server, `/tasks/${waits}`);
  await expect(page.locator('figure.timeline')).toBeVisible();
  await expect(label).toHaveCount(0);
});

test('the card of the login has room around its text', async ({ fresh: page, server }) => {
  await page.route('**/v1/self', (route) => route.fulfill({ status: 401, json: { status: 401, code: 'unauthorized', title: 'Unauthorized', detail: 'a token is needed' } }));
  await choose(page);
  await page.goto(server.url);
  const [title, card] = [await page.getByRole('heading', { level: 1 }).boundingBox(), await page.locator('.gate').boundingBox()];
  expect(title.y - card.y).toBeGreaterThanOrEqual(12);
  await fits(page);
});
