// The life of a task on one line, to scale: attempts as bars, the waits between them, and
// the next attempt.

import { html, useRef } from '../lib/ui.js';
import { useWidth } from '../lib/use.js';
import { absolute, clock, duration, now } from '../lib/time.js';
import { number } from '../lib/text.js';
import { scale } from './chart.js';
import { t as task } from '../page/task.text.js';
import { t } from './timeline.text.js';

/** @typedef {import('../../types/api.js').Schema<'Attempt'>} Attempt */

const height = 96, left = 10, right = 10, base = 46;

/** What an attempt's end looks like. @type {Record<string, string>} */
const fills = { succeeded: 'good', failed: 'bad', dead: 'bad', crashed: 'warn', canceled: 'faint', snoozed: 'busy', released: 'busy' };

/** @param {{attempts: Attempt[], created: string, next?: string, finished?: string}} props
 *   next: time of the next attempt; finished: of the end */
export function Timeline({ attempts, created, next, finished }) {
  const figure = useRef(/** @type {HTMLElement|null} */ (null));
  const width = useWidth(figure, 800);
  const begun = attempts.filter((a) => a.started_at);
  const last = begun[begun.length - 1];
  const present = finished ? Date.parse(finished) : now.value;
  const from = Date.parse(created), to = Math.max(present, next ? Date.parse(next) : 0, from + 1);
  const x = scale([from, to], [left, width - right]);
  const end = (/** @type {Attempt} */ a) => (a.ended_at ? Date.parse(a.ended_at) : present);
  const waits = begun.map((a, i) => ({ from: i ? end(begun[i - 1]) : from, to: Date.parse(String(a.started_at)) }));
  if (next) waits.push({ from: last ? end(last) : from, to: Date.parse(next) });
  const day = to - from > 864e5;
  return html`<figure ref=${figure} class="timeline"><figcaption>${t('label', { n: attempts.length })}: ${t(finished ? 'axis.end' : next && to > present ? 'axis.next' : 'axis.now', { span: duration(to - from) })}</figcaption>
    <svg viewBox=${`0 0 ${width} ${height}`} role="img" aria-label=${t('label', { n: attempts.length })}>
      <line class="gridline" x1=${left} x2=${width - right} y1=${base} y2=${base} />
      ${waits.map((w, i) => x(w.to) - x(w.from) > 44 && html`<text key=${'w' + i} x=${(x(w.from) + x(w.to)) / 2} y=${base - 22} text-anchor="middle">${duration(w.to - w.from)}</text>`)}
      ${begun.map((a, i) => { const at = x(Date.parse(String(a.started_at))); return html`<g key=${i}>
        <title>${t('attempt', { n: number(a.number) })} ${task.named('outcome.', a.outcome)}, ${absolute(String(a.started_at))}, ${duration(end(a) - Date.parse(String(a.started_at)))}</title>
        <rect class=${`fill-${a.ended_at ? fills[a.outcome] ?? 'faint' : 'busy'}`} x=${at} y=${base - 14} width=${Math.max(4, x(end(a)) - at)} height="28" rx="2" />
        ${(i === 0 || at - x(Date.parse(String(begun[i - 1].started_at))) > 18) && html`<text x=${at + 2} y=${base + 28} text-anchor="middle">${a.number}</text>`}</g>`; })}
      ${next && html`<g><title>${t('next')} ${absolute(next)}</title><line class="cursor" x1=${x(Date.parse(next))} x2=${x(Date.parse(next))} y1=${base - 18} y2=${base + 18} />
        <text x=${Math.max(left + 24, Math.min(x(Date.parse(next)), width - 40))} y=${base + 28} text-anchor="middle">${t('next')}</text></g>`}
      ${!finished && html`<line class="now" x1=${x(present)} x2=${x(present)} y1=${base - 16} y2=${base + 16} />`}
      <text x=${left} y=${height - 4}>${clock(from, day)}</text><text x=${width - right} y=${height - 4} text-anchor="end">${clock(to, day)}</text>
    </svg></figure>`;
}
