// What happens, as the server tells it (GET /v1/events). EventSource cannot send a token
// in a header, so the stream is read by fetch. Without a stream, pages ask by themselves
// every few seconds (use.js).

import { computed, signal, effect } from './ui.js';
import { request } from './api.js';
import { obstacle, self } from './session.js';
import { choice } from './store.js';
import { serverTime } from './time.js';

const seen = signal(!document.hidden);
document.addEventListener('visibilitychange', () => { seen.value = !document.hidden; });

/** How pages stay up to date: by the stream, by asking, or not at all. */
export const live = signal(/** @type {'live'|'polling'|'paused'} */ ('polling'));

/** Says whether pages keep up to date; off when a person wants to read in peace. */
export const keepUp = choice('live', /** @type {'on'|'off'} */ ('on'), /** @type {const} */ (['on', 'off']));

/** @typedef {{id: string, type: string, queue: string, state: string, attempt: number, what: string, category?: string, code?: string, target?: string, key?: string, next_at?: string, at: string}} TaskEvent */
/** @typedef {{seen: number, left_out: number, tasks: TaskEvent[]}} TaskEvents */

/** @type {Map<string, Set<(data: any) => void>>} */
const hearers = new Map();

/** Hears messages of a kind ("tasks", "elsewhere", "stats", "changed", "resync") until the function that
 * it returns is called.
 * @param {string} kind @param {(data: any) => void} hear */
export function on(kind, hear) {
  const all = hearers.get(kind) ?? new Set();
  hearers.set(kind, all.add(hear));
  return () => { all.delete(hear); };
}

/** @param {string} kind @param {any} data */
const tell = (kind, data) => hearers.get(kind)?.forEach((hear) => hear(data));

/** Says whether the server has become another version than the one that this page began with. */
export const renewed = signal(false);
let born = '';
on('hello', ({ version }) => {
  born ||= version;
  renewed.value = version !== born;
});

/** The newest counts. */
export const counts = signal(/** @type {any} */ (null));
on('stats', (data) => { counts.value = data; });

/** Whether other nodes live. What becomes of tasks there makes no messages here: "elsewhere"
 * is told when the numbers that all nodes share have moved, and every few seconds. */
const several = signal(false);
const elsewhereEvery = 5000; // ms
let stood = '';
on('hello', (hello) => { several.value = hello.nodes !== 'all'; });
on('changed', ({ kind }) => { if (kind === 'node') several.value = true; }); // until the counts say otherwise
on('stats', ({ nodes, pending, running, dead }) => {
  if (nodes !== undefined) several.value = nodes > 1;
  const stands = [pending, running, dead].join();
  if (several.value && stands !== stood) tell('elsewhere', null);
  stood = stands;
});
effect(() => {
  if (!several.value || live.value !== 'live') return undefined;
  const timer = setInterval(() => tell('elsewhere', null), elsewhereEvery);
  return () => clearInterval(timer);
});

let last = ''; // id of the last message
/** @type {AbortController|null} */
let stream = null;
let wait = 1000; // before the next try, ms
/** @type {ReturnType<typeof setTimeout>|undefined} */
let again;

async function listen() {
  stream = new AbortController();
  const { signal: stop } = stream;
  try {
    const response = await request('GET', '/v1/events', { signal: stop, headers: { Accept: 'text/event-stream', ...(last ? { 'Last-Event-ID': last } : {}) } });
    if (!response.body) throw new Error('no stream');
    live.value = 'live';
    wait = 1000;
    tell('resync', { why: 'connected' });
    await read(response.body.pipeThrough(new TextDecoderStream()).getReader());
  } catch { /* polling goes on, and the stream is tried again */ }
  if (stop.aborted) return;
  live.value = 'polling';
  stream = null;
  again = setTimeout(listen, wait * (0.5 + Math.random()));
  wait = Math.min(wait * 2, 30_000);
}

const silence = 30_000; // ms after which a stream is taken to be dead: the server sends something every ten seconds

/** Reads messages to the end of the stream. A message is at most a megabyte.
 * @param {ReadableStreamDefaultReader<string>} reader */
async function read(reader) {
  let rest = '';
  for (;;) {
    const late = setTimeout(() => { reader.cancel().catch(() => {}); }, silence); // then it is done
    const { value, done } = await reader.read().finally(() => clearTimeout(late));
    if (done) return;
    const messages = (rest + value).split(/\r?\n\r?\n/);
    rest = messages.pop() ?? '';
    if (rest.length > 1 << 20) throw new Error('a message without end');
    messages.forEach(message);
  }
}

/** @param {string} text */
function message(text) {
  let kind = 'message', data = '';
  for (const line of text.split(/\r?\n/)) {
    const colon = line.indexOf(':');
    const name = colon < 0 ? line : line.slice(0, colon), value = line.slice(colon + 1).replace(/^ /, '');
    if (name === 'event') kind = value;
    else if (name === 'data') data += value;
    else if (name === 'id') last = value;
  }
  if (!data) return;
  const said = JSON.parse(data);
  if (said.now) serverTime(said.now);
  tell(kind, said);
}

function stop() {
  clearTimeout(again);
  stream?.abort();
  stream = null;
}

const known = computed(() => self.value !== null && obstacle.value?.status !== 401);

// The stream is there while we are known, wanted and looked at. It begins anew with the
// token.
effect(() => {
  const wanted = known.value && keepUp.value === 'on' && seen.value;
  stop();
  if (!known.value) counts.value = null; // they may be of another's queues
  live.value = wanted ? 'polling' : 'paused';
  if (wanted) void listen();
});
