// Makes docs/pictures/demo.gif: what outlast demo --keep, the command line and the console
// show, put together by ffmpeg. make picture, or npm run recording in internal/console/.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chromium } from '@playwright/test';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const program = process.env.OUTLAST_PROGRAM ?? join(root, '.cache/outlast');
if (!process.env.OUTLAST_PROGRAM) execFileSync(process.env.GO ?? 'go', ['build', '-o', program, './cmd/outlast'], { cwd: root, stdio: 'inherit' });
const size = { width: 1100, height: 660 };

/** Waits until check gives something. */
async function until(check, what, within = 90_000) {
  for (const end = Date.now() + within; ;) {
    const value = await check();
    if (value) return value;
    if (Date.now() > end) throw new Error(`not within ${within} ms: ${what}`);
    await new Promise((next) => setTimeout(next, 200));
  }
}

const dir = mkdtempSync(join(tmpdir(), 'outlast-recording-'));
const demo = spawn(program, ['demo', '--keep'], { stdio: ['ignore', 'ignore', 'pipe'] });
let said = '';
demo.stderr.on('data', (data) => { said += data; });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });

/** The frames with the seconds that each is shown. @type {string[]} */
const frames = [];
const page = await browser.newPage({ viewport: size, colorScheme: 'light', locale: 'en-GB', timezoneId: 'UTC' });
const paper = await browser.newPage({ viewport: size });
async function shoot(from, seconds) {
  const path = join(dir, `${frames.length}.png`);
  await from.screenshot({ path });
  frames.push(`file '${path}'\nduration ${seconds}`);
}

/** Shows the last lines of a terminal. */
async function terminal(text, seconds) {
  const shown = text.replace(/\/tmp\/\S+/g, '/tmp/outlast-demo').split('\n').flatMap((line) => (line.length > 103 ? [line.slice(0, 102) + '…'] : [line])).slice(-27).join('\n')
    .replace(/[&<>]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[c]).replace(/^\$ .*/gm, (line) => `<b>${line}</b>`);
  await paper.setContent(`<style>body{margin:0;background:#14202b;color:#d7dee5;font:17px/23px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace}pre{margin:24px}b{color:#7fd6b8}</style><pre>${shown}</pre>`);
  await shoot(paper, seconds);
}

async function place(where, seconds) {
  await page.goto(`${url}/#${where}`);
  await page.locator('main h1').first().waitFor();
  await until(async () => (await page.locator('[aria-busy="true"], .loading').count()) === 0, 'all to be loaded');
  await shoot(page, seconds);
}

let url = '';
try {
  await until(() => said.includes('outlast prove') || demo.exitCode !== null, 'the end of the story');
  url = /** @type {RegExpMatchArray} */ (said.match(/^console: (\S+)\//m))[1];
  const story = '$ outlast demo --keep\n' + said.slice(0, said.indexOf('\none task that was retried'));
  const told = story.split('\n'), part = (n) => told.slice(0, n).join('\n');
  await terminal(part(4), 0.8);
  await terminal(part(8), 0.8);
  await terminal(part(11), 0.8);
  await terminal(story, 1.4);
  await place('/', 1.8);
  const open = await until(async () => (await (await fetch(url + '/v1/targets?troubled=true')).json()).targets?.[0], 'an open breaker');
  await place(`/targets/${encodeURIComponent(open.name)}`, 1.6);
  let screen = '';
  /** Runs a command and shows it with what it says. */
  const run = async (shown, file, args, seconds) => {
    screen += `$ ${shown}\n`;
    await terminal(screen, 0.7);
    const { stdout, stderr } = await promisify(execFile)(file, args);
    screen += stderr + stdout;
    await terminal(screen, seconds);
  };
  const cli = ['--server', url];
  await run('outlast dead groups', program, [...cli, 'dead', 'groups'], 1.2);
  const repair = /** @type {RegExpMatchArray} */ (said.match(/curl -X POST (\S+)/))[1];
  await run(`curl -X POST ${repair}`, 'curl', ['-s', '-X', 'POST', repair], 0.8);
  await run('outlast dead redrive --type address.check --canary 1 --wait', program, [...cli, 'dead', 'redrive', '--type', 'address.check', '--canary', '1', '--yes', '--wait'], 1.8);
  await page.goto(`${url}/#/operations`);
  await page.locator('main tbody tr').first().waitFor();
  await page.locator('main tbody tr a').first().click();
  await page.locator('main tbody tr').first().waitFor();
  await until(async () => (await page.locator('[aria-busy="true"], .loading').count()) === 0, 'all to be loaded');
  await shoot(page, 1.6);
  const list = join(dir, 'frames.txt');
  writeFileSync(list, frames.join('\n') + `\nfile '${join(dir, `${frames.length - 1}.png`)}'\n`); // ffmpeg forgets the length of the last one
  execFileSync('ffmpeg', ['-loglevel', 'error', '-y', '-f', 'concat', '-safe', '0', '-i', list,
    '-vf', 'fps=10,split[a][b];[a]palettegen=max_colors=96:stats_mode=full[p];[b][p]paletteuse=dither=none', join(root, 'docs/pictures/demo.gif')], { stdio: 'inherit' });
} finally {
  await browser.close();
  demo.kill('SIGTERM');
  rmSync(dir, { recursive: true, force: true });
}
