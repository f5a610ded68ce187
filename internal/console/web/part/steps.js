// States over time as a band: when a breaker was open.

import { html, useRef } from '../lib/ui.js';
import { useWidth } from '../lib/use.js';
import { absolute, clock, now } from '../lib/time.js';
import { scale } from './chart.js';

const height = 58, fills = /** @type {Record<string, string>} */ ({ closed: 'good', open: 'bad', half_open: 'warn', ramping: 'warn' });

/** @param {{label: string, changes: {at: string, state: string}[], name: (state: string) => string}} props changes: newest first */
export function Steps({ label, changes, name }) {
  const figure = useRef(/** @type {HTMLElement|null} */ (null));
  const width = useWidth(figure, 800);
  const rows = [...changes].reverse();
  const from = Date.parse(rows[0].at), to = Math.max(now.value, from + 1000);
  const x = scale([from, to], [4, width - 4]);
  const day = to - from > 864e5;
  return html`<figure ref=${figure} class="timeline"><svg viewBox=${`0 0 ${width} ${height}`} role="img" aria-label=${label}>
    ${rows.map((row, i) => { const end = i + 1 < rows.length ? Date.parse(rows[i + 1].at) : to; return html`<rect class=${`fill-${fills[row.state] ?? 'faint'}`} x=${x(Date.parse(row.at))} y="6"
      width=${Math.max(1.5, x(end) - x(Date.parse(row.at)))} height="26"><title>${name(row.state)}: ${absolute(row.at)}</title></rect>`; })}
    <text x="4" y=${height - 6}>${clock(from, day)}</text><text x=${width - 4} y=${height - 6} text-anchor="end">${clock(to, day)}</text></svg></figure>`;
}
