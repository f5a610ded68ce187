// What happened over time: the points of the API, and charts of them on one time axis.

import { html, useSignal } from '../lib/ui.js';
import { get } from '../lib/api.js';
import { href, query } from '../lib/route.js';
import { number, percent } from '../lib/text.js';
import { duration, milliseconds, serverNow } from '../lib/time.js';
import { useGet } from '../lib/use.js';
import { Tabs } from './basics.js';
import { Lines } from './chart.js';
import { Loaded, Panel } from './panel.js';
import { t } from './series.text.js';

/** @typedef {import('../../types/api.js').Schema<'SeriesPoint'>} Point */
/** @typedef {{points: Point[], source: string}} Series */
/** @typedef {{name: string, tone: string, of: (p: Point) => number|null|undefined, right?: boolean, dashed?: boolean}} Line */
/** @typedef {{label: string, format?: (v: number) => string, formatRight?: (v: number) => string, lines: Line[]}} Chart */

/** Spans of the charts, and the length of a point. */
const spans = /** @type {const} */ ({ '15m': [9e5, '1m'], '1h': [36e5, '1m'], '6h': [216e5, '5m'], '24h': [864e5, '15m'] });
const span = () => /** @type {keyof typeof spans} */ (query.value.get('span') ?? '15m');

/** The points of a queue, or of all, in the span of the address. @param {string} [queue] */
export const useSeries = (queue) => useGet('/v1/stats/series', { span: span(), queue }, { every: 10_000, on: ['resync'], read: readSeries });

/** Minutes of all nodes: finer points are what one node remembers since its start, and are shown as long as no minute is over.
 * @param {string} path @param {{span: keyof typeof spans, queue?: string}} asked @param {AbortSignal} signal @returns {Promise<Series>} */
async function readSeries(path, asked, signal) {
  const [length, step] = spans[asked.span] ?? spans['15m'], from = new Date(serverNow() - length).toISOString();
  const read = (/** @type {string} */ length) => get(path, { from, step: length, queue: asked.queue }, signal), kept = await read(step);
  const young = step === '1m' && !kept.points?.some((/** @type {Point} */ p) => p.nodes > 0);
  const { points, source } = young ? await read('10s') : kept;
  return { points: points ?? [], source };
}

const perSecond = (/** @type {number} */ v) => number(v, v < 10 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 0 });
const lasting = (/** @type {string|undefined} */ text) => (text === undefined ? null : milliseconds(text));

/** @returns {Chart} */
export const throughput = () => ({ label: t('throughput'), format: perSecond, lines: [
  { name: t('succeeded'), tone: '1', of: (p) => p.finished?.succeeded }, { name: t('died'), tone: '2', of: (p) => p.finished?.dead }, { name: t('failed'), tone: '5', dashed: true, of: (p) => p.failed }] });

/** @returns {Chart} */
export const retries = () => ({ label: t('retry'), format: percent, formatRight: duration, lines: [
  { name: t('rate'), tone: '2', of: (p) => p.retry_rate }, { name: t('p99'), tone: '3', right: true, of: (p) => lasting(p.run?.p99) }] });

/** @returns {Chart} */
export const delays = () => ({ label: t('delay'), format: duration, lines: [
  { name: t('p50'), tone: '1', of: (p) => lasting(p.wait?.p50) }, { name: t('p99'), tone: '3', of: (p) => lasting(p.wait?.p99) }] });

/** @returns {Chart} */
export const backlog = () => ({ label: t('backlog'), formatRight: duration, lines: [
  { name: t('due'), tone: '1', of: (p) => p.backlog?.due }, { name: t('age'), tone: '4', right: true, dashed: true, of: (p) => lasting(p.backlog?.oldest_due) }] });

/** Charts of the same points, with one cursor for all.
 * @param {{fetched: import('../lib/use.js').Fetched<Series>, charts: Chart[], here: string|string[]}} props here: the page, to which a choice of the span leads */
export function Charts({ fetched, charts, here }) {
  const cursor = useSignal(/** @type {number|null} */ (null));
  const source = fetched.data?.source === 'all nodes' ? 'all' : 'one';
  const aside = html`${fetched.data && html`<span class="faint" title=${t(`source.${source}.more`)}>${t(`source.${source}`)}</span>`}<${Tabs} label=${t('span')}
    tabs=${Object.keys(spans).map((name) => ({ label: t(/** @type {any} */ (name)), href: href(here, { span: name }), here: name === span() }))} />`;
  return html`<${Panel} title=${t('title')} aside=${aside}><${Loaded} fetched=${fetched}>${(/** @type {Series} */ { points }) => {
    const shown = known(points);
    return html`<div class="grid charts">${charts.map(({ lines, ...chart }) => html`<${Lines} key=${chart.label} ...${chart} height=${120} whole cursor=${cursor}
      series=${lines.map(({ of, ...line }) => ({ ...line, points: shown.map((p) => [Date.parse(p.at), of(p) ?? null]) }))} />`)}</div>`;
  }}<//><//>`;
}

const fewest = 5; // points, so that a young server has a line and no blank

/** The points without the beginning of which nothing is known. @param {Point[]} points */
function known(points) {
  const first = points.findIndex((p) => p.nodes > 0);
  return first < 0 ? [] : points.slice(Math.max(0, Math.min(first - 1, points.length - fewest)));
}
