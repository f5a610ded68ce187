// What a policy will do, as the planner says: its schedule, its chances, its load, and what
// speaks against it.

import { html } from '../lib/ui.js';
import { call } from '../lib/api.js';
import { visible } from '../lib/json.js';
import { number, percent } from '../lib/text.js';
import { duration, milliseconds } from '../lib/time.js';
import { Note } from './basics.js';
import { Numbers } from './chart.js';
import { Panel } from './panel.js';
import { Plot } from './plot.js';
import { said, schedule } from './server.text.js';
import { t } from '../page/policies.text.js';

/** Asks the planner. What it does not look at is left out.
 * @param {string} text of the policy's keys @param {Record<string, any>} more @param {AbortSignal} [signal] */
export function planOf(text, more, signal) {
  const { alert, canary, fallback, ...rest } = JSON.parse(text);
  return call('POST', '/v1/policies/plan', { body: { ...rest, rows: 60, ...more }, signal });
}

/** @param {{plan: any}} props */
export function Outlook({ plan }) {
  const chances = (plan.success ?? []).slice(0, 12);
  const loads = plan.load?.at ?? [];
  return html`<${Panel} title=${t('plan')}><p>${schedule(plan.policy, plan.attempts, plan.summary)} · ${t('total')}: ${duration(milliseconds(plan.total))}</p>
    <div class="grid"><div><${Plot} delays=${plan.delays ?? []} label=${t('schedule')} />
      ${(plan.warnings ?? []).length ? plan.warnings.map((/** @type {any} */ w) => html`<${Note} tone="warn" key=${w.code + w.field}><bdi>${visible(said('warning', w.code, w.message))}</bdi> ${w.field && html`<code>${w.field}</code>`}<//>`) : html`<p class="text-good">${t('warnings.none')}</p>`}</div>
    <div><h3>${t('success', { rate: percent(plan.fail_rate) })}</h3><ul class="bars">${chances.map((/** @type {number} */ share, /** @type {number} */ i) => html`<li><span>${t('success.of', { n: i + 1 })}</span><meter min="0" max="1" value=${share} aria-label=${t('success.of', { n: i + 1 })} /><span class="numeric">${percent(share)}</span></li>`)}</ul>
      ${loads.length > 0 && html`<${Numbers} label=${t('load')} head=${[t('load.at', { rate: '…' }), t('load.amp'), t('load.budget')]} rows=${loads.map((/** @type {any} */ l) => [percent(l.fail_rate), number(l.amplification ?? Infinity, { maximumFractionDigits: 2 }), l.with_budget === undefined ? '—' : number(l.with_budget, { maximumFractionDigits: 2 })])} />`}</div></div><//>`;
}
