// The audit log.

import { html } from '../lib/ui.js';
import { callText } from '../lib/api.js';
import { members, split, visible } from '../lib/json.js';
import { href } from '../lib/route.js';
import { may } from '../lib/session.js';
import { Failure, Note, When } from '../part/basics.js';
import { Change } from '../part/change.js';
import { Filters, filtersOf } from '../part/filter.js';
import { usePages } from '../part/pages.js';
import { Head, Loaded } from '../part/panel.js';
import { More, Table } from '../part/table.js';
import { t } from './audit.text.js';

/** @typedef {import('../../types/api.js').Schema<'AuditRow'>} Row */

const names = ['actor', 'action', 'subject', 'since', 'until'];

/** Pages of subjects. @type {Record<string, string>} */
const places = { task: 'tasks', queue: 'queues', policy: 'policies', schedule: 'schedules', target: 'targets', operation: 'operations', token: 'settings', alert: 'alerts', node: 'workers', dead: 'dead' };

export default function Audit() {
  const filter = filtersOf(names);
  if (!may('operate')) return html`<${Head} title=${t('title')} /><${Note}>${t('denied')}<//>`;
  return html`<${Head} title=${t('title')}>${t('about')}<//><${Filters} filters=${[{ name: 'actor', label: t('actor') }, { name: 'action', label: t('action') }, { name: 'subject', label: t('subject') },
    { name: 'since', label: t('since'), kind: 'time', rare: true }, { name: 'until', label: t('until'), kind: 'time', rare: true }]} /><div class="panel"><${Found} filter=${filter} key=${JSON.stringify(filter)} /></div>`;
}

/** Reads rows and keeps the texts of what was before and after, numbers beyond 2^53 with them.
 * @param {string} path @param {any} asked @param {AbortSignal} [signal] @returns {Promise<{rows: Row[], next_cursor: string}>} */
async function readRows(path, asked, signal) {
  const text = await callText('GET', path, { query: asked, signal });
  const rows = split(members(text, ['rows']).rows?.text ?? '[]');
  return { ...JSON.parse(text), rows: rows.map(([, row]) => ({ ...JSON.parse(row), ...members(row, ['before', 'after']) })) };
}

/** @param {{filter: Record<string, string>}} props */
function Found({ filter }) {
  const list = usePages('/v1/audit', filter, 'rows', { read: readRows, on: ['queue', 'policy', 'schedule', 'alert', 'operation', 'target', 'token', 'dead'], every: 10_000 });
  return html`<${Loaded} fetched=${list.first}>${() => html`<${Table} label=${t('title')} rows=${list.rows} none=${Object.keys(filter).length ? t('none.match') : t('none')} id=${(/** @type {Row} */ row) => row.id} columns=${columns()} />
    ${list.problem && html`<${Failure} problem=${list.problem} />`}<${More} cursor=${list.cursor} busy=${list.busy} onMore=${list.more} />`}<//>`;
}

/** @type {() => import('../part/table.js').Column<Row>[]} */
const columns = () => [
  { key: 'when', label: t('when'), cell: (row) => html`<${When} at=${row.at} />` },
  { key: 'who', label: t('who'), cell: (row) => html`<bdi>${visible(row.actor)}</bdi>${row.address && html`<div class="faint">${row.address}</div>`}` },
  { key: 'what', label: t('what'), cell: (row) => html`<code>${row.action}</code>` },
  { key: 'subject', label: t('subject'), cell: (row) => html`<${Subject} subject=${row.subject} />` },
  { key: 'change', label: t('change'), wide: true, cell: (row) => (row.before !== undefined || row.after !== undefined) && html`<details class="numbers"><summary>${t('change')}</summary>
    <${Change} before=${row.before} after=${row.after} head=${[t('field'), t('before'), t('after')]} same=${t('same')} />${row.request && html`<p class="faint">${t('request')} <code>${row.request}</code></p>`}</details>` },
];

/** @param {{subject: string}} props */
function Subject({ subject }) {
  const [kind, ...rest] = subject.split('/');
  const place = places[kind], name = rest.join('/');
  const text = html`<bdi>${visible(subject)}</bdi>`;
  if (kind === 'rule' || kind === 'channel' || kind === 'silence') return html`<a href=${href('alerts', { tab: `${kind}s`, name })}>${text}</a>`;
  return place ? html`<a href=${href(name === '' || place === 'settings' || place === 'alerts' ? place : [place, name])}>${text}</a>` : text;
}
