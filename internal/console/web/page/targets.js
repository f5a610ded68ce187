// Targets: what tasks call, and how they are protected from retries.

import { html } from '../lib/ui.js';
import { at } from '../lib/api.js';
import { visible } from '../lib/json.js';
import { href, path } from '../lib/route.js';
import { number, percent } from '../lib/text.js';
import { absolute } from '../lib/time.js';
import { useGet } from '../lib/use.js';
import { Fact, Facts, Note, When, quoted } from '../part/basics.js';
import { asked, Cause, flight, Standing, standing, TargetCause, TargetState, waits } from '../part/breaker.js';
import { Steps } from '../part/steps.js';
import { Action } from '../part/dialog.js';
import { Head, Loaded, Panel } from '../part/panel.js';
import { Table } from '../part/table.js';
import { t } from './targets.text.js';

/** @typedef {import('../../types/api.js').Schema<'TargetState'>} Target */
/** @typedef {import('../../types/api.js').Schema<'NodeTarget'>} NodeTarget */

export default function Targets() {
  const name = path.value[1];
  return name ? html`<${One} name=${name} key=${name} />` : html`<${All} />`;
}

/** @param {{budget?: Target['budget']}} props */
const Budget = ({ budget }) => (budget ? html`${percent(budget.share)} <span class="faint">${t(budget.tokens < 1 ? 'budget.spent' : budget.share < 0.9 ? 'budget.binds' : 'budget.free')}</span>` : '—');

function All() {
  const targets = useGet('/v1/targets', { limit: 500 }, { on: ['target'], every: 5000 });
  return html`<${Head} title=${t('title')}>${t('about')}<//><div class="panel"><${Loaded} fetched=${targets}>${(/** @type {{targets: Target[]|null}} */ data) => html`
    <${Table} label=${t('title')} rows=${data.targets ?? []} none=${t('none')} id=${(/** @type {Target} */ r) => r.name} open=${(/** @type {Target} */ r) => href(['targets', r.name])} columns=${[
      { key: 'name', label: t('name'), wide: true, cell: (/** @type {Target} */ r) => html`<a href=${href(['targets', r.name])}><bdi>${visible(r.name)}</bdi></a>` },
      { key: 'breaker', label: t('breaker'), cell: (/** @type {Target} */ r) => html`<${TargetState} target=${r} />` },
      { key: 'failures', label: t('failures'), numeric: true, cell: (/** @type {Target} */ r) => (r.breaker ? `${number(r.breaker.failures)}/${number(r.breaker.calls)}` : '—') },
      { key: 'budget', label: t('budget'), cell: (/** @type {Target} */ r) => html`<${Budget} budget=${r.budget} />` },
      { key: 'flight', label: t('flight'), numeric: true, cell: flight },
      { key: 'waiting', label: t('waiting'), numeric: true, cell: (/** @type {Target} */ r) => number(waits(r)) },
      { key: 'until', label: t('until'), cell: (/** @type {Target} */ r) => html`<${When} at=${asked(r)} />` },
    ]} />`}<//></div>`;
}

/** @param {{name: string}} props */
function One({ name }) {
  const target = useGet(at`/v1/targets/${name}`, undefined, { on: ['target'], every: 3000 });
  return html`<p><a href=${href('targets')}>← ${t('back')}</a></p><${Loaded} fetched=${target} name=${name}>${(/** @type {Target} */ r) => html`
    <${Head} title=${html`<bdi>${visible(r.name)}</bdi> <${TargetState} target=${r} long />`} actions=${html`<${Order} name=${r.name} verb="block" onDone=${target.reload} /><${Order} name=${r.name} verb="allow" onDone=${target.reload} /><${Order} name=${r.name} verb="reset" onDone=${target.reload} />`} />
    ${r.breaker?.forced && html`<${Note} tone="bad">${t('forced')}<//>`}${r.held_until && html`<${Note} tone="warn">${t('held', { time: absolute(r.held_until) })}<//>`}
    <div class="grid"><${BreakerPanel} target=${r} /><${BudgetPanel} target=${r} /></div>
    <${History} name=${r.name} /><${Nodes} rows=${r.nodes ?? []} />`}<//>`;
}

/** What the API calls an order. */
const orders = /** @type {const} */ ({ block: 'open', allow: 'close', reset: 'reset' });

/** @param {{name: string, verb: 'block'|'allow'|'reset', onDone: () => void}} props */
const Order = ({ name, verb, onDone }) => html`<${Action} label=${t(verb)} danger=${verb === 'block'} about=${t(`${verb}.about`, { name })} onDone=${onDone}
  done=${t(verb === 'block' ? 'blocked' : verb === 'allow' ? 'allowed' : 'reset_done')} request=${{ method: 'POST', path: at`/v1/targets/${name}/` + orders[verb] }} cli=${`outlast target ${verb} ${quoted(name)}`} />`;

/** @param {{target: Target}} props */
function BreakerPanel({ target }) {
  const { breaker, in_flight: running, limit, order } = target;
  return html`<${Panel} title=${t('breaker')}><${Facts}>${breaker && html`
    <${Fact} label=${t('since')}><${When} at=${breaker.since} full /><//>${breaker.opened && html`<${Fact} label=${t('opened')}><${When} at=${breaker.opened} full /><//>`}
    ${asked(target) && html`<${Fact} label=${t('until')}><strong><${When} at=${asked(target)} /></strong><//>`}
    <${Fact} label=${t('cause')}><${TargetCause} target=${target} /><//><${Fact} label=${t('failures')}>${number(breaker.failures)} / ${number(breaker.calls)}<//>
    <${Fact} label=${t('admitted')}>${percent(breaker.admitted)}<//>${breaker.trips > 0 && html`<${Fact} label=${t('trips')}>${number(breaker.trips)}<//>`}`}
    <${Fact} label=${t('flight')}>${number(running ?? 0)}<//><${Fact} label=${t('limit')}>${limit ? number(limit) : t('unlimited')}<//>
    ${order && html`<${Fact} label=${t('order')}>${t(`order.${order.action}`)} <${When} at=${order.at} /><//>`}<//><//>`;
}

/** @param {{target: Target}} props */
function BudgetPanel({ target }) {
  const { budget, waiting } = target;
  return html`<${Panel} title=${t('budget')}><${Facts}>${budget && html`
    <${Fact} label=${t('success')}><${Budget} budget=${budget} /><//><${Fact} label=${t('tokens')}>${number(budget.tokens, { maximumFractionDigits: 1 })}<//>
    <${Fact} label=${t('first')}>${number(budget.first)}<//><${Fact} label=${t('retries')}>${number(budget.retries)}<//><${Fact} label=${t('denied')}>${number(budget.denied)}<//>`}
    ${/** @type {const} */ (['breaker', 'budget', 'concurrency', 'rate']).map((why) => html`<${Fact} label=${`${t('waiting')} · ${t(`waiting.${why}`)}`}>${number(waiting?.[why] ?? 0)}<//>`)}<//>
    <p><a href=${href('tasks', { state: 'pending', target: target.name })}>${t('tasks')}</a></p><//>`;
}

/** @typedef {{at: string, state: string, reason?: string, cause?: string, node?: string}} Change */

/** @param {{name: string}} props */
function History({ name }) {
  const history = useGet(at`/v1/targets/${name}/history`, undefined, { on: ['target'], every: 10_000 });
  return html`<${Panel} title=${t('history')}><${Loaded} fetched=${history}>${(/** @type {{changes: Change[]|null}} */ { changes }) => html`
    ${changes?.length ? html`<${Steps} label=${t('history')} changes=${changes} name=${standing} />` : ''}
    <${Table} label=${t('history')} rows=${changes ?? []} none=${t('history.none')} id=${(/** @type {Change} */ c) => c.at + c.node + c.state} columns=${[
      { key: 'at', label: t('at'), cell: (/** @type {Change} */ c) => html`<${When} at=${c.at} full />` },
      { key: 'to', label: t('to'), cell: (/** @type {Change} */ c) => html`<${Standing} state=${c.state} long />` },
      { key: 'reason', label: t('reason'), wide: true, cell: (/** @type {Change} */ c) => html`<${Cause} text=${c.reason ?? c.cause} />` },
      { key: 'node', label: t('node'), cell: (/** @type {Change} */ c) => html`<bdi>${c.node}</bdi>` },
    ]} />`}<//><//>`;
}

/** @param {{rows: NodeTarget[]}} props */
const Nodes = ({ rows }) => html`<${Panel} title=${t('nodes')}><${Table} label=${t('nodes')} rows=${rows} id=${(/** @type {NodeTarget} */ r) => r.node} columns=${[
  { key: 'node', label: t('node'), cell: (/** @type {NodeTarget} */ r) => html`<a href=${href(['workers', r.node])}><bdi>${r.node}</bdi></a>` },
  { key: 'breaker', label: t('breaker'), cell: (/** @type {NodeTarget} */ r) => html`<${TargetState} target=${r} />` },
  { key: 'budget', label: t('budget'), cell: (/** @type {NodeTarget} */ r) => html`<${Budget} budget=${r.budget} />` },
  { key: 'flight', label: t('flight'), numeric: true, cell: (/** @type {NodeTarget} */ r) => number(r.in_flight ?? 0) },
  { key: 'waiting', label: t('waiting'), numeric: true, cell: (/** @type {NodeTarget} */ r) => number(waits(r)) },
]} /><//>`;
