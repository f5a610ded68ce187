// Where we are: the part of the address behind #, so that the console works under any
// path. Every state of a list is in it.

import { signal, computed } from './ui.js';

const read = () => location.hash.replace(/^#/, '') || '/';

const hash = signal(read());
/** Set by a step to another place, until its heading has taken the focus (part/panel.js). */
export const arrival = { pending: false };

/** Takes over where we are. @param {string} next */
function be(next) {
  arrival.pending ||= next.split('?')[0] !== hash.value.split('?')[0];
  hash.value = next;
}

addEventListener('hashchange', () => be(read()));

/** The path, decoded parts without empty ones: ["tasks", "0198…"]. */
export const path = computed(() => hash.value.split('?')[0].split('/').filter(Boolean).map((part) => {
  try { return decodeURIComponent(part); } catch { return part; }
}));

/** The parameters behind "?". */
export const query = computed(() => new URLSearchParams(hash.value.split('?')[1] ?? ''));

/** @typedef {Record<string, string|number|boolean|null|undefined>} Query */

/** @param {Query} [values] */
function queryText(values) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(values ?? {})) {
    if (value !== undefined && value !== null && value !== '' && value !== false) parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text && '?' + text;
}

/** A link: href(['tasks', id], {tab: 'payload'}). @param {string|string[]} to @param {Query} [values] */
export const href = (to, values) => '#/' + [to].flat().map(encodeURIComponent).join('/') + queryText(values);

/** Goes there. @param {string|string[]} to @param {Query} [values] */
export function go(to, values) {
  const next = href(to, values).slice(1);
  location.hash = next;
  be(next); // the event comes later, and another change may come before it
}

/** Changes parameters of this place and leaves the others; null takes one away. The step is
 * in the browser's history unless it is replaced.
 * @param {Query} values @param {boolean} [replace] */
export function setQuery(values, replace) {
  const all = { ...Object.fromEntries(query.value), ...values };
  const next = href(path.value, all).slice(1);
  if (next === hash.value) return;
  if (replace) history.replaceState(null, '', '#' + next); else location.hash = next;
  be(next); // as above
}
