// Small parts: states, times, notes, buttons, the commands of an action.

import { html, classes, computed, signal, useEffect, useMemo, useState } from '../lib/ui.js';
import { absolute, now, relative, duration, milliseconds } from '../lib/time.js';
import { visible } from '../lib/json.js';
import { t } from './common.text.js';

/** How a state looks: a colour and, for those who see none, a sign.
 * @type {Record<string, [tone: string, sign: string]>} */
const looks = {
  succeeded: ['good', '✓'], ok: ['good', '✓'], closed: ['good', '✓'], finished: ['good', '✓'], recovered: ['good', '✓'], up: ['good', '✓'], live: ['good', '✓'], on: ['good', '✓'],
  running: ['busy', '▶'], half_open: ['warn', '◐'], retrying: ['warn', '↻'], paused: ['warn', '‖'], silenced: ['still', '‖'], collected: ['still', '≡'], acknowledged: ['still', '✓'],
  dead: ['bad', '✕'], failed: ['bad', '✕'], open: ['bad', '✕'], firing: ['bad', '!'], down: ['bad', '✕'], expired: ['still', '⌛'], revoked: ['still', '⊘'], off: ['still', '⊘'],
  critical: ['bad', '!'], warning: ['warn', '!'], info: ['still', 'i'], sent: ['good', '✓'], test: ['still', '•'],
  canceled: ['still', '⊘'], pending: ['still', '•'], scheduled: ['still', '◔'],
};

/** A state as a word with a sign. @param {{state: string, label?: string}} props */
export function State({ state, label }) {
  const [tone, sign] = looks[state] ?? ['still', '•'];
  return html`<span class=${`state tone-${tone}`}><span aria-hidden="true">${sign}</span> ${label ?? t.named('state.', state)}</span>`;
}

/** A failure's category. @param {{category?: string}} props */
export const Category = ({ category }) => (category ? html`<span class="category">${t.named('category.', category)}</span>` : null);

/** A moment: how far it is, and in full at the pointer and for screen readers. The full form
 * stands beside it with "full".
 * @param {{at?: string|number|null, full?: boolean}} props */
export function When({ at, full }) {
  const text = useMemo(() => computed(() => (at ? relative(at) : '')), [at]); // looked at each second, drawn when it changes
  if (!at) return html`<span class="faint">${t('nothing')}</span>`;
  const iso = new Date(at).toISOString();
  return html`<time datetime=${iso} title=${absolute(at)}>${full ? html`${absolute(at)} <span class="faint">(${text.value})</span>` : text.value}</time>`;
}

/** When a task goes on, or ended; of one whose time has come, what holds it.
 * @param {{task: import('../../types/api.js').Schema<'Task'>}} props */
export function Coming({ task }) {
  const held = useMemo(() => computed(() => task.state === 'pending' && !(Date.parse(task.next_check ?? task.run_at ?? '') > now.value)), [task]);
  if (!held.value) return html`<${When} at=${task.finished_at ?? task.next_check ?? task.run_at} />`;
  const why = task.waiting ?? '', text = t.named('held.', why);
  return text === why ? html`<${When} at=${task.next_check ?? task.run_at} />` : html`<span>${text}</span>`;
}

/** A duration of the API. @param {{text?: string}} props */
export const Lasting = ({ text }) => html`<span>${text ? duration(milliseconds(text)) : t('nothing')}</span>`;

/** Text that came from outside: never markup, control characters made visible, cut when long.
 * @param {{text?: string|null, limit?: number}} props */
export function Foreign({ text, limit = 300 }) {
  const [whole, setWhole] = useState(false);
  if (!text) return html`<span class="faint">${t('nothing')}</span>`;
  const shown = visible(whole || text.length <= limit ? text : text.slice(0, limit) + '…');
  return html`<bdi class="foreign">${shown}</bdi>${text.length > limit
    && html` <button type="button" class="link" aria-expanded=${whole} onClick=${() => setWhole(!whole)}>${t(whole ? 'collapse' : 'expand')}</button>`}`;
}

const shown = 12; // of the 36 characters of an id: 32 random bits and its lane. Ids of one hour begin alike

/** An id: its end, or all of it. It is copied whole.
 * @param {{id: string, href?: string, whole?: boolean}} props */
export function Id({ id, href, whole }) {
  const cut = !whole && id.length > 2 * shown ? id.length - shown : 0;
  const text = html`${cut > 0 && html`<span class="lead">${id.slice(0, cut)}</span>`}${id.slice(cut)}`, name = classes('id', cut > 0 && 'cut');
  return href ? html`<a class=${name} href=${href} title=${id}>${text}</a>` : html`<span class=${name} title=${id}>${text}</span>`;
}

/** @typedef {import('../lib/ui.js').Children} Children */

/** @param {{tone?: 'bad'|'warn'|'good'|'still', title?: string, children?: Children}} props */
export const Note = ({ tone = 'still', title, children }) => html`<div class=${`note tone-${tone}`} role=${tone === 'bad' ? 'alert' : 'note'}>
  ${title && html`<strong>${title}</strong>`} <div>${children}</div></div>`;

/** A [Problem] with its fields and what helps. @param {{problem: import('../lib/api.js').Problem, onRetry?: () => void}} props */
export const Failure = ({ problem, onRetry }) => html`<${Note} tone="bad" title=${problem.status ? t('problem') : t('unreachable')}>
  ${problem.status > 0 && html`<p><bdi>${visible(problem.message)}</bdi>${problem.code && html` <code>${problem.code}</code>`}</p>`}
  ${problem.errors.length > 0 && html`<ul>${problem.errors.map((e) => html`<li><code>${e.path}</code> <bdi>${visible(e.message)}</bdi></li>`)}</ul>`}
  ${problem.hint && html`<p>${t('hint')}: <bdi>${visible(problem.hint)}</bdi></p>`}
  ${onRetry && html`<button type="button" onClick=${onRetry}>${t('retry')}</button>`}
<//>`;

/** Puts a text on the clipboard. Without TLS a browser takes it only out of a field, which has
 * to be in the same dialog. @param {string} text @param {HTMLElement} button */
async function copied(text, button) {
  try { await navigator.clipboard.writeText(text); return true; } catch { /* not there, or refused */ }
  const field = Object.assign(document.createElement('textarea'), { value: text, className: 'hidden' });
  button.after(field);
  field.select();
  const done = document.execCommand('copy');
  field.remove();
  button.focus();
  return done;
}

/** A button that copies a text. @param {{text: string, label?: string}} props */
export function Copy({ text, label }) {
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return undefined;
    const timer = setTimeout(() => setDone(false), 2000);
    return () => clearTimeout(timer);
  }, [done]);
  const copy = async (/** @type {any} */ e) => (await copied(text, e.currentTarget) ? setDone(true) : say(t('uncopied'), 'bad'));
  return html`<button type="button" class="small" onClick=${copy}>${done ? t('copied') : (label ?? t('copy'))}</button>`;
}

/** A text in the manner of a POSIX shell. @param {string} text */
export const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/** The call as curl would make it. @param {string} method @param {string} path @param {string} [body] */
export function curl(method, path, body) {
  const origin = new URL('.', location.href).href.replace(/\/$/, '');
  return ['curl', method === 'GET' ? '' : `-X ${method}`, '-H "Authorization: Bearer $OUTLAST_TOKEN"',
    body === undefined ? '' : `-H 'Content-Type: application/json' -d ${quoted(body)}`, quoted(origin + path)].filter(Boolean).join(' ');
}

/** What else does the same: a command and a curl. @param {{cli?: string, curl: string}} props */
export const Same = ({ cli, curl: call }) => html`<details class="same"><summary>${t('same')}</summary>
  ${cli && html`<div class="command"><code>${visible(cli)}</code><${Copy} text=${cli} /></div>`}
  <div class="command"><code>${visible(call)}</code><${Copy} text=${call} /></div></details>`;

/** A [Problem] in a few words. @param {import('../lib/api.js').Problem} problem */
export const brief = (problem) => (problem.status === 0 ? t('unreachable') : visible(problem.message));

/** @type {import('../vendor/signals.js').Signal<{id: number, text: string, tone: string}[]>} */
const notes = signal([]);
let last = 0;

/** Says something for a few seconds, to the eye and to screen readers.
 * @param {string} text @param {'good'|'bad'|'still'} [tone] */
export function say(text, tone = 'still') {
  const id = ++last;
  notes.value = [...notes.value.slice(-3), { id, text, tone }];
  setTimeout(() => { notes.value = notes.value.filter((n) => n.id !== id); }, 6000);
}

/** Where [say] speaks. */
export const Notes = () => html`<div class="notes" role="status" aria-live="polite">
  ${notes.value.map((n) => html`<div key=${n.id} class=${`toast tone-${n.tone}`}>${n.text}</div>`)}</div>`;

/** A name and its value, in a list of facts. @param {{label: string, children?: Children}} props */
export const Fact = ({ label, children }) => html`<div class="fact"><dt>${label}</dt><dd>${children}</dd></div>`;

/** @param {{children?: Children}} props */
export const Facts = ({ children }) => html`<dl class="facts">${children}</dl>`;

/** Tabs that are links. @param {{tabs: {label: string, count?: string, href: string, here: boolean}[], label: string}} props */
export const Tabs = ({ tabs, label }) => html`<nav class="tabs" aria-label=${label}>${tabs.map((tab) => html`
  <a href=${tab.href} aria-current=${tab.here ? 'page' : undefined} class=${classes(tab.here && 'here')}>${tab.label}${tab.count && html` <span class="count">${tab.count}</span>`}</a>`)}</nav>`;
