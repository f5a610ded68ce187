// When the letters of a group died: small bars by the hour, the current one to the right.

import { html } from '../lib/ui.js';
import { number } from '../lib/text.js';
import { clock } from '../lib/time.js';
import { Numbers } from './chart.js';

/** @typedef {import('../../types/api.js').Schema<'DeadGroup'>} Group */

/** @param {{group: Group, label: string, head?: [string, string], large?: boolean}} props large: with its numbers as a table, under head */
export function Trend({ group, label, head = ['', label], large }) {
  const trend = group.trend;
  if (!trend) return null;
  const bars = (trend.hours ?? []).map((count, i) => ({ at: clock(Date.parse(trend.since) + i * 36e5, true), count }));
  const width = large ? 480 : 96, height = large ? 64 : 22, step = width / bars.length;
  const most = Math.max(1, ...bars.map((b) => b.count));
  const top = (/** @type {number} */ count) => height - Math.max(1, (count / most) * height);
  const died = bars.filter((b) => b.count);
  return html`<svg class="trend" viewBox=${`0 0 ${width} ${height}`} width=${width} height=${height} role="img" aria-label=${`${label}: ${died.map((b) => `${b.at}: ${number(b.count)}`).join(', ') || '0'}`}>
    ${large ? bars.map((b, i) => html`<rect class=${b.count ? 'fill-bad' : 'fill-faint'} x=${i * step + 0.5} width=${step - 1} y=${top(b.count)} height=${height - top(b.count)}>
      <title>${b.at}: ${number(b.count)}</title></rect>`)
      : ['fill-bad', 'fill-faint'].map((tone) => html`<path class=${tone} d=${bars.map((b, i) => ((b.count > 0) === (tone === 'fill-bad') ? `M${i * step + 0.5} ${height}V${top(b.count)}h${step - 1}V${height}z` : '')).join('')} />`)}</svg>${large && html`<${Numbers} label=${label} head=${head} rows=${died.map((b) => [b.at, number(b.count)])} />`}`;
}
