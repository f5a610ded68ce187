// Tasks: found, enqueued, and acted on together.

import { html, useEffect, useState } from '../lib/ui.js';
import { Raw, mistake } from '../lib/json.js';
import { go, href, path } from '../lib/route.js';
import { may } from '../lib/session.js';
import { number } from '../lib/text.js';
import { useGet } from '../lib/use.js';
import { Failure, Tabs, quoted } from '../part/basics.js';
import { Bulk } from '../part/bulk.js';
import { Action } from '../part/dialog.js';
import { Filters, filtersOf } from '../part/filter.js';
import { Head, Loaded } from '../part/panel.js';
import { usePages } from '../part/pages.js';
import { columns } from '../part/rows.js';
import { Again, More, Table } from '../part/table.js';
import { t as common } from '../part/common.text.js';
import { OneTask } from './task.js';
import { t } from './tasks.text.js';

/** @typedef {import('../../types/api.js').Schema<'Task'>} Task */
/** @typedef {import('../../types/api.js').Schema<'Queue'>} Queue */

const names = ['q', 'state', 'waiting', 'type', 'queue', 'key', 'category', 'target', 'metadata', 'since', 'until', 'failed_since', 'failed_until'];
const states = ['pending', 'running', 'succeeded', 'dead', 'canceled', 'failed'];
const reasons = ['due later', 'backoff', 'paused', 'behind key', 'key blocked', 'breaker open', 'budget spent', 'rate limited', 'concurrency', 'share limit', 'group backoff', 'no slot', 'no worker', 'no key', 'not authenticated', 'unowned'];
const categories = ['network', 'timeout', 'throttled', 'unavailable', 'conflict', 'permanent', 'bug', 'local', 'deadline', 'unsent', 'canceled', 'unknown'];

export default function Tasks() {
  const id = path.value[1];
  return id ? html`<${OneTask} id=${id} key=${id} />` : html`<${List} />`;
}

function List() {
  const filter = filtersOf(names);
  const key = JSON.stringify(filter);
  return html`<${Head} title=${t('title')} actions=${html`<${Enqueue} />`}>${t('about')}<//>
  <${States} filter=${filter} /><${Filters} filters=${[
    { name: 'q', label: t('q') },
    { name: 'waiting', rare: true, label: t('waits'), kind: 'select', values: reasons.map((value) => ({ value, label: t.named('waits.', value) })) },
    { name: 'type', label: t('type') }, { name: 'queue', label: t('queue') }, { name: 'key', label: t('key'), rare: true },
    { name: 'category', rare: true, label: t('category'), kind: 'select', values: categories.map((value) => ({ value, label: common.named('category.', value) })) },
    { name: 'target', rare: true, label: t('target') }, { name: 'metadata', rare: true, label: t('metadata'), placeholder: t('metadata.about') },
    { name: 'since', rare: true, label: t('since'), kind: 'time' }, { name: 'until', rare: true, label: t('until'), kind: 'time' },
    { name: 'failed_since', rare: true, label: t('failed.since'), kind: 'time' }, { name: 'failed_until', rare: true, label: t('failed.until'), kind: 'time' },
  ]} /><div class="panel"><${Found} key=${key} filter=${filter} /></div>`;
}

const counted = 10_000; // of each state in a queue: the server counts no further

/** How many tasks of a state there are; undefined where nobody counts. @param {Queue[]} rows @param {string} state */
function countOf(rows, state) {
  if (!['pending', 'running', 'dead'].includes(state)) return undefined;
  const each = rows.flatMap(({ counts }) => (state === 'pending' ? [counts?.pending ?? 0, counts?.parked ?? 0] : [counts?.[/** @type {'running'|'dead'} */ (state)] ?? 0]));
  return number(each.reduce((a, b) => a + b, 0)) + (each.some((n) => n >= counted) ? '+' : '');
}

/** The states as tabs, each with its number as long as nothing but the queue is chosen. @param {{filter: Record<string, string>}} props */
function States({ filter: { state = '', ...filter } }) {
  const { queue, ...others } = filter;
  const all = useGet(Object.keys(others).length ? null : '/v1/queues', undefined, { on: ['queue', 'tasks', 'operation'], every: 15_000 });
  const rows = /** @type {Queue[]|undefined} */ (all.data?.queues)?.filter(({ name }) => !queue || name === queue);
  return html`<${Tabs} label=${t('state')} tabs=${['', ...states].map((one) => ({ label: one ? common.named('state.', one) : t('all'), count: rows && countOf(rows, one), href: href('tasks', { ...filter, state: one }), here: one === state }))} />`;
}

/** @param {{filter: Record<string, string>}} props */
function Found({ filter }) {
  const list = usePages('/v1/tasks', filter, 'tasks', { on: ['tasks', 'operation'], every: 15_000 });
  const [selected, setSelected] = useState(/** @type {Set<string>} */ (new Set()));
  const done = () => { setSelected(new Set()); list.first.reload(); };
  const filtered = Object.keys(filter).length > 0;
  const all = filtered && !filter.waiting; // what waits for a reason is not counted
  const failures = filter.state === 'failed' || Boolean(filter.failed_since || filter.failed_until);
  return html`<${Loaded} fetched=${list.first}>${() => html`${filter.state === 'failed' && !filter.failed_since && !filter.failed_until && html`<p class="muted">${t('failed.about')}</p>`}${(selected.size > 0 || (all && list.rows.length > 0)) && html`<div class="actions">${selected.size > 0
      ? html`<span>${common('selected', { n: selected.size })}</span><${Again}><${Bulk} ids=${[...selected]} onDone=${done} /><//><button type="button" class="ghost" onClick=${() => setSelected(new Set())}>${common('unselect')}</button>`
      : html`<${Bulk} filter=${filter} onDone=${done} />`}</div>`}
    <${Table} label=${t('title')} rows=${list.rows} id=${(/** @type {Task} */ row) => row.id} open=${(/** @type {Task} */ row) => href(['tasks', row.id])}
      selected=${selected} again onSelect=${may('operate') ? setSelected : undefined} none=${list.cursor ? t('partial') : filtered ? t('none') : t('none.all')} columns=${failures ? columns('created') : columns('failed')} />
      ${list.problem && html`<${Failure} problem=${list.problem} />`}<${More} cursor=${list.cursor} busy=${list.busy} onMore=${list.more} />`}<//>`;
}

function Enqueue() {
  const [draft, setDraft] = useState({ type: '', url: '', payload: '{}', queue: '', delay: '', policy: '', key: '', dedupe_key: '' });
  const set = (/** @type {keyof typeof draft} */ name) => (/** @type {any} */ e) => setDraft({ ...draft, [name]: e.target.value });
  const wrong = draft.payload.trim() ? mistake(draft.payload) : '';
  const { url, payload, ...rest } = draft;
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value.trim()));
  const body = { ...given, ...(url ? { target: { url } } : {}), ...(payload.trim() && !wrong ? { payload: new Raw(payload) } : {}) };
  const flags = [...Object.entries(given).map(([name, value]) => `--${name.replace('_', '-')} ${quoted(value)}`), url && `--url ${quoted(url)}`, payload.trim() && `--payload ${quoted(payload)}`].filter(Boolean).join(' ');
  const [place, setPlace] = useState('');
  useEffect(() => { if (place) go(['tasks', place]); }, [place]);
  const field = (/** @type {keyof typeof draft} */ name, /** @type {string} */ label, about = '') => html`<label class="field"><span>${label}</span><input value=${draft[name]} spellcheck=${false} onInput=${set(name)} />${about && html`<span>${about}</span>`}</label>`;
  return html`<${Action} label=${t('enqueue')} needs="enqueue" once unready=${wrong !== ''} about=${t('enqueue.about')} done=${t('enqueued')} onDone=${(/** @type {Task} */ task) => setPlace(task.id)}
    cli=${`outlast task enqueue ${flags}`} request=${{ method: 'POST', path: '/v1/tasks', body }}>
    ${field('url', t('url'), t('url.about'))}${field('type', t('type'), t('type.about'))}
    <label class="field"><span>${t('payload')}</span><textarea rows="6" spellcheck=${false} aria-invalid=${wrong !== ''} value=${draft.payload} onInput=${set('payload')} />${wrong && html`<span class="text-bad" role="alert">${wrong}</span>`}</label>
    ${field('queue', t('queue'))}${field('delay', t('delay'))}${field('policy', t('policy'))}${field('key', t('key'))}${field('dedupe_key', t('dedupe'))}<//>`;
}

