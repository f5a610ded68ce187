// Remote workers, worker groups with their members, and nodes with their lanes.

import { html } from '../lib/ui.js';
import { visible } from '../lib/json.js';
import { href, path } from '../lib/route.js';
import { number, percent } from '../lib/text.js';
import { absolute } from '../lib/time.js';
import { queues } from '../lib/session.js';
import { useGet } from '../lib/use.js';
import { Fact, Facts, Foreign, Lasting, Note, State, When } from '../part/basics.js';
import { Head, Loaded, Panel } from '../part/panel.js';
import { Table } from '../part/table.js';
import { Remote } from './workers-remote.js';
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
  <${Remote} />${queues.value.length === 0 && html`<${Groups} />`}<${Panel} title=${t('nodes')}><${Table} label=${t('nodes')} rows=${nodes ?? []} none=${t('none')} id=${(/** @type {Node} */ n) => n.id} open=${(/** @type {Node} */ n) => href(['workers', n.id])} columns=${[
    { key: 'node', label: t('node'), wide: true, cell: (/** @type {Node} */ n) => html`<a href=${href(['workers', n.id])}><bdi>${visible(n.id)}</bdi></a>${n.self && html` <span class="category">${t('self')}</span>`}` },
    { key: 'state', label: t('state'), cell: stateOf },
    { key: 'running', label: t('running'), numeric: true, cell: (/** @type {Node} */ n) => `${busy(n)}/${number(n.slots ?? 0)}` },
    { key: 'lanes', label: t('lanes'), numeric: true, cell: (/** @type {Node} */ n) => share(n, nodes) },
    { key: 'version', label: t('version'), cell: (/** @type {Node} */ n) => html`<bdi>${[n.version, n.release].filter(Boolean).join(' · ')}</bdi>` },
    { key: 'queues', label: t('queues'), cell: (/** @type {Node} */ n) => html`<bdi>${n.queues?.join(', ')}</bdi>` },
    { key: 'started', label: t('started'), cell: (/** @type {Node} */ n) => html`<${When} at=${n.started_at} />` },
  ]} /><//>`;
}

/** How many lanes a node owns, and which part of all. @param {Node} node @param {Node[]|null} nodes */
function share(node, nodes) {
  const all = (nodes ?? []).reduce((sum, n) => sum + (n.lanes ?? 0), 0);
  return number(node.lanes ?? 0) + (all > 0 ? ` · ${percent((node.lanes ?? 0) / all)}` : '');
}

function Groups() {
  const groups = useGet('/v1/groups', undefined, { on: ['node'], every: 5000 });
  return html`<${Panel} title=${t('groups')}><${Loaded} fetched=${groups}>${(/** @type {{groups: Group[]|null}} */ data) => html`<${Table} label=${t('groups')} rows=${data.groups ?? []} none=${t('groups.none')} id=${(/** @type {Group} */ g) => g.name} columns=${[
    { key: 'group', label: t('group'), wide: true, cell: (/** @type {Group} */ g) => html`<bdi>${visible(g.name)}</bdi>` },
    { key: 'state', label: t('state'), cell: (/** @type {Group} */ g) => html`<${State} state=${g.state === 'ready' ? 'up' : 'down'} label=${t(g.state === 'held' && g.kind ? `group.${g.kind}` : `group.${g.state}`)} />` },
    { key: 'capacity', label: t('capacity'), numeric: true, cell: (/** @type {Group} */ g) => number(sum(g, (m) => m.capacity ?? 1)) },
    { key: 'load', label: t('load'), numeric: true, cell: (/** @type {Group} */ g) => number(sum(g, (m) => m.load ?? 0)) },
    { key: 'flight', label: t('flight'), numeric: true, cell: (/** @type {Group} */ g) => number(sum(g, (m) => m.in_flight ?? 0)) },
    { key: 'next', label: t('next'), cell: (/** @type {Group} */ g) => g.next_at && html`<${When} at=${g.next_at} /><div class="faint">${t('failures')}: ${number(g.failures ?? 0)} <${Foreign} text=${g.last_error} /></div>` },
    { key: 'members', label: t('members'), wide: true, cell: members },
  ]} />`}<//><//>`;
}

/** What the living members of a group have together. @param {Group} group @param {(m: Member) => number} of */
const sum = (group, of) => (group.members ?? []).filter((m) => m.living).reduce((all, m) => all + of(m), 0);

/** The members of a group, folded. @param {Group} group */
function members({ members: all }) {
  const living = all?.filter((m) => m.living).length ?? 0;
  return html`<details class="numbers"><summary>${t('members.living', { living: number(living), all: number(all?.length ?? 0) })}</summary>
    <ul>${all?.map((m) => html`<li key=${m.id}><bdi>${visible(m.id)}</bdi> <${State} state=${m.living ? 'up' : 'down'} label=${t(m.living ? 'living' : 'gone')} /> <${Foreign} text=${m.url} />
      <div class="faint">${t('load')}: ${number(m.load ?? 0)}/${number(m.capacity ?? 1)} · ${t('flight')}: ${number(m.in_flight ?? 0)} · ${t('seen')}: <${When} at=${m.seen_at} /></div></li>`)}</ul></details>`;
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
