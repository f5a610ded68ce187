// Ordering keys that dead letters block: what waits behind them, and what lets it go on.

import { html } from '../lib/ui.js';
import { visible } from '../lib/json.js';
import { href, query, setQuery } from '../lib/route.js';
import { number } from '../lib/text.js';
import { Failure, Id, When } from '../part/basics.js';
import { Filters, filtersOf } from '../part/filter.js';
import { Loaded } from '../part/panel.js';
import { usePages } from '../part/pages.js';
import { Redrive } from '../part/redrive.js';
import { Release } from '../part/release.js';
import { Again, More, Table } from '../part/table.js';
import { t } from './keys.text.js';

/** @typedef {import('../../types/api.js').Schema<'BlockedKey'>} Key */

/** The keys of all queues, with their filter. */
export function BlockedKeys() {
  const { queue } = filtersOf(['queue']), all = query.value.get('all') === 'true';
  return html`<p class="muted">${t('about')}</p><${Filters} filters=${[{ name: 'queue', label: t('queue') }]} />
  <label class="check"><input type="checkbox" checked=${all} onChange=${(/** @type {any} */ e) => setQuery({ all: e.target.checked ? 'true' : null })} /> ${t('with.idle')}</label>
  <div class="panel"><${Keys} queue=${queue} all=${all} key=${`${all} ${queue}`} /></div>`;
}

const idOf = (/** @type {Key} */ k) => JSON.stringify([k.queue, k.key]);
/** @param {Key} k */
const tasksOf = (k) => href('tasks', { queue: k.queue, key: k.key, state: 'pending' });

/** The keys page by page. @param {{queue?: string, all?: boolean}} props */
export function Keys({ queue, all }) {
  const list = usePages('/v1/keys', { ...(queue ? { queue } : {}), ...(all ? { all: 'true' } : {}) }, 'keys', { on: ['tasks', 'dead', 'operation', 'queue'], every: 10_000, id: idOf });
  const { reload } = list.first;
  return html`<${Loaded} fetched=${list.first}>${() => html`<${Table} label=${t('title')} rows=${list.rows} id=${idOf} open=${tasksOf} again none=${t(all ? 'none' : 'none.waited')} columns=${[
      { key: 'key', label: t('key'), cell: (/** @type {Key} */ k) => html`<strong><bdi class="foreign">${visible(k.key)}</bdi></strong>` },
      ...(queue ? [] : [{ key: 'queue', label: t('queue'), cell: (/** @type {Key} */ k) => html`<a href=${href(['queues', k.queue])}><bdi>${visible(k.queue)}</bdi></a>` }]),
      { key: 'letter', label: t('letter'), cell: (/** @type {Key} */ k) => html`<${Id} id=${k.dead_letter} href=${href(['tasks', k.dead_letter])} />` },
      { key: 'waiting', label: t('waiting'), numeric: true, cell: (/** @type {Key} */ k) => html`<a href=${tasksOf(k)} title=${t('go')}>${k.waiting_more ? t('atLeast', { n: k.waiting }) : number(k.waiting)}</a>` },
      { key: 'since', label: t('since'), cell: (/** @type {Key} */ k) => html`<${When} at=${k.since} />` },
      { key: 'mode', label: t('mode'), cell: (/** @type {Key} */ k) => t(`mode.${k.mode}`) },
      { key: 'act', label: '', cell: (/** @type {Key} */ k) => html`<span class="actions"><${Again}><${Redrive} small label=${t('redrive')} ids=${[k.dead_letter]} onDone=${reload} /><//><${Release} small queue=${k.queue} name=${k.key} onDone=${reload} /></span>` },
    ]} />${list.problem && html`<${Failure} problem=${list.problem} />`}<${More} cursor=${list.cursor} busy=${list.busy} onMore=${list.more} />`}<//>`;
}
