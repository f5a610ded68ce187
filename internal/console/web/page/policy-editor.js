// The editor of a policy: a form for what is common, JSON for all, and beside them what the
// policy will do.

import { html, useEffect, useRef, useState } from '../lib/ui.js';
import { at, call, callText } from '../lib/api.js';
import { Raw, members, mistake, pretty, visible, withMember } from '../lib/json.js';
import { go, href, setQuery } from '../lib/route.js';
import { may } from '../lib/session.js';
import { Failure, Note, Same, When, curl, quoted, say } from '../part/basics.js';
import { Change } from '../part/change.js';
import { Head, Panel } from '../part/panel.js';
import { Outlook, planOf } from '../part/outlook.js';
import { useGet } from '../lib/use.js';
import { t } from './policies.text.js';

const kinds = /** @type {const} */ (['exponential', 'fixed', 'linear', 'steps', 'fibonacci']);
const jitters = ['none', 'full', 'equal', 'decorrelated', 'proportional', 'additive'];

/** Which fields a kind of waits has. @type {Record<string, ('initial'|'multiplier'|'max'|'step'|'steps')[]>} */
const fieldsOf = { exponential: ['initial', 'multiplier', 'max'], fixed: ['initial'], linear: ['initial', 'step', 'max'], steps: ['steps', 'max'], fibonacci: ['initial', 'max'] };

/** What a new policy begins with. */
const initial = '{"max_attempts": 5, "backoff": {"kind": "exponential", "initial": "1s", "multiplier": 2, "max": "1m", "jitter": "full"}, "timeout": "10s"}';

/** @typedef {{to: string, version: number, text: string, given: string}} Draft version: that the edit begins with; 0 for none; given: the text that the address brought, if any */

/** What was written and not saved, by the policy's name, for as long as the page is not loaded anew. @type {Map<string, Draft>} */
const drafts = new Map();

/** What an edit begins with: what was left unsaved, unless the address brings something newer.
 * @param {string} name @param {number} version @param {string} saved @param {string} given @returns {Draft} */
function begun(name, version, saved, given) {
  const kept = drafts.get(name);
  if (kept && (!given || kept.given === given)) return kept;
  return { to: name, version: kept?.version ?? version, text: given || saved, given };
}

/** @param {{name: string, version: number, text: string, given?: string}} props version and text: what is saved; given: what to begin with instead of the text */
export function Editor({ name, version: newest, text: whole, given = '' }) {
  const saved = pretty(whole === '{}' ? initial : whole);
  const [draft, setDraft] = useState(() => begun(name, newest, saved, given && pretty(given)));
  const [restored, setRestored] = useState(draft.text !== saved || draft.to !== name);
  const [failRate, setFailRate] = useState(50);
  const [checked, setChecked] = useState(/** @type {any} */ (null));
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const [doubt, setDoubt] = useState(/** @type {any} */ (null)); // of the planner
  const [busy, setBusy] = useState(false);
  const { to, version, text } = draft;
  const wrong = mistake(text) || (text.trim()[0] === '{' ? '' : t('json.object'));
  const policy = wrong ? null : JSON.parse(text);
  const change = (/** @type {Partial<Draft>} */ part) => {
    const next = { ...draft, ...part };
    if (next.text === saved && next.to === name) drafts.delete(name); else drafts.set(name, next);
    setDraft(next);
    setChecked(null);
    setProblem(null);
  };
  const discard = () => {
    change({ to: name, version: newest, text: saved, given: '' });
    setRestored(false);
    setQuery({ draft: null }, true);
  };
  const path = at`/v1/policies/${to}`;
  const put = async (/** @type {boolean} */ dry) => {
    setProblem(null);
    setBusy(true);
    try {
      const answer = await call('PUT', path, { body: new Raw(text), query: { version, ...(dry ? { dry_run: true } : {}) } });
      if (dry) { setChecked(answer); return; }
      drafts.delete(name);
      say(answer.canary ? t('saved.trial', { n: answer.version, share: answer.canary.share }) : t('saved', { n: answer.version }), 'good');
      go(['policies', to]);
    } catch (error) { setChecked(null); setProblem(error); } finally { setBusy(false); }
  };
  return html`<${Head} title=${name ? t('editor.title', { name: visible(name) }) : t('editor.new')} actions=${html`<a class="button" href=${href(name ? ['policies', name] : 'policies')}>${t('leave')}</a>`} />
  ${restored && html`<${Note} tone="warn" title=${t('draft')}><p>${t('draft.about')}</p><button type="button" onClick=${discard}>${t('draft.discard')}</button><//>`}
  <${Panel} title=${t('form')}>
    ${!name && html`<label class="field"><span>${t('name')}</span><input required value=${to} spellcheck=${false} onInput=${(/** @type {any} */ e) => change({ to: e.target.value.trim(), version: 0 })} /></label>`}
    ${policy && html`<${Form} policy=${policy} problem=${problem ?? doubt} onPreset=${(/** @type {string} */ preset) => change({ text: pretty(JSON.stringify({ preset })) })} onChange=${(/** @type {string} */ key, /** @type {any} */ value) => change({ text: withMember(text, key, empty(value) ? undefined : value) })} />`}<//>
  <div class="grid"><div><${Live} text=${wrong ? '' : text} failRate=${failRate / 100} onProblem=${setDoubt} />
    <label class="field"><span>${t('failRate')}: ${failRate} %</span><input type="range" min="1" max="99" value=${failRate} onInput=${(/** @type {any} */ e) => setFailRate(Number(e.target.value))} /></label></div>
  <${Panel} title=${t('json')} aside=${html`<span class="faint">${t('json.about')}</span>`}>
    <label class="field"><span class="hidden">${t('json')}</span><textarea rows="10" spellcheck=${false} aria-invalid=${wrong !== ''} value=${text} onInput=${(/** @type {any} */ e) => change({ text: e.target.value })} /></label>
    ${wrong && html`<p class="text-bad" role="alert">${wrong}</p>`}${problem ? html`<${Failure} problem=${problem} />` : doubt && !wrong && html`<${Failure} problem=${doubt} />`}
    ${problem?.code === 'conflict' && html`<${Meanwhile} path=${path} text=${text} onBegin=${(/** @type {number} */ n, theirs = text) => change({ version: n, text: theirs })} />`}
    ${checked && html`<p role="status">${checked.changed === false ? t('save.same') : checked.canary ? t('save.trial', { n: version, next: checked.version, share: checked.canary.share }) : t('save.about', { n: version, next: checked.version })}</p>`}
    <div class="actions"><button type="button" disabled=${!policy || !to || busy} onClick=${() => put(true)}>${t('preview')}</button><button type="button" class="primary" disabled=${!policy || !to || busy} onClick=${() => put(false)}>${t('save')}</button>
      ${policy && may('operate') && html`<a class="button" href=${href('simulator', { tab: 'whatif', name: to, of: to, draft: text.trim() })}>${t('whatif')}</a>`}</div>
    <${Same} cli=${`outlast policy apply - --name ${quoted(to)} --version ${version} <<'EOF'\n${text.trim()}\nEOF`} curl=${curl('PUT', `${path}?version=${version}`, text)} /><//></div>`;
}

/** What was saved since the edit began, against what is written here.
 * @param {{path: string, text: string, onBegin: (version: number, text?: string) => void}} props */
function Meanwhile({ path, text, onBegin }) {
  const newest = useGet(path, undefined, { read: (place, _, signal) => callText('GET', place, { signal }) });
  if (newest.error?.status === 404) return html`<${Note} tone="warn" title=${t('conflict.gone')}><button type="button" onClick=${() => onBegin(0)}>${t('conflict.anew')}</button><//>`;
  if (!newest.data) return null;
  const policy = JSON.parse(newest.data), theirs = members(newest.data, ['policy']).policy, n = policy.version;
  return html`<${Note} tone="warn" title=${t('conflict', { n })}><p>${policy.actor && html`<bdi>${t('conflict.by', { actor: visible(policy.actor) })}</bdi> · `}<${When} at=${policy.updated_at} /></p>
    <${Change} before=${theirs} after=${mistake(text) ? undefined : new Raw(text)} head=${[t('conflict.field'), t('conflict.theirs', { n }), t('conflict.yours')]} same=${t('conflict.same')} />
    <p class="actions"><button type="button" onClick=${() => onBegin(n, pretty(theirs.text))}>${t('conflict.take', { n })}</button><button type="button" onClick=${() => onBegin(n)}>${t('conflict.keep', { n })}</button></p><//>`;
}

/** What the policy that is being written will do, a moment after each change.
 * @param {{text: string, failRate: number, onProblem: (problem: any) => void}} props */
function Live({ text, failRate, onProblem }) {
  const [plan, setPlan] = useState(/** @type {any} */ (null));
  useEffect(() => {
    if (!text) return undefined;
    let stale = false;
    const timer = setTimeout(() => planOf(text, { fail_rate: failRate }).then((answer) => { if (!stale) { setPlan(answer); onProblem(null); } }, (error) => { if (!stale) { setPlan(null); onProblem(error); } }), 300);
    return () => { stale = true; clearTimeout(timer); };
  }, [text, failRate]);
  return plan && html`<${Outlook} plan=${plan} />`;
}

/** What a problem says of a field, and what helps. @param {any} problem @param {string} path */
function complaint(problem, path) {
  const found = problem?.errors.find((/** @type {{path: string}} */ e) => e.path === path);
  if (!found) return '';
  const hint = problem.errors.length === 1 ? problem.hint : problem.hint.split('; ').find((/** @type {string} */ one) => one.startsWith(`${path}: `)) ?? '';
  return visible(found.message + (hint && ` — ${hint.replace(`${path}: `, '')}`));
}

/** The fields that most policies have. @param {{policy: any, problem: any, onPreset: (name: string) => void, onChange: (key: string, value: any) => void}} props onChange: one key only, so that the others stay as they are written */
function Form({ policy, problem, onPreset, onChange: set }) {
  const presets = useGet('/v1/policies');
  const backoff = policy.backoff ?? {};
  const kind = backoff.kind ?? 'exponential';
  const wait = (/** @type {string} */ key, /** @type {any} */ value) => set('backoff', without({ ...backoff, kind, [key]: value }));
  const input = (/** @type {string} */ name, /** @type {string} */ label, /** @type {any} */ value, /** @type {(text: string) => void} */ onInput, type = 'text') => {
    const wrong = complaint(problem, name);
    return html`<label class="field"><span>${label}</span><${Typed} type=${type} value=${value ?? ''} wrong=${wrong !== ''} onDone=${onInput} />${wrong && html`<span class="text-bad">${wrong}</span>`}</label>`;
  };
  const waits = { initial: (/** @type {string} */ v) => v, max: (/** @type {string} */ v) => v, step: (/** @type {string} */ v) => v, multiplier: numeric, steps: (/** @type {string} */ v) => v.split(/[\s,]+/).filter(Boolean) };
  return html`<div class="grid fields"><label class="field"><span>${t('preset')}</span><select value=${policy.preset ?? ''} onChange=${(/** @type {any} */ e) => (e.target.value ? onPreset(e.target.value) : set('preset', ''))}>
      <option value="">${t('preset.none')}</option>${(presets.data?.policies ?? []).filter((/** @type {any} */ p) => p.preset || p.source === 'preset').map((/** @type {any} */ p) => html`<option value=${p.name}>${p.name}</option>`)}</select></label>
    ${input('max_attempts', t('attempts'), policy.max_attempts, (v) => set('max_attempts', numeric(v)), 'number')}
    <label class="field"><span>${t('kind')}</span><select value=${kind} onChange=${(/** @type {any} */ e) => set('backoff', without({ ...Object.fromEntries(fieldsOf[e.target.value].map((f) => [f, backoff[f]])), kind: e.target.value, jitter: backoff.jitter }))}>
      ${kinds.map((k) => html`<option value=${k}>${t(`kind.${k}`)}</option>`)}</select></label>
    ${(fieldsOf[kind] ?? []).map((field) => input(`backoff.${field}`, t(field), field === 'steps' ? backoff.steps?.join(' ') : backoff[field], (v) => wait(field, waits[field](v))))}
    <label class="field"><span>${t('jitter')}</span><select value=${typeof backoff.jitter === 'string' ? backoff.jitter : ''} onChange=${(/** @type {any} */ e) => wait('jitter', e.target.value)}>
      <option value="">—</option>${jitters.map((j) => html`<option value=${j}>${j}</option>`)}</select></label>
    ${input('timeout', t('timeout'), policy.timeout, (v) => set('timeout', v))}${input('ttl', t('ttl'), policy.ttl, (v) => set('ttl', v))}${input('canary', t('share'), policy.canary, (v) => set('canary', v))}</div>`;
}

/** An input that is taken when it is left, also with the page. What is being typed stays while the page around it is drawn anew.
 * @param {{type: string, value: string|number, wrong: boolean, onDone: (text: string) => void}} props */
function Typed({ type, value, wrong, onDone }) {
  const [draft, setDraft] = useState(/** @type {string|null} */ (null));
  const done = () => { setDraft(null); if (draft !== null) onDone(draft.trim()); };
  const last = useRef(done);
  last.current = done;
  useEffect(() => () => last.current(), []);
  return html`<input type=${type} min="1" spellcheck=${false} aria-invalid=${wrong} value=${draft ?? value} onInput=${(/** @type {any} */ e) => setDraft(e.target.value)} onChange=${() => last.current()} />`;
}

/** A number, or what was typed instead, for the server to refuse. @param {string} text */
const numeric = (text) => (text === '' || Number.isNaN(Number(text)) ? text : Number(text));

/** @param {any} value */
const empty = (value) => value === '' || value === undefined || (Array.isArray(value) && value.length === 0);

/** An object without what is empty. @param {Record<string, any>} object */
const without = (object) => Object.fromEntries(Object.entries(object).filter(([, value]) => !empty(value)));
