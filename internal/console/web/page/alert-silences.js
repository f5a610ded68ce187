// Silences: what is kept from its channels for a time.

import { html, useState } from '../lib/ui.js';
import { at, post } from '../lib/api.js';
import { visible } from '../lib/json.js';
import { query } from '../lib/route.js';
import { number } from '../lib/text.js';
import { useGet } from '../lib/use.js';
import { Failure, Foreign, State, When, quoted } from '../part/basics.js';
import { Action } from '../part/dialog.js';
import { Loaded } from '../part/panel.js';
import { Table } from '../part/table.js';
import { t } from './alerts.text.js';

/** @typedef {import('../../types/api.js').Schema<'AlertSilence'>} AlertSilence */

const patterns = /** @type {const} */ (['rule', 'subject', 'type', 'queue', 'target', 'channel']);
const looks = { active: 'silenced', scheduled: 'scheduled', ended: 'finished' };

export function Silences() {
  const silences = useGet('/v1/alerts/silences', undefined, { on: ['alert'], every: 10_000 });
  return html`<p class="actions"><${Silence} rule=${query.value.get('rule') ?? ''} subject=${query.value.get('subject') ?? ''} opened=${query.value.has('subject')} onDone=${silences.reload} /></p><div class="panel"><${Loaded} fetched=${silences}>${(/** @type {{silences: AlertSilence[]|null}} */ data) => html`
    <${Table} label=${t('silences')} rows=${data.silences ?? []} none=${t('silences.none')} id=${(/** @type {AlertSilence} */ s) => s.id} tone=${(/** @type {AlertSilence} */ s) => (s.id === query.value.get('name') ? 'at' : '')} columns=${[
      { key: 'state', label: t('state'), cell: (/** @type {AlertSilence} */ s) => html`<${State} state=${looks[s.state]} label=${t(`silence.${s.state}`)} />${s.ended_by && html`<div class="faint"><bdi>${visible(s.ended_by)}</bdi></div>`}` },
      { key: 'matches', label: t('silence.matches'), wide: true, cell: (/** @type {AlertSilence} */ s) => patterns.filter((p) => s[p]).map((p) => html`<div>${t(p)} <code><${Foreign} text=${s[p]} /></code></div>`) },
      { key: 'reason', label: t('reason'), wide: true, cell: (/** @type {AlertSilence} */ s) => html`<${Foreign} text=${s.reason} limit=${160} />` },
      { key: 'by', label: t('by'), cell: (/** @type {AlertSilence} */ s) => html`<bdi>${visible(s.by)}</bdi>` },
      { key: 'from', label: t('silence.from'), cell: (/** @type {AlertSilence} */ s) => html`<${When} at=${s.from} />` },
      { key: 'until', label: t('silence.until'), cell: (/** @type {AlertSilence} */ s) => html`<${When} at=${s.until} />` },
      { key: 'act', label: '', cell: (/** @type {AlertSilence} */ s) => s.state !== 'ended' && html`<${Action} small label=${t('silence.end')} about=${t('silence.end.about')} done=${t('silence.over')} onDone=${silences.reload}
        request=${{ method: 'DELETE', path: at`/v1/alerts/silences/${s.id}` }} cli=${`outlast alert silence end ${quoted(s.id)}`} />` },
    ]} />`}<//></div>`;
}

/** Makes a silence, of what is given if the form is not changed.
 * @param {{rule?: string, subject?: string, label?: string, small?: boolean, opened?: boolean, onDone: () => void}} props */
export function Silence({ rule = '', subject = '', label = t('silence.add'), small, opened, onDone }) {
  const empty = { rule, subject, type: '', queue: '', target: '', channel: '', for: '2h', reason: '' };
  const [form, setForm] = useState(/** @type {Record<string, string>} */ (empty));
  const said = Object.entries(form).filter(([, value]) => value.trim());
  const field = (/** @type {string} */ name, /** @type {string} */ label, required = false) => html`<label class="field"><span>${label}</span><input required=${required} value=${form[name]} spellcheck=${false} onInput=${(/** @type {any} */ e) => setForm({ ...form, [name]: e.target.value })} /></label>`;
  return html`<${Action} label=${label} title=${t('silence.add')} small=${small} opened=${opened} about=${t('silence.about')} done=${t('silence.added')} onDone=${() => { setForm(empty); onDone(); }}
    cli=${`outlast alert silence add ${said.map(([name, value]) => `--${name} ${quoted(value.trim())}`).join(' ')}`}
    request=${{ method: 'POST', path: '/v1/alerts/silences', body: Object.fromEntries(said.map(([name, value]) => [name, value.trim()])) }}>
    <div class="grid three">${patterns.map((p) => field(p, t(p)))}</div>${field('for', t('silence.for'), true)}${field('reason', t('reason'), true)}<${Preview} key=${patterns.map((p) => form[p]).join('\n')} form=${form} /><//>`;
}

/** What a silence of these patterns would have kept back. @param {{form: Record<string, string>}} props */
function Preview({ form }) {
  const [found, setFound] = useState(/** @type {import('../../types/api.js').Schema<'AlertSilencePreview'>|null} */ (null));
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const said = Object.fromEntries(patterns.filter((p) => form[p].trim()).map((p) => [p, form[p].trim()]));
  const look = () => post('/v1/alerts/silences/preview', said).then(setFound, setProblem);
  if (Object.keys(said).length === 0) return null;
  return html`<div role="status">${!found && html`<button type="button" class="small" onClick=${look}>${t('preview')}</button>`}${problem && html`<${Failure} problem=${problem} />`}
    ${found && html`<p>${found.more ? t('preview.least') : ''} ${t('preview.messages', { n: found.messages })}${Boolean(found.rules?.length) && html` ${t('preview.rules')} <bdi>${visible((found.rules ?? []).join(', '))}</bdi>`}</p>
    ${Boolean(found.subjects?.length) && html`<table class="plain" aria-label=${t('preview')}><thead><tr><th scope="col">${t('rule')}</th><th scope="col">${t('subject')}</th><th scope="col">${t('messages')}</th></tr></thead>
      <tbody>${(found.subjects ?? []).slice(0, 10).map((s) => html`<tr><th scope="row"><bdi>${visible(s.rule)}</bdi></th><td><${Foreign} text=${s.subject} limit=${80} /></td><td>${number(s.messages)}</td></tr>`)}</tbody></table>`}`}</div>`;
}
