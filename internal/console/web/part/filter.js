// Filters of a list. What they say is in the address.

import { html, useEffect, useRef, useState } from '../lib/ui.js';
import { query, setQuery } from '../lib/route.js';
import { timeOf, wall } from '../lib/time.js';
import { t } from './common.text.js';

/** @typedef {{name: string, label: string, kind?: 'select'|'time', values?: {value: string, label: string}[], placeholder?: string, rare?: boolean}} Filter
 *   rare: behind "more" until it is used; time: a moment, by the clocks of the chosen zone */

/** The values of the filters in the address. @param {readonly string[]} names @returns {Record<string, string>} */
export function filtersOf(names) {
  /** @type {Record<string, string>} */
  const values = {};
  for (const name of names) {
    const value = query.value.get(name);
    if (value) values[name] = value;
  }
  return values;
}

/** @param {{filters: Filter[], label?: string}} props */
export function Filters({ filters, label = t('filter') }) {
  const [all, setAll] = useState(false);
  const names = filters.map((f) => f.name);
  const given = filtersOf(names);
  const clear = () => setQuery(Object.fromEntries(names.map((n) => [n, null])));
  return html`<form class="filters" role="search" aria-label=${label} onSubmit=${(/** @type {Event} */ e) => e.preventDefault()}>
    ${filters.filter((f) => all || !f.rare || given[f.name]).map((f) => html`<label key=${f.name}><span>${f.label}</span>${f.kind === 'select'
      ? html`<select value=${given[f.name] ?? ''} onChange=${(/** @type {any} */ e) => setQuery({ [f.name]: e.target.value })}>
          <option value="">${t('filter.any')}</option>${f.values?.map((v) => html`<option value=${v.value}>${v.label}</option>`)}</select>`
      : f.kind === 'time' ? html`<${TimeFilter} name=${f.name} value=${given[f.name] ?? ''} />` : html`<${TextFilter} name=${f.name} value=${given[f.name] ?? ''} placeholder=${f.placeholder} />`}</label>`)}
    ${!all && filters.some((f) => f.rare && !given[f.name]) && html`<button type="button" aria-expanded="false" onClick=${() => setAll(true)}>${t('filter.more')}</button>`}
    ${Object.keys(given).length > 0 && html`<button type="button" onClick=${clear}>${t('filter.clear')}</button>`}</form>`;
}

/** A moment; it goes to the address when the field is left, or at Enter. @param {{name: string, value: string}} props */
function TimeFilter({ name, value }) {
  const shown = wall(value).replace(' ', 'T');
  const send = (/** @type {any} */ e) => { if (Date.parse(e.target.value) !== Date.parse(shown)) setQuery({ [name]: e.target.value && timeOf(e.target.value) }); };
  return html`<input type="datetime-local" step="1" value=${shown} onBlur=${send} onKeyDown=${(/** @type {any} */ e) => { if (e.key === 'Enter') send(e); }} />`;
}

/** A field that goes to the address when it is left, at Enter, or after a pause.
 * @param {{name: string, value: string, placeholder?: string}} props */
function TextFilter({ name, value, placeholder }) {
  const [text, setText] = useState(value);
  const sent = useRef(value); // what comes back of it leaves alone what is typed meanwhile
  const send = () => setQuery({ [name]: sent.current = text.trim() }, true);
  useEffect(() => { if (value !== sent.current) setText(sent.current = value); }, [value]);
  useEffect(() => {
    if (text.trim() === value) return undefined;
    const timer = setTimeout(send, 500);
    return () => clearTimeout(timer);
  }, [text]);
  return html`<input type="search" value=${text} placeholder=${placeholder} spellcheck=${false} autocomplete="off"
    onInput=${(/** @type {any} */ e) => setText(e.target.value)} onChange=${send} />`;
}
