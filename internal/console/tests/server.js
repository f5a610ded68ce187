// A server of the real program on a store of its own. It ends with who started it, however
// that ends: a test that is out of time has its process killed.

import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const program = process.env.OUTLAST_PROGRAM;
if (!program) throw new Error('OUTLAST_PROGRAM names no program: run make console-test');

/** A shell that hears when this process is gone, and then ends the server and removes its folder.
 * @param {import('node:child_process').ChildProcess} child @param {string} dir */
function guard(child, dir) {
  const shell = spawn('sh', ['-c', 'read ended || { kill -9 "$1"; rm -rf "$2"; }', 'guard', String(child.pid), dir], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  shell.stdin.on('error', () => {}); // it is gone already
  child.once('exit', () => shell.stdin.end('ended\n'));
}

/** Starts a server. @param {{args?: string[], env?: Record<string, string>}} [options] */
export async function serve({ args = [], env = {} } = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'outlast-console-'));
  const child = spawn(program, ['serve', '--listen', '127.0.0.1:0', '--store', `sqlite:${join(dir, 'o.db')}`, '--allow-target', '127.0.0.0/8', ...args],
    { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
  guard(child, dir);
  let said = '';
  const url = await new Promise((found, lost) => {
    child.stderr.on('data', (data) => {
      said += data;
      const match = said.match(/http:\/\/127\.0\.0\.1:\d+/);
      if (match) found(match[0]);
    });
    child.on('exit', () => lost(new Error(`the server ended: ${said}`)));
  });
  return {
    url, dir, said: () => said,
    /** @param {string} path @param {any} [body] @param {string} [method] */
    async call(path, body, method = body === undefined ? 'GET' : 'POST') {
      const answer = await fetch(url + path, { method, headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...(this.token ? { Authorization: `Bearer ${this.token}` } : {}) },
        body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body) });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
      return text ? JSON.parse(text) : null;
    },
    token: '',
    kill: () => child.kill('SIGKILL'),
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = new Promise((done) => child.once('exit', done));
        child.kill('SIGTERM');
        await ended;
      }
      await rm(dir, { recursive: true, force: true });
    },
  };
}
