// The simulator: storms held against their numbers, policies side by side, recorded tasks
// under other policies, and how attempts really went.

import { html, useState } from '../lib/ui.js';
import { call } from '../lib/api.js';
import { visible } from '../lib/json.js';
import { href, query, setQuery } from '../lib/route.js';
import { may, queues } from '../lib/session.js';
import { number, percent } from '../lib/text.js';
import { duration, milliseconds } from '../lib/time.js';
import { useAnswer, useGet } from '../lib/use.js';
import { Failure, Note, State, Tabs } from '../part/basics.js';
import { Lines } from '../part/chart.js';
import { Head, Loaded, Panel } from '../part/panel.js';
import { Table } from '../part/table.js';
import { WhatIf } from './whatif.js';
import { said } from '../part/server.text.js';
import { t } from './simulator.text.js';

const tabs = /** @type {const} */ (['storms', 'compare', 'whatif', 'history']);

export default function Simulator() {
  const open = tabs.filter((name) => name !== 'history' || queues.value.length === 0);
  const tab = open.find((name) => name === query.value.get('tab')) ?? 'storms';
  return html`<${Head} title=${t('title')}>${t('about')}<//>
    <${Tabs} label=${t('title')} tabs=${open.map((name) => ({ label: t(name), href: href('simulator', { tab: name }), here: name === tab }))} />
    ${tab === 'history' ? html`<${History} />` : tab === 'whatif' ? html`<${WhatIf} />` : html`<${Storms} key=${tab} side=${tab === 'compare'} />`}`;
}

/** Chooses a storm and plays it. @param {{side: boolean}} props side: with several policies */
function Storms({ side }) {
  const scenarios = useGet('/v1/sim/scenarios');
  const policies = useGet('/v1/policies');
  const [chosen, setChosen] = useState(/** @type {string[]} */ ([]));
  const all = scenarios.data?.scenarios ?? [], unread = scenarios.error ? scenarios : policies;
  const id = query.value.get('scenario') ?? 'S4';
  const scenario = all.find((/** @type {any} */ s) => s.id === id);
  const given = chosen.map((preset) => ({ preset }));
  const body = side ? { scenario: id, policies: given } : { scenario: id, ...given[0] };
  const { answer: result, problem, busy, ask } = useAnswer(JSON.stringify(body));
  const play = (/** @type {Event} */ e) => {
    e.preventDefault();
    void ask((signal) => call('POST', side ? '/v1/sim/compare' : '/v1/sim/run', { body, signal }));
  };
  const names = (policies.data?.policies ?? []).map((/** @type {any} */ p) => p.name);
  const toggle = (/** @type {string} */ name) => setChosen(chosen.includes(name) ? chosen.filter((n) => n !== name) : [...chosen, name].slice(-4));
  if (!may('operate')) return html`<${Note}>${t('operators')}<//>`;
  return html`<div class="panel"><form onSubmit=${play}>
    <label class="field"><span>${t('scenario')}</span><select value=${id} onChange=${(/** @type {any} */ e) => setQuery({ scenario: e.target.value })}>
      ${all.map((/** @type {any} */ s) => html`<option value=${s.id}>${s.id} · ${said('storm', s.id, s.name)}</option>`)}</select></label>
    ${scenario && html`<p class="faint">${scenario.shows}</p>`}
    ${side ? html`<fieldset class="field"><legend>${t('policies')}</legend><div class="choices">${names.map((/** @type {string} */ name) => html`<label class="check" key=${name}><input type="checkbox" checked=${chosen.includes(name)} onChange=${() => toggle(name)} /><bdi>${visible(name)}</bdi></label>`)}</div></fieldset>`
      : html`<label class="field"><span>${t('policy')}</span><select value=${chosen[0] ?? ''} onChange=${(/** @type {any} */ e) => setChosen(e.target.value ? [e.target.value] : [])}>
        <option value="">${t('ours')}</option>${names.map((/** @type {string} */ name) => html`<option value=${name}>${name}</option>`)}</select></label>`}
    <div class="actions"><button type="submit" class="primary" disabled=${busy}>${t('play')}</button>${busy && html`<span role="status">${t('playing')}</span>`}</div></form></div>
  ${unread.error && html`<${Failure} problem=${unread.error} onRetry=${unread.reload} />`}${problem && html`<${Failure} problem=${problem} />`}${result ? html`<${Result} result=${result} />` : html`<div class="empty">${t('none')}</div>`}`;
}

/** @param {{result: any}} props */
function Result({ result }) {
  /** @type {any[]} */
  const variants = result.variants ?? [];
  const drawn = variants.filter((v) => v.series).slice(0, 4);
  return html`${result.verdicts && html`<${Panel} title=${t('verdicts')}><${Table} label=${t('verdicts')} rows=${result.verdicts} id=${(/** @type {any} */ v) => v.name} columns=${[
      { key: 'name', label: t('verdict'), wide: true, cell: (/** @type {any} */ v) => v.name }, { key: 'bound', label: t('bound'), cell: (/** @type {any} */ v) => v.bound }, { key: 'measured', label: t('measured'), cell: (/** @type {any} */ v) => v.measured },
      { key: 'ok', label: '', cell: (/** @type {any} */ v) => html`<${State} state=${v.ok ? 'ok' : 'failed'} label=${t(v.ok ? 'ok' : 'missed')} />` }]} /><//>`}
    ${drawn.length > 0 && html`<div class="grid">${/** @type {const} */ ([['load', 'attempts'], ['good', 'good'], ['inFlight', 'in_flight']]).map(([title, key]) => html`<section class="panel" key=${key}><${Lines} label=${t(title)} clockless
      series=${drawn.map((v, i) => ({ name: v.name, tone: String(i + 1), points: v.series[key].map((/** @type {number} */ n, /** @type {number} */ at) => [at * v.series.step_s * 1000, n]) }))} /></section>`)}</div>`}
    <${Panel} title=${t('variants')}><${Table} label=${t('variants')} rows=${variants} id=${(/** @type {any} */ v) => v.name} columns=${[
      { key: 'name', label: t('variant'), wide: true, cell: (/** @type {any} */ v) => html`<bdi>${visible(v.name)}</bdi> ${v.control && html`<span class="category">${t('control')}</span>`}` },
      { key: 'offered', label: t('offered'), numeric: true, cell: (/** @type {any} */ v) => number(v.metrics.offered) }, { key: 'attempts', label: t('attempts'), numeric: true, cell: (/** @type {any} */ v) => number(v.metrics.attempts) },
      { key: 'amp', label: t('amplification'), numeric: true, cell: (/** @type {any} */ v) => number(v.metrics.amplification, { maximumFractionDigits: 2 }) }, { key: 'success', label: t('success'), numeric: true, cell: (/** @type {any} */ v) => percent(v.metrics.success) },
      { key: 'p99', label: t('p99'), numeric: true, cell: (/** @type {any} */ v) => duration(v.metrics.p99_s * 1000) },
      { key: 'recovery', label: t('recovery'), numeric: true, cell: (/** @type {any} */ v) => (!v.metrics.fault ? '—' : v.metrics.recovery_s === null ? t('never') : t('seconds', { n: v.metrics.recovery_s })) }]} /><//>`;
}

/** @typedef {import('../../types/api.js').Schema<'StatsComparison'>} Compared */

/** A percentile, of which only a bound is known: two digits of it tell something. @param {string} text */
const roughly = (text) => { const ms = milliseconds(text); return duration(Math.ceil(Number((ms / 10 ** Math.floor(Math.log10(ms || 1) - 1)).toFixed(6))) * 10 ** Math.floor(Math.log10(ms || 1) - 1)); };

/** What a growth is as a change: 1.4 is +40 %. @param {number} times */
const change = (times) => number(times - 1, { style: 'percent', signDisplay: 'exceptZero', maximumFractionDigits: 0 });

/** How attempts went under two releases, or two versions of a policy. */
function History() {
  const by = query.value.get('by') === 'policy_version' ? 'policy_version' : 'release';
  const compared = useGet('/v1/stats/compare', { by }, { every: 30_000 });
  const side = (/** @type {Compared['from']} */ s) => (s ? html`<bdi>${visible(s.name)}</bdi> <span class="faint">${t('count')}: ${number(s.count)}, ${t('failed')}: ${percent(s.count ? s.failed / s.count : 0)}, p99 ≤ ${roughly(s.p99)}</span>` : '—');
  return html`<p class="faint">${t('history.about')}</p><label class="field"><span>${t('by')}</span><select value=${by} onChange=${(/** @type {any} */ e) => setQuery({ by: e.target.value })}><option value="release">${t('release')}</option><option value="policy_version">${t('version')}</option></select></label>
  <div class="panel"><${Loaded} fetched=${compared}>${(/** @type {{comparisons: Compared[]|null}} */ data) => html`<${Table} label=${t('history')} rows=${data.comparisons ?? []} none=${t('history.none')} id=${(/** @type {Compared} */ c) => c.type + c.attempt} columns=${[
    { key: 'type', label: t('type'), cell: (/** @type {Compared} */ c) => html`<bdi>${visible(c.type)}</bdi>` },
    { key: 'attempt', label: t('attempt'), numeric: true, cell: (/** @type {Compared} */ c) => (c.attempt >= 5 ? t('last.attempt', { n: c.attempt }) : number(c.attempt)) },
    { key: 'before', label: t('before'), cell: (/** @type {Compared} */ c) => side(c.from) }, { key: 'after', label: t('after'), cell: (/** @type {Compared} */ c) => side(c.to) },
    { key: 'growth', label: t('growth'), numeric: true, cell: (/** @type {Compared} */ c) => (c.growth?.p99 ? change(c.growth.p99) : '—') },
    { key: 'wait', label: t('wait'), numeric: true, cell: (/** @type {Compared} */ c) => (c.to?.delay_p99 ? `≤ ${roughly(c.to.delay_p99)}` : '—') }]} />`}<//></div>`;
}
