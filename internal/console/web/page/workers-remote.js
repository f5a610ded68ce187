// Remote workers with what they have in hand, and what nobody can run.

import { html } from '../lib/ui.js';
import { visible } from '../lib/json.js';
import { href } from '../lib/route.js';
import { number } from '../lib/text.js';
import { useGet } from '../lib/use.js';
import { Copy, Id, Note, State, When, quoted } from '../part/basics.js';
import { Loaded, Panel } from '../part/panel.js';
import { Table } from '../part/table.js';
import { t } from './workers.text.js';

/** @typedef {import('../../types/api.js').Schema<'RemoteWorkers'>} Listed */
/** @typedef {import('../../types/api.js').Schema<'RemoteWorker'>} Worker */
/** @typedef {import('../../types/api.js').Schema<'StrandedTasks'>} Stranded */

export function Remote() {
  const listed = useGet('/v1/workers', { limit: 500 }, { on: ['node'], every: 10_000 }); // its counts cost the store something
  return html`<${Loaded} fetched=${listed}>${(/** @type {Listed} */ data) => html`<${Nobody} listed=${data} /><${Workers} listed=${data} />`}<//>`;
}

/** The command that lets tasks run again, or takes them away. @param {Stranded} row */
function helps({ queue, type, requests }) {
  if (!type) return { text: t('help.queue'), command: 'outlast serve' };
  if (requests) return { text: t('help.requests'), command: `outlast serve --queues ${quoted(queue)}` };
  return { text: t('help.type'), command: `outlast task cancel --state pending --queue ${quoted(queue)} --type ${quoted(type)}` };
}

/** @param {{listed: Listed}} props */
function Nobody({ listed: { stranded, stranded_more: more } }) {
  if (!stranded?.length) return null;
  return html`<${Panel} title=${t('stranded')}><${Note} tone="warn">${t('stranded.about')}<//>
  <${Table} label=${t('stranded')} rows=${stranded} id=${(/** @type {Stranded} */ s) => `${s.queue} ${s.type ?? ''}`} columns=${[
    { key: 'type', label: t('type'), cell: (/** @type {Stranded} */ s) => html`<a href=${href('tasks', { state: 'pending', queue: s.queue, type: s.type })}><bdi>${s.type ? visible(s.type) : t('types.any')}</bdi></a>` },
    { key: 'queue', label: t('queue'), cell: (/** @type {Stranded} */ s) => html`<a href=${href(['queues', s.queue])}><bdi>${visible(s.queue)}</bdi></a>` },
    { key: 'waiting', label: t('waiting'), numeric: true, cell: (/** @type {Stranded} */ s) => number(s.waiting) },
    { key: 'since', label: t('due'), cell: (/** @type {Stranded} */ s) => html`<${When} at=${s.since} />` },
    { key: 'help', label: t('help'), wide: true, cell: (/** @type {Stranded} */ s) => { const { text, command } = helps(s); return html`${text}<div class="command"><code>${visible(command)}</code><${Copy} text=${command} /></div>`; } },
  ]} />${more && html`<p class="faint">${t('stranded.more', { count: number(more) })}</p>`}<//>`;
}

/** @param {string[]|null|undefined} types */
const typesOf = (types) => types?.map((type) => (type === '*' ? t('types.rest') : visible(type))).join(', ');

/** The tasks that a worker runs, folded, and when the first lease of them ends. @param {Worker} worker */
function inHand({ in_hand: count, leases }) {
  if (!leases?.length) return number(count ?? 0);
  const more = (count ?? leases.length) - leases.length;
  return html`<details class="numbers"><summary>${count === undefined ? t('some') : number(count)}, ${leases[0].lease_until ? html`${t('lease')} <${When} at=${leases[0].lease_until} />` : t('lease.unknown')}</summary>
    <ul>${leases.map((l) => html`<li key=${l.id}><${Id} id=${l.id} href=${href(['tasks', l.id])} /> <bdi>${visible(l.type)}</bdi></li>`)}${more > 0 && html`<li class="faint">${t('more', { count: number(more) })}</li>`}</ul></details>`;
}

/** @param {{listed: Listed}} props */
function Workers({ listed: { workers, total } }) {
  const left = total - (workers?.length ?? 0);
  return html`<${Panel} title=${t('remote')}><${Table} label=${t('remote')} rows=${workers ?? []} none=${t('remote.none')} id=${(/** @type {Worker} */ w) => w.name} columns=${[
    { key: 'name', label: t('name'), wide: true, cell: (/** @type {Worker} */ w) => html`<bdi>${visible(w.name)}</bdi>` },
    { key: 'release', label: t('release'), cell: (/** @type {Worker} */ w) => html`<bdi>${visible(w.release ?? '')}</bdi>` },
    { key: 'polled', label: t('polled'), cell: (/** @type {Worker} */ w) => (w.waiting ? html`<${State} state="up" label=${t('polls')} />` : html`<${When} at=${w.last_poll} />`) },
    { key: 'types', label: t('asks'), cell: (/** @type {Worker} */ w) => html`<bdi>${typesOf(w.types)}</bdi>` },
    { key: 'queues', label: t('queues'), cell: (/** @type {Worker} */ w) => html`<bdi>${visible(w.queues?.join(', ') ?? '')}</bdi>` },
    { key: 'hand', label: t('load'), cell: inHand },
  ]} />${left > 0 && html`<p class="faint">${t('more', { count: number(left) })}</p>`}<//>`;
}
