// Sending dead letters back, and deleting them: counted and shown before it is done.

import { html, useState } from '../lib/ui.js';
import { at, callText, post } from '../lib/api.js';
import { Raw, members, mistake, pretty, visible } from '../lib/json.js';
import { go, href } from '../lib/route.js';
import { admits, may } from '../lib/session.js';
import { useGet } from '../lib/use.js';
import { Category, Failure, Foreign, Id, Lasting, Note, When, quoted } from './basics.js';
import { Confirm, Dialog } from './dialog.js';
import { Loaded } from './panel.js';
import { Table } from './table.js';
import { t } from '../page/dead.text.js';

/** @typedef {import('../../types/api.js').Schema<'RedriveSample'>} Sample */
/** @typedef {import('../../types/api.js').Schema<'RedriveWarning'>} Warning */
/** @typedef {{matched: number, missing?: number, sample?: Sample[]|null, warnings?: Warning[]|null, died_before?: string}} Count */
/** @typedef {import('../../types/api.js').Schema<'Task'>} Task */
/** @typedef {Record<string, string>} Filter */

/** The flags of a filter. @param {Filter} filter */
const flags = (filter) => Object.entries(filter).map(([name, value]) => `--${name === 'q' ? 'search' : name.replace('_', '-')} ${quoted(value)}`).join(' ');

/** A button that sends back what a filter matches, or certain letters.
 * @param {{label: string, filter?: Filter, ids?: string[], example?: string, edit?: boolean, small?: boolean, onDone: () => void}} props
 *   example: the letter whose payload a new one begins with, else the first of the sample; edit: it begins with a new payload */
export function Redrive({ label, filter, ids, example, edit, small, onDone }) {
  const [open, setOpen] = useState(false);
  if (!may('operate')) return null;
  return html`<button type="button" class=${small ? 'small' : ''} onClick=${() => setOpen(true)}>${label}</button>
    ${open && html`<${Ask} what=${ids ? { ids } : { filter: filter ?? {} }} example=${example} edit=${edit} onClose=${() => setOpen(false)} onDone=${onDone} />`}`;
}

const few = 3; // letters that go without a guard
const careful = { rate: '20', canary: String(few), stop: '20' }, careless = { rate: '', canary: '', stop: '' };

/** Counts first. @param {{what: {ids?: string[], filter?: Filter}, example?: string, edit?: boolean, onClose: () => void, onDone: () => void}} props */
function Ask({ what, example, edit = false, onClose, onDone }) {
  const [given, setGiven] = useState(/** @type {Partial<typeof careful> & {keep: boolean, edit: boolean, payload?: string}} */ ({ keep: false, edit }));
  const counted = useGet('/v1/dead/redrive', what, { read: (path) => post(path, { ...what, dry_run: true }) });
  const count = /** @type {Count|undefined} */ (counted.data);
  const options = { ...(count && count.matched > few ? careful : careless), ...given };
  const of = example ?? count?.sample?.[0]?.id;
  const own = useGet(options.edit && of ? at`/v1/tasks/${of}` : null, undefined, { read: readPayload });
  if (!count) return html`<${Dialog} title=${t('redrive.title')} onClose=${onClose}><${Loaded} fetched=${counted}>${() => t('counting')}<//><//>`;
  const set = (/** @type {Partial<typeof given>} */ change) => setGiven({ ...given, ...change });
  const payload = options.payload ?? own.data?.text ?? ''; // as it came, until it is changed
  const wrong = options.edit ? mistake(payload) : '';
  const body = { ...what, ...(what.filter ? { filter: { ...what.filter, died_before: count.died_before } } : {}), ...(options.rate ? { rate: Number(options.rate) } : {}), ...(options.canary ? { canary: Number(options.canary) } : {}), ...(options.stop ? { stop_if_failing: Number(options.stop) / 100 } : {}),
    ...(options.keep ? { keep_attempts: true } : {}), ...(options.edit && !wrong ? { payload: new Raw(payload) } : {}) };
  const selection = what.ids ? what.ids.join(' ') : flags(what.filter ?? {}) || '--all';
  const cli = ['outlast dead redrive', selection, options.rate && `--rate ${options.rate}`, options.canary && `--canary ${options.canary}`, options.stop && `--stop-if-failing ${Number(options.stop) / 100}`,
    options.keep && '--keep-attempts', options.edit && `--payload ${quoted(payload)}`].filter(Boolean).join(' ');
  const sent = (/** @type {{operation?: string}} */ answer) => { onDone(); if (answer.operation) go(['operations', answer.operation]); };
  const field = (/** @type {'rate'|'canary'|'stop'} */ name, /** @type {number} */ step) => html`<label class="field"><span>${t(name)}</span><input type="number" min="0" step=${step} max=${name === 'stop' ? 100 : undefined} value=${options[name]}
    onInput=${(/** @type {any} */ e) => set({ [name]: e.target.value })} /><span>${t(`${name}.about`)}</span></label>`;
  return html`<${Confirm} title=${t('redrive.title')} label=${t('send', { n: count.matched })} done=${t('sent')} cli=${cli} request=${{ method: 'POST', path: '/v1/dead/redrive', body }} onDone=${sent} onClose=${onClose} unready=${wrong !== '' || count.matched === 0}
    about=${html`<strong>${t('matched', { n: count.matched })}</strong>${(count.missing ?? 0) > 0 && html` ${t('missing', { n: count.missing ?? 0 })}`}`}>
    <${Warnings} warnings=${(count.warnings ?? []).filter(({ code }) => code === 'breaker_open' || !options.edit)} />
    ${(count.sample ?? []).length > 0 && html`<details class="numbers" open><summary>${t('sample')}</summary><${Table} label=${t('sample')} rows=${(count.sample ?? []).slice(0, 5)} id=${(/** @type {Sample} */ s) => s.id} columns=${[
      { key: 'id', label: t('letter'), cell: (/** @type {Sample} */ s) => html`<${Id} id=${s.id} />` },
      { key: 'error', label: t('error'), cell: (/** @type {Sample} */ s) => html`<${Category} category=${s.category} /> <${Foreign} text=${s.message} limit=${80} />` },
      { key: 'age', label: t('age'), numeric: true, cell: (/** @type {Sample} */ s) => html`<${Lasting} text=${s.age} />` },
    ]} /></details>`}
    ${count.matched > 1 && html`<div class="grid three">${field('rate', 0.1)}${field('canary', 1)}${field('stop', 1)}</div>`}
    <label class="check"><input type="checkbox" checked=${options.keep} onChange=${(/** @type {any} */ e) => set({ keep: e.target.checked })} />${t('keep')} <span class="faint">${t('keep.about')}</span></label>
    <label class="check"><input type="checkbox" checked=${options.edit} onChange=${(/** @type {any} */ e) => set({ edit: e.target.checked })} />${t('edit')}</label>
    ${options.edit && html`<${NewPayload} letters=${count.matched} of=${of} own=${own} text=${options.payload ?? pretty(payload)} wrong=${wrong} onInput=${(/** @type {string} */ text) => set({ payload: text })} />`}<//>`;
}

/** What speaks against it now; another payload may be what mends the letters. @param {{warnings: Warning[]}} props */
const Warnings = ({ warnings }) => warnings.length > 0 && html`<${Note} tone="warn" title=${t('warn')}><ul>${warnings.map(({ code, letters, of, target }) => html`<li>
  ${t(of === 1 ? 'warn.one' : letters === of ? 'warn.all' : 'warn.some', { n: letters, of, what: t.named('warn.', code) })}${target && html` ${admits({ all: true }) ? html`<a href=${href(['targets', target])}><bdi>${visible(target)}</bdi></a>` : html`<bdi>${visible(target)}</bdi>`}`}</li>`)}</ul><//>`;

const most = 128 << 10; // characters of a payload that can be edited here

/** @typedef {{text: string, why: ''|'none'|'binary'|'sealed'|'large'}} Own why it cannot be edited here */

/** Reads the payload of a letter as it is written.
 * @param {string} path @param {any} _query @param {AbortSignal} signal @returns {Promise<Own>} */
async function readPayload(path, _query, signal) {
  const { payload, payload_base64: binary } = members(await callText('GET', path, { signal }), ['payload', 'payload_base64']);
  const text = payload?.text ?? '';
  const why = binary ? 'binary' : !text ? 'none' : /^"sealed:\d:/.test(text) ? 'sealed' : text.length > most ? 'large' : '';
  return { text: why ? '' : text, why };
}

/** What is sent instead: at first the letter's own payload, of several letters that of one.
 * @param {{letters: number, of?: string, own: import('../lib/use.js').Fetched<Own>, text: string, wrong: string, onInput: (text: string) => void}} props */
function NewPayload({ letters, of, own, text, wrong, onInput }) {
  if (own.loading && !own.data) return html`<p class="faint" aria-busy="true">${t('payload.reading')}</p>`;
  const link = of && html`<${Id} id=${of} href=${href(['tasks', of])} />`, why = own.data?.why;
  return html`${own.error && html`<${Failure} problem=${own.error} />`}
    ${why ? html`<${Note} tone="warn">${t(`payload.${why}`)} ${link}<//>` : own.data && html`<p class="faint">${letters > 1 ? html`${t('payload.example')} ${link}` : t('payload.own')}</p>`}
    ${letters > 1 && html`<p><strong>${t('payload.all', { n: letters })}</strong></p>`}
    <label class="field"><span>${t('payload')}</span><textarea rows="8" spellcheck=${false} aria-invalid=${text !== '' && wrong !== ''} value=${text} onInput=${(/** @type {any} */ e) => onInput(e.target.value)} />
      ${text !== '' && wrong && html`<span class="text-bad" role="alert">${wrong}</span>`}</label>`;
}

/** A button that deletes what a filter matches, or certain letters. @param {{filter?: Filter, ids?: string[], onDone: () => void}} props */
export function Purge({ filter, ids, onDone }) {
  const [open, setOpen] = useState(false);
  if (!may('operate')) return null;
  return html`<button type="button" class="danger" onClick=${() => setOpen(true)}>${t('purge')}</button>
    ${open && html`<${Sure} what=${ids ? { ids } : { filter: filter ?? {} }} onClose=${() => setOpen(false)} onDone=${onDone} />`}`;
}

/** Counts first, and shows some of them. @param {{what: {ids?: string[], filter?: Filter}, onClose: () => void, onDone: () => void}} props */
function Sure({ what, onClose, onDone }) {
  const { ids, filter = {} } = what;
  const counted = useGet('/v1/dead/purge', what, { read: (path) => post(path, { ...what, dry_run: true }) });
  const some = useGet(ids ? null : '/v1/dead', { ...filter, limit: 5 });
  const count = /** @type {Count|undefined} */ (counted.data);
  if (!count) return html`<${Dialog} title=${t('purge.title')} onClose=${onClose}><${Loaded} fetched=${counted}>${() => t('counting')}<//><//>`;
  return html`<${Confirm} title=${t('purge.title')} label=${t('purge.n', { n: count.matched })} danger about=${t('purge.about', { n: count.matched })} word=${t('purge.word')} done=${t('purged')}
    request=${{ method: 'POST', path: '/v1/dead/purge', body: ids ? { ids } : { filter: { ...filter, died_before: count.died_before } } }} cli=${`outlast dead purge ${ids ? ids.join(' ') : flags(filter) || '--all'}`} unready=${count.matched === 0} onDone=${onDone} onClose=${onClose}>
    ${!ids && count.matched > 0 && html`<${Loaded} fetched=${some}>${(/** @type {{tasks: Task[]|null}} */ data) => html`<${Table} label=${t('sample')} rows=${data.tasks ?? []} id=${(/** @type {Task} */ row) => row.id} columns=${[
      { key: 'id', label: t('letter'), cell: (/** @type {Task} */ row) => html`<${Id} id=${row.id} />` },
      { key: 'error', label: t('error'), cell: (/** @type {Task} */ row) => html`<${Category} category=${row.last_error?.category} /> <${Foreign} text=${row.last_error?.message} limit=${80} />` },
      { key: 'died', label: t('died'), cell: (/** @type {Task} */ row) => html`<${When} at=${row.finished_at} />` },
    ]} />`}<//>`}<//>`;
}
