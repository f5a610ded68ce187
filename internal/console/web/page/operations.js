// Operations: followed while they go, steered, and reported letter by letter.

import { html } from '../lib/ui.js';
import { at, callText } from '../lib/api.js';
import { members, pretty, visible } from '../lib/json.js';
import { href, path } from '../lib/route.js';
import { number, percent } from '../lib/text.js';
import { useGet } from '../lib/use.js';
import { Category, Fact, Facts, Failure, Foreign, Id, Note, State, When } from '../part/basics.js';
import { Action } from '../part/dialog.js';
import { usePages } from '../part/pages.js';
import { Head, Loaded, Panel } from '../part/panel.js';
import { More, Table } from '../part/table.js';
import { t as common } from '../part/common.text.js';
import { t } from './operations.text.js';

/** @typedef {import('../../types/api.js').Schema<'Operation'>} Operation */
/** @typedef {import('../../types/api.js').Schema<'OperationItem'>} Item */

export default function Operations() {
  const id = path.value[1];
  return id ? html`<${One} id=${id} key=${id} />` : html`<${All} />`;
}

/** @param {Operation} o */
const stateOf = (o) => html`<${State} state=${o.state === 'done' ? 'finished' : o.state} label=${t.named('state.', o.state)} />`;

/** @param {{operation: Operation}} props */
const Progress = ({ operation: o }) => html`<span class="progress"><progress max=${Math.max(1, o.matched)} value=${o.done} aria-label=${t('progress')} /> ${t('of', { n: o.done, all: o.matched })}</span>`;

/** How many letters died again: of a redrive that does not watch them nobody knows. @param {Operation} o */
const failing = (o) => (o.failing === undefined ? html`<span class="faint">${t('not.watched')}</span>` : number(o.failing));

function All() {
  const operations = useGet('/v1/operations', { limit: 100 }, { on: ['operation'], every: 3000 });
  return html`<${Head} title=${t('title')}>${t('about')}<//><div class="panel"><${Loaded} fetched=${operations}>${(/** @type {{operations: Operation[]|null}} */ data) => html`
    <${Table} label=${t('title')} rows=${data.operations ?? []} none=${t('none')} id=${(/** @type {Operation} */ o) => o.id} open=${(/** @type {Operation} */ o) => href(['operations', o.id])} columns=${[
      { key: 'kind', label: t('kind'), cell: (/** @type {Operation} */ o) => html`<a href=${href(['operations', o.id])}>${t.named('kind.', o.kind)}</a>` },
      { key: 'state', label: t('state'), cell: stateOf },
      { key: 'progress', label: t('progress'), cell: (/** @type {Operation} */ o) => html`<${Progress} operation=${o} />` },
      { key: 'failing', label: t('failing'), numeric: true, cell: (/** @type {Operation} */ o) => (o.bulk ? '—' : failing(o)) },
      { key: 'began', label: t('began'), cell: (/** @type {Operation} */ o) => html`<${When} at=${o.created_at} />` },
      { key: 'ended', label: t('ended'), cell: (/** @type {Operation} */ o) => html`<${When} at=${o.finished_at} />` },
    ]} />`}<//></div>`;
}

/** Reads an operation and keeps the text of what was asked for: it may have a payload.
 * @param {string} path @param {any} _asked @param {AbortSignal} signal @returns {Promise<Operation & {asked: string}>} */
async function readOperation(path, _asked, signal) {
  const text = await callText('GET', path, { signal });
  const { request, bulk } = members(text, ['request', 'bulk']);
  return { ...JSON.parse(text), asked: (bulk ?? request)?.text ?? '{}' };
}

/** Of which letters it is known what became of them: an operation that has ended looks no more. @param {Operation} o */
const watched = (o) => t(o.state === 'running' || o.state === 'paused' ? 'of.last' : 'of.last.then', { n: number(Math.min(1000, o.sent ?? 0)) });

/** @param {{id: string}} props */
function One({ id }) {
  const operation = useGet(at`/v1/operations/${id}`, undefined, { on: ['operation', 'tasks'], every: 2000, read: readOperation });
  return html`<p><a href=${href('operations')}>← ${t('back')}</a></p><${Loaded} fetched=${operation} name=${id}>${(/** @type {Operation & {asked: string}} */ o) => html`
    <${Head} title=${html`${t.named('kind.', o.kind)} ${stateOf(o)}`} actions=${html`${(o.state === 'running' ? ['pause', 'cancel'] : o.state === 'paused' ? ['resume', 'cancel'] : []).map((verb) => html`<${Steer} key=${verb} id=${id} verb=${/** @type {any} */ (verb)} onDone=${operation.reload} />`)}`}>
      <${Id} id=${id} whole /><//>
    ${o.error && html`<${Note} tone="bad" title=${t('error')}><${Foreign} text=${o.error} /><//>`}${o.waiting && o.state === 'running' && html`<${Note} tone="warn" title=${t('waiting')}><${Foreign} text=${o.waiting} /><//>`}
    <${Panel} title=${t('progress')}><p><${Progress} operation=${o} /> ${o.matched > 0 && percent(o.done / o.matched)}</p><${Facts}>
      <${Fact} label=${t('matched')}>${number(o.matched)}<//>${o.bulk ? html`<${Fact} label=${t('changed')}>${number(o.changed ?? 0)}<//>` : html`<${Fact} label=${t('sent')}>${number(o.sent)}<//>`}<${Fact} label=${t('skipped')}>${number(o.skipped)} <span class="faint">${o.bulk ? t('left.about') : t('skipped.about')}</span><//>
      ${o.succeeded !== undefined && html`<${Fact} label=${t('succeeded')}>${number(o.succeeded)} <span class="faint">${watched(o)}</span><//>`}${!o.bulk && html`<${Fact} label=${t('failing')}>${failing(o)} <span class="faint">${o.failing === undefined ? t('not.watched.about') : watched(o)}</span><//>`}
      <${Fact} label=${t('began')}><${When} at=${o.created_at} full /><//>${o.finished_at && html`<${Fact} label=${t('ended')}><${When} at=${o.finished_at} full /><//>`}<//>
      <details class="numbers"><summary>${t('request')}</summary><pre class="block" tabindex="0"><code>${visible(pretty(o.asked))}</code></pre></details><//>`}<//>
    <${Items} id=${id} />`;
}

/** @param {{id: string, verb: 'pause'|'resume'|'cancel', onDone: () => void}} props */
const Steer = ({ id, verb, onDone }) => html`<${Action} label=${t(verb)} danger=${verb === 'cancel'} dismiss=${verb === 'cancel' ? common('keep.it') : undefined} about=${t(`${verb}.about`)} done=${t('ok')} onDone=${onDone}
  request=${{ method: 'POST', path: at`/v1/operations/${id}/` + verb }} cli=${`outlast operation ${verb} ${id}`} />`;

/** What became of each letter. @param {{id: string}} props */
function Items({ id }) {
  const list = usePages(at`/v1/operations/${id}/items`, {}, 'items', { on: ['operation', 'tasks'], every: 3000 });
  return html`<${Panel} title=${t('items')}><${Loaded} fetched=${list.first}>${() => html`
    <${Table} label=${t('report')} rows=${list.rows} none=${t('items.none')} id=${(/** @type {Item} */ i) => i.id} open=${(/** @type {Item} */ i) => href(['tasks', i.id])} columns=${[
      { key: 'place', label: t('place'), numeric: true, cell: (/** @type {Item} */ i) => number(i.place) },
      { key: 'letter', label: t('letter'), cell: (/** @type {Item} */ i) => html`<${Id} id=${i.id} href=${href(['tasks', i.id])} />` },
      { key: 'status', label: t('status'), cell: (/** @type {Item} */ i) => html`<${State} state=${i.state ?? i.status} label=${t.named('status.', i.status)} />` },
      { key: 'type', label: t('type'), cell: (/** @type {Item} */ i) => html`<bdi>${visible(i.type ?? '')}</bdi>` },
      { key: 'attempt', label: t('attempt'), numeric: true, cell: (/** @type {Item} */ i) => number(i.attempt ?? 0) },
      { key: 'last', label: t('last'), wide: true, cell: (/** @type {Item} */ i) => i.error && html`<${Category} category=${i.error.category} /> <${Foreign} text=${i.error.message} limit=${100} />` },
    ]} />${list.problem && html`<${Failure} problem=${list.problem} />`}<${More} cursor=${list.cursor} busy=${list.busy} onMore=${list.more} />`}<//><//>`;
}
