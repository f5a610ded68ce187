// Channels of alerts: how people are reached.

import { html, useState } from '../lib/ui.js';
import { at } from '../lib/api.js';
import { visible } from '../lib/json.js';
import { query } from '../lib/route.js';
import { may } from '../lib/session.js';
import { useGet } from '../lib/use.js';
import { Foreign, Note, State, When, quoted } from '../part/basics.js';
import { Action, Confirm, NewName } from '../part/dialog.js';
import { Loaded } from '../part/panel.js';
import { Table } from '../part/table.js';
import { language } from '../lib/text.js';
import { kinds } from './alert-kinds.js';
import { t } from './alerts.text.js';

/** @typedef {{kind: string, url?: string, url_env?: string, url_file?: string, secret_env?: string, mentions?: string[], fallback?: string, default?: boolean, rate?: number, timeout?: string,
 *   address?: string, tls?: string, username?: string, password_env?: string, from?: string, to?: string[]}} Spec */
/** @typedef {Omit<import('../../types/api.js').Schema<'AlertChannel'>, 'channel'> & {channel: Spec}} Channel */

/** @param {string} name */
const kindOf = (name) => kinds.find((k) => k.kind === name);

/** The name of a kind for people. @param {string} name */
const titleOf = (name) => kindOf(name)?.[language.value] ?? t.named('kind.', name);

/** The fields of a kind, beside those that all have. @param {string} name */
const fieldsOf = (name) => kindOf(name)?.fields ?? [];

const everywhere = /** @type {const} */ (['kind', 'fallback', 'default', 'rate', 'timeout']);
const lists = new Set(kinds.flatMap((k) => k.fields).filter((f) => f.list).map((f) => f.name));

export function Channels() {
  const channels = useGet('/v1/alerts/channels', undefined, { on: ['alert'], every: 10_000 });
  const [edited, setEdited] = useState(/** @type {Channel|'new'|null} */ (null));
  return html`${may('administer') && html`<p class="actions"><button type="button" onClick=${() => setEdited('new')}>${t('channel.new')}</button></p>`}
  <div class="panel"><${Loaded} fetched=${channels}>${(/** @type {{channels: Channel[]|null}} */ data) => html`
    ${data.channels?.some((c) => c.managed === 'file') && html`<${Note}>${t('file.about')}<//>`}
    <${Table} label=${t('channels')} rows=${data.channels ?? []} none=${t('channels.none')} id=${(/** @type {Channel} */ c) => c.name} tone=${(/** @type {Channel} */ c) => (c.name === query.value.get('name') ? 'at' : '')} columns=${columns(setEdited, channels.reload)} />
    ${edited && html`<${Edit} channel=${edited === 'new' ? null : edited} others=${(data.channels ?? []).map((c) => c.name)} onClose=${() => setEdited(null)} onDone=${channels.reload} />`}`}<//></div>`;
}

/** @type {(edit: (channel: Channel) => void, onDone: () => void) => import('../part/table.js').Column<Channel>[]} */
const columns = (edit, onDone) => [
  { key: 'name', label: t('name'), cell: (c) => html`<strong><bdi>${visible(c.name)}</bdi></strong>` },
  { key: 'kind', label: t('kind'), cell: (c) => titleOf(c.kind) },
  { key: 'state', label: t('state'), cell: (c) => html`<${State} state=${c.usable && !c.problem ? 'ok' : 'failed'} label=${t(c.usable && !c.problem ? 'usable' : 'unusable')} />${c.problem && html`<div class="text-bad"><${Foreign} text=${c.problem} limit=${160} /></div>`}` },
  { key: 'reach', label: t('reach'), wide: true, cell: (c) => html`<${Foreign} text=${reach(c.channel)} limit=${120} />` },
  { key: 'default', label: t('default'), cell: (c) => t(c.channel.default ? 'yes' : 'no') },
  { key: 'fallback', label: t('fallback'), cell: (c) => html`<bdi>${visible(c.channel.fallback ?? '—')}</bdi>` },
  { key: 'source', label: t('source'), cell: (c) => html`${source(c)}${c.updated_at && html`<div class="faint"><bdi>${visible(c.actor ?? '')}</bdi> <${When} at=${c.updated_at} /></div>`}` },
  { key: 'act', label: '', cell: (c) => html`<span class="actions"><${Action} small label=${t('test')} about=${t('test.about', { name: c.name })} done=${t('tested')} onDone=${onDone} request=${{ method: 'POST', path: at`/v1/alerts/channels/${c.name}/test` }} cli=${`outlast alert test ${quoted(c.name)}`} />
    ${!c.managed && Boolean(c.version) && may('administer') && html`<button type="button" class="small" aria-label=${`${t('edit')}: ${c.name}`} onClick=${() => edit(c)}>${t('edit')}</button>
    <${Action} small danger label=${t('delete')} needs="administer" about=${t('channel.delete.about', { name: c.name })} done=${t('deleted')} onDone=${onDone} request=${{ method: 'DELETE', path: at`/v1/alerts/channels/${c.name}` }} cli=${`outlast alert delete-channel ${quoted(c.name)}`} />`}</span>` },
];

/** Where a channel leads; of a secret, the name of the variable. @param {Spec} c */
const reach = (c) => c.url ?? (c.url_env ? '$' + c.url_env : c.url_file ?? c.to?.join(', ') ?? '');

/** @param {Channel} c */
const source = (c) => (c.managed === 'file' ? t('file') : c.managed === 'option' ? t('option') : c.version ? t('own') : t('builtin'));

/** The form of a channel.
 * @param {{channel: Channel|null, others: string[], onClose: () => void, onDone: () => void}} props */
function Edit({ channel, others, onClose, onDone }) {
  const [name, setName] = useState(channel?.name ?? '');
  const [form, setForm] = useState(/** @type {Record<string, any>} */ (channel ? { ...channel.channel, ...Object.fromEntries([...lists].map((key) => [key, /** @type {any} */ (channel.channel)[key]?.join(', ')])) } : { kind: 'webhook' }));
  const set = (/** @type {string} */ key) => (/** @type {any} */ e) => setForm({ ...form, [key]: e.target.type === 'checkbox' ? e.target.checked : e.target.value });
  const spec = specOf(form), taken = !channel && others.includes(name);
  return html`<${Confirm} title=${channel ? t('channel.edit', { name: channel.name }) : t('channel.new')} label=${t('save')} about=${t('channel.about')} done=${t('saved')} onClose=${onClose} onDone=${onDone} unready=${taken}
    request=${{ method: 'PUT', path: at`/v1/alerts/channels/${name}`, body: spec }} cli=${`outlast alert put-channel ${quoted(name || 'NAME')} ${quoted(JSON.stringify(spec))}`}>
    ${!channel && html`<${NewName} label=${t('name')} value=${name} taken=${taken} onName=${setName} />`}
    <label class="field"><span>${t('kind')}</span><select value=${form.kind} onChange=${set('kind')}>${kinds.map(({ kind }) => html`<option value=${kind}>${titleOf(kind)}</option>`)}</select></label>
    ${fieldsOf(form.kind).map((field) => html`<${Field} key=${field.name} of=${field} form=${form} onInput=${set(field.name)} />`)}
    <label class="field"><span>${t('fallback.about')}</span><select value=${form.fallback ?? ''} onChange=${set('fallback')}><option value="">${t('fallback.none')}</option>${others.filter((o) => o !== name).map((o) => html`<option value=${o}>${o}</option>`)}</select></label>
    <label class="check"><input type="checkbox" checked=${Boolean(form.default)} onChange=${set('default')} /> ${t('default.about')}</label>
    <label class="field"><span>${t('rate')}</span><input type="number" min="1" max="6000" value=${form.rate ?? ''} onInput=${set('rate')} /></label>
    <label class="field"><span>${t('timeout')}</span><input value=${form.timeout ?? ''} spellcheck=${false} onInput=${set('timeout')} /></label><//>`;
}

/** @param {{of: import('./alert-kinds.js').Field, form: Record<string, any>, onInput: (e: any) => void}} props */
const Field = ({ of, form, onInput }) => html`<label class="field"><span>${of[language.value]}</span>${of.name === 'tls'
  ? html`<select value=${form.tls || 'starttls'} onChange=${onInput}>${/** @type {const} */ (['starttls', 'implicit', 'none']).map((v) => html`<option value=${v}>${t(`tls.${v}`)}</option>`)}</select>`
  : html`<input required=${of.required} value=${form[of.name] ?? ''} spellcheck=${false} onInput=${onInput} />`}</label>`;

/** What the form says, of its kind only. @param {Record<string, any>} form */
function specOf(form) {
  const said = [...everywhere, ...fieldsOf(form.kind).map((f) => f.name)].filter((key) => form[key]).map((key) => [key, valueOf(key, form[key])]);
  return Object.fromEntries(said);
}

/** @param {string} key @param {any} value */
const valueOf = (key, value) => (lists.has(key) ? value.split(',').map((/** @type {string} */ v) => v.trim()).filter(Boolean) : key === 'rate' ? Number(value) : typeof value === 'string' ? value.trim() : value);
