// The schedule of a policy: when its retries come, with the range that the jitter gives.

import { html, useRef } from '../lib/ui.js';
import { useWidth } from '../lib/use.js';
import { duration, milliseconds } from '../lib/time.js';
import { number } from '../lib/text.js';
import { Numbers, durations, scale, widest } from './chart.js';
import { t } from './plot.text.js';

/** @typedef {import('../../types/api.js').Schema<'PlanDelay'>} PlanDelay */

const height = 220, pad = { right: 14, top: 12, bottom: 26 };
const shown = 40; // retries in the picture

/** @param {{delays: PlanDelay[], label?: string}} props */
export function Plot({ delays, label = t('label') }) {
  const figure = useRef(/** @type {HTMLElement|null} */ (null));
  const width = useWidth(figure, 480);
  if (delays.length === 0) return html`<div class="empty">${t('none')}</div>`;
  const rows = delays.slice(0, shown).map((d) => ({ retry: d.retry, nominal: milliseconds(d.nominal), min: milliseconds(d.min), max: milliseconds(d.max), mean: milliseconds(d.mean), at: milliseconds(d.at) }));
  const most = Math.max(...rows.map((d) => Math.max(d.max, d.nominal)), 1e-3);
  const marks = durations(most * 1.08), left = widest(marks.map(duration)) + 10;
  const x = scale([0.5, rows.length + 0.5], [left, width - pad.right]);
  const y = scale([0, most * 1.08], [height - pad.bottom, pad.top]);
  const bar = Math.min(26, ((width - left - pad.right) / rows.length) * 0.6);
  const every = Math.ceil(rows.length / 16);
  return html`<figure ref=${figure} class="chart"><figcaption><span>${label}</span><span class="legend"><span><i class="swatch line-1" />${t('nominal')}</span> <span><i class="swatch line-3" />${t('mean')}</span>
      <span>${t('range')}</span></span></figcaption>
    <svg viewBox=${`0 0 ${width} ${height}`} role="img" aria-label=${label}>
      ${marks.map((v) => html`<g key=${v}><line class="gridline" x1=${left} x2=${width - pad.right} y1=${y(v)} y2=${y(v)} /><text x=${left - 6} y=${y(v) + 4} text-anchor="end">${duration(v)}</text></g>`)}
      ${rows.map((d, i) => html`<g key=${d.retry}><title>${t('retry', { n: d.retry })}: ${duration(d.min)} – ${duration(d.max)}</title>
        <rect class="fill-range" x=${x(i + 1) - bar / 2} y=${y(d.max)} width=${bar} height=${Math.max(1.5, y(d.min) - y(d.max))} rx="2" />
        <line class="line line-1" x1=${x(i + 1) - bar / 2} x2=${x(i + 1) + bar / 2} y1=${y(d.nominal)} y2=${y(d.nominal)} />
        <line class="line line-3" x1=${x(i + 1) - bar / 3} x2=${x(i + 1) + bar / 3} y1=${y(d.mean)} y2=${y(d.mean)} />
        ${i % every === 0 && html`<text x=${x(i + 1)} y=${height - 8} text-anchor="middle">${d.retry}</text>`}</g>`)}
    </svg>
    ${delays.length > shown && html`<p class="faint">${t('first', { n: shown, all: number(delays.length) })}</p>`}
    <${Numbers} label=${label} head=${[t('head.retry'), t('nominal'), t('head.min'), t('mean'), t('head.max'), t('head.at')]}
      rows=${rows.map((d) => [d.retry, duration(d.nominal), duration(d.min), duration(d.mean), duration(d.max), duration(d.at)])} /></figure>`;
}
