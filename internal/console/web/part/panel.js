// A panel with what was fetched: loading, empty, failed or there.

import { html, useEffect, useRef } from '../lib/ui.js';
import { answers } from '../lib/api.js';
import { visible } from '../lib/json.js';
import { arrival } from '../lib/route.js';
import { Failure } from './basics.js';
import { t } from './common.text.js';

/** Shows children(data) of what [useGet] fetched; what went wrong stands above what was there.
 * @template T
 * @param {{fetched: import('../lib/use.js').Fetched<T>, children: (data: T) => any, empty?: (data: T) => boolean, none?: any, name?: string}} props
 *   none: what stands there instead when empty(data); name: of the thing whose page it is, its heading when there is no such thing */
export function Loaded({ fetched, children, empty, none, name }) {
  const { data, loading, reload } = fetched;
  const status = fetched.error?.status, error = status === 401 || (status === 0 && !answers.value) ? undefined : fetched.error; // the frame tells it for all
  return html`<div aria-busy=${loading && data === undefined}>${name && fetched.error && data === undefined && html`<${Head} title=${html`<bdi>${visible(name)}</bdi>`} />`}
    ${error && html`<${Failure} problem=${error} onRetry=${reload} />`}
    ${data === undefined ? !error && html`<p class="faint loading">${t('loading')}</p>`
      : empty?.(data) ? html`<div class="empty">${none ?? t('none')}</div>` : children(data)}</div>`;
}

/** A part of a page with a heading. @param {{title: any, aside?: any, children?: any, class?: string}} props */
export const Panel = ({ title, aside, children, class: name = '' }) => html`<section class=${'panel ' + name}>
  <header><h2>${title}</h2>${aside && html`<div class="aside">${aside}</div>`}</header>${children}</section>`;

/** The head of a page. Its heading takes the focus when one comes to the page, so that
 * keyboard and screen reader begin there.
 * @param {{title: any, actions?: any, children?: any}} props */
export function Head({ title, actions, children }) {
  const heading = useRef(/** @type {HTMLElement|null} */ (null));
  useEffect(() => {
    const typing = document.activeElement?.matches('input, textarea, select'); // somebody went there meanwhile
    if (arrival.pending && !typing) heading.current?.focus();
    arrival.pending = false;
  }, []);
  useEffect(() => { document.title = (heading.current?.textContent ?? '').trim() + ' · Outlast'; });
  return html`<div class="head"><h1 ref=${heading} tabindex="-1">${title}</h1>
  ${actions && html`<div class="actions">${actions}</div>`}${children && html`<p class="about">${children}</p>`}</div>`;
}
