// What is done of a task: its steps, with what they gave and what undoes them.

import { html, useMemo, useState } from '../lib/ui.js';
import { at } from '../lib/api.js';
import { Raw, members, mistake, split, visible } from '../lib/json.js';
import { href } from '../lib/route.js';
import { number } from '../lib/text.js';
import { duration } from '../lib/time.js';
import { Foreign, State, When, quoted } from '../part/basics.js';
import { Action } from '../part/dialog.js';
import { Panel } from '../part/panel.js';
import { Payload } from '../part/payload.js';
import { Table } from '../part/table.js';
import { t } from './task-steps.text.js';

/** @typedef {import('../../types/api.js').Schema<'Task'>} Task */
/** @typedef {import('../../types/api.js').Schema<'Step'>} Step */
/** @typedef {{step: Step, result?: string, undo?: string}} Row result, undo: as the server sent them */

/** Says whether steps of a task can be undone. @param {Task} task */
export const undoable = (task) => (task.steps ?? []).some((step) => step.compensation && !step.undone);

/** The signals for which a task waits. @param {Task} task */
const awaited = ({ state, steps }) => (state !== 'pending' ? [] : (steps ?? []).filter((step) => step.type === 'await' && step.until && !step.undone
  && !steps?.some((end) => end.occurrence === 0 && end.name === step.name && !end.undone)).map((step) => step.name));

/** Sends the signals for which a task waits. @param {{task: Task, onDone: () => void}} props */
export const Signals = ({ task, onDone }) => [...new Set(awaited(task))].map((name) => html`<${Signal} key=${name} id=${task.id} name=${name} onDone=${onDone} />`);

/** @param {{id: string, name: string, onDone: () => void}} props */
function Signal({ id, name, onDone }) {
  const [text, setText] = useState('');
  const payload = text.trim(), wrong = payload && mistake(payload);
  return html`<${Action} label=${t('send', { name: visible(name) })} about=${t('send.about')} done=${t('sent')} onDone=${onDone} unready=${Boolean(wrong)}
    request=${() => ({ method: 'POST', path: at`/v1/tasks/${id}/signals/${name}`, body: new Raw(wrong || !payload ? 'null' : payload) })}
    cli=${() => `outlast task signal ${id} ${quoted(name)}${payload && ` ${quoted(payload)}`}`}>
    <label class="field"><span>${t('send.payload')}</span><textarea rows="4" spellcheck=${false} aria-invalid=${Boolean(wrong)} value=${text} onInput=${(/** @type {any} */ e) => setText(e.target.value)} />
      ${wrong && html`<span class="text-bad" role="alert">${wrong}</span>`}</label><//>`;
}

const most = 100; // rows before one asks for all

/** The steps in the order in which they ended; nothing without any. @param {{task: Task, text: string}} props text: the record */
export function Steps({ task, text }) {
  const [whole, setWhole] = useState(false);
  const rows = useMemo(() => rowsOf(task, text), [task, text]);
  if (rows.length === 0) return null;
  return html`<${Panel} title=${t('steps')} aside=${rows.some(({ step }) => step.compensation) && html`<a href=${href('tasks', { key: `compensation:${task.id}` })}>${t('undoing')}</a>`}>
    <p class="faint">${t('about')}</p>
    <${Table} label=${t('steps')} rows=${whole ? rows : rows.slice(0, most)} id=${(/** @type {Row} */ { step }) => `${step.occurrence} ${step.name}`} columns=${columns(task)} />
    ${rows.length > most && !whole && html`<button type="button" onClick=${() => setWhole(true)}>${t('all', { n: rows.length })}</button>`}<//>`;
}

/** @param {Task} task @param {string} text @returns {Row[]} */
function rowsOf(task, text) {
  if (!task.steps?.length) return [];
  const parts = split(members(text, ['steps']).steps.text);
  return task.steps.map((step, i) => {
    const { result, compensation } = members(parts[i][1], ['result', 'compensation']);
    return { step, result: result?.text, undo: compensation && members(compensation.text, ['payload']).payload?.text };
  });
}

/** @param {Task} task */
const columns = (task) => [
  { key: 'name', label: t('name'), cell: (/** @type {Row} */ { step }) => html`<bdi>${visible(step.name)}</bdi>${step.occurrence > 1 && html` <span class="faint">${t('occurrence', { n: step.occurrence })}</span>`}${endOf(step) && html` <span class="faint">${endOf(step)}</span>`}${step.undone && html` <${State} state="undone" label=${t('undone')} />`}` },
  { key: 'ended', label: t('ended'), cell: (/** @type {Row} */ { step }) => html`<${When} at=${step.ended_at} />` },
  { key: 'took', label: t('took'), numeric: true, cell: (/** @type {Row} */ { step }) => (step.started_at && step.ended_at ? duration(Date.parse(step.ended_at) - Date.parse(step.started_at)) : '—') },
  { key: 'attempt', label: t('attempt'), numeric: true, cell: (/** @type {Row} */ { step }) => (step.attempt ? number(step.attempt) : '—') },
  { key: 'result', label: t('result'), wide: true, cell: (/** @type {Row} */ { step, result }) => html`<${Given} step=${step} text=${result} name=${fileOf(task, step, 'result')} />` },
  { key: 'undo', label: t('undo'), wide: true, cell: (/** @type {Row} */ { step, undo }) => (step.compensation ? html`<bdi>${visible(step.compensation.type)}</bdi> <${Folded} text=${undo} name=${fileOf(task, step, 'compensation')} label=${t('payload')} />` : '—') },
];

/** @param {Task} task @param {Step} step @param {string} what */
const fileOf = (task, step, what) => `${task.id}-${step.name.replace(/[^\w.-]+/g, '-')}-${step.occurrence}-${what}.json`;

/** What a step gave; of a sleep and of a wait for a signal, when that ends. @param {{step: Step, text?: string, name: string}} props */
function Given({ step, text, name }) {
  if (step.unreadable) return html`<span class="text-bad">${t('unreadable')}</span> <${Foreign} text=${step.unreadable} />`;
  if (step.until) return html`${t(step.type === 'await' ? 'awaits' : 'until')} <${When} at=${step.until} full />`;
  return html`<${Folded} text=${text} name=${name} label=${t('result')} />`;
}

/** What ended the wait for a signal; nothing for a step. @param {Step} step */
const endOf = (step) => step.occurrence === 0 && t(step.type === 'timeout' ? 'timeout' : 'signal');

const brief = 60; // characters of a text that is folded

/** A JSON text whose beginning is shown, and the whole when one asks. @param {{text?: string, name: string, label: string}} props */
function Folded({ text, name, label }) {
  const [open, setOpen] = useState(false);
  if (!text) return '—';
  return html`<details class="numbers" onToggle=${(/** @type {any} */ e) => setOpen(e.currentTarget.open)}><summary><code class="foreign">${visible(text.length > brief ? text.slice(0, brief) + '…' : text)}</code></summary>
    ${open && html`<${Payload} text=${text} name=${name} label=${label} />`}</details>`;
}
