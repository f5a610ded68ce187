// When the letters of a group died: bars by the hour, the current one to the right.

import { html, useRef } from '../lib/ui.js';
import { number } from '../lib/text.js';
import { clock, serverNow } from '../lib/time.js';
import { useWidth } from '../lib/use.js';
import { Numbers, widest } from './chart.js';

/** @typedef {import('../../types/api.js').Schema<'DeadGroup'>} Group */
/** @typedef {NonNullable<Group['trend']>} Hours */
/** @typedef {{at: string, count: number}} Bar at: when its hour begins */

const hour = 36e5;

/** @param {Hours} trend @returns {Bar[]} */
const barsOf = (trend) => (trend.hours ?? []).map((count, i) => ({ at: clock(Date.parse(trend.since) + i * hour, true), count }));

/** @param {Bar[]} bars */
const most = (bars) => Math.max(1, ...bars.map((b) => b.count));

/** @param {string} label @param {Bar[]} bars */
const told = (label, bars) => `${label}: ${bars.filter((b) => b.count).map((b) => `${b.at}: ${number(b.count)}`).join(', ') || '0'}`;

/** In a row of a table. @param {{group: Group, label: string}} props */
export function Trend({ group: { trend }, label }) {
  if (!trend) return null;
  const bars = barsOf(trend), width = 96, height = 22, step = width / bars.length;
  const high = (/** @type {number} */ count) => Math.max(1, (count / most(bars)) * height);
  return html`<svg class="trend" viewBox=${`0 0 ${width} ${height}`} width=${width} height=${height} role="img" aria-label=${told(label, bars)}>
    ${['fill-bad', 'fill-faint'].map((tone) => html`<path class=${tone} d=${bars.map((b, i) => ((b.count > 0) === (tone === 'fill-bad') ? `M${i * step + 0.5} ${height}v${-high(b.count)}h${step - 1}V${height}z` : '')).join('')} />`)}</svg>`;
}

const pad = { top: 12, bottom: 22 }, height = 120;

/** By itself, with its beginning, its end, the most letters of an hour, and its numbers as a table under head.
 * @param {{group: Group, label: string, head: [string, string]}} props */
export function LargeTrend({ group: { trend }, label, head }) {
  const figure = useRef(/** @type {HTMLElement|null} */ (null));
  const width = useWidth(figure, 480);
  if (!trend) return null;
  const bars = barsOf(trend), top = most(bars), base = height - pad.bottom;
  const left = widest([number(top)]) + 10, step = (width - left) / bars.length;
  const high = (/** @type {number} */ count) => Math.max(1, (count / top) * (base - pad.top));
  const mark = (/** @type {number} */ n) => html`<line class="gridline" x1=${left} x2=${width} y1=${base - (n / top) * (base - pad.top)} y2=${base - (n / top) * (base - pad.top)} />
    <text x=${left - 6} y=${base - (n / top) * (base - pad.top) + 4} text-anchor="end">${number(n)}</text>`;
  return html`<figure ref=${figure} class="chart"><figcaption>${label}</figcaption><svg viewBox=${`0 0 ${width} ${height}`} role="img" aria-label=${told(label, bars)}>
    ${mark(0)}${mark(top)}
    ${bars.map((b, i) => html`<rect key=${b.at} class=${b.count ? 'fill-bad' : 'fill-faint'} x=${left + i * step + 0.5} width=${step - 1} y=${base - high(b.count)} height=${high(b.count)}><title>${b.at}: ${number(b.count)}</title></rect>`)}
    <text x=${left} y=${height - 6}>${bars[0]?.at}</text><text x=${width} y=${height - 6} text-anchor="end">${clock(Math.min(serverNow(), Date.parse(trend.since) + bars.length * hour), true)}</text></svg>
    <${Numbers} label=${label} head=${head} rows=${bars.filter((b) => b.count).map((b) => [b.at, number(b.count)])} /></figure>`;
}
