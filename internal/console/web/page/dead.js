// Dead letters: grouped by what went wrong, listed, sent back, deleted.

import { html, useState } from '../lib/ui.js';
import { at, request } from '../lib/api.js';
import { visible } from '../lib/json.js';
import { href, path } from '../lib/route.js';
import { may, queues } from '../lib/session.js';
import { number } from '../lib/text.js';
import { useGet } from '../lib/use.js';
import { Category, Fact, Facts, Failure, Foreign, Id, Tabs, When, say } from '../part/basics.js';
import { Filters, filtersOf } from '../part/filter.js';
import { Head, Loaded, Panel } from '../part/panel.js';
import { usePages } from '../part/pages.js';
import { Purge, Redrive } from '../part/redrive.js';
import { Name } from '../part/rows.js';
import { Again, More, Table } from '../part/table.js';
import { LargeTrend, Trend } from '../part/trend.js';
import { t as common } from '../part/common.text.js';
import { t } from './dead.text.js';
import { t as tasks } from './tasks.text.js';

/** @typedef {import('../../types/api.js').Schema<'DeadGroup'>} Group */
/** @typedef {import('../../types/api.js').Schema<'Task'>} Task */
/** @typedef {Record<string, string>} Filter */

const names = ['q', 'reason', 'type', 'queue', 'category', 'key', 'fingerprint', 'since', 'until', 'failed_since', 'failed_until'];
const reasons = ['exhausted', 'permanent', 'expired', 'crash_loop', 'no_handler', 'rejected'];
const categories = ['network', 'timeout', 'throttled', 'unavailable', 'conflict', 'permanent', 'bug', 'local', 'deadline', 'unsent', 'canceled', 'unknown'];

export default function Dead() {
  const [, place, fingerprint] = path.value;
  if (place === 'groups' && fingerprint) return html`<${OneGroup} fingerprint=${fingerprint} key=${fingerprint} />`;
  const letters = place === 'letters' || Object.keys(filtersOf(names)).length > 0;
  return html`<${Head} title=${t('title')} actions=${html`<${Export} filter=${filtersOf(names)} />`}>${t('about')}<//>
    <${Tabs} label=${t('title')} tabs=${[{ label: t('groups'), href: href('dead'), here: !letters }, { label: t('letters'), href: href(['dead', 'letters']), here: letters }]} />
    ${letters ? html`<${Letters} />` : html`<${Groups} />`}`;
}

function Groups() {
  const groups = useGet('/v1/dead/groups', { limit: 100, trend: true }, { on: ['tasks', 'dead', 'operation'], every: 15_000 });
  const stats = useGet(queues.value.length ? null : '/v1/dead/stats', undefined, { on: ['tasks', 'dead', 'operation'], every: 15_000 });
  return html`<div class="panel"><${Loaded} fetched=${groups}>${(/** @type {{groups: Group[]|null}} */ data) => html`<${Table} label=${t('groups')} rows=${data.groups ?? []} none=${t('none')}
    again id=${groupId} open=${(/** @type {Group} */ g) => href(['dead', 'groups', g.fingerprint])} columns=${[
      { key: 'count', label: t('count'), numeric: true, cell: (/** @type {Group} */ g) => html`<a href=${href(['dead', 'groups', g.fingerprint])}><strong>${number(g.count)}</strong></a>` },
      { key: 'why', label: t('why'), wide: true, cell: (/** @type {Group} */ g) => html`<${Category} category=${g.category} /> <${Foreign} text=${g.message} limit=${160} />` },
      { key: 'reason', label: t('reason'), cell: (/** @type {Group} */ g) => html`<${Reasons} group=${g} />` },
      { key: 'type', label: t('type'), cell: (/** @type {Group} */ g) => html`<bdi>${visible(g.type)}</bdi>` },
      { key: 'trend', label: t('trend'), cell: (/** @type {Group} */ g) => html`<${Trend} group=${g} label=${t('trend')} />` },
      { key: 'first', label: t('first'), cell: (/** @type {Group} */ g) => html`<${When} at=${g.first_seen} />` },
      { key: 'last', label: t('last'), cell: (/** @type {Group} */ g) => html`<${When} at=${g.last_seen} />` },
      { key: 'act', label: '', cell: (/** @type {Group} */ g) => html`<${Again}><${Redrive} small label=${t('redrive')} filter=${{ fingerprint: g.fingerprint }} example=${g.example} onDone=${groups.reload} /><//>` },
    ]} />`}<//></div>
  ${queues.value.length === 0 && html`<${Loaded} fetched=${stats} empty=${(/** @type {any} */ s) => !s.total} none=${false}>${(/** @type {any} */ s) => html`<div class="grid three">
    <${Share} title=${t('byReason')} counts=${s.by_reason} name="reason" label=${(/** @type {string} */ k) => common.named('reason.', k)} />
    <${Share} title=${t('byCategory')} counts=${s.by_category} name="category" label=${(/** @type {string} */ k) => common.named('category.', k)} />
    <${Share} title=${t('byType')} counts=${s.by_type} name="type" label=${visible} /></div>`}<//>`}`;
}

/** @param {Group} g */
const groupId = (g) => [g.fingerprint, g.type, g.reason].join(' ');

/** Why the letters of a group died: of several reasons each with its number, of the letters that
 * were looked at. @param {{group: Group}} props */
function Reasons({ group: g }) {
  const found = Object.entries(g.trend?.by_reason ?? {}).sort((a, b) => b[1] - a[1]);
  if (found.length < 2) return common.named('reason.', found[0]?.[0] ?? g.reason);
  const looked = g.trend?.counted ?? 0;
  return html`<ul class="reasons">${found.map(([reason, n]) => html`<li key=${reason}>${common.named('reason.', reason)}: <strong>${number(n)}</strong></li>`)}</ul>${looked < g.count && html`<span class="faint">${t('looked', { n: looked })}</span>`}`;
}

/** Counts as bars with their numbers; each leads to its letters.
 * @param {{title: string, counts: Record<string, number>, name: string, label: (key: string) => string}} props */
function Share({ title, counts, name, label }) {
  const rows = Object.entries(counts ?? {}).sort((a, b) => b[1] - a[1]).slice(0, 10);
  const most = Math.max(1, ...rows.map(([, n]) => n));
  return html`<${Panel} title=${title}><ul class="bars deaths">${rows.map(([key, n]) => html`<li key=${key}><a href=${href(['dead', 'letters'], { [name]: key })}><bdi>${label(key)}</bdi></a>
    <meter min="0" max=${most} value=${n} aria-label=${label(key)} /><span class="numeric">${number(n)}</span></li>`)}</ul><//>`;
}

/** @param {{fingerprint: string}} props */
function OneGroup({ fingerprint }) {
  const group = useGet(at`/v1/dead/groups/${fingerprint}`, undefined, { on: ['tasks', 'dead', 'operation'], every: 15_000 });
  const filter = { fingerprint };
  return html`<p><a href=${href('dead')}>← ${t('back')}</a></p><${Loaded} fetched=${group} name=${fingerprint}>${(/** @type {Group} */ g) => html`
    <${Head} title=${html`<${Category} category=${g.category} /> <bdi>${visible(g.type)}</bdi> · ${number(g.count)}`}
      actions=${html`<${Redrive} label=${t('redrive')} filter=${filter} example=${g.example} onDone=${group.reload} /><${Purge} filter=${filter} onDone=${group.reload} /><${Export} filter=${filter} />`} />
    <${Panel} title=${t('why')}><p><${Foreign} text=${g.message} limit=${2000} /></p><${Facts}>
      <${Fact} label=${t('reason')}><${Reasons} group=${g} /><//><${Fact} label=${t('first')}><${When} at=${g.first_seen} full /><//><${Fact} label=${t('last')}><${When} at=${g.last_seen} full /><//>
      <${Fact} label=${t('example')}><${Id} id=${g.example} href=${href(['tasks', g.example])} /><//><${Fact} label=${t('fingerprint')}><code>${g.fingerprint}</code><//><//>
      <${LargeTrend} group=${g} label=${t('trend')} head=${[t('last'), t('count')]} /><//>`}<//>
  <div class="panel"><${Found} filter=${filter} key=${fingerprint} /></div>`;
}

function Letters() {
  const filter = filtersOf(names);
  return html`<${Filters} filters=${[
    { name: 'q', label: t('q') }, { name: 'reason', label: t('reason'), kind: 'select', values: reasons.map((value) => ({ value, label: common.named('reason.', value) })) },
    { name: 'type', label: t('type') }, { name: 'queue', label: t('queue') }, { name: 'category', label: t('category'), kind: 'select', values: categories.map((value) => ({ value, label: common.named('category.', value) })) },
    { name: 'key', label: t('key'), rare: true }, { name: 'fingerprint', label: t('fingerprint'), rare: true }, { name: 'since', label: t('since'), kind: 'time', rare: true }, { name: 'until', label: t('until'), kind: 'time', rare: true },
    { name: 'failed_since', label: t('failed.since'), kind: 'time', rare: true }, { name: 'failed_until', label: t('failed.until'), kind: 'time', rare: true },
  ]} /><div class="panel"><${Found} filter=${filter} key=${JSON.stringify(filter)} /></div>`;
}

/** Letters page by page, selectable. @param {{filter: Filter}} props */
function Found({ filter }) {
  const list = usePages('/v1/dead', filter, 'tasks', { on: ['dead', 'operation', 'tasks'], every: 15_000 });
  const [selected, setSelected] = useState(/** @type {Set<string>} */ (new Set()));
  const done = () => { setSelected(new Set()); list.first.reload(); };
  return html`<${Loaded} fetched=${list.first}>${() => html`<div class="actions">${selected.size > 0
      ? html`<span>${common('selected', { n: selected.size })}</span><${Again}><${Redrive} label=${t('redrive.selected', { n: selected.size })} ids=${[...selected]} onDone=${done} /><//><${Purge} ids=${[...selected]} onDone=${done} /><button type="button" class="ghost" onClick=${() => setSelected(new Set())}>${common('unselect')}</button>`
      : list.rows.length > 0 && html`<${Redrive} label=${t('redrive.all')} filter=${filter} onDone=${done} /><${Purge} filter=${filter} onDone=${done} />`}</div>
      <${Table} label=${t('letters')} rows=${list.rows} none=${list.cursor ? t('partial') : Object.keys(filter).length ? t('none.match') : t('none')} id=${(/** @type {Task} */ row) => row.id} open=${(/** @type {Task} */ row) => href(['tasks', row.id])}
        selected=${selected} again onSelect=${may('operate') ? setSelected : undefined} columns=${columns()} />
      ${list.problem && html`<${Failure} problem=${list.problem} />`}<${More} cursor=${list.cursor} busy=${list.busy} onMore=${list.more} />`}<//>`;
}

/** @type {() => import('../part/table.js').Column<Task>[]} */
const columns = () => [
  { key: 'id', label: t('letter'), cell: (task) => html`<${Id} id=${task.id} href=${href(['tasks', task.id])} />` },
  { key: 'type', label: tasks('name'), cell: (task) => html`<${Name} task=${task} />` },
  { key: 'queue', label: t('queue'), cell: (task) => html`<bdi>${visible(task.queue)}</bdi>` },
  { key: 'reason', label: t('reason'), cell: (task) => common.named('reason.', task.dead_reason ?? '') },
  { key: 'error', label: t('error'), wide: true, cell: (task) => task.last_error && html`<${Category} category=${task.last_error.category} /> <${Foreign} text=${task.last_error.message} limit=${120} />` },
  { key: 'attempts', label: t('attempts'), numeric: true, cell: (task) => number(task.attempt) },
  { key: 'died', label: t('died'), cell: (task) => html`<${When} at=${task.finished_at} />` },
];

/** Downloads all that match, as lines of JSON, while they come. @param {{filter: Filter}} props */
function Export({ filter }) {
  const [got, setGot] = useState(-1);
  const run = async () => {
    setGot(0);
    try {
      const response = await request('GET', '/v1/dead/export', { query: filter });
      /** @type {BlobPart[]} */
      const parts = [];
      let lines = 0;
      const reader = /** @type {ReadableStream<Uint8Array<ArrayBuffer>>} */ (response.body).getReader();
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        parts.push(part.value);
        lines += part.value.reduce((n, byte) => n + (byte === 10 ? 1 : 0), 0);
        setGot(lines);
      }
      const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(new Blob(parts, { type: 'application/x-ndjson' })), download: 'dead-letters.ndjson' });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    } catch (error) { say(error instanceof Error ? error.message : String(error), 'bad'); }
    setGot(-1);
  };
  return html`<button type="button" disabled=${got >= 0} onClick=${run}>${got < 0 ? t('export') : t('exporting', { n: got })}</button>`;
}
