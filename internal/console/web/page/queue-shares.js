// Share keys of a queue: who waits, and how much of each runs.

import { html } from '../lib/ui.js';
import { at } from '../lib/api.js';
import { visible } from '../lib/json.js';
import { number } from '../lib/text.js';
import { useGet } from '../lib/use.js';
import { When } from '../part/basics.js';
import { Loaded, Panel } from '../part/panel.js';
import { Table } from '../part/table.js';
import { t } from './queue-shares.text.js';

/** @typedef {import('../../types/api.js').Schema<'QueueShare'>} Share */
/** @typedef {import('../../types/api.js').Schema<'QueueShares'>} Answer */

/** Nothing where no share key is in use. @param {{name: string}} props */
export function Shares({ name }) {
  const shares = useGet(at`/v1/queues/${name}/shares`, {}, { on: ['queue', 'tasks'], every: 10_000 });
  return html`<${Loaded} fetched=${shares}>${(/** @type {Answer} */ { shares: rows, node, total }) => rows && rows.length > 0 && html`
    <${Panel} title=${t('title')}><p class="faint">${t('about', { node })}</p>
    <${Table} label=${t('title')} rows=${rows} id=${(/** @type {Share} */ s) => s.share_key} columns=${[
      { key: 'key', label: t('key'), cell: (/** @type {Share} */ s) => (s.share_key ? html`<strong><bdi class="foreign">${visible(s.share_key)}</bdi></strong>` : t('none')) },
      { key: 'running', label: t('running'), numeric: true, cell: (/** @type {Share} */ s) => number(s.running) },
      { key: 'ready', label: t('ready'), numeric: true, cell: (/** @type {Share} */ s) => (s.more ? t('more', { n: s.ready }) : number(s.ready)) },
      { key: 'held', label: t('held'), cell: (/** @type {Share} */ s) => s.waiting && html`${t('limit')} ${s.next_check && html`<${When} at=${s.next_check} />`}` },
    ]} />${total > rows.length && html`<p class="faint">${t('of', { n: rows.length, total })}</p>`}<//>`}<//>`;
}
