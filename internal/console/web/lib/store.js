// What a person chose, kept in this browser: language, theme, time zone. The token is
// kept elsewhere, for the session only (session.js).

import { signal, effect } from './ui.js';

/** @type {Storage|undefined} */
let storage;
try { storage = globalThis.localStorage; } catch { /* refused by the browser: choices last as long as the page */ }

/** A choice that outlasts the page.
 * @template {string} T
 * @param {string} name @param {T} initial @param {readonly T[]} [allowed] all values, if there are few */
export function choice(name, initial, allowed) {
  const kept = /** @type {T|null|undefined} */ (storage?.getItem('outlast.' + name));
  const good = kept != null && (!allowed || allowed.includes(kept));
  const value = signal(good ? kept : initial);
  effect(() => {
    try { storage?.setItem('outlast.' + name, value.value); } catch { /* full: as above */ }
  });
  return value;
}

/** The colours: as the system says, or one of the two. */
export const theme = choice('theme', 'system', /** @type {const} */ (['system', 'light', 'dark']));

effect(() => { document.documentElement.dataset.theme = theme.value; });
