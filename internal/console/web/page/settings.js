// What a person chose, who they are to the server, and tokens.

import { html, useState } from '../lib/ui.js';
import { at } from '../lib/api.js';
import { visible } from '../lib/json.js';
import { logout, made, may, self, token } from '../lib/session.js';
import { theme } from '../lib/store.js';
import { language } from '../lib/text.js';
import { knownZone, zone } from '../lib/time.js';
import { useGet } from '../lib/use.js';
import { Fact, Facts, Note, State, When, quoted } from '../part/basics.js';
import { Action } from '../part/dialog.js';
import { Head, Loaded, Panel } from '../part/panel.js';
import { Table } from '../part/table.js';
import { t } from './settings.text.js';

export default () => html`<${Head} title=${t('title')} /><div class="grid"><${Yours} /><${Session} /><${Server} /></div>${may('administer') && html`<${Tokens} />`}`;

const zones = typeof Intl.supportedValuesOf === 'function' ? Intl.supportedValuesOf('timeZone') : [];

function Yours() {
  const [other, setOther] = useState(zone.value !== 'utc' && zone.value !== 'local');
  const [name, setName] = useState(other ? zone.value : '');
  const known = name === '' || knownZone(name);
  const pick = (/** @type {any} */ e) => {
    setOther(e.target.value === 'other');
    if (e.target.value !== 'other') zone.value = e.target.value;
  };
  const enter = (/** @type {any} */ e) => {
    setName(e.target.value);
    if (e.target.value && knownZone(e.target.value)) zone.value = e.target.value;
  };
  return html`<${Panel} title=${t('yours')} aside=${html`<span class="faint">${t('yours.about')}</span>`}>
    <label class="field"><span>${t('theme')}</span><select value=${theme.value} onChange=${(/** @type {any} */ e) => { theme.value = e.target.value; }}>
      <option value="system">${t('system')}</option><option value="light">${t('light')}</option><option value="dark">${t('dark')}</option></select></label>
    <label class="field"><span>${t('language')}</span><select value=${language.value} onChange=${(/** @type {any} */ e) => { language.value = e.target.value; }}>
      <option value="en" lang="en">English</option><option value="zh" lang="zh-CN">中文</option></select></label>
    <label class="field"><span>${t('zone')}</span><select value=${other ? 'other' : zone.value} onChange=${pick}>
      <option value="local">${t('zone.local')}</option><option value="utc">${t('zone.utc')}</option><option value="other">${t('zone.other')}</option></select></label>
    ${other && html`<label class="field"><span>${t('zone.name')}</span><input value=${name} list="zones" spellcheck=${false} aria-invalid=${!known} onInput=${enter} /></label>
      <datalist id="zones">${zones.map((z) => html`<option value=${z} />`)}</datalist>${!known && html`<p class="text-bad" role="alert">${t('zone.unknown')}</p>`}`}<//>`;
}

function Session() {
  const me = self.value;
  if (!me) return null;
  return html`<${Panel} title=${t('session')}><${Facts}>
    <${Fact} label=${t('role')}>${me.role || t('role.none')}<//><${Fact} label=${t('queues')}>${me.queues?.length ? me.queues.join(', ') : t('queues.all')}<//>
    ${me.token ? html`<${Fact} label=${t('token')}><bdi>${visible(me.token.name)}</bdi> <code>${me.token.prefix}</code><//>
      <${Fact} label=${t('expires')}>${me.token.expires_at ? html`<${When} at=${me.token.expires_at} full />` : t('never')}<//>` : html`<${Fact} label=${t('token')}>${t('open')}<//>`}<//>
    ${token.value && html`<p><button type="button" onClick=${logout}>${t('logout')}</button></p>`}<//>`;
}

function Server() {
  const server = self.value?.server;
  if (!server) return null;
  return html`<${Panel} title=${t('server')}><${Facts}>
    <${Fact} label=${t('version')}>${server.version}<//><${Fact} label=${t('release')}>${server.release || '—'}<//><${Fact} label=${t('node')}><bdi>${server.node}</bdi><//>
    <${Fact} label=${t('store')}>${server.store}<//><${Fact} label=${t('safety')}>${server.safety?.mode ?? '—'} <span class="faint">${server.safety?.detail}</span><//>
    <${Fact} label=${t('licences')}>Outlast: Apache-2.0 · <a href="console/vendor/LICENSE.preact.txt">Preact</a> · <a href="console/vendor/LICENSE.signals.txt">Signals</a> · <a href="console/vendor/LICENSE.htm.txt">htm</a><//><//><//>`;
}

/** @typedef {import('../../types/api.js').Schema<'Token'>} Token */

function Tokens() {
  const tokens = useGet('/v1/tokens', {}, { on: ['token'] });
  return html`<${Panel} title=${t('tokens')} aside=${html`<${Create} onDone=${(/** @type {any} */ answer) => { made.value = answer.token; tokens.reload(); }} />`}><p class="faint">${t('tokens.about')}</p>
    <${Loaded} fetched=${tokens}>${(/** @type {{tokens: Token[]}} */ { tokens: rows }) => html`<${Table} label=${t('tokens')} rows=${rows ?? []} none=${t('none')} id=${(/** @type {Token} */ k) => k.id} columns=${[
      { key: 'name', label: t('name'), cell: (/** @type {Token} */ k) => html`<bdi>${visible(k.name)}</bdi> <code class="faint">${k.id}</code>` },
      { key: 'role', label: t('role'), cell: (/** @type {Token} */ k) => k.role },
      { key: 'queues', label: t('queues'), cell: (/** @type {Token} */ k) => k.queues?.join(', ') || t('queues.all') },
      { key: 'state', label: t('state'), cell: (/** @type {Token} */ k) => html`<${State} state=${k.state} />` },
      { key: 'created', label: t('created'), cell: (/** @type {Token} */ k) => html`<${When} at=${k.created_at} />` },
      { key: 'expires', label: t('expires'), cell: (/** @type {Token} */ k) => (k.expires_at ? html`<${When} at=${k.expires_at} />` : t('never')) },
      { key: 'act', label: '', cell: (/** @type {Token} */ k) => k.state === 'live' && html`<${Action} label=${t('revoke')} small danger needs="administer" about=${t('revoke.about', { name: visible(k.name) })} done=${t('revoked')}
        request=${{ method: 'DELETE', path: at`/v1/tokens/${k.id}` }} cli=${`outlast token revoke ${k.id}`} onDone=${tokens.reload} />` },
    ]} />`}<//>
<//>`;
}

/** @param {{onDone: (answer: any) => void}} props */
function Create({ onDone }) {
  const [spec, setSpec] = useState({ name: '', role: 'viewer', queues: '', ttl: '' });
  const set = (/** @type {Partial<typeof spec>} */ change) => setSpec({ ...spec, ...change });
  const queues = spec.queues.split(',').map((q) => q.trim()).filter(Boolean);
  const cli = ['outlast token create --name', quoted(spec.name || 'NAME'), '--role', spec.role, ...queues.flatMap((q) => ['--queue', quoted(q)]), ...(spec.ttl ? ['--ttl', quoted(spec.ttl)] : [])].join(' ');
  return html`<${Action} label=${t('create')} needs="administer" about=${html`<${Note} tone="warn">${t('create.about')}<//>`} onDone=${onDone} cli=${cli}
    request=${() => ({ method: 'POST', path: '/v1/tokens', body: { name: spec.name, role: spec.role, ...(queues.length ? { queues } : {}), ...(spec.ttl ? { ttl: spec.ttl } : {}) } })}>
    <label class="field"><span>${t('name')}</span><input required value=${spec.name} maxlength="128" onInput=${(/** @type {any} */ e) => set({ name: e.target.value })} /></label>
    <label class="field"><span>${t('role')}</span><select value=${spec.role} onChange=${(/** @type {any} */ e) => set({ role: e.target.value })}>
      ${/** @type {const} */ (['viewer', 'operator', 'admin', 'enqueuer', 'worker']).map((r) => html`<option value=${r}>${t(`role.${r}`)}</option>`)}</select></label>
    <label class="field"><span>${t('create.queues')}</span><input value=${spec.queues} onInput=${(/** @type {any} */ e) => set({ queues: e.target.value })} /></label>
    <label class="field"><span>${t('create.ttl')}</span><input value=${spec.ttl} onInput=${(/** @type {any} */ e) => set({ ttl: e.target.value })} /></label><//>`;
}
