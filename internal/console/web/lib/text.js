// The two languages. Each page keeps its texts beside it, in NAME.text.js; the compiler
// checks that both languages have all of them.

import { choice } from './store.js';
import { effect } from './ui.js';

const preferred = (navigator.languages ?? [navigator.language]).some((l) => l.startsWith('zh')) ? 'zh' : 'en';

/** The language of the console. */
export const language = choice('language', /** @type {'en'|'zh'} */ (preferred), /** @type {const} */ (['en', 'zh']));

/** What Intl knows the language by. */
export const locale = () => (language.value === 'zh' ? 'zh-CN' : 'en-GB');

effect(() => { document.documentElement.lang = language.value === 'zh' ? 'zh-CN' : 'en'; });

/** A text, or its forms for one and for other numbers.
 * @typedef {string | {one: string, other: string}} Text */

/** Makes the function that looks up a page's texts. {name} in a text takes vars.name;
 * vars.n chooses the form.
 * @template {Record<string, Text>} T
 * @param {T} en @param {{[K in keyof T]: Text}} zh */
export function translator(en, zh) {
  /** @param {keyof T & string} key @param {Record<string, string|number>} [vars] */
  const t = (key, vars) => {
    const text = (language.value === 'zh' ? zh : en)[key];
    const form = typeof text === 'string' ? text : vars?.n === 1 && language.value === 'en' ? text.one : text.other;
    if (!vars) return form;
    return form.replace(/\{(\w+)\}/g, (whole, name) => {
      const value = vars[name];
      return value === undefined ? whole : typeof value === 'number' ? number(value) : value;
    });
  };
  /** A text by a name that the server sent, or that name if it is new to us.
   * @param {string} prefix @param {string} name */
  t.named = (prefix, name) => (prefix + name in en ? t(/** @type {any} */ (prefix + name)) : name);
  return t;
}

/** @type {Map<string, any>} */
const made = new Map();

/** What make makes for a name, made once: to make a formatter takes longer than all that
 * it formats.
 * @template T @param {string} name @param {() => T} make @returns {T} */
export function once(name, make) {
  if (!made.has(name)) made.set(name, make());
  return made.get(name);
}

/** A number as people write it. @param {number} n @param {Intl.NumberFormatOptions} [options] */
export const number = (n, options) => once(`number ${locale()} ${options ? JSON.stringify(options) : ''}`, () => new Intl.NumberFormat(locale(), options)).format(n);

/** A share of one as per cent; less than all is never shown as all. @param {number} share */
export const percent = (share) => number(share < 1 ? Math.min(share, 0.999) : share, { style: 'percent', maximumFractionDigits: (share > 0 && share < 0.1) || (share > 0.99 && share < 1) ? 1 : 0 });

/** A number in few characters: 12.3k. @param {number} n */
export const short = (n) => number(n, { notation: 'compact', maximumFractionDigits: 1 });

/** Bytes. @param {number} n */
export function bytes(n) {
  const unit = n < 1024 ? 0 : n < 1024 ** 2 ? 1 : 2;
  return number(n / 1024 ** unit, { maximumFractionDigits: unit ? 1 : 0 }) + ' ' + ['B', 'KiB', 'MiB'][unit];
}
