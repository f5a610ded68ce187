// Pictures of numbers over time, as SVG, with the numbers as a table beside them.

import { html, useId, useRef, useSignal } from '../lib/ui.js';
import { absolute, clock, duration } from '../lib/time.js';
import { short } from '../lib/text.js';
import { useWidth } from '../lib/use.js';
import { t } from './common.text.js';

/** Round values from 0 or min to max, about n of them. @param {number} min @param {number} max @param {number} [n] */
export function ticks(min, max, n = 4) {
  if (!(max > min)) return [min];
  const rough = (max - min) / n, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((m) => m * power >= rough) ?? 10);
  const list = [];
  for (let i = Math.ceil(min / step); i * step <= max + step * 1e-9; i++) list.push(Number((i * step).toPrecision(12)));
  return list;
}

const units = [864e5, 36e5, 6e4, 1e3, 1, 1e-3];

/** Round durations from 0 to max: halves or multiples of a unit that has a name. @param {number} max in milliseconds */
export function durations(max) {
  const unit = units.find((u) => max >= u) ?? max;
  return ticks(0, max / unit).map((v) => v * unit);
}

/** The pixels that the widest of some labels takes. @param {string[]} labels */
export const widest = (labels) => Math.max(...labels.map((label) => [...label].reduce((sum, c) => sum + (c > '\u2e80' ? 11.5 : 6.5), 0)));

/** A straight scale from values to pixels. @param {[number, number]} from @param {[number, number]} to */
export const scale = ([a, b], [c, d]) => (/** @type {number} */ v) => (b === a ? c : c + ((v - a) / (b - a)) * (d - c));

/** @typedef {{name: string, tone: string, points: [at: number, value: number|null][], right?: boolean, dashed?: boolean}} Series
 *   right: measured on the axis to the right; null: nothing is known, a gap */

const lowest = 0.01; // of an axis whose values are all zero
const pad = { left: 48, right: 48, top: 10, bottom: 22 }; // left and right at least, for the labels

/** Lines over time.
 * @param {{label: string, series: Series[], format?: (v: number) => string, formatRight?: (v: number) => string, height?: number, clockless?: boolean, rows?: number,
 *   whole?: boolean, cursor?: import('../vendor/signals.js').Signal<number|null>}} props
 *   clockless: times are milliseconds since a beginning, and no moments; rows: of the table, the last ones; whole: also the beginning of
 *   which nothing is known, so that charts of the same times have one axis; cursor: the time that is pointed at, if they share it */
export function Lines({ label, series, format = short, formatRight = format, height = 180, clockless, rows = 60, whole, cursor }) {
  const id = useId();
  const moment = (/** @type {number} */ time) => (clockless ? duration(time) : absolute(time));
  const svg = useRef(/** @type {SVGSVGElement|null} */ (null));
  const figure = useRef(/** @type {HTMLElement|null} */ (null));
  const width = useWidth(figure, 400);
  const own = useSignal(/** @type {number|null} */ (null)), pointed = cursor ?? own, at = pointed.value;
  const times = known(series, whole);
  if (times.length < 2) return html`<figure ref=${figure} class="chart"><figcaption>${label}</figcaption><div class="empty">${t('none')}</div></figure>`;
  const right = series.some((s) => s.right);
  const top = (/** @type {boolean} */ side) => Math.max(lowest, ...series.filter((s) => Boolean(s.right) === side).flatMap((s) => s.points.map(([, v]) => v ?? 0)));
  const axis = (/** @type {boolean} */ side) => { const form = side ? formatRight : format, list = form === duration ? durations(top(side) * 1.05) : ticks(0, top(side) * 1.05); return { list, room: widest(list.map(form)) + 10, y: scale([0, Math.max(top(side) * 1.05, list[list.length - 1])], [height - pad.bottom, pad.top]) }; };
  const left = axis(false), other = axis(true);
  const inner = [Math.max(pad.left, left.room), width - (right || whole ? Math.max(pad.right, other.room) : 12)];
  const x = scale([times[0], times[times.length - 1]], /** @type {[number, number]} */ (inner));
  const days = times[times.length - 1] - times[0] > 864e5;
  const parts = width < 420 ? 2 : 4;
  const stamps = Array.from({ length: parts + 1 }, (_, i) => times[0] + (i / parts) * (times[times.length - 1] - times[0]));
  const nearest = (/** @type {PointerEvent} */ e) => {
    const box = svg.current?.getBoundingClientRect();
    if (!box) return;
    const px = ((e.clientX - box.left) / box.width) * width;
    pointed.value = times.reduce((best, one) => (Math.abs(x(one) - px) < Math.abs(x(best) - px) ? one : best));
  };
  const value = (/** @type {Series} */ s, /** @type {number} */ time) => { const v = s.points.find(([p]) => p === time)?.[1]; return v == null ? t('nothing') : (s.right ? formatRight : format)(v); };
  return html`<figure ref=${figure} class="chart">
    <figcaption><span id=${id}>${label}</span> <span class="legend">${series.map((s) => html`<span><i class=${`swatch line-${s.tone} ${s.dashed ? 'dashed' : ''}`} />${s.name}${' '}<b>${value(s, at ?? times[times.length - 1])}</b></span>`)}${at !== null && html`<span class="faint">${moment(at)}</span>`}</span></figcaption>
    <svg ref=${svg} viewBox=${`0 0 ${width} ${height}`} role="img" aria-labelledby=${id} onPointerMove=${nearest} onPointerLeave=${() => { pointed.value = null; }}>
      ${left.list.map((v) => html`<g key=${'l' + v}><line class="gridline" x1=${inner[0]} x2=${inner[1]} y1=${left.y(v)} y2=${left.y(v)} /><text x=${inner[0] - 6} y=${left.y(v) + 4} text-anchor="end">${format(v)}</text></g>`)}
      ${right && other.list.map((v) => html`<text key=${'r' + v} x=${inner[1] + 6} y=${other.y(v) + 4}>${formatRight(v)}</text>`)}
      ${stamps.map((s, i) => html`<text key=${i} x=${x(s)} y=${height - 6} text-anchor=${i === 0 ? 'start' : i === parts ? 'end' : 'middle'}>${clockless ? duration(s) : clock(s, days)}</text>`)}
      ${series.map((s) => html`<g key=${s.name}><${Drawn} series=${s} from=${times[0]} x=${x} y=${(s.right ? other : left).y} /></g>`)}
      ${at !== null && html`<line class="cursor" x1=${x(at)} x2=${x(at)} y1=${pad.top} y2=${height - pad.bottom} />`}
    </svg>
    <${Numbers} head=${['', ...series.map((s) => s.name)]} rows=${times.slice(-rows).map((time) => [moment(time), ...series.map((s) => value(s, time))])} label=${label} />
  </figure>`;
}

/** The times of the points, without the beginning of which nothing is known, or with it; none where nothing is known at all.
 * @param {Series[]} series @param {boolean} [whole] */
function known(series, whole) {
  const times = [...new Set(series.flatMap((s) => s.points.map(([x]) => x)))].sort((a, b) => a - b);
  const first = Math.min(...series.flatMap((s) => s.points.filter(([, v]) => v !== null).map(([x]) => x)));
  const from = times.findIndex((time) => time >= first);
  return from < 0 ? [] : whole ? times : times.slice(Math.max(0, Math.min(from - 1, times.length - 12)));
}

/** A line with its gaps; what stands alone between two of them is a dot.
 * @param {{series: Series, from: number, x: (v: number) => number, y: (v: number) => number}} props */
function Drawn({ series: { points, tone, dashed }, from, x, y }) {
  const name = `line-${tone} ${dashed ? 'dashed' : ''}`;
  const seen = points.filter(([time]) => time >= from), there = (/** @type {number} */ i) => seen[i] !== undefined && seen[i][1] !== null;
  let d = '';
  const dots = seen.map(([time, v], i) => {
    if (v === null) return null;
    if (!there(i - 1) && !there(i + 1)) return html`<circle class=${`dot ${name}`} cx=${x(time)} cy=${y(v)} r="1.5" />`;
    d += `${there(i - 1) ? 'L' : 'M'}${x(time).toFixed(1)} ${y(v).toFixed(1)}`;
    return null;
  });
  return html`<path class=${`line ${name}`} d=${d} />${dots}`;
}

/** The numbers of a picture. @param {{head: string[], rows: (string|number)[][], label: string}} props */
export const Numbers = ({ head, rows, label }) => html`<details class="numbers"><summary>${t('table.numbers')}</summary><div class="scroll" tabindex="0" role="region" aria-label=${label}>
  <table aria-label=${label}><thead><tr>${head.map((h) => html`<th scope="col">${h}</th>`)}</tr></thead>
  <tbody>${rows.map((row) => html`<tr>${row.map((cell, i) => (i ? html`<td class="numeric">${cell}</td>` : html`<th scope="row">${cell}</th>`))}</tr>`)}</tbody></table></div></details>`;
