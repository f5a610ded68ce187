// Queues: how long tasks wait in them, how many there are, and what holds for them.

import { html, useState } from '../lib/ui.js';
import { at } from '../lib/api.js';
import { path, href, query } from '../lib/route.js';
import { number } from '../lib/text.js';
import { duration, milliseconds } from '../lib/time.js';
import { useGet } from '../lib/use.js';
import { Fact, Facts, State, Tabs, When, quoted } from '../part/basics.js';
import { Action } from '../part/dialog.js';
import { Head, Loaded, Panel } from '../part/panel.js';
import { columns } from '../part/rows.js';
import { Charts, backlog, delays, throughput, useSeries } from '../part/series.js';
import { Table } from '../part/table.js';
import { BlockedKeys, Keys } from './keys.js';
import { t as keys } from './keys.text.js';
import { Shares } from './queue-shares.js';
import { t } from './queues.text.js';

/** @typedef {import('../../types/api.js').Schema<'Queue'>} Queue */
/** @typedef {import('../../types/api.js').Schema<'Task'>} Task */

const counted = 10_000; // the server counts no further

/** @param {number|undefined} n */
const count = (n = 0) => (n >= counted ? t('atLeast', { n: counted }) : number(n));
/** @param {number|undefined} n */
const limit = (n) => (n ? number(n) : t('unlimited'));

export default function Queues() {
  const name = path.value[1];
  if (name) return html`<${One} name=${name} key=${name} />`;
  const blocked = query.value.get('tab') === 'keys';
  return html`<${Head} title=${t('title')}>${t('about')}<//>
  <${Tabs} label=${t('title')} tabs=${[{ label: keys('all'), href: href('queues'), here: !blocked }, { label: keys('title'), href: href('queues', { tab: 'keys' }), here: blocked }]} />
  ${blocked ? html`<${BlockedKeys} />` : html`<${All} />`}`;
}

/** How long the oldest task has been due. @param {Queue} q */
const oldest = (q) => milliseconds(q.oldest_due);
/** How much later than due attempts started. @param {Queue} q @param {'p50'|'p99'} share */
const delay = (q, share) => (q.recent?.wait ? duration(milliseconds(q.recent.wait[share])) : '—');
/** Attempts that ended, per second. @param {Queue} q */
const pace = (q) => (q.recent?.attempts == null ? '—' : number(q.recent.attempts, { maximumSignificantDigits: 2 }));

/** Queues in which something has waited for a minute or longer come first, the longest wait before others. @param {Queue} a @param {Queue} b */
const byAge = (a, b) => Math.floor(oldest(b) / 6e4) - Math.floor(oldest(a) / 6e4);

function All() {
  const queues = useGet('/v1/queues', {}, { on: ['queue', 'tasks'], every: 10_000 });
  return html`<div class="panel"><p class="faint">${t('recent')}</p><${Loaded} fetched=${queues}>${(/** @type {{queues: Queue[]}} */ { queues: rows }) => html`
    <${Table} label=${t('title')} rows=${rows.toSorted(byAge)} id=${(/** @type {Queue} */ q) => q.name} open=${(/** @type {Queue} */ q) => href(['queues', q.name])} none=${t('none')} columns=${[
      { key: 'name', label: t('name'), cell: (/** @type {Queue} */ q) => html`<a href=${href(['queues', q.name])}><bdi>${q.name}</bdi></a>` },
      { key: 'oldest', label: t('oldest'), numeric: true, cell: (/** @type {Queue} */ q) => duration(oldest(q)) },
      { key: 'p50', label: t('p50'), numeric: true, cell: (/** @type {Queue} */ q) => delay(q, 'p50') },
      { key: 'p99', label: t('p99'), numeric: true, cell: (/** @type {Queue} */ q) => delay(q, 'p99') },
      { key: 'pace', label: t('pace'), numeric: true, cell: pace },
      { key: 'pending', label: t('pending'), numeric: true, cell: (/** @type {Queue} */ q) => html`<a href=${href('tasks', { queue: q.name, state: 'pending' })}>${count(q.counts?.pending)}</a>` },
      { key: 'running', label: t('running'), numeric: true, cell: (/** @type {Queue} */ q) => html`<a href=${href('tasks', { queue: q.name, state: 'running' })}>${count(q.counts?.running)}</a>${q.concurrency > 0 && `/${number(q.concurrency)}`}` },
      { key: 'dead', label: t('dead'), numeric: true, cell: (/** @type {Queue} */ q) => html`<a href=${href('dead', { queue: q.name })}>${count(q.counts?.dead)}</a>` },
      { key: 'policy', label: t('policy'), cell: (/** @type {Queue} */ q) => (q.policy ? html`<a href=${href(['policies', q.policy])}>${q.policy}</a>` : t('policy.default')) },
      { key: 'state', label: t('state'), cell: (/** @type {Queue} */ q) => html`<${State} state=${q.paused ? 'paused' : 'on'} />` },
      { key: 'act', label: '', cell: (/** @type {Queue} */ q) => html`<${Pause} queue=${q} onDone=${queues.reload} small />` },
    ]} />`}<//></div>`;
}

/** Pauses or resumes a queue. @param {{queue: Queue, onDone: () => void, small?: boolean}} props */
function Pause({ queue, onDone, small }) {
  const verb = queue.paused ? 'resume' : 'pause';
  return html`<${Action} label=${t(verb)} small=${small} about=${t(`${verb}.about`, { name: queue.name })} onDone=${onDone} done=${t(queue.paused ? 'resumed' : 'paused')}
    request=${{ method: 'POST', path: at`/v1/queues/${queue.name}/` + verb }} cli=${`outlast queue ${verb} ${quoted(queue.name)}`} />`;
}

/** @param {{name: string}} props */
function One({ name }) {
  const queue = useGet(at`/v1/queues/${name}`, {}, { on: ['queue', 'tasks'], every: 10_000 });
  const series = useSeries(name);
  return html`<p><a href=${href('queues')}>← ${t('back')}</a></p><${Loaded} fetched=${queue} name=${name}>${(/** @type {Queue} */ q) => html`
    <${Head} title=${html`<bdi>${q.name}</bdi> <${State} state=${q.paused ? 'paused' : 'on'} />`}
      actions=${html`<${Pause} queue=${q} onDone=${queue.reload} /><${Change} queue=${q} onDone=${queue.reload} />`} />
    <div class="tiles">
      <div class="tile"><div class="label">${t('oldest')}</div><div class="value">${duration(oldest(q))}</div><div class="more">${t('oldest.more')}</div></div>
      <div class="tile"><div class="label">${t('delay')}</div><div class="value">${delay(q, 'p99')}</div><div class="more">${t('delay.more', { p50: delay(q, 'p50') })}</div></div>
      <div class="tile"><div class="label">${t('pace')}</div><div class="value">${pace(q)}</div><div class="more">${t('pace.more')}</div></div>
      <a class="tile" href=${href('tasks', { queue: name, state: 'pending' })}><div class="label">${t('pending')}</div><div class="value">${count(q.counts?.pending)}</div></a>
      <a class="tile" href=${href('tasks', { queue: name, state: 'running' })}><div class="label">${t('running')}</div><div class="value">${count(q.counts?.running)}</div></a>
      <a class="tile" href=${href('dead', { queue: name })}><div class="label">${t('dead')}</div><div class="value">${count(q.counts?.dead)}</div></a></div>
    <${Charts} fetched=${series} charts=${[delays(), throughput(), backlog()]} here=${['queues', name]} />
    <${Newest} name=${name} />
    <${Panel} title=${keys('title')}><p class="faint">${keys('about')}</p><${Keys} queue=${name} /><//>
    <${Panel} title=${t('settings')}><${Facts}>
      <${Fact} label=${t('policy')}>${q.policy ? html`<a href=${href(['policies', q.policy])}>${q.policy}</a>` : t('policy.default')}<//>
      <${Fact} label=${t('limit')}>${limit(q.concurrency)}<//><${Fact} label=${t('maxPending')}>${limit(q.max_pending)}<//>
      <${Fact} label=${t('weight')}>${number(q.weight)}<//><${Fact} label=${t('lanes')}>${number(q.lanes)}<//>
      <${Fact} label=${t('shareLimit')}>${limit(q.shares?.concurrency)}<//><${Fact} label=${t('shareRate')}>${q.shares?.rate || t('unlimited')}<//>
      <${Fact} label=${t('unknownType')}>${t(q.unknown_type === 'dead' ? 'unknown.dead' : 'unknown.park')}<//>
      <${Fact} label=${t('updated')}><${When} at=${q.updated_at} /><//><//><//>
    <${Shares} name=${name} /><${Lanes} name=${name} />`}<//>`;
}

/** @typedef {import('../../types/api.js').Schema<'Lane'>} Lane */

/** The newest tasks of a queue. @param {{name: string}} props */
function Newest({ name }) {
  const tasks = useGet('/v1/tasks', { queue: name, limit: 10 }, { on: ['tasks'], every: 10_000 });
  return html`<${Panel} title=${t('newest')} aside=${html`<a href=${href('tasks', { queue: name })}>${t('newest.all')}</a>`}>
    <${Loaded} fetched=${tasks}>${(/** @type {{tasks: Task[]|null}} */ data) => html`<${Table} label=${t('newest')} rows=${data.tasks ?? []} id=${(/** @type {Task} */ task) => task.id}
      open=${(/** @type {Task} */ task) => href(['tasks', task.id])} columns=${columns('queue', 'failed')} />`}<//><//>`;
}

/** Few need to know how a queue is cut: it is folded away. @param {{name: string}} props */
function Lanes({ name }) {
  const lanes = useGet('/v1/lanes', { queue: name, limit: 256 }, { on: ['node'], every: 10_000 });
  return html`<section class="panel"><${Loaded} fetched=${lanes}>${(/** @type {{lanes: Lane[]}} */ { lanes: rows }) => html`
    <details><summary>${t('lanes.of', { n: rows.length })} · ${t('lanes.nodes', { n: new Set(rows.map((l) => l.owner).filter(Boolean)).size })}</summary><p class="faint">${t('lanes.explain')}</p>
    <${Table} label=${t('lanes.title')} rows=${rows} id=${(/** @type {Lane} */ l) => String(l.number)} columns=${[
      { key: 'lane', label: t('lane'), cell: (/** @type {Lane} */ l) => l.number },
      { key: 'owner', label: t('owner'), cell: (/** @type {Lane} */ l) => (l.owner ? html`<a href=${href(['workers', l.owner])}><bdi>${l.owner}</bdi></a>` : t('free')) },
      { key: 'epoch', label: t('epoch'), numeric: true, cell: (/** @type {Lane} */ l) => l.epoch },
    ]} /></details>`}<//></section>`;
}

/** Changes the settings of a queue. @param {{queue: Queue, onDone: () => void}} props */
function Change({ queue, onDone }) {
  const [change, setChange] = useState(/** @type {Record<string, any>} */ ({}));
  const value = { policy: queue.policy, concurrency: queue.concurrency, max_pending: queue.max_pending, weight: queue.weight, lanes: queue.lanes, unknown_type: queue.unknown_type, ...change };
  const shares = { concurrency: queue.shares?.concurrency ?? 0, rate: queue.shares?.rate ?? '', ...change.shares };
  const setShares = (/** @type {Record<string, any>} */ more) => setChange({ ...change, shares: { ...shares, ...more } });
  const numeric = (/** @type {'concurrency'|'max_pending'|'weight'|'lanes'} */ field, /** @type {string} */ label, /** @type {string} */ about) => html`
    <label class="field"><span>${label}</span><input type="number" required min="0" step="1" value=${value[field]}
      onInput=${(/** @type {any} */ e) => setChange({ ...change, [field]: e.target.value && Number(e.target.value) })} /><span>${about}</span></label>`;
  return html`<${Action} label=${t('change')} needs="administer" about=${t('change.about')} done=${t('changed')} onDone=${() => { setChange({}); onDone(); }}
    request=${() => ({ method: 'PUT', path: at`/v1/queues/${queue.name}`, body: { ...value, shares } })}>
    <label class="field"><span>${t('policy')}</span><input value=${value.policy ?? ''} onInput=${(/** @type {any} */ e) => setChange({ ...change, policy: e.target.value })} /></label>
    ${numeric('concurrency', t('limit'), t('limit.about'))}${numeric('max_pending', t('maxPending'), t('maxPending.about'))}
    ${numeric('weight', t('weight'), t('weight.about'))}${numeric('lanes', t('lanes'), t('lanes.about'))}
    <label class="field"><span>${t('shareLimit')}</span><input type="number" required min="0" step="1" value=${shares.concurrency}
      onInput=${(/** @type {any} */ e) => setShares({ concurrency: e.target.value && Number(e.target.value) })} /><span>${t('shareLimit.about')}</span></label>
    <label class="field"><span>${t('shareRate')}</span><input value=${shares.rate} onInput=${(/** @type {any} */ e) => setShares({ rate: e.target.value })} /><span>${t('shareRate.about')}</span></label>
    <label class="field"><span>${t('unknownType')}</span><select value=${value.unknown_type ?? 'park'} onChange=${(/** @type {any} */ e) => setChange({ ...change, unknown_type: e.target.value })}>
      <option value="park">${t('unknown.park')}</option><option value="dead">${t('unknown.dead')}</option></select></label><//>`;
}
