// One task: where it stands, why, what happened, and what will.

import { html, useMemo, useState } from '../lib/ui.js';
import { at, callText, get, post } from '../lib/api.js';
import { members, pretty, visible } from '../lib/json.js';
import { nameOf, targetOf } from '../lib/name.js';
import { href } from '../lib/route.js';
import { number } from '../lib/text.js';
import { duration, milliseconds, serverNow } from '../lib/time.js';
import { useGet } from '../lib/use.js';
import { admits, may, queues } from '../lib/session.js';
import { Category, Copy, Fact, Facts, Foreign, Id, Lasting, Note, Same, State, When, curl, quoted } from '../part/basics.js';
import { Action } from '../part/dialog.js';
import { Head, Loaded, Panel } from '../part/panel.js';
import { Payload } from '../part/payload.js';
import { Plot } from '../part/plot.js';
import { Redrive } from '../part/redrive.js';
import { Release } from '../part/release.js';
import { Name, standing } from '../part/rows.js';
import { AgainHere, Table } from '../part/table.js';
import { Timeline } from '../part/timeline.js';
import { schedule } from '../part/server.text.js';
import { t as common } from '../part/common.text.js';
import { t as letters } from './dead.text.js';
import { t as blocked } from './keys.text.js';
import { Signals, Steps, undoable } from './task-steps.js';
import { t } from './task.text.js';

/** @typedef {import('../../types/api.js').Schema<'Task'>} Task */
/** @typedef {import('../../types/api.js').Schema<'Attempt'>} Attempt */
/** @typedef {{task: Task, text: string}} Record */

/** Reads a task and keeps its text, for what must not lose anything.
 * @param {string} path @param {any} query @param {AbortSignal} signal */
async function readTask(path, query, signal) {
  const text = await callText('GET', path, { query, signal });
  return { task: JSON.parse(text), text };
}

/** @param {{id: string}} props */
export function OneTask({ id }) {
  const path = at`/v1/tasks/${id}`;
  const record = useGet(path, undefined, { on: ['tasks'], every: 5000, read: readTask });
  const attempts = useGet(path + '/attempts', undefined, { on: ['tasks'], every: 5000 });
  const reload = () => { record.reload(); attempts.reload(); };
  return html`<p><a href=${href('tasks')}>← ${t('back')}</a></p><${Loaded} fetched=${record} name=${id}>${(/** @type {Record} */ { task, text }) => html`
    <${Head} title=${html`<${Name} task=${task} /> <${State} state=${standing(task)} />`} actions=${html`<${Actions} task=${task} onDone=${reload} />`}>
      <${Id} id=${id} whole /> <${Copy} text=${id} /><//>
    <${Why} task=${task} onDone=${reload} />
    <${Loaded} fetched=${attempts}>${(/** @type {{attempts: Attempt[]|null}} */ data) => html`<${Story} task=${task} attempts=${data.attempts ?? []} />`}<//>
    <${Steps} task=${task} text=${text} />
    <div class="grid"><${About} task=${task} text=${text} /><${Content} task=${task} text=${text} /></div>
    ${task.state === 'pending' && html`<${Planned} task=${task} />`}
    <${Followers} task=${task} />${may('operate') && queues.value.length === 0 && html`<${Audit} id=${id} />`}<${Whole} text=${text} path=${path} id=${id} />`}<//>`;
}

/** @param {{task: Task, onDone: () => void}} props */
function Why({ task, onDone }) {
  if (task.state === 'dead') {
    return html`<${Note} tone="bad" title=${`${t('reason')}: ${common.named('reason.', task.dead_reason ?? '')}`}><${Foreign} text=${task.last_error?.message} /><//>`;
  }
  if (task.state !== 'pending') return null;
  const waiting = task.waiting ?? '';
  return html`<${Note} tone="warn" title=${t('why')}><p>${t.named('waiting.', waiting)}</p>
    ${waiting === 'behind key' ? html`<${First} task=${task} />` : html`<p>${task.next_check ? html`${t('next')}: <strong><${When} at=${task.next_check} full /></strong>` : t('unknownNext')}</p>`}
    ${task.last_error && html`<p>${t('error')}: <${Category} category=${task.last_error.category} /> <${Foreign} text=${task.last_error.message} /></p>`}<${Helps} task=${task} onDone=${onDone} /><//>`;
}

const mostOfKey = 100;

/** The task of the same ordering key that goes first: the one that runs, or of those that have run
 * the oldest, or the oldest. @param {{task: Task}} props */
function First({ task }) {
  const { queue, key = '' } = task;
  const all = useGet('/v1/tasks', { queue, key, limit: mostOfKey }, { on: ['tasks'], every: 5000 });
  const tasks = /** @type {Task[]} */ (all.data?.tasks ?? []).filter((other) => other.id !== task.id);
  const pending = tasks.filter((other) => other.state === 'pending').reverse();
  const first = tasks.find((other) => other.state === 'running') ?? pending.find((other) => other.attempt > 0) ?? pending[0];
  if (!first || all.data?.next_cursor) return html`<p>${t('unknownNext')}</p>`;
  return html`<p>${t('goes.first')}: <${Id} id=${first.id} href=${href(['tasks', first.id])} /> · ${t('attempt')} ${number(first.attempt)} ·
    ${first.state === 'running' ? common.named('state.', 'running') : html`${t('next')}: <strong><${When} at=${first.next_check ?? first.run_at} /></strong>`}</p>`;
}

/** Where what holds a task is found. @type {globalThis.Record<string, ('queue'|'key'|'letters'|'keys'|'target'|'nodes')[]>} */
const holders = { paused: ['queue'], 'behind key': ['key'], 'key blocked': ['letters', 'keys'], 'breaker open': ['target'], 'budget spent': ['target'], 'rate limited': ['target'], concurrency: ['target', 'queue'],
  'share limit': ['queue'], 'group backoff': ['nodes', 'target'], 'no slot': ['nodes'], 'no worker': ['nodes', 'queue'], unowned: ['queue', 'nodes'], 'no key': ['nodes'] };

/** Leads to what holds a task, and offers what helps. @param {{task: Task, onDone: () => void}} props */
function Helps({ task, onDone }) {
  const { queue, key = '' } = task, target = targetOf(task);
  const link = (/** @type {string} */ to, /** @type {string} */ label, name = '') => html`<a href=${to}>${label}${name && html` <bdi>${visible(name)}</bdi>`}</a>`;
  const places = { queue: link(href(['queues', queue]), t('queue'), queue), key: link(href('tasks', { queue, key }), t('go.key'), key), letters: link(href(['dead', 'letters'], { queue, key }), t('go.letters'), key), keys: link(href('queues', { tab: 'keys', queue }), blocked('title')),
    target: admits({ all: true }) && link(href(['targets', target]), t('target'), target), nodes: link(href('workers'), common('page.workers')) };
  const found = (holders[task.waiting ?? ''] ?? []).map((name) => places[name]).filter(Boolean);
  if (found.length === 0) return null;
  return html`<div class="actions">${found}${task.waiting === 'key blocked' && html`<${Redrive} small label=${letters('redrive')} filter=${{ queue, key }} onDone=${onDone} /> <${Release} small queue=${queue} name=${key} onDone=${onDone} />`}</div>`;
}

/** @param {{task: Task, onDone: () => void}} props */
function Actions({ task, onDone }) {
  const [delay, setDelay] = useState('10m');
  const [compensate, setCompensate] = useState(false);
  const path = at`/v1/tasks/${task.id}`, undo = { method: 'POST', path: path + '/cancel', body: { compensate: true } }, undoCommand = `outlast task cancel --compensate ${task.id}`;
  if (task.state === 'dead') {
    return html`<${AgainHere}><${Redrive} label=${t('redrive')} ids=${[task.id]} onDone=${onDone} /><//><${Redrive} edit label=${letters('redrive.edit')} ids=${[task.id]} onDone=${onDone} />`;
  }
  if (task.state === 'canceled' && undoable(task) && !task.compensation_task) {
    return html`<${Action} label=${t('undo')} danger about=${t('undo.about')} done=${t('undoing')} onDone=${onDone} request=${undo} cli=${undoCommand} />`;
  }
  if (task.state !== 'pending' && task.state !== 'running') return null;
  const undoes = compensate && undoable(task);
  return html`<${Signals} task=${task} onDone=${onDone} />${task.state === 'pending' && html`<${AgainHere}><${Action} label=${t('retry')} about=${t('retry.about')} done=${t('retried')} onDone=${onDone} request=${{ method: 'POST', path: path + '/retry' }} cli=${`outlast task retry ${task.id}`} /><//>
    <${Action} label=${t('reschedule')} about=${t('reschedule.about')} onDone=${onDone} request=${() => ({ method: 'POST', path: path + '/reschedule', body: { delay } })} cli=${() => `outlast task reschedule ${task.id} --delay ${quoted(delay)}`}>
      <label class="field"><span>${t('delay')}</span><input value=${delay} required onInput=${(/** @type {any} */ e) => setDelay(e.target.value)} /></label><//>`}
    <${Action} label=${t('cancel')} danger dismiss=${common('keep.it')} about=${t('cancel.about')} done=${t('canceled')} onDone=${onDone} request=${undoes ? undo : { method: 'POST', path: path + '/cancel' }} cli=${undoes ? undoCommand : `outlast task cancel ${task.id}`}>
      ${undoable(task) && html`<label class="check"><input type="checkbox" checked=${compensate} onChange=${(/** @type {any} */ e) => setCompensate(e.target.checked)} /> ${t('cancel.undo')}</label>`}<//>`;
}

/** The attempts: drawn, listed, compared. @param {{task: Task, attempts: Attempt[]}} props */
function Story({ task, attempts }) {
  const due = task.next_check ?? (Date.parse(String(task.run_at)) > serverNow() ? task.run_at : undefined); // nobody may know when
  const next = task.state === 'pending' ? due : undefined;
  const took = (/** @type {Attempt} */ a) => (a.started_at && a.ended_at ? duration(Date.parse(a.ended_at) - Date.parse(a.started_at)) : '—');
  return html`<${Panel} title=${t('attempts')}>
    <${Timeline} attempts=${attempts} created=${String(task.created_at)} next=${next} finished=${task.finished_at} />
    <${Table} label=${t('attempts')} rows=${[...attempts].reverse()} none=${t('none')} id=${(/** @type {Attempt} */ a) => `${a.claim}-${a.number}`} columns=${[
      { key: 'number', label: t('number'), cell: (/** @type {Attempt} */ a) => number(a.number) },
      { key: 'outcome', label: t('outcome'), cell: (/** @type {Attempt} */ a) => html`<${State} state=${a.outcome === 'crashed' ? 'failed' : a.outcome} label=${t.named('outcome.', a.outcome)} />` },
      { key: 'started', label: t('started'), cell: (/** @type {Attempt} */ a) => html`<${When} at=${a.started_at} />` },
      { key: 'took', label: t('took'), numeric: true, cell: took },
      { key: 'error', label: t('attempt.error'), wide: true, cell: (/** @type {Attempt} */ a) => html`<${Category} category=${a.category} /> ${a.code && html`<code>${visible(a.code)}</code> `}<${Foreign} text=${a.error} />` },
      { key: 'wait', label: t('wait'), numeric: true, cell: (/** @type {Attempt} */ a) => html`<${Lasting} text=${a.next_delay} />` },
      { key: 'policy', label: t('policy'), cell: (/** @type {Attempt} */ a) => (a.policy ? html`<a href=${href(['policies', a.policy])}><bdi>${visible(a.policy)}</bdi></a> ${a.policy_version}` : task.retry ? t('inline') : task.policy ? html`<a href=${href(['policies', task.policy])}><bdi>${visible(task.policy)}</bdi></a>` : '—') }, // a preset has no versions
      { key: 'by', label: t('by'), cell: (/** @type {Attempt} */ a) => html`<bdi>${visible(a.worker || a.node || '—')}</bdi>` },
    ]} />${attempts.length > 1 && html`<${Diff} attempts=${attempts} />`}<//>`;
}

/** Two attempts side by side. @param {{attempts: Attempt[]}} props */
function Diff({ attempts }) {
  const [pair, setPair] = useState([attempts.length - 2, attempts.length - 1]);
  const [a, b] = pair.map((i) => /** @type {globalThis.Record<string, any>} */ (attempts[i] ?? {}));
  const differ = [...new Set([...Object.keys(a), ...Object.keys(b)])].filter((name) => JSON.stringify(a[name]) !== JSON.stringify(b[name]));
  const told = differ.some((name) => !['number', 'claim', 'started_at', 'ended_at'].includes(name));
  const pick = (/** @type {0|1} */ side) => html`<label class="field"><span>${t(side ? 'second' : 'first')}</span><select value=${pair[side]} onChange=${(/** @type {any} */ e) => setPair(side ? [pair[0], Number(e.target.value)] : [Number(e.target.value), pair[1]])}>
    ${attempts.map((one, i) => html`<option value=${i}>${one.number} · ${t.named('outcome.', one.outcome)}</option>`)}</select></label>`;
  return html`<details class="numbers"><summary>${t('diff')}</summary><div class="filters">${pick(0)}${pick(1)}</div>${!told && html`<p>${t('same')}</p>`}
    <div class="scroll" tabindex="0" role="region" aria-label=${t('diff')}><table class="plain" aria-label=${t('diff')}><thead><tr><th scope="col">${t('field')}</th><th scope="col">${a.number}</th><th scope="col">${b.number}</th></tr></thead>
    <tbody>${differ.map((name) => html`<tr key=${name}><th scope="row">${t.named('field.', name)}</th><td>${shownOf(name, a[name], b[name])}</td><td>${shownOf(name, b[name], a[name])}</td></tr>`)}</tbody></table></div></details>`;
}

/** A field of an attempt, beside that of another. @param {string} name @param {any} value @param {any} other */
function shownOf(name, value, other) {
  if (value === undefined) return html`<${Foreign} />`;
  if (name.endsWith('_at')) return html`<${When} at=${value} full />`;
  if (name === 'outcome') return t.named('outcome.', value);
  if (name === 'category') return html`<${Category} category=${value} />`;
  if (name === 'next_delay') return html`<${Lasting} text=${value} />`;
  return html`<${Apart} text=${text(value)} other=${text(other)} />`;
}

const about = 60; // characters shown on either side of what differs

/** A text; of a long one, what it has not in common with the other is marked. @param {{text: string, other: string}} props */
function Apart({ text: mine, other }) {
  const a = [...mine], b = [...other], least = Math.min(a.length, b.length);
  let from = 0, behind = 0;
  while (from < least && a[from] === b[from]) from++;
  while (behind < least - from && a[a.length - 1 - behind] === b[b.length - 1 - behind]) behind++;
  if (a.length < about || from + behind === 0) return html`<${Foreign} text=${mine} />`;
  const end = a.length - behind, part = (/** @type {number} */ x, /** @type {number} */ y) => visible(a.slice(x, y).join(''));
  return html`<bdi class="foreign">${from > about && '…'}${part(Math.max(0, from - about), from)}<mark class="apart">${part(from, end)}</mark>${part(end, end + about)}${behind > about && '…'}</bdi>`;
}

/** @param {any} value */
const text = (value) => (value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value));

/** @param {{task: Task, text: string}} props */
function About({ task, text: record }) {
  const target = task.target, limit = task.max_attempts;
  const fact = (/** @type {string} */ label, /** @type {any} */ value) => value && html`<${Fact} label=${label}>${value}<//>`;
  const time = (/** @type {string} */ label, /** @type {string|undefined} */ value) => value && html`<${Fact} label=${label}><${When} at=${value} full /><//>`;
  return html`<${Panel} title=${t('facts')}><${Facts}>
    ${fact(t('type'), nameOf(task) !== task.type && task.type)}${fact(t('queue'), html`<a href=${href(['queues', task.queue])}><bdi>${visible(task.queue)}</bdi></a>`)}
    ${fact(t('attempt'), limit ? t('of', { n: task.attempt, max: limit }) : t('unlimited', { n: task.attempt }))}
    ${fact(t('policy'), task.retry ? t('inline') : task.policy && html`<a href=${href(['policies', task.policy])}><bdi>${visible(task.policy)}</bdi></a> ${task.policy_version ? t('version', { n: task.policy_version }) : ''}`)}
    ${fact(t('target'), target && (target.url ? html`${target.method ?? 'POST'} <bdi class="foreign">${visible(target.url)}</bdi>` : html`<bdi>${visible(target.group ?? '')}</bdi> <bdi class="foreign">${visible(target.path ?? '')}</bdi>`))}
    ${time(t('created'), task.created_at)}${time(t('runAt'), task.run_at)}${time(t('finished'), task.finished_at)}${time(t('deadline'), task.deadline)}
    ${fact(t('timeout'), task.timeout && html`<${Lasting} text=${task.timeout} />`)}${fact(t('priority'), String(task.priority))}${fact(t('crashes'), task.crashes ? number(task.crashes) : '')}
    ${fact(t('key'), task.key && html`<a href=${href('tasks', { key: task.key })}><bdi class="foreign">${visible(task.key)}</bdi></a>`)}${fact(t('share'), task.share_key && html`<bdi class="foreign">${visible(task.share_key)}</bdi>`)}${fact(t('dedupe'), task.dedupe_key && html`<bdi class="foreign">${visible(task.dedupe_key)}</bdi>`)}
    ${fact(t('node'), task.node && html`<a href=${href(['workers', task.node])}><bdi>${visible(task.node)}</bdi></a>`)}${fact(t('worker'), task.worker && html`<bdi>${visible(task.worker)}</bdi>`)}${fact(t('claim'), members(record, ['claim']).claim?.text)}${fact(t('trace'), task.trace_parent && html`<code>${visible(task.trace_parent)}</code>`)}
    ${task.dispatch?.failures ? fact(t('dispatchFailures'), html`${number(task.dispatch.failures)} <${Foreign} text=${task.dispatch.last_error} />`) : ''}
    ${Object.entries(task.metadata ?? {}).map(([name, value]) => fact(visible(name), html`<${Foreign} text=${value} />`))}<//><//>`;
}

/** @param {{task: Task, text: string}} props */
function Content({ task, text: record }) {
  const raw = useMemo(() => members(record, ['payload', 'result', 'progress']), [record]);
  return html`<${Panel} title=${t('payload')}>${task.payload_base64 && html`<p class="faint">${t('encrypted')}</p>`}
    <${Payload} text=${raw.payload?.text ?? task.payload_base64} name=${`${task.id}.json`} label=${t('payload')} />
    ${raw.result && html`<h3>${t('result')}</h3><${Payload} text=${raw.result.text} name=${`${task.id}-result.json`} label=${t('result')} />`}
    ${raw.progress && html`<h3>${t('progress')}</h3><${Payload} text=${raw.progress.text} name=${`${task.id}-progress.json`} label=${t('progress')} />`}<//>`;
}

/** What the policy plans for the retries that are left. @param {{task: Task}} props */
function Planned({ task }) {
  const plan = useGet('/v1/policies/plan', { policy: task.policy ?? '', retry: JSON.stringify([task.retry ?? null, task.max_attempts]) }, { read: () => planOf(task) });
  return html`<${Panel} title=${t('plan')}><p class="faint">${t('plan.about')}</p><${Loaded} fetched=${plan}>${(/** @type {any} */ p) => {
    const left = (p.delays ?? []).filter((/** @type {any} */ d) => d.retry >= Math.max(1, task.attempt));
    return left.length ? html`<${Plot} delays=${left} /><p class="faint">${schedule(p.policy, p.attempts, p.summary)} · ${t('retries')}: ${number(left.length)} · ${duration(left.reduce((/** @type {number} */ sum, /** @type {any} */ d) => sum + milliseconds(d.nominal), 0))}</p>` : html`<p>${t('never')}</p>`;
  }}<//><//>`;
}

/** @param {Task} task */
async function planOf(task) {
  let policy = /** @type {any} */ (task.retry);
  if (!policy && task.policy) policy = (await get(at`/v1/policies/${task.policy}`)).policy;
  const { alert, fallback, canary, ...rest } = policy ?? {}; // what a plan does not look at
  return post('/v1/policies/plan', { ...rest, ...(task.max_attempts ? { max_attempts: task.max_attempts } : {}) });
}

/** @param {{task: Task}} props */
function Followers({ task }) {
  const ofGroup = task.follows === 'group';
  const links = [[t('taskGroup'), task.group ?? (ofGroup && task.parent), '', 'task-groups'], [t('parent'), !ofGroup && task.parent, task.follows], [t('fallback'), task.fallback_task, task.fallback_state], [t('callback'), task.callback_task, task.callback_state], [t('compensation'), task.compensation_task, task.compensation_state]].filter(([, id]) => id);
  return links.length > 0 && html`<${Panel} title=${t('follow')}><${Facts}>${links.map(([label, id, state, place = 'tasks']) => html`<${Fact} label=${label}><${Id} id=${String(id)} href=${href([String(place), String(id)])} />
    <span class="faint"> ${state && common.named('state.', String(state))}</span><//>`)}<//><//>`;
}

/** @typedef {import('../../types/api.js').Schema<'AuditRow'>} AuditRow */

/** @param {{id: string}} props */
function Audit({ id }) {
  const audit = useGet('/v1/audit', { subject: `task/${id}`, limit: 20 }, { on: ['tasks'], every: 15_000 });
  return html`<${Loaded} fetched=${audit} empty=${(/** @type {any} */ a) => !a.rows?.length} none=${false}>${(/** @type {{rows: AuditRow[]}} */ { rows }) => html`
    <${Panel} title=${t('audit')}><ul>${rows.map((row) => html`<li><${When} at=${row.at} /> · <code>${row.action}</code> · <bdi>${visible(row.actor)}</bdi></li>`)}</ul><//>`}<//>`;
}

/** @param {{text: string, path: string, id: string}} props */
const Whole = ({ text: record, path, id }) => html`<details class="panel"><summary>${t('raw')}</summary><pre class="block" tabindex="0"><code>${visible(pretty(record).slice(0, 200_000))}</code></pre>
  <${Same} cli=${`outlast task get ${id} --output json`} curl=${curl('GET', path)} /></details>`;
