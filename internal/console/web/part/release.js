// Releasing an ordering key: what waits behind its dead letter is counted and shown first.

import { html, useState } from '../lib/ui.js';
import { at } from '../lib/api.js';
import { visible } from '../lib/json.js';
import { may } from '../lib/session.js';
import { useGet } from '../lib/use.js';
import { quoted } from './basics.js';
import { Confirm, Dialog } from './dialog.js';
import { Loaded } from './panel.js';
import { columns } from './rows.js';
import { Table } from './table.js';
import { t } from '../page/keys.text.js';

/** @typedef {import('../../types/api.js').Schema<'Task'>} Task */
/** @typedef {{queue: string, name: string, onDone: () => void}} Of name: the key */

/** A button that lets the tasks behind a key's dead letter go on. @param {Of & {small?: boolean}} props */
export function Release({ small, ...of }) {
  const [open, setOpen] = useState(false);
  if (!may('operate')) return null;
  return html`<button type="button" class=${small ? 'small' : ''} onClick=${() => setOpen(true)}>${t('release')}</button>
    ${open && html`<${Ask} ...${of} onClose=${() => setOpen(false)} />`}`;
}

const most = 100; // tasks that are counted

/** Counts first. @param {Of & {onClose: () => void}} props */
function Ask({ queue, name, onClose, onDone }) {
  const waiting = useGet('/v1/tasks', { queue, key: name, state: 'pending', limit: most });
  const found = /** @type {{tasks: Task[]|null, next_cursor: string}|undefined} */ (waiting.data);
  if (!found) return html`<${Dialog} title=${t('release.title')} onClose=${onClose}><${Loaded} fetched=${waiting}>${() => null}<//><//>`;
  const tasks = found.tasks ?? [], n = tasks.length, key = visible(name);
  const what = found.next_cursor ? t('release.least', { n, key }) : n ? t('release.n', { n, key }) : t('release.none', { key });
  return html`<${Confirm} title=${t('release.title')} label=${t('release').replace('…', '')} wide done=${t('released')} onDone=${onDone} onClose=${onClose} about=${html`<strong><bdi>${what}</bdi></strong> ${t('release.about')}`}
    request=${{ method: 'POST', path: at`/v1/queues/${queue}/release-key`, body: { key: name } }} cli=${`outlast queue release-key ${quoted(queue)} ${quoted(name)}`}>
    ${n > 0 && html`<details class="numbers" open><summary>${t('sample')}</summary><${Table} label=${t('sample')} rows=${tasks.slice(0, 5)} id=${(/** @type {Task} */ task) => task.id} columns=${columns('queue', 'failed', 'error')} /></details>`}<//>`;
}
