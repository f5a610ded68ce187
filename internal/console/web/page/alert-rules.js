// Rules of alerts: when people are told.

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
import { t } from './alerts.text.js';

/** @typedef {{on: string, when?: string, channels?: string[], cooldown?: string, digest?: string, for?: string, recovery?: boolean, severity?: string, disabled?: boolean}} Spec */
/** @typedef {Omit<import('../../types/api.js').Schema<'AlertRule'>, 'rule'> & {rule: Spec}} Rule */
/** @typedef {import('../../types/api.js').Schema<'AlertVariable'>} Variable */

const kinds = /** @type {const} */ (['dead', 'retry', 'crash', 'process', 'resources', 'breaker', 'redrive', 'schedule', 'letters', 'queue', 'target', 'type', 'category', 'group', 'blocked', 'key', 'change']);
const measured = ['letters', 'queue', 'target', 'type', 'category', 'group', 'key', 'change'];

export function Rules() {
  const rules = useGet('/v1/alerts/rules', undefined, { on: ['alert'], every: 10_000 });
  const [edited, setEdited] = useState(/** @type {Rule|'new'|null} */ (null));
  return html`${may('administer') && html`<p class="actions"><button type="button" onClick=${() => setEdited('new')}>${t('rule.new')}</button></p>`}
  <div class="panel"><${Loaded} fetched=${rules}>${(/** @type {{rules: Rule[]|null, variables: Variable[]|null}} */ data) => html`
    ${data.rules?.some((r) => r.managed) && html`<${Note}>${t('file.about')}<//>`}
    <${Table} label=${t('rules')} rows=${data.rules ?? []} id=${(/** @type {Rule} */ r) => r.name} tone=${(/** @type {Rule} */ r) => (r.name === query.value.get('name') ? 'at' : '')} columns=${columns(setEdited, rules.reload)} />
    ${edited && html`<${Edit} rule=${edited === 'new' ? null : edited} others=${(data.rules ?? []).map((r) => r.name)} variables=${data.variables ?? []} onClose=${() => setEdited(null)} onDone=${rules.reload} />`}`}<//></div>`;
}

/** @type {(edit: (rule: Rule) => void, onDone: () => void) => import('../part/table.js').Column<Rule>[]} */
const columns = (edit, onDone) => [
  { key: 'name', label: t('name'), cell: (r) => html`<strong><bdi>${visible(r.name)}</bdi></strong>` },
  { key: 'state', label: t('state'), cell: (r) => html`<${Standing} rule=${r} />` },
  { key: 'when', label: t('condition'), wide: true, cell: (r) => html`<div>${t.named('on.', r.rule.on)}</div>${r.rule.when && html`<code><${Foreign} text=${r.rule.when} limit=${200} /></code>`}` },
  { key: 'channels', label: t('channels_'), cell: (r) => (r.rule.channels?.length ? html`<bdi>${visible(r.rule.channels.join(', '))}</bdi>` : html`<span class="faint">${t('channels.default')}</span>`) },
  { key: 'severity', label: t('severity'), cell: (r) => html`<${State} state=${r.rule.severity || 'warning'} label=${t.named('severity.', r.rule.severity || 'warning')} />` },
  { key: 'source', label: t('source'), cell: (r) => html`${source(r)}${r.updated_at && html`<div class="faint"><bdi>${visible(r.actor ?? '')}</bdi> <${When} at=${r.updated_at} /></div>`}` },
  { key: 'act', label: '', cell: (r) => !r.managed && may('administer') && html`<span class="actions"><${Switch} rule=${r} onDone=${onDone} />
    <button type="button" class="small" aria-label=${`${t('edit')}: ${r.name}`} onClick=${() => edit(r)}>${t('edit')}</button>${Boolean(r.version) && html`<${Remove} rule=${r} onDone=${onDone} />`}</span>` },
];

/** @param {Rule} r */
const source = (r) => (r.managed ? t('file') : r.builtin ? t('builtin') : t(r.replaces ? 'builtin.changed' : 'own'));

/** @param {{rule: Rule}} props */
const Standing = ({ rule: r }) => html`<${State} state=${r.problem ? 'failed' : r.rule.disabled ? 'off' : 'on'} label=${t(r.problem ? 'wrong' : r.rule.disabled ? 'off' : 'holds')} />${r.problem && html`<div class="text-bad"><${Foreign} text=${r.problem} limit=${120} /></div>`}`;

/** The call that keeps a rule, and the command that does the same. @param {string} name @param {Spec} spec */
const put = (name, spec) => ({ request: { method: 'PUT', path: at`/v1/alerts/rules/${name}`, body: spec }, cli: `outlast alert put-rule ${quoted(name || 'NAME')} ${quoted(JSON.stringify(spec))}` });

/** Turns a rule off or on. @param {{rule: Rule, onDone: () => void}} props */
function Switch({ rule: r, onDone }) {
  const { disabled, ...spec } = r.rule;
  return html`<${Action} small label=${t(disabled ? 'enable' : 'disable')} needs="administer" about=${t(disabled ? 'enable.about' : 'disable.about', { name: r.name })} done=${t(disabled ? 'enabled' : 'disabled')} onDone=${onDone}
    ...${put(r.name, disabled ? spec : { ...spec, disabled: true })} />`;
}

/** @param {{rule: Rule, onDone: () => void}} props */
const Remove = ({ rule: r, onDone }) => html`<${Action} small danger label=${t(r.replaces ? 'reset' : 'delete')} needs="administer" about=${t(r.replaces ? 'rule.reset.about' : 'rule.delete.about', { name: r.name })} done=${t(r.replaces ? 'reset.done' : 'deleted')} onDone=${onDone}
  request=${{ method: 'DELETE', path: at`/v1/alerts/rules/${r.name}` }} cli=${`outlast alert delete-rule ${quoted(r.name)}`} />`;

/** The form of a rule. @param {{rule: Rule|null, others: string[], variables: Variable[], onClose: () => void, onDone: () => void}} props */
function Edit({ rule, others, variables, onClose, onDone }) {
  const [name, setName] = useState(rule?.name ?? '');
  const [spec, setSpec] = useState(/** @type {Spec} */ (rule?.rule ?? { on: 'dead' }));
  const set = (/** @type {keyof Spec} */ key, /** @type {any} */ value) => setSpec(without({ ...spec, [key]: value }));
  const text = (/** @type {'cooldown'|'digest'|'for'} */ key, /** @type {string} */ label) => html`<label class="field"><span>${label}</span><input value=${spec[key] ?? ''} spellcheck=${false} onInput=${(/** @type {any} */ e) => set(key, e.target.value.trim())} /></label>`;
  const looks = (/** @type {string} */ on) => setSpec(without({ ...spec, on, ...(measured.includes(on) ? {} : { for: undefined, recovery: undefined }) }));
  const taken = !rule && others.includes(name);
  return html`<${Confirm} unready=${taken} title=${rule ? t('rule.edit', { name: rule.name }) : t('rule.new')} label=${t('save')} about=${t('rule.about')} done=${t('saved')} onClose=${onClose} onDone=${onDone} ...${put(name, spec)}>
    ${(/** @type {any} */ problem) => html`
    ${!rule && html`<${NewName} label=${t('name')} value=${name} taken=${taken} onName=${setName} />`}
    <label class="field"><span>${t('on')}</span><select value=${spec.on} onChange=${(/** @type {any} */ e) => looks(e.target.value)}>${kinds.map((on) => html`<option value=${on}>${t(`on.${on}`)}</option>`)}</select></label>
    <${Condition} text=${spec.when ?? ''} problem=${problem} onText=${(/** @type {string} */ when) => set('when', when)} />
    <${Variables} all=${variables} on=${spec.on} />
    <label class="field"><span>${t('severity')}</span><select value=${spec.severity || 'warning'} onChange=${(/** @type {any} */ e) => set('severity', e.target.value)}>${/** @type {const} */ (['info', 'warning', 'critical']).map((s) => html`<option value=${s}>${t(`severity.${s}`)}</option>`)}</select></label>
    <${Told} names=${spec.channels ?? []} onNames=${(/** @type {string[]} */ names) => set('channels', names)} />
    ${text('cooldown', t('cooldown'))}${text('digest', t('digest'))}
    ${measured.includes(spec.on) && html`${text('for', t('hold'))}<label class="check"><input type="checkbox" checked=${spec.recovery !== false} onChange=${(/** @type {any} */ e) => set('recovery', e.target.checked ? undefined : false)} /> ${t('recovery')}</label>`}`}<//>`;
}

/** A form without what was left empty. @template {object} T @param {T} form @returns {T} */
const without = (form) => /** @type {T} */ (Object.fromEntries(Object.entries(form).filter(([, v]) => v !== undefined && v !== '' && v.length !== 0)));

/** A condition, and its mistake where it is.
 * @param {{text: string, problem: import('../lib/api.js').Problem|null, onText: (text: string) => void}} props */
function Condition({ text, problem, onText }) {
  const [refused, setRefused] = useState('');
  const wrong = problem?.errors.find((e) => e.path === 'when');
  if (wrong && !refused) setRefused(text);
  if (!wrong && refused) setRefused('');
  const column = refused === text && wrong ? columnOf(text, wrong.message) : 0;
  const letters = [...text];
  return html`<label class="field"><span>${t('when.label')}</span><textarea rows="2" spellcheck=${false} aria-invalid=${column > 0} value=${text}
      onInput=${(/** @type {any} */ e) => onText(e.target.value.replaceAll(/\s*[\r\n]\s*/g, ' '))} /></label>
    ${column > 0 && html`<p class="text-bad" role="alert">${t('when.at', { n: column })} <code>${letters.slice(0, column - 1).join('')}<mark>${letters[column - 1] ?? ' '}</mark>${letters.slice(column).join('')}</code></p>`}`;
}

/** Where a mistake is, from 1; 0 where that is not said. @param {string} text @param {string} message */
function columnOf(text, message) {
  const [, line = 1, column = 0] = message.match(/ at (?:line (\d+), )?column (\d+)$/) ?? [];
  const before = text.split('\n').slice(0, Number(line) - 1);
  return Number(column) && Number(column) + before.reduce((sum, one) => sum + [...one].length + 1, 0);
}

/** What a condition can use. @param {{all: Variable[], on: string}} props */
const Variables = ({ all, on }) => html`<details class="numbers"><summary>${t('variables')}</summary><div class="scroll"><table class="plain" aria-label=${t('variables')}>
  <thead><tr><th scope="col">${t('variable.name')}</th><th scope="col">${t('variable.type')}</th><th scope="col">${t('variable.doc')}</th></tr></thead>
  <tbody>${all.filter((v) => /** @type {string[]} */ (v.on).includes(on)).map((v) => html`<tr key=${v.name}><th scope="row"><code>${v.name}</code></th><td>${v.type}</td><td lang="en">${v.doc}</td></tr>`)}</tbody></table></div></details>`;

/** Which channels are told. @param {{names: string[], onNames: (names: string[]) => void}} props */
function Told({ names, onNames }) {
  const channels = useGet('/v1/alerts/channels');
  const known = (channels.data?.channels ?? []).map((/** @type {any} */ c) => c.name);
  const all = [...known, ...names.filter((name) => !known.includes(name))];
  const turn = (/** @type {string} */ name) => onNames(names.includes(name) ? names.filter((n) => n !== name) : [...names, name]);
  return html`<fieldset class="field"><legend>${t('channels.pick')}</legend><${Loaded} fetched=${channels}>${() => all.map((name) => html`<label class="check" key=${name}><input type="checkbox" checked=${names.includes(name)} onChange=${() => turn(name)} />
    <bdi>${visible(name)}</bdi>${!known.includes(name) && html` <span class="text-bad">${t('unknownChannel')}</span>`}</label>`)}<//></fieldset>`;
}
