// Sending dead letters back, and deleting them: counted and shown before it is done.

import { html, useState } from '../lib/ui.js';
import { post } from '../lib/api.js';
import { Raw, mistake } from '../lib/json.js';
import { go } from '../lib/route.js';
import { may } from '../lib/session.js';
import { useGet } from '../lib/use.js';
import { Category, Foreign, Id, Lasting, quoted } from './basics.js';
import { Confirm, Dialog } from './dialog.js';
import { Loaded } from './panel.js';
import { Table } from './table.js';
import { t } from '../page/dead.text.js';

/** @typedef {import('../../types/api.js').Schema<'RedriveSample'>} Sample */
/** @typedef {{matched: number, missing?: number, sample?: Sample[]|null, died_before?: string}} Count */
/** @typedef {Record<string, string>} Filter */

/** The flags of a filter. @param {Filter} filter */
const flags = (filter) => Object.entries(filter).map(([name, value]) => `--${name === 'q' ? 'search' : name} ${quoted(value)}`).join(' ');

/** A button that sends back what a filter matches, or certain letters.
 * @param {{label: string, filter?: Filter, ids?: string[], small?: boolean, onDone: () => void}} props */
export function Redrive({ label, filter, ids, small, onDone }) {
  const [open, setOpen] = useState(false);
  if (!may('operate')) return null;
  return html`<button type="button" class=${small ? 'small' : ''} onClick=${() => setOpen(true)}>${label}</button>
    ${open && html`<${Ask} what=${ids ? { ids } : { filter: filter ?? {} }} onClose=${() => setOpen(false)} onDone=${onDone} />`}`;
}

/** Counts first. @param {{what: {ids?: string[], filter?: Filter}, onClose: () => void, onDone: () => void}} props */
function Ask({ what, onClose, onDone }) {
  const [options, setOptions] = useState({ rate: '', canary: '', stop: '', keep: false, edit: false, payload: '' });
  const counted = useGet('/v1/dead/redrive', what, { read: (path) => post(path, { ...what, dry_run: true }) });
  const count = /** @type {Count|undefined} */ (counted.data);
  if (!count) return html`<${Dialog} title=${t('redrive.title')} onClose=${onClose}><${Loaded} fetched=${counted}>${() => t('counting')}<//><//>`;
  const set = (/** @type {Partial<typeof options>} */ change) => setOptions({ ...options, ...change });
  const wrong = options.edit ? mistake(options.payload) : '';
  const body = { ...what, ...(what.filter ? { filter: { ...what.filter, died_before: count.died_before } } : {}), ...(options.rate ? { rate: Number(options.rate) } : {}), ...(options.canary ? { canary: Number(options.canary) } : {}), ...(options.stop ? { stop_if_failing: Number(options.stop) / 100 } : {}),
    ...(options.keep ? { keep_attempts: true } : {}), ...(options.edit && !wrong ? { payload: new Raw(options.payload) } : {}) };
  const selection = what.ids ? what.ids.join(' ') : flags(what.filter ?? {}) || '--all';
  const cli = ['outlast dead redrive', selection, options.rate && `--rate ${options.rate}`, options.canary && `--canary ${options.canary}`, options.stop && `--stop-if-failing ${Number(options.stop) / 100}`,
    options.keep && '--keep-attempts', options.edit && `--payload ${quoted(options.payload)}`].filter(Boolean).join(' ');
  const sent = (/** @type {{operation?: string}} */ answer) => { onDone(); if (answer.operation) go(['operations', answer.operation]); };
  const field = (/** @type {'rate'|'canary'|'stop'} */ name, /** @type {number} */ step) => html`<label class="field"><span>${t(name)}</span><input type="number" min="0" step=${step} max=${name === 'stop' ? 100 : undefined} value=${options[name]}
    onInput=${(/** @type {any} */ e) => set({ [name]: e.target.value })} /><span>${t(`${name}.about`)}</span></label>`;
  return html`<${Confirm} title=${t('redrive.title')} label=${t('send', { n: count.matched })} done=${t('sent')} cli=${cli} request=${{ method: 'POST', path: '/v1/dead/redrive', body }} onDone=${sent} onClose=${onClose} unready=${wrong !== '' || count.matched === 0}
    about=${html`<strong>${t('matched', { n: count.matched })}</strong>${(count.missing ?? 0) > 0 && html` ${t('missing', { n: count.missing ?? 0 })}`}`}>
    ${(count.sample ?? []).length > 0 && html`<details class="numbers" open><summary>${t('sample')}</summary><${Table} label=${t('sample')} rows=${(count.sample ?? []).slice(0, 5)} id=${(/** @type {Sample} */ s) => s.id} columns=${[
      { key: 'id', label: t('letter'), cell: (/** @type {Sample} */ s) => html`<${Id} id=${s.id} />` },
      { key: 'error', label: t('error'), cell: (/** @type {Sample} */ s) => html`<${Category} category=${s.category} /> <${Foreign} text=${s.message} limit=${80} />` },
      { key: 'age', label: t('age'), cell: (/** @type {Sample} */ s) => html`<${Lasting} text=${s.age} />` },
    ]} /></details>`}
    <div class="grid three">${field('rate', 0.1)}${field('canary', 1)}${field('stop', 1)}</div>
    <label class="check"><input type="checkbox" checked=${options.keep} onChange=${(/** @type {any} */ e) => set({ keep: e.target.checked })} />${t('keep')} <span class="faint">${t('keep.about')}</span></label>
    <label class="check"><input type="checkbox" checked=${options.edit} onChange=${(/** @type {any} */ e) => set({ edit: e.target.checked })} />${t('edit')}</label>
    ${options.edit && html`<label class="field"><span>${t('payload')}</span><textarea rows="6" spellcheck=${false} aria-invalid=${wrong !== ''} value=${options.payload} onInput=${(/** @type {any} */ e) => set({ payload: e.target.value })} />
      ${wrong && html`<span class="text-bad" role="alert">${wrong}</span>`}</label>`}<//>`;
}

/** A button that deletes what a filter matches. @param {{filter: Filter, onDone: () => void}} props */
export function Purge({ filter, onDone }) {
  const [open, setOpen] = useState(false);
  if (!may('operate')) return null;
  return html`<button type="button" class="danger" onClick=${() => setOpen(true)}>${t('purge')}</button>
    ${open && html`<${Sure} filter=${filter} onClose=${() => setOpen(false)} onDone=${onDone} />`}`;
}

/** Counts first. @param {{filter: Filter, onClose: () => void, onDone: () => void}} props */
function Sure({ filter, onClose, onDone }) {
  const counted = useGet('/v1/dead/purge', filter, { read: (path) => post(path, { filter, dry_run: true }) });
  const count = /** @type {Count|undefined} */ (counted.data);
  if (!count) return html`<${Dialog} title=${t('purge.title')} onClose=${onClose}><${Loaded} fetched=${counted}>${() => t('counting')}<//><//>`;
  return html`<${Confirm} title=${t('purge.title')} label=${t('purge')} danger about=${t('purge.about', { n: count.matched })} word=${t('purge.word')} done=${t('purged')}
    request=${{ method: 'POST', path: '/v1/dead/purge', body: { filter: { ...filter, died_before: count.died_before } } }} cli=${`outlast dead purge ${flags(filter) || '--all'}`} onDone=${onDone} onClose=${onClose} />`;
}
