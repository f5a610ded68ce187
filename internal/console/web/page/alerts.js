// Alerts: what people were told, by which rules, over which channels.

import { html } from '../lib/ui.js';
import { at } from '../lib/api.js';
import { visible } from '../lib/json.js';
import { href, query, setQuery } from '../lib/route.js';
import { number } from '../lib/text.js';
import { Failure, Foreign, Id, State, Tabs, When } from '../part/basics.js';
import { Action } from '../part/dialog.js';
import { Filters, filtersOf } from '../part/filter.js';
import { usePages } from '../part/pages.js';
import { Head, Loaded } from '../part/panel.js';
import { More, Table } from '../part/table.js';
import { Channels } from './alert-channels.js';
import { Rules } from './alert-rules.js';
import { Silence, Silences } from './alert-silences.js';
import { t } from './alerts.text.js';

/** @typedef {import('../../types/api.js').Schema<'AlertEvent'>} Event */
/** @typedef {import('../part/table.js').Column<any>} Column */

const tabs = /** @type {const} */ (['events', 'rules', 'channels', 'silences']);

export default function Alerts() {
  const tab = tabs.find((name) => name === query.value.get('tab')) ?? 'events';
  return html`<${Head} title=${t('title')}>${t('about')}<//>
  <${Tabs} label=${t('tabs')} tabs=${tabs.map((name) => ({ label: t(name), href: href('alerts', { tab: name === 'events' ? '' : name }), here: name === tab }))} />
  ${tab === 'rules' ? html`<${Rules} />` : tab === 'channels' ? html`<${Channels} />` : tab === 'silences' ? html`<${Silences} />` : html`<${Messages} />`}`;
}

const names = ['rule', 'subject', 'channel', 'state', 'since'], states = /** @type {const} */ (['pending', 'sent', 'failed', 'canceled', 'silenced', 'collected']);

function Messages() {
  const filter = filtersOf(names);
  const grouped = query.value.get('group') === 'rule';
  return html`<${Filters} label=${t('filter')} filters=${[{ name: 'rule', label: t('rule') }, { name: 'subject', label: t('subject') }, { name: 'channel', label: t('channel') },
    { name: 'state', label: t('delivery'), kind: 'select', values: states.map((s) => ({ value: s, label: t(`delivery.${s}`) })) }, { name: 'since', label: t('since'), kind: 'time', rare: true }]} />
  <label class="check"><input type="checkbox" checked=${grouped} onChange=${(/** @type {any} */ e) => setQuery({ group: e.target.checked ? 'rule' : null })} /> ${t('grouped')}</label>
  <div class="panel"><${Found} filter=${filter} grouped=${grouped} key=${JSON.stringify(filter)} /></div>`;
}

/** A part of a name is looked for, unless where it may stand is said by a *.
 * @param {Record<string, string>} filter */
const asked = (filter) => Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, name === 'state' || name === 'since' || value.includes('*') ? value : `*${value}*`]));

/** The messages that the server finds.
 * @param {{filter: Record<string, string>, grouped: boolean}} props */
function Found({ filter, grouped }) {
  const id = (/** @type {Event} */ e) => e.id;
  const list = usePages('/v1/alerts/events', asked(filter), 'events', { on: ['alert', 'tasks'], every: 10_000, limit: 100, id });
  const { first, rows } = list, none = Object.keys(filter).length === 0 ? t('events.none') : t(list.cursor ? 'events.partial' : 'events.nonematch');
  return html`<${Loaded} fetched=${first}>${() => html`${grouped ? html`<${Groups} events=${rows} none=${none} onDone=${first.reload} />`
    : html`<${Table} label=${t('events')} rows=${rows} none=${none} id=${id} open=${causeOf} columns=${columns(first.reload)} />`}
    ${list.problem && html`<${Failure} problem=${list.problem} />`}<${More} cursor=${list.cursor} busy=${list.busy} onMore=${list.more} />`}<//>`;
}

/** @type {(onDone: () => void) => import('../part/table.js').Column<Event>[]} */
const columns = (onDone) => [
  { key: 'when', label: t('when'), cell: (e) => html`<${When} at=${e.at} />` },
  { key: 'severity', label: t('severity'), cell: (e) => html`<${Severity} event=${e} />` },
  { key: 'rule', label: t('rule'), cell: (e) => html`<a href=${href('alerts', { tab: 'rules', name: e.rule })}><bdi>${visible(e.rule)}</bdi></a>` },
  { key: 'what', label: t('what'), wide: true, cell: (e) => html`<${What} event=${e} />` },
  { key: 'channel', label: t('channel'), cell: (e) => html`<bdi>${visible(e.channel)}</bdi>${e.instead && html`<div class="faint">${t('instead', { channel: e.instead })}</div>`}` },
  { key: 'delivery', label: t('delivery'), cell: (e) => html`<${Delivery} event=${e} />` },
  { key: 'ack', label: t('ack'), cell: (e) => html`<${Acknowledged} event=${e} onDone=${onDone} />` },
];

/** What a message tells: its severity, or that it is over or a test.
 * @param {{event: Event}} props */
const Severity = ({ event: e }) => (e.kind === 'recovered' || e.kind === 'test' ? html`<${State} state=${e.kind} label=${t(`kind.${e.kind}`)} />`
  : html`<${State} state=${e.severity || 'warning'} label=${t.named('severity.', e.severity || 'warning')} />`);

/** @param {{event: Event}} props */
const What = ({ event: e }) => html`<strong><${Foreign} text=${e.subject} limit=${80} /></strong><div><${Foreign} text=${e.text} limit=${160} /></div>
  ${e.held_back ? html`<div class="faint">${t('held', { n: e.held_back })}${e.held_back_kinds?.length ? e.held_back_kinds.map((k) => html`<div><${Foreign} text=${`${k.count} × ${k.what || t('others')}`} limit=${160} /></div>`) : e.held_back_names?.length ? html`: <bdi>${visible(e.held_back_names.join(', '))}</bdi>` : ''}</div>` : ''}
  <${Leads} event=${e} />${Boolean(e.fields?.length) && html`<details class="numbers"><summary>${t('details')}</summary><table class="plain" aria-label=${t('details')}><tbody>${e.fields?.map((f) => html`<tr><th scope="row">${visible(f.name)}</th><td><${Foreign} text=${f.value} /></td></tr>`)}</tbody></table></details>`}`;

/** Leads to what a message is about. @param {{event: Event}} props */
const Leads = ({ event: e }) => (e.about?.length ? html`<div>${e.about.map(({ kind, name, place }, i) => html`${i > 0 && ' · '}${kind === 'task' ? html`${t('about.task')} <${Id} id=${name} href=${'#/' + place} />`
  : html`<a href=${'#/' + place}>${t.named('about.', kind)} <bdi>${visible(name ?? '')}</bdi></a>`}`)}</div>` : null);

/** Where a message leads: to what it is about, or else to how it was sent. @param {Event} e */
const causeOf = (e) => (e.about?.length ? '#/' + e.about[0].place : href(['tasks', e.id]));

/** How the delivery goes: its attempts are a task like any other. @param {{event: Event}} props */
const Delivery = ({ event: e }) => html`<${State} state=${e.state} label=${t(`delivery.${e.state}`)} />
  <div class="faint">${t('attempts', { n: e.attempts })}${e.state === 'pending' && e.attempts > 0 && html` · ${t('next.try')} <${When} at=${e.next_at} />`}</div>
  ${e.silence && html`<div><a href=${href('alerts', { tab: 'silences', name: e.silence })}>${t('silence.by')} …${e.silence.slice(-6)}</a></div>`}${e.error && html`<div><${Foreign} text=${e.error} limit=${100} /></div>`}<div title=${t('open')}><${Id} id=${e.id} href=${href(['tasks', e.id])} /></div>`;

/** Who takes care of it, or the button for that. @param {{event: Event, onDone: () => void}} props */
function Acknowledged({ event: e, onDone }) {
  if (e.acked_at) return html`<${State} state="acknowledged" label=${t('acked')} /><div class="faint"><bdi>${visible(e.acked_by ?? '')}</bdi> <${When} at=${e.acked_at} /></div>`;
  if (e.kind === 'recovered' || e.kind === 'test') return null;
  return html`<${Action} label=${t('ack.do')} small about=${html`<p><bdi>${visible(t('ack.about', { rule: e.rule, subject: e.subject }))}</bdi></p>`} done=${t('acked')} onDone=${onDone}
    request=${{ method: 'POST', path: at`/v1/alerts/events/${e.id}/ack` }} cli=${`outlast alert ack ${e.id}`} /> <${Silence} label=${t('silence.do')} small rule=${e.rule} subject=${e.subject} onDone=${onDone} />`;
}

/** One row for all messages of a rule and subject, by the newest.
 * @param {{events: Event[], none: any, onDone: () => void}} props */
function Groups({ events, none, onDone }) {
  /** @type {Map<string, Event[]>} */
  const groups = new Map();
  for (const e of events) {
    const key = JSON.stringify([e.rule, e.subject]);
    groups.set(key, [...(groups.get(key) ?? []), e]);
  }
  const rows = [...groups.values()];
  return html`<${Table} label=${t('grouped')} rows=${rows} none=${none} id=${(/** @type {Event[]} */ g) => JSON.stringify([g[0].rule, g[0].subject])} open=${ofGroup} columns=${[
    { key: 'newest', label: t('newest'), cell: (/** @type {Event[]} */ g) => html`<${When} at=${g[0].at} />` },
    { key: 'severity', label: t('severity'), cell: (/** @type {Event[]} */ g) => html`<${Severity} event=${g[0]} />` },
    { key: 'rule', label: t('rule'), cell: (/** @type {Event[]} */ g) => html`<a href=${ofGroup(g)}><bdi>${visible(g[0].rule)}</bdi></a>` },
    { key: 'what', label: t('what'), wide: true, cell: (/** @type {Event[]} */ g) => html`<${What} event=${g[0]} />` },
    { key: 'messages', label: t('messages'), numeric: true, cell: (/** @type {Event[]} */ g) => number(g.length) },
    { key: 'channels', label: t('channels_'), cell: (/** @type {Event[]} */ g) => html`<bdi>${visible([...new Set(g.map((e) => e.channel))].join(', '))}</bdi>` },
    { key: 'delivery', label: t('delivery'), cell: (/** @type {Event[]} */ g) => states.filter((s) => g.some((e) => e.state === s)).map((s) => html`<${State} state=${s} label=${`${t(`delivery.${s}`)} ${number(g.filter((e) => e.state === s).length)}`} /> `) },
    { key: 'ack', label: t('ack'), cell: (/** @type {Event[]} */ g) => html`<${Acknowledged} event=${g[0]} onDone=${onDone} />` },
  ]} />`;
}

/** @param {Event[]} group */
const ofGroup = ([e]) => href('alerts', { rule: e.rule, subject: e.subject });
