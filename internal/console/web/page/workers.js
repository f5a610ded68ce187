// Nodes with their lanes, and worker groups with their members.

import { html } from '../lib/ui.js';
import { visible } from '../lib/json.js';
import { href, path } from '../lib/route.js';
import { number } from '../lib/text.js';
import { absolute } from '../lib/time.js';
import { queues } from '../lib/session.js';
import { useGet } from '../lib/use.js';
import { Fact, Facts, Foreign, Lasting, Note, State, When } from '../part/basics.js';
import { Head, Loaded, Panel } from '../part/panel.js';
import { Table } from '../part/table.js';
import { t } from './workers.text.js';

/** @typedef {import('../../types/api.js').Schema<'Node'>} Node */
/** @typedef {import('../../types/api.js').Schema<'Lane'>} Lane */
/** @typedef {import('../../types/api.js').Schema<'Group'>} Group */
/** @typedef {import('../../types/api.js').Schema<'GroupMember'>} Member */
/** @typedef {{nodes: Node[]|null, as_of?: string, stale?: boolean}} Nodes */

export default function Workers() {
  const id = path.value[1];
  const nodes = useGet('/v1/nodes', { limit: 500 }, { on: ['node'], every: 5000 });
  return html`<${Loaded} fetched=${nodes}>${(/** @type {Nodes} */ data) => {
    const node = data.nodes?.find((n) => n.id === id);
    return id && node ? html`<${One} node=${node} key=${id} />` : html`<${All} nodes=${data} />`;
  }}<//>`;
}

/** How many attempts a node has in progress; a token for certain queues is not told. @param {Node} node */
const busy = (node) => (node.running === undefined ? '?' : number(node.running));

/** @param {Node} node */
const stateOf = (node) => html`<${State} state=${node.state === 'alive' ? 'up' : node.state === 'left' ? 'off' : 'down'} label=${t.named('state.', node.state) + (node.leaving ? `, ${t('leaving')}` : '')} />`;

/** @param {{nodes: Nodes}} props */
function All({ nodes: { nodes, as_of: asOf, stale } }) {
  return html`<${Head} title=${t('title')}>${t('about')}<//>${stale && html`<${Note} tone="warn">${t('stale', { time: absolute(asOf ?? '') })}<//>`}
  <${Panel} title=${t('nodes')}><${Table} label=${t('nodes')} rows=${nodes ?? []} none=${t('none')} id=${(/** @type {Node} */ n) => n.id} open=${(/** @type {Node} */ n) => href(['workers', n.id])} columns=${[
    { key: 'node', label: t('node'), wide: true, cell: (/** @type {Node} */ n) => html`<a href=${href(['workers', n.id])}><bdi>${visible(n.id)}</bdi></a>${n.self && html` <span class="category">${t('self')}</span>`}` },
    { key: 'state', label: t('state'), cell: stateOf },
    { key: 'running', label: t('running'), numeric: true, cell: (/** @type {Node} */ n) => `${busy(n)}/${number(n.slots ?? 0)}` },
    { key: 'lanes', label: t('lanes'), numeric: true, cell: (/** @type {Node} */ n) => number(n.lanes ?? 0) },
    { key: 'version', label: t('version'), cell: (/** @type {Node} */ n) => html`<bdi>${[n.version, n.release].filter(Boolean).join(' · ')}</bdi>` },
    { key: 'queues', label: t('queues'), cell: (/** @type {Node} */ n) => html`<bdi>${n.queues?.join(', ')}</bdi>` },
    { key: 'started', label: t('started'), cell: (/** @type {Node} */ n) => html`<${When} at=${n.started_at} />` },
  ]} /><//>${queues.value.length === 0 && html`<${Groups} />`}`;
}

function Groups() {
  const groups = useGet('/v1/groups', undefined, { on: ['node'], every: 5000 });
  return html`<${Panel} title=${t('groups')}><${Loaded} fetched=${groups} empty=${(/** @type {any} */ d) => !d.groups?.length} none=${t('groups.none')}>${(/** @type {{groups: Group[]}} */ data) => data.groups.map((group) => html`
    <section key=${group.name}><h3><bdi>${visible(group.name)}</bdi> <${State} state=${group.state === 'ready' ? 'up' : 'down'} label=${t(group.state === 'held' && group.kind ? `group.${group.kind}` : `group.${group.state}`)} /></h3>
    ${group.next_at && html`<p>${t('next')}: <strong><${When} at=${group.next_at} /></strong> · ${t('failures')}: ${number(group.failures ?? 0)} <${Foreign} text=${group.last_error} /></p>`}
    <${Table} label=${`${t('members')}: ${group.name}`} rows=${group.members ?? []} id=${(/** @type {Member} */ m) => m.id} columns=${[
      { key: 'member', label: t('member'), cell: (/** @type {Member} */ m) => html`<bdi>${visible(m.id)}</bdi>` },
      { key: 'state', label: t('state'), cell: (/** @type {Member} */ m) => html`<${State} state=${m.living ? 'up' : 'down'} label=${t(m.living ? 'living' : 'gone')} />` },
      { key: 'url', label: t('url'), wide: true, cell: (/** @type {Member} */ m) => html`<${Foreign} text=${m.url} />` },
      { key: 'capacity', label: t('capacity'), numeric: true, cell: (/** @type {Member} */ m) => number(m.capacity ?? 1) },
      { key: 'load', label: t('load'), numeric: true, cell: (/** @type {Member} */ m) => number(m.load ?? 0) },
      { key: 'flight', label: t('flight'), numeric: true, cell: (/** @type {Member} */ m) => number(m.in_flight ?? 0) },
      { key: 'seen', label: t('seen'), cell: (/** @type {Member} */ m) => html`<${When} at=${m.seen_at} />` },
    ]} /></section>`)}<//><//>`;
}

/** @param {{node: Node}} props */
function One({ node }) {
  const lanes = useGet('/v1/lanes', { node: node.id, limit: 500 }, { on: ['node'], every: 10_000 });
  const types = node.types?.map((type) => (type === '*' ? t('types.all') : type === '@http' ? t('types.http') : type)).join(', ');
  const fact = (/** @type {string} */ label, /** @type {any} */ value) => value && html`<${Fact} label=${label}>${value}<//>`;
  return html`<p><a href=${href('workers')}>← ${t('back')}</a></p><${Head} title=${html`<bdi>${visible(node.id)}</bdi> ${stateOf(node)}`} />
  <${Panel} title=${t('node')}><${Facts}>
    ${fact(t('kind'), t(node.kind === 'embedded' ? 'kind.embedded' : 'kind.server'))}${fact(t('version'), node.version)}${fact(t('release'), node.release)}${fact(t('address'), html`<bdi>${node.address}</bdi>`)}
    ${fact(t('running'), `${busy(node)} / ${number(node.slots ?? 0)}`)}${fact(t('lanes'), number(node.lanes ?? 0))}${fact(t('queues'), html`<bdi>${node.queues?.join(', ')}</bdi>`)}${fact(t('types'), types)}
    ${fact(t('allow'), node.allow_targets?.join(', '))}${fact(t('signs'), node.signs?.join(', '))}<${Fact} label=${t('started')}><${When} at=${node.started_at} full /><//>${fact(t('silent'), node.silent && html`<${Lasting} text=${node.silent} />`)}<//><//>
  <${Panel} title=${t('lanes')}><${Loaded} fetched=${lanes}>${(/** @type {{lanes: Lane[]|null}} */ data) => html`<${Table} label=${t('lanes')} rows=${data.lanes ?? []} none=${t('lanes.none')} id=${(/** @type {Lane} */ l) => String(l.number)} columns=${[
    { key: 'lane', label: t('lane'), cell: (/** @type {Lane} */ l) => number(l.number) },
    { key: 'queue', label: t('queue'), cell: (/** @type {Lane} */ l) => html`<a href=${href(['queues', l.queue])}><bdi>${visible(l.queue)}</bdi></a>` },
    { key: 'known', label: t('known'), numeric: true, cell: (/** @type {Lane} */ l) => (l.known === undefined ? '—' : number(l.known)) },
    { key: 'epoch', label: t('epoch'), numeric: true, cell: (/** @type {Lane} */ l) => number(l.epoch) },
  ]} />`}<//><//>`;
}
