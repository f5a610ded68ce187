// Canceling, retrying and rescheduling many tasks: counted and shown before it is done.

import { html, useState } from '../lib/ui.js';
import { post } from '../lib/api.js';
import { go } from '../lib/route.js';
import { may } from '../lib/session.js';
import { useGet } from '../lib/use.js';
import { quoted } from './basics.js';
import { Confirm, Dialog } from './dialog.js';
import { Loaded } from './panel.js';
import { columns } from './rows.js';
import { Table } from './table.js';
import { t as common } from './common.text.js';
import { t } from './bulk.text.js';

/** @typedef {import('../../types/api.js').Schema<'Bulked'>} Bulked */
/** @typedef {import('../../types/api.js').Schema<'BulkSample'>} Sample */
/** @typedef {'cancel'|'retry'|'reschedule'} Verb */
/** @typedef {Record<string, string>} Filter */

/** The first is what the key r does. @type {Verb[]} */
const verbs = ['retry', 'reschedule', 'cancel'];

/** What can be done to tasks of a state. @param {string|undefined} state @returns {Verb[]} */
const possible = (state) => (!state || state === 'pending' ? verbs : state === 'running' ? ['cancel'] : []);

/** The filter of the address as the body of a request has it. @param {Filter} filter */
function inBody({ metadata, ...filter }) {
  if (!metadata) return filter;
  const at = metadata.indexOf(':');
  return { ...filter, metadata: { [metadata.slice(0, at)]: metadata.slice(at + 1) } };
}

/** The flags of a filter. @param {Filter} filter */
const flags = (filter) => Object.entries(filter).map(([name, value]) => (name === 'metadata' ? `--metadata ${quoted(value.replace(':', '='))}` : `--${name === 'q' ? 'search' : name.replace('_', '-')} ${quoted(value)}`)).join(' ');

/** Buttons for what can be done to certain tasks, or to all that a filter matches.
 * @param {{ids?: string[], filter?: Filter, onDone: () => void}} props */
export function Bulk({ ids, filter = {}, onDone }) {
  const [verb, setVerb] = useState(/** @type {Verb|null} */ (null));
  if (!may('operate')) return null;
  const all = ids ? '' : '.all';
  return html`${possible(ids ? undefined : filter.state).map((v) => html`<button type="button" key=${v} class=${v === 'cancel' ? 'danger' : ''} onClick=${() => setVerb(v)}>${ids ? t(v, { n: ids.length }) : t(/** @type {any} */ (v + all))}</button>`)}
    ${verb && html`<${Ask} verb=${verb} ids=${ids} filter=${filter} onClose=${() => setVerb(null)} onDone=${onDone} />`}`;
}

/** Counts first. @param {{verb: Verb, ids?: string[], filter: Filter, onClose: () => void, onDone: () => void}} props */
function Ask({ verb, ids, filter, onClose, onDone }) {
  const [delay, setDelay] = useState('1h');
  const [reason, setReason] = useState('');
  const what = { action: verb, ...(ids ? { ids } : { filter: inBody(filter) }) };
  const moved = verb === 'reschedule' ? { delay } : {};
  const counted = useGet('/v1/tasks/bulk', what, { read: (path) => post(path, { ...what, ...(verb === 'reschedule' ? { delay: '1h' } : {}), dry_run: true }) });
  const count = /** @type {Bulked|undefined} */ (counted.data);
  const title = t(/** @type {any} */ (`${verb}.title`));
  if (!count) return html`<${Dialog} title=${title} onClose=${onClose}><${Loaded} fetched=${counted}>${() => t('counting')}<//><//>`;
  const cli = ['outlast task', verb, ids ? ids.join(' ') : flags(filter) || '--all', verb === 'reschedule' && `--delay ${quoted(delay)}`, reason && `--reason ${quoted(reason)}`].filter(Boolean).join(' ');
  const done = (/** @type {Bulked} */ answer) => { onDone(); if (answer.operation) go(['operations', answer.operation]); };
  const left = (count.results ?? []).length;
  return html`<${Confirm} title=${title} label=${t(/** @type {any} */ (`${verb}.go`), { n: count.matched })} wide danger=${verb === 'cancel'} dismiss=${verb === 'cancel' ? common('keep.them') : undefined} done=${t('begun')} cli=${cli} onDone=${done} onClose=${onClose} unready=${count.matched === 0 || (verb === 'reschedule' && !delay.trim())}
    request=${{ method: 'POST', path: '/v1/tasks/bulk', body: { ...what, ...(ids ? {} : { filter: { ...inBody(filter), until: count.until } }), ...moved, ...(reason ? { reason } : {}) } }}
    about=${html`<strong>${t(count.at_least ? 'matched.least' : 'matched', { n: count.matched })}</strong> ${left > 0 && t('left', { n: left })} ${t(/** @type {any} */ (`${verb}.about`))}`}>
    <${Shown} sample=${count.sample ?? []} />
    ${verb === 'reschedule' && html`<label class="field"><span>${t('delay')}</span><input value=${delay} spellcheck=${false} onInput=${(/** @type {any} */ e) => setDelay(e.target.value)} /><span>${t('delay.about')}</span></label>`}
    <label class="field"><span>${t('reason')}</span><input value=${reason} maxlength="500" onInput=${(/** @type {any} */ e) => setReason(e.target.value)} /><span>${t('reason.about')}</span></label><//>`;
}

/** A task of the sample as one of a list. @param {Sample} sample */
const taskOf = ({ category, message, ...task }) => ({ ...task, last_error: message || category ? { category, message } : undefined });

/** @param {{sample: Sample[]}} props */
const Shown = ({ sample }) => (sample.length === 0 ? null : html`<details class="numbers" open><summary>${t('sample')}</summary><${Table} label=${t('sample')} rows=${sample.slice(0, 5).map(taskOf)}
  id=${(/** @type {Sample} */ s) => s.id} columns=${columns('target', 'created', 'failed')} /></details>`);
