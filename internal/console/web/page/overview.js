// The first page: is all well, what fails and why, what is tried again and when, and how
// dead letters go back.

import { html, useEffect, useState } from '../lib/ui.js';
import { Problem } from '../lib/api.js';
import { visible } from '../lib/json.js';
import { counts, live, on } from '../lib/live.js';
import { href } from '../lib/route.js';
import { may, queues, self, token } from '../lib/session.js';
import { number, percent, short } from '../lib/text.js';
import { clock, duration, milliseconds } from '../lib/time.js';
import { useGet } from '../lib/use.js';
import { Category, Coming, Copy, Foreign, Id, Note, State, When } from '../part/basics.js';
import { asked, flight, TargetCause, TargetState, waits } from '../part/breaker.js';
import { Head, Loaded, Panel } from '../part/panel.js';
import { Redrive } from '../part/redrive.js';
import { Charts, backlog, retries, throughput, useSeries } from '../part/series.js';
import { Table } from '../part/table.js';
import { t } from './overview.text.js';

/** @typedef {import('../../types/api.js').Schema<'SeriesPoint'>} Point */
/** @typedef {import('../../types/api.js').Schema<'DeadGroup'>} Group */
/** @typedef {import('../../types/api.js').Schema<'Task'>} Task */
/** @typedef {import('../../types/api.js').Schema<'TargetState'>} Target */

export default function Overview() {
  const series = useSeries(), all = queues.value.length === 0;
  const targets = useGet(all ? '/v1/targets' : null, { troubled: true, limit: troubles }, { on: ['target'], every: 5000 });
  return html`<${Head} title=${t('title')} /><${Health} troubled=${targets.data} /><${Tiles} points=${series.data?.points ?? []} />
  <${Charts} fetched=${series} charts=${[throughput(), retries(), backlog()]} here="" />
  <div class="grid"><${Failing} /><${Next} /></div>
  <div class="grid">${all && html`<${Troubled} fetched=${targets} />`}<${Tail} /></div>`;
}

const troubles = 8; // targets that are shown

/** @typedef {{status: string, checks: Record<string, import('../../types/api.js').Schema<'Check'>>}} Ready */
/** @typedef {{targets: Target[]|null, total: number}} Targets */

/** Reads the checks, which come with an answer that is no success when one fails.
 * @param {string} path @param {any} _query @param {AbortSignal} signal @returns {Promise<Ready>} */
async function readiness(path, _query, signal) {
  const answer = await fetch(path.slice(1), { signal, cache: 'no-store', credentials: 'omit', headers: token.value ? { Authorization: `Bearer ${token.value}` } : {} }).catch(() => null);
  const body = await answer?.json().catch(() => null);
  if (!answer || !body?.checks && body?.status !== 'ready' && body?.status !== 'not ready') throw new Problem(answer?.status ?? 0, body);
  return body;
}

/** Checks that only advise: they stand among the checks, and worry nobody. */
const advice = ['without retries', 'without a timeout', 'silent deaths'];

/** Where there is more about a check. @type {Record<string, string>} */
const links = { 'no worker': href('queues'), 'blocked keys': href('queues', { tab: 'keys' }), 'critical alerts': href('alerts'), alerts: href('alerts') };

/** Whether anything is wrong, since when, who waits for it, and when it goes on. @param {{troubled?: Targets}} props */
function Health({ troubled }) {
  const ready = useGet(queues.value.length ? '/readyz' : '/readyz?verbose', undefined, { every: 10_000, on: ['resync'], read: readiness });
  const safety = self.value?.server.safety;
  return html`<${Loaded} fetched=${ready}>${(/** @type {Ready} */ { status, checks = {} }) => {
    const wrong = Object.entries(checks).filter(([name, check]) => !check.ok && !advice.includes(name));
    const bad = status !== 'ready' || wrong.length > 0, dead = counts.value?.dead ?? 0, only = queues.value.length > 0, down = troubled?.total ?? 0;
    const title = bad ? t('unwell', { n: Math.max(1, wrong.length) }) : down ? t('down', { n: down }) : dead ? t('wait', { n: dead }) : t(only ? 'well.only' : 'well');
    const about = html`${safety && `${t('safety')}: ${safety.mode} · `}${self.value?.server.store}${counts.value?.nodes !== undefined && ` · ${t('nodes', { n: counts.value.nodes })}`}`;
    return html`<${Note} tone=${bad ? 'bad' : down || dead ? 'warn' : 'good'} title=${title}>
      ${wrong.map(([name, check]) => html`<p><strong>${name}</strong>: <${Foreign} text=${check.detail} />${check.since && html` · ${t('since')} <${When} at=${check.since} />`}${links[name] && html` ·\u00a0<a href=${links[name]}>${t('look')}</a>`}</p>`)}
      ${down > 0 && html`<${Outage} ...${troubled} />`}
      ${only ? html`<span class="faint">${about}</span>` : html`<details class="numbers"><summary>${t('checks')} · ${about}</summary><ul>${Object.entries(checks).map(([name, check]) => html`<li><${State} state=${check.ok ? 'ok' : advice.includes(name) ? 'paused' : 'failed'} label=${name} /> <${Foreign} text=${check.detail} /></li>`)}</ul></details>`}<//>`;
  }}<//>`;
}

const named = 3; // targets, in a line

/** The targets in trouble, in a line. @param {Targets} props */
function Outage({ targets, total }) {
  const rows = byWaiting(targets), waiting = rows.reduce((n, target) => n + waits(target), 0);
  const since = least(rows.map((target) => target.breaker?.opened)), until = least(rows.map(asked));
  return html`<p><strong>${t('troubled')}</strong>: ${rows.slice(0, named).map((target, i) => html`${i > 0 && ', '}<a href=${href(['targets', target.name])}><bdi>${visible(target.name)}</bdi></a>`)}${total > named && ' …'}
    ${since && html` · ${t('since')} <${When} at=${since} />`} · ${total > rows.length && '≥ '}${t('waits', { n: waiting })}${until && html` · ${t('until')} <${When} at=${until} />`}</p>`;
}

/** Those first for which the most tasks wait. @param {Target[]|null} targets */
const byWaiting = (targets) => (targets ?? []).toSorted((a, b) => waits(b) - waits(a));

/** The earliest of some times. @param {(string|undefined)[]} times */
const least = (times) => times.filter(Boolean).sort((a, b) => Date.parse(a ?? '') - Date.parse(b ?? ''))[0];

/** A count, where it is known. @param {number|undefined} n @param {boolean} [least] there may be more */
const known = (n, least) => (n === undefined ? '—' : (least ? '≥ ' : '') + short(n));

/** @param {{points: Point[]}} props */
function Tiles({ points }) {
  const now = useNow();
  const tried = sum(points, (p) => p.attempts), failed = sum(points, (p) => p.failed);
  const tile = (/** @type {string} */ label, /** @type {any} */ value, /** @type {any} */ more, /** @type {string} */ to, tone = '') => html`<a class="tile" href=${to}>
    <div class="label">${label}</div><div class=${'value ' + tone}>${value}</div><div class="more">${more}</div></a>`;
  return html`<div class="tiles">
    ${now.pending === undefined ? tile(t('due'), known(now.ready), dueFor(now), href('tasks', { state: 'pending' })) : tile(t('pending'), known(now.pending, now.least?.pending), t('pending.more'), href('tasks', { state: 'pending' }))}
    ${tile(t('running'), known(now.running, now.least?.running), now.slots !== undefined && t('running.more', { n: now.slots }), href('tasks', { state: 'running' }))}
    ${now.pending === undefined && tile(t('waiting'), known(now.scheduled), t('waiting.more'), href('tasks', { state: 'pending' }))}
    ${tile(t('success'), tried > 0 ? percent(1 - failed / tried) : '—', t('success.more'), href('tasks'))}
    ${tile(t('dead'), known(now.dead, now.least?.dead), t('dead.more'), href('dead'), now.dead ? 'text-bad' : '')}</div>`;
}

/** How long what is due waits, as far as it is known. @param {{ready?: number, oldest?: string}} now */
function dueFor({ ready, oldest }) {
  const age = oldest === undefined ? 0 : milliseconds(oldest);
  if (age > 0) return t('due.more', { age: duration(age) });
  return ready === 0 && t('due.none');
}

/** Whether the counts are those of a stream that goes on. */
const streamed = () => counts.value && live.value !== 'polling';

/** @typedef {{ready?: number, pending?: number, running?: number, scheduled?: number, dead?: number, slots?: number, oldest?: string,
 *   least?: {pending?: boolean, running?: boolean, dead?: boolean}}} Now least: where there may be more */

/** The counts of this moment: as the stream tells them, or as they are asked for. Those that
 * nobody told are undefined. With a token for certain queues they are the sums of these.
 * @returns {Now} */
function useNow() {
  const only = queues.value.length > 0;
  const stats = useGet(streamed() || only ? null : '/v1/stats', {}, { every: 3000 });
  const own = useGet(only ? '/v1/queues' : null, {}, { on: ['queue', 'tasks'], every: 5000 });
  const told = streamed() ? counts.value : null, asked = stats.data;
  if (only) return inAll(own.data?.queues);
  if (told) return { ready: told.ready, running: told.running, scheduled: told.scheduled, dead: told.dead, slots: told.slots, oldest: told.oldest_due };
  return { ready: asked?.ready, running: asked?.running, scheduled: asked?.scheduled, dead: asked?.dead?.total, slots: asked?.slots, oldest: asked?.oldest_due };
}

const counted = 10_000; // of each state in a queue: the server counts no further

/** The counts of queues together. @param {import('../../types/api.js').Schema<'Queue'>[]|undefined} rows @returns {Now} */
function inAll(rows) {
  /** @type {Now} */
  const now = {};
  for (const what of /** @type {const} */ (['pending', 'running', 'dead'])) {
    const each = rows?.map((row) => row.counts?.[what] ?? 0);
    now[what] = each?.reduce((a, b) => a + b, 0);
    now.least = { ...now.least, [what]: each?.some((n) => n >= counted) };
  }
  return now;
}

/** @param {Point[]} points @param {(p: Point) => number|null} of */
const sum = (points, of) => points.reduce((n, p) => n + (of(p) ?? 0), 0);

function Failing() {
  const groups = useGet('/v1/dead/groups', { limit: 5 }, { on: ['tasks', 'dead', 'operation'], every: 15_000 });
  return html`<${Panel} title=${t('failing')} aside=${html`<a href=${href('dead')}>${t('all')}</a>`}><p class="faint">${t('failing.about')}</p>
    <${Loaded} fetched=${groups}>${(/** @type {{groups: Group[]|null}} */ data) => html`<${Table} label=${t('failing')} rows=${data.groups ?? []} none=${t('failing.none')} id=${(/** @type {Group} */ g) => [g.fingerprint, g.type, g.reason].join(' ')}
      open=${(/** @type {Group} */ g) => href(['dead', 'groups', g.fingerprint])} columns=${[
        { key: 'count', label: t('count'), numeric: true, cell: (/** @type {Group} */ g) => html`<a href=${href(['dead', 'groups', g.fingerprint])}>${number(g.count)}</a>` },
        { key: 'why', label: t('why'), wide: true, cell: (/** @type {Group} */ g) => html`<${Category} category=${g.category} /> <${Foreign} text=${g.message} limit=${110} /><div class="faint"><bdi>${visible(g.type)}</bdi> · <${When} at=${g.last_seen} /></div>` },
        { key: 'act', label: '', cell: (/** @type {Group} */ g) => html`<${Redrive} small label=${t('redrive')} filter=${{ fingerprint: g.fingerprint }} example=${g.example} onDone=${groups.reload} />` },
      ]} />`}<//><//>`;
}

function Next() {
  const upcoming = useGet('/v1/tasks/upcoming', { limit: 5 }, { on: ['tasks'], every: 5000 });
  return html`<${Panel} title=${t('next')}><p class="faint">${t('next.about')}</p><${Loaded} fetched=${upcoming}>${(/** @type {{tasks: Task[]|null, complete: boolean}} */ { tasks, complete }) => html`
    <${Table} label=${t('next')} rows=${tasks ?? []} none=${t(complete ? 'next.none' : 'next.unseen')} id=${(/** @type {Task} */ task) => task.id} open=${(/** @type {Task} */ task) => href(['tasks', task.id])} columns=${[
      { key: 'when', label: t('when'), cell: (/** @type {Task} */ task) => html`<strong><${Coming} task=${task} /></strong>` },
      { key: 'task', label: t('task'), wide: true, cell: (/** @type {Task} */ task) => html`<bdi>${visible(task.type)}</bdi> <${Id} id=${task.id} href=${href(['tasks', task.id])} />
        <div><${Category} category=${task.last_error?.category} /> <${Foreign} text=${task.last_error?.message} limit=${90} /></div>` },
      { key: 'attempt', label: t('attempt'), numeric: true, cell: (/** @type {Task} */ task) => (task.max_attempts ? `${number(task.attempt)}/${number(task.max_attempts)}` : number(task.attempt)) },
    ]} />${!complete && tasks?.length ? html`<p class="faint">${t('next.unseen')}</p>` : ''}`}<//><//>`;
}

/** @param {{fetched: import('../lib/use.js').Fetched<Targets>}} props */
function Troubled({ fetched }) {
  const state = (/** @type {Target} */ target) => html`<${TargetState} target=${target} />${asked(target) && html`<div class="faint">${t('until')} <${When} at=${asked(target)} /></div>`}`;
  return html`<${Panel} title=${t('troubled')}><${Loaded} fetched=${fetched}>${(/** @type {Targets} */ data) => html`
    <${Table} label=${t('troubled')} rows=${byWaiting(data.targets)} none=${t('troubled.none')} id=${(/** @type {Target} */ target) => target.name} open=${(/** @type {Target} */ target) => href(['targets', target.name])} columns=${[
      { key: 'name', label: t('target'), cell: (/** @type {Target} */ target) => html`<a href=${href(['targets', target.name])}><bdi>${visible(target.name)}</bdi></a>` },
      { key: 'breaker', label: t('breaker'), cell: state },
      { key: 'waiting', label: t('waiting.for'), numeric: true, cell: (/** @type {Target} */ target) => number(waits(target)) },
      { key: 'flight', label: t('flight'), numeric: true, cell: flight },
      { key: 'why', label: t('cause'), cell: (/** @type {Target} */ target) => html`<${TargetCause} target=${target} />` },
    ]} />${data.total > troubles && html`<p><a href=${href('targets')}>${t('troubled.more', { n: data.total - troubles })}</a></p>`}`}<//><//>`;
}

const kept = 40; // rows of the tail

/** What happens, newest first; at most [kept] rows, however fast it comes. */
function Tail() {
  const [held, setHeld] = useState(false);
  const [rows, setRows] = useState(/** @type {import('../lib/live.js').TaskEvent[]} */ ([]));
  const [left, setLeft] = useState(0);
  useEffect(() => on('tasks', (data) => {
    if (held) return;
    setRows((before) => [...[...data.tasks].reverse(), ...before].slice(0, kept));
    setLeft((n) => n + data.left_out);
  }), [held]);
  return html`<${Panel} title=${t('tail')} aside=${html`${left > 0 && html`<span class="faint">${t('tail.left', { n: left })}</span> `}<button type="button" class="small" aria-pressed=${held} onClick=${() => setHeld(!held)}>${t(held ? 'tail.go' : 'tail.pause')}</button>`}>
    ${rows.length === 0 ? html`<div class="empty"><p>${t('tail.none')}</p><${First} /></div>` : html`<ol class="tail">${rows.map((row, i) => html`<li key=${`${row.id}${row.at}${i}`}>
      <time class="faint">${clock(row.at)}</time> <${State} state=${row.what === 'enqueued' || row.what === 'started' ? 'pending' : row.what === 'crashed' ? 'failed' : row.what} label=${t.named('what.', row.what)} />
      <bdi>${visible(row.type)}</bdi> <${Id} id=${row.id} href=${href(['tasks', row.id])} /> <${Category} category=${row.category} /></li>`)}</ol>`}<//>`;
}

/** The first thing to try, where nothing ever happened. */
function First() {
  if (Number(counts.value?.pending ?? 1) || Number(counts.value?.dead ?? 1) || !may('enqueue')) return null;
  const command = 'outlast task enqueue --url https://example.com/hook --payload \'{"hello":"world"}\'';
  return html`<p>${t('empty')}</p><div class="command"><code>${command}</code><${Copy} text=${command} /></div>`;
}

