// Times and durations: always relative and absolute, in the zone that was chosen.

import { choice } from './store.js';
import { signal, effect } from './ui.js';
import { locale, number, once, translator } from './text.js';

/** "utc", "local" or a zone such as Asia/Shanghai. */
export const zone = choice('zone', /** @type {string} */ ('local'));

/** Moves each second; relative times read it. Its start is the server's time, so that a
 * wrong clock of this machine does not make "in 5 s" untrue. */
export const now = signal(Date.now());
let ahead = 0; // of the server before this machine, ms

/** Learns the server's time. Within the grain of what tells it, what is known already is better.
 * @param {string} time @param {number} [grain] ms */
export function serverTime(time, grain = 0) {
  const least = Date.parse(time) - Date.now();
  if (ahead < least || ahead > least + grain) ahead = least + grain / 2;
}

/** The server's time, in milliseconds. */
export const serverNow = () => Date.now() + ahead;

setInterval(() => { if (!document.hidden) now.value = serverNow(); }, 1000);
document.addEventListener('visibilitychange', () => { now.value = serverNow(); });

const zoneName = () => (zone.value === 'utc' ? 'UTC' : zone.value === 'local' ? undefined : zone.value);

/** @param {Intl.DateTimeFormatOptions} options */
const formatter = (options) => once(`time ${locale()} ${zoneName()} ${JSON.stringify(options)}`, () => {
  try {
    return new Intl.DateTimeFormat(locale(), { ...options, timeZone: zoneName() });
  } catch { // a zone that this browser does not know
    return new Intl.DateTimeFormat(locale(), { ...options, timeZone: 'UTC' });
  }
});

/** Says whether the browser knows a zone. @param {string} name */
export function knownZone(name) {
  try { new Intl.DateTimeFormat('en', { timeZone: name }); return true; } catch { return false; }
}

/** A time in full, with its zone. @param {string|number} time */
export function absolute(time) {
  const parts = formatter({
    year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit',
    fractionalSecondDigits: 3, hourCycle: 'h23', timeZoneName: 'short',
  }).formatToParts(new Date(time));
  const text = (/** @type {boolean} */ named) => parts.filter((p) => (p.type === 'timeZoneName') === named).map((p) => p.value).join('').replace(/\s+/g, ' ').trim();
  return `${text(false)} ${text(true)}`; // the zone last, where the language has it in between, too
}

/** What the clocks of a zone show, the chosen one by default: 2026-01-31 08:00:00; "" for what is no time.
 * @param {string|number} time @param {string} [timeZone] */
export const wall = (time, timeZone = zoneName()) => (Number.isNaN(new Date(time).getTime()) ? ''
  : once(`wall ${timeZone}`, () => new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })).format(new Date(time)));

/** The time when the clocks of the chosen zone show something (2026-01-31T08:00), as the API has it.
 * @param {string} shown */
export function timeOf(shown) {
  const wanted = Date.parse(shown + 'Z');
  let time = wanted;
  for (let i = 0; i < 2; i++) time += wanted - Date.parse(wall(time).replace(' ', 'T') + 'Z'); // twice: the first may lie beyond a change of the clocks
  return new Date(time).toISOString();
}

/** Hours and minutes, for axes; with the day where a span is longer than one. @param {string|number} time @param {boolean} [days] */
export const clock = (time, days) => formatter({
  ...(days ? { month: '2-digit', day: '2-digit' } : {}), hour: '2-digit', minute: '2-digit', ...(days ? {} : { second: '2-digit' }), hourCycle: 'h23',
}).format(new Date(time));

const units = /** @type {const} */ ([['day', 864e5], ['hour', 36e5], ['minute', 6e4], ['second', 1e3]]);

/** How far a time is: "in 5 s", "2 h ago"; in a unit of which there are two at least. @param {string|number} time */
export function relative(time) {
  const ms = new Date(time).getTime() - now.value;
  const [unit, size] = units.find(([, size]) => Math.abs(ms) >= 2 * size) ?? units[3];
  const n = Math.trunc(ms / size);
  const numeric = n === 0 ? 'auto' : 'always'; // less than a second is now, before and after
  return once(`relative ${numeric} ${locale()}`, () => new Intl.RelativeTimeFormat(locale(), { numeric, style: 'short' })).format(n, unit);
}

/** Milliseconds of a duration as the API writes it (1h2m3.5s, 200ms, 15µs). @param {string|undefined} text */
export function milliseconds(text) {
  if (!text) return 0;
  const sizes = /** @type {Record<string, number>} */ ({ h: 36e5, m: 6e4, s: 1e3, ms: 1, 'µs': 1e-3, us: 1e-3, ns: 1e-6 });
  let sum = 0;
  for (const [, value, unit] of text.matchAll(/([\d.]+)(h|ms|µs|us|ns|m|s)/g)) sum += Number(value) * sizes[unit];
  return text.startsWith('-') ? -sum : sum;
}

const unit = translator({ us: 'µs', ms: 'ms', s: 's', min: 'min', h: 'h', d: 'd' }, { us: '微秒', ms: '毫秒', s: '秒', min: '分', h: '小时', d: '天' });

/** A duration for people: 1 h 5 min, 2.5 s, 40 ms. @param {number} ms */
export function duration(ms) {
  const size = Math.abs(ms);
  if (size === 0) return '0';
  if (size < 1) return number(ms * 1000, { maximumFractionDigits: 0 }) + ' ' + unit('us');
  if (size < 1000) return number(ms, { maximumFractionDigits: size < 10 ? 1 : 0 }) + ' ' + unit('ms');
  if (size < 6e4) return number(ms / 1e3, { maximumFractionDigits: size < 1e4 ? 2 : 1 }) + ' ' + unit('s');
  const sizes = /** @type {const} */ ([['d', 864e5], ['h', 36e5], ['min', 6e4], ['s', 1e3]]);
  const first = sizes.findIndex(([, ms]) => size >= ms), big = sizes[first], small = sizes[first + 1];
  const whole = Math.floor(size / big[1]);
  const rest = Math.floor((size - whole * big[1]) / small[1]);
  return (ms < 0 ? '−' : '') + `${number(whole)} ${unit(big[0])}` + (rest ? ` ${rest} ${unit(small[0])}` : '');
}

effect(() => { if (zone.value !== 'utc' && zone.value !== 'local' && !knownZone(zone.value)) zone.value = 'local'; });
