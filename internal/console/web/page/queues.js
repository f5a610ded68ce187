// Queues: how much waits in them, and what holds for them.

import { html, useState } from '../lib/ui.js';
import { at } from '../lib/api.js';
import { path, href, query } from '../lib/route.js';
import { number } from '../lib/text.js';
import { useGet } from '../lib/use.js';
import { Fact, Facts, State, Tabs, When, quoted } from '../part/basics.js';
import { Action } from '../part/dialog.js';
import { Head, Loaded, Panel } from '../part/panel.js';
import { Table } from '../part/table.js';
import { BlockedKeys, Keys } from './keys.js';
import { t as keys } from './keys.text.js';
import { Shares } from './queue-shares.js';
import { t } from './queues.text.js';

/** @typedef {import('../../types/api.js').Schema<'Queue'>} Queue */

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

function All() {
  const queues = useGet('/v1/queues', {}, { on: ['queue', 'tasks'], every: 10_000 });
  return html`<div class="panel"><${Loaded} fetched=${queues}>${(/** @type {{queues: Queue[]}} */ { queues: rows }) => html`
    <${Table} label=${t('title')} rows=${rows} id=${(/** @type {Queue} */ q) => q.name} open=${(/** @type {Queue} */ q) => href(['queues', q.name])} none=${t('none')} columns=${[
      { key: 'name', label: t('name'), cell: (/** @type {Queue} */ q) => html`<a href=${href(['queues', q.name])}><bdi>${q.name}</bdi></a>` },
      { key: 'state', label: t('state'), cell: (/** @type {Queue} */ q) => html`<${State} state=${q.paused ? 'paused' : 'on'} />` },
      { key: 'pending', label: t('pending'), numeric: true, cell: (/** @type {Queue} */ q) => html`<a href=${href('tasks', { queue: q.name, state: 'pending' })}>${count(q.counts?.pending)}</a>` },
      { key: 'running', label: t('running'), numeric: true, cell: (/** @type {Queue} */ q) => html`<a href=${href('tasks', { queue: q.name, state: 'running' })}>${count(q.counts?.running)}</a>` },
      { key: 'dead', label: t('dead'), numeric: true, cell: (/** @type {Queue} */ q) => html`<a href=${href('dead', { queue: q.name })}>${count(q.counts?.dead)}</a>` },
      { key: 'policy', label: t('policy'), cell: (/** @type {Queue} */ q) => (q.policy ? html`<a href=${href(['policies', q.policy])}>${q.policy}</a>` : t('policy.default')) },
      { key: 'limit', label: t('limit'), numeric: true, cell: (/** @type {Queue} */ q) => limit(q.concurrency) },
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
  return html`<p><a href=${href('queues')}>← ${t('back')}</a></p><${Loaded} fetched=${queue} name=${name}>${(/** @type {Queue} */ q) => html`
    <${Head} title=${html`<bdi>${q.name}</bdi> <${State} state=${q.paused ? 'paused' : 'on'} />`}
      actions=${html`<${Pause} queue=${q} onDone=${queue.reload} /><${Change} queue=${q} onDone=${queue.reload} />`} />
    <div class="tiles">
      <a class="tile" href=${href('tasks', { queue: name, state: 'pending' })}><div class="label">${t('pending')}</div><div class="value">${count(q.counts?.pending)}</div></a>
      <a class="tile" href=${href('tasks', { queue: name, state: 'running' })}><div class="label">${t('running')}</div><div class="value">${count(q.counts?.running)}</div></a>
      <a class="tile" href=${href('dead', { queue: name })}><div class="label">${t('dead')}</div><div class="value">${count(q.counts?.dead)}</div></a></div>
    <${Panel} title=${t('settings')}><${Facts}>
      <${Fact} label=${t('policy')}>${q.policy ? html`<a href=${href(['policies', q.policy])}>${q.policy}</a>` : t('policy.default')}<//>
      <${Fact} label=${t('limit')}>${limit(q.concurrency)}<//><${Fact} label=${t('maxPending')}>${limit(q.max_pending)}<//>
      <${Fact} label=${t('weight')}>${number(q.weight)}<//><${Fact} label=${t('lanes')}>${number(q.lanes)}<//>
      <${Fact} label=${t('shareLimit')}>${limit(q.shares?.concurrency)}<//><${Fact} label=${t('shareRate')}>${q.shares?.rate || t('unlimited')}<//>
      <${Fact} label=${t('unknownType')}>${t(q.unknown_type === 'dead' ? 'unknown.dead' : 'unknown.park')}<//>
      <${Fact} label=${t('updated')}><${When} at=${q.updated_at} /><//><//><//>
    <${Panel} title=${keys('title')}><p class="faint">${keys('about')}</p><${Keys} queue=${name} /><//><${Shares} name=${name} /><${Lanes} name=${name} />`}<//>`;
}

/** @typedef {import('../../types/api.js').Schema<'Lane'>} Lane */

/** @param {{name: string}} props */
function Lanes({ name }) {
  const lanes = useGet('/v1/lanes', { queue: name, limit: 256 }, { on: ['node'], every: 10_000 });
  return html`<${Panel} title=${t('lanes.title')}><p class="faint">${t('lanes.explain')}</p>
    <${Loaded} fetched=${lanes}>${(/** @type {{lanes: Lane[]}} */ { lanes: rows }) => html`
    <${Table} label=${t('lanes.title')} rows=${rows} id=${(/** @type {Lane} */ l) => String(l.number)} columns=${[
      { key: 'lane', label: t('lane'), cell: (/** @type {Lane} */ l) => l.number },
      { key: 'owner', label: t('owner'), cell: (/** @type {Lane} */ l) => (l.owner ? html`<a href=${href(['workers', l.owner])}><bdi>${l.owner}</bdi></a>` : t('free')) },
      { key: 'epoch', label: t('epoch'), numeric: true, cell: (/** @type {Lane} */ l) => l.epoch },
    ]} />`}<//><//>`;
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
