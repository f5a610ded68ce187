// Groups of tasks with one callback: how far they are, and what became of their members.

import { html } from '../lib/ui.js';
import { at } from '../lib/api.js';
import { visible } from '../lib/json.js';
import { href, path } from '../lib/route.js';
import { may } from '../lib/session.js';
import { number } from '../lib/text.js';
import { useGet } from '../lib/use.js';
import { Fact, Facts, Failure, Foreign, Id, State, When } from '../part/basics.js';
import { Action } from '../part/dialog.js';
import { usePages } from '../part/pages.js';
import { Head, Loaded, Panel } from '../part/panel.js';
import { More, Table } from '../part/table.js';
import { t } from './task-groups.text.js';

/** @typedef {import('../../types/api.js').Schema<'TaskGroup'>} Group */

export default function TaskGroups() {
  const id = path.value[1];
  return id ? html`<${One} id=${id} key=${id} />` : html`<${All} />`;
}

/** @param {Group} g */
const stateOf = (g) => html`<${State} state=${g.state === 'done' ? 'finished' : g.state === 'closed' ? 'running' : 'pending'} label=${t.named('state.', g.state)} />`;

/** @param {Group} g */
const live = (g) => g.members - g.succeeded - g.dead - g.canceled;

function All() {
  const list = usePages('/v1/task-groups', {}, 'task_groups', { on: ['tasks'], every: 5000 });
  return html`<${Head} title=${t('title')}>${t('about')}<//><div class="panel"><${Loaded} fetched=${list.first}>${() => html`
    <${Table} label=${t('title')} rows=${list.rows} none=${t('none')} id=${(/** @type {Group} */ g) => g.id} open=${(/** @type {Group} */ g) => href(['task-groups', g.id])} columns=${[
      { key: 'label', label: t('group'), cell: (/** @type {Group} */ g) => html`<a href=${href(['task-groups', g.id])}><bdi>${visible(g.label || g.id)}</bdi></a>` },
      { key: 'state', label: t('state'), cell: stateOf },
      ...['members', 'succeeded', 'dead', 'canceled'].map((key) => ({ key, label: t(/** @type {any} */ (key)), numeric: true, cell: (/** @type {any} */ g) => number(g[key]) })),
      { key: 'created', label: t('created'), cell: (/** @type {Group} */ g) => html`<${When} at=${g.created_at} />` },
      { key: 'done', label: t('done'), cell: (/** @type {Group} */ g) => html`<${When} at=${g.done_at} />` },
    ]} />${list.problem && html`<${Failure} problem=${list.problem} />`}<${More} cursor=${list.cursor} busy=${list.busy} onMore=${list.more} />`}<//></div>`;
}

/** @param {{id: string}} props */
function One({ id }) {
  const group = useGet(at`/v1/task-groups/${id}`, undefined, { on: ['tasks'], every: 3000 });
  return html`<${Loaded} fetched=${group} name=${id}>${(/** @type {Group} */ g) => html`
    <${Head} title=${html`<bdi>${visible(g.label || t('group'))}</bdi>`} actions=${g.state === 'open' && may('enqueue') && html`<${Action} label=${t('close')} about=${t('close.about')} done=${t('closed')} onDone=${group.reload} request=${{ method: 'POST', path: at`/v1/task-groups/${id}/close` }} cli=${`outlast task-group close ${id}`} />`}>${t('about')}<//>
    <${Panel} title=${t('group')}><${Counts} group=${g} /><//>`}<//>`;
}

/** @param {{group: Group}} props */
const Counts = ({ group: g }) => html`<${Facts}>
  <${Fact} label=${t('id')}><${Id} id=${g.id} whole /><//>
  <${Fact} label=${t('state')}>${stateOf(g)}<//>
  <${Fact} label=${t('members')}>${number(g.members)}<//>
  <${Fact} label=${t('live')}>${number(live(g))}<//>
  <${Fact} label=${t('succeeded')}>${number(g.succeeded)}<//>
  <${Fact} label=${t('dead')}>${number(g.dead)}<//>
  <${Fact} label=${t('canceled')}>${number(g.canceled)}<//>
  <${Fact} label=${t('callback')}><${Foreign} text=${g.callback.type ?? ''} /> ${g.callback_task && html`<${Id} id=${g.callback_task} href=${href(['tasks', g.callback_task])} />`}<//>
  <${Fact} label=${t('queue')}><${Foreign} text=${g.callback.queue ?? ''} /><//>
  <${Fact} label=${t('created')}><${When} at=${g.created_at} full /><//>
  <${Fact} label=${t('closedAt')}><${When} at=${g.closed_at} full /><//>
  <${Fact} label=${t('done')}><${When} at=${g.done_at} full /><//><//>`;
