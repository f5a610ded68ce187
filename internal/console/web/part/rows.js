// Tasks as rows: the same in their list and where a dry run shows some of them.

import { html } from '../lib/ui.js';
import { visible } from '../lib/json.js';
import { nameOf, targetOf } from '../lib/name.js';
import { href } from '../lib/route.js';
import { admits } from '../lib/session.js';
import { number } from '../lib/text.js';
import { Category, Coming, Foreign, Id, State, When } from './basics.js';
import { t as common } from './common.text.js';
import { t } from '../page/tasks.text.js';

/** @typedef {import('../../types/api.js').Schema<'Task'>} Task */

/** A pending task that has failed waits to retry. @param {Pick<Task, 'state'|'last_error'>} task */
export const standing = (task) => (task.state === 'pending' && task.last_error ? 'retrying' : task.state);

const most = 60; // characters of a name

/** What a task is called; the title has all of it. @param {{task: import('../lib/name.js').Named}} props */
export function Name({ task }) {
  const name = nameOf(task);
  return html`<bdi class="name" title=${visible(name)}>${visible(name.length > most ? name.slice(0, most) + '…' : name)}</bdi>`;
}

/** What a task calls, of one that makes a request. @param {{task: import('../lib/name.js').Named}} props */
function Target({ task }) {
  if (!task.target) return html`<span class="faint">${common('nothing')}</span>`;
  const name = targetOf(task), text = html`<bdi class="name">${visible(name)}</bdi>`;
  return admits({ all: true }) ? html`<a href=${href(['targets', name])}>${text}</a>` : text;
}

/** The columns, without those that are left out. @param {...string} without @returns {import('./table.js').Column<Task>[]} */
export const columns = (...without) => /** @type {import('./table.js').Column<Task>[]} */ ([
  { key: 'id', label: t('id'), cell: (task) => html`<${Id} id=${task.id} href=${href(['tasks', task.id])} />` },
  { key: 'state', label: t('state'), cell: (task) => html`<${State} state=${standing(task)} />` },
  { key: 'type', label: t('name'), cell: (task) => html`<${Name} task=${task} />` },
  { key: 'queue', label: t('queue'), cell: (task) => html`<a href=${href(['queues', task.queue])}><bdi>${visible(task.queue)}</bdi></a>` },
  { key: 'target', label: t('target'), cell: (task) => html`<${Target} task=${task} />` },
  { key: 'attempt', label: t('attempt'), numeric: true, cell: (task) => (task.max_attempts ? t('of', { n: task.attempt, max: task.max_attempts }) : number(task.attempt)) },
  { key: 'error', label: t('error'), wide: true, cell: (task) => task.last_error && html`<${Category} category=${task.last_error.category} /> <${Foreign} text=${task.last_error.message} limit=${120} />` },
  { key: 'next', label: t('next'), cell: (task) => html`<${Coming} task=${task} />` },
  { key: 'failed', label: t('failed.at'), cell: (task) => html`<${When} at=${task.last_failed_at} />` },
  { key: 'created', label: t('created'), cell: (task) => html`<${When} at=${task.created_at} />` },
]).filter(({ key }) => !without.includes(key));
