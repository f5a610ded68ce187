// Policies: looked at, compared, tried, edited.

import { html } from '../lib/ui.js';
import { at, callText } from '../lib/api.js';
import { Raw, members, pretty, split, visible } from '../lib/json.js';
import { go, href, path, query } from '../lib/route.js';
import { may } from '../lib/session.js';
import { number } from '../lib/text.js';
import { useGet } from '../lib/use.js';
import { Note, State, When, quoted } from '../part/basics.js';
import { Change } from '../part/change.js';
import { Action } from '../part/dialog.js';
import { Head, Loaded, Panel } from '../part/panel.js';
import { Table } from '../part/table.js';
import { Editor } from './policy-editor.js';
import { Outlook, planOf } from '../part/outlook.js';
import { schedule } from '../part/server.text.js';
import { t } from './policies.text.js';

/** @typedef {import('../../types/api.js').Schema<'Policy'>} Policy */

export default function Policies() {
  const name = path.value[1];
  if (path.value[2] === 'edit') return html`<${EditOne} name=${name} key=${name} />`;
  if (name === undefined && query.value.get('new')) return html`<${Editor} name="" version=${0} text="{}" />`;
  return name ? html`<${One} name=${name} key=${name} />` : html`<${All} />`;
}

function All() {
  const policies = useGet('/v1/policies', undefined, { on: ['policy'], every: 15_000 });
  return html`<${Head} title=${t('title')} actions=${may('administer') && html`<a class="button" href=${href('policies', { new: 1 })}>${t('create')}</a>`}>${t('about')}<//>
  <div class="panel"><${Loaded} fetched=${policies}>${(/** @type {{policies: Policy[]|null}} */ data) => html`<${Table} label=${t('title')} rows=${[...(data.policies ?? [])].sort(ownFirst)} none=${t('none')}
    id=${(/** @type {Policy} */ p) => p.name} open=${(/** @type {Policy} */ p) => href(['policies', p.name])} columns=${[
      { key: 'name', label: t('name'), cell: (/** @type {Policy} */ p) => html`<a href=${href(['policies', p.name])}><bdi>${visible(p.name)}</bdi></a>${p.canary && html` <span class="category">${t('canary')}</span>`}` },
      { key: 'source', label: t('source'), cell: (/** @type {Policy} */ p) => t(`source.${p.source}`) },
      { key: 'summary', label: t('summary'), wide: true, cell: (/** @type {Policy} */ p) => schedule(p.policy, p.attempts, p.summary) },
      { key: 'used', label: t('used'), cell: (/** @type {Policy} */ p) => html`<bdi>${usersOf(p)}</bdi>` },
      { key: 'version', label: t('version'), numeric: true, cell: (/** @type {Policy} */ p) => number(p.version) },
      { key: 'warnings', label: t('warnings'), numeric: true, cell: (/** @type {Policy} */ p) => (p.warnings?.length ? html`<span class="text-warn">${number(p.warnings.length)}</span>` : '—') },
    ]} />`}<//></div>`;
}

/** Who uses a policy, as far as that is known: what a task names itself is not. @param {Policy} p */
const usersOf = (p) => [p.name === 'default' && t('rest'), ...(p.used_by ?? [])].filter(Boolean).join(', ') || t('nobody');

/** One's own before the presets. @param {Policy} a @param {Policy} b */
const ownFirst = (a, b) => Number(a.source === 'preset') - Number(b.source === 'preset') || a.name.localeCompare(b.name);

/** Reads a policy and keeps the text of its keys.
 * @param {string} place @param {any} asked @param {AbortSignal} signal */
async function readPolicy(place, asked, signal) {
  const text = await callText('GET', place, { query: asked, signal });
  return { policy: /** @type {Policy} */ (JSON.parse(text)), text: members(text, ['policy']).policy?.text ?? '{}' };
}

/** @param {{name: string}} props */
function EditOne({ name }) {
  const fetched = useGet(at`/v1/policies/${name}`, undefined, { read: readPolicy });
  return html`<${Loaded} fetched=${fetched} name=${name}>${(/** @type {{policy: Policy, text: string}} */ { policy, text }) => (policy.source === 'file' ? html`<${Head} title=${html`<bdi>${visible(name)}</bdi>`} actions=${html`<a class="button" href=${href(['policies', name])}>${t('back.one')}</a>`} /><${Note}>${t('file.about')}<//>`
    : html`<${Editor} name=${name} version=${policy.source === 'preset' ? 0 : policy.version} text=${text} given=${query.value.get('draft') ?? ''} />`)}<//>`;
}

/** @param {{name: string}} props */
function One({ name }) {
  const fetched = useGet(at`/v1/policies/${name}`, undefined, { on: ['policy'], every: 15_000, read: readPolicy });
  return html`<p><a href=${href('policies')}>← ${t('back')}</a></p><${Loaded} fetched=${fetched} name=${name}>${(/** @type {{policy: Policy, text: string}} */ { policy: p, text }) => html`
    <${Head} title=${html`<bdi>${visible(p.name)}</bdi> <span class="faint">${t(`source.${p.source}`)} · ${t('before', { n: p.version })}</span>`} actions=${html`
      ${may('administer') && p.source !== 'file' && html`<a class="button" href=${href(['policies', name, 'edit'])}>${t('edit')}</a>`}
      ${may('operate') && p.source === 'file' && html`<a class="button" href=${href('simulator', { tab: 'whatif', of: name, draft: pretty(text) })}>${t('whatif')}</a>`}
      ${p.source === 'api' && html`<${Action} label=${t('remove')} danger needs="administer" about=${t('remove.about', { name })} done=${t('removed')} onDone=${() => go('policies')} request=${{ method: 'DELETE', path: at`/v1/policies/${name}` }} cli=${`outlast policy delete ${quoted(name)}`} />`}`}>
      ${schedule(p.policy, p.attempts, p.summary)} · <${When} at=${p.updated_at} /> ${p.actor && html`· <bdi>${visible(p.actor)}</bdi>`} · ${t('used')}: <bdi>${usersOf(p)}</bdi><//>
    ${p.source === 'file' && html`<${Note}>${t('file.about')}<//>`}${p.source === 'preset' && html`<${Note}>${t('preset.about')}<//>`}
    ${p.canary && html`<${Trial} name=${name} policy=${p} onDone=${fetched.reload} />`}
    <${Planned} text=${text} /><${Panel} title=${t('whole')}><pre class="block" tabindex="0"><code>${visible(pretty(text))}</code></pre><//>
    ${p.source !== 'preset' && html`<${Versions} name=${name} newest=${p.version} canary=${p.canary} editable=${p.source === 'api'} onDone=${fetched.reload} />`}`}<//>`;
}

/** @param {{text: string}} props */
function Planned({ text }) {
  const plan = useGet('/v1/policies/plan', { text }, { read: (_, asked, signal) => planOf(asked.text, {}, signal) });
  return html`<${Loaded} fetched=${plan}>${(/** @type {any} */ p) => html`<${Outlook} plan=${p} />`}<//>`;
}

/** A version that holds for a share of the tasks. @param {{name: string, policy: Policy, onDone: () => void}} props */
function Trial({ name, policy, onDone }) {
  const canary = /** @type {any} */ (policy.canary);
  const verb = (/** @type {'promote'|'abort'} */ v, /** @type {string} */ done) => html`<${Action} label=${t(v)} needs="administer" about=${t(`${v}.about`)} done=${done} onDone=${onDone} request=${{ method: 'POST', path: at`/v1/policies/${name}/` + v }} cli=${`outlast policy ${v} ${quoted(name)}`} />`;
  return html`<${Note} tone="warn" title=${t('canary')}><p>${t('canary.about', { n: canary.version, share: canary.share, base: canary.base_version })}</p><p class="actions">${verb('promote', t('promoted'))}${verb('abort', t('aborted'))} <a href=${href('simulator', { tab: 'history', by: 'policy_version' })}>${t('canary.stats')}</a></p><//>`;
}

/** @typedef {{row: Policy, body: Raw|undefined}} Version */

/** Reads the versions and keeps the texts of their keys.
 * @param {string} place @param {any} asked @param {AbortSignal} signal @returns {Promise<Version[]>} */
async function readVersions(place, asked, signal) {
  const list = members(await callText('GET', place, { query: asked, signal }), ['policies']).policies?.text ?? '[]';
  return split(list).map(([, text]) => ({ row: JSON.parse(text), body: members(text, ['policy']).policy }));
}

/** The versions, each against the one before it. @param {{name: string, newest: number, canary: any, editable: boolean, onDone: () => void}} props */
function Versions({ name, newest, canary, editable, onDone }) {
  const standing = (/** @type {number} */ n) => (canary?.version === n ? html`<${State} state="half_open" label=${t('current.trial', { share: canary.share })} />`
    : canary?.base_version === n ? html`<${State} state="on" label=${t('current.rest')} />` : n === newest && html`<${State} state="on" label=${t('current')} />`);
  const versions = useGet(at`/v1/policies/${name}/versions`, undefined, { on: ['policy'], read: readVersions });
  return html`<${Panel} title=${t('versions')}><${Loaded} fetched=${versions}>${(/** @type {Version[]} */ all) => {
    const before = (/** @type {Version} */ v) => all.find((other) => other.row.version < v.row.version);
    return html`<${Table} label=${t('versions')} rows=${all} none=${t('versions.none')} id=${(/** @type {Version} */ v) => String(v.row.version)} columns=${[
      { key: 'version', label: t('version'), cell: (/** @type {Version} */ v) => html`${number(v.row.version)} ${standing(v.row.version)}` },
      { key: 'summary', label: t('summary'), wide: true, cell: (/** @type {Version} */ v) => html`${schedule(v.row.policy, v.row.attempts, v.row.summary)}<details class="numbers"><summary>${t('diff')}</summary><${Change} before=${before(v)?.body} after=${v.body} head=${['', t('before', { n: before(v)?.row.version ?? 0 }), t('before', { n: v.row.version })]} same="—" /></details>` },
      { key: 'updated', label: t('updated'), cell: (/** @type {Version} */ v) => html`<${When} at=${v.row.updated_at} />` },
      { key: 'actor', label: t('actor'), cell: (/** @type {Version} */ v) => html`<bdi>${visible(v.row.actor ?? '')}</bdi>` },
      { key: 'act', label: '', cell: (/** @type {Version} */ v) => editable && v.row.version !== newest && v.body && html`<${Action} small label=${t('restore')} needs="administer" about=${t('restore.about', { n: v.row.version, name })} done=${t('restored')} onDone=${() => { onDone(); versions.reload(); }}
        request=${{ method: 'PUT', path: at`/v1/policies/${name}`, query: { version: String(newest) }, body: v.body }} />` },
    ]} />`;
  }}<//><//>`;
}
