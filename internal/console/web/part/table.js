// Tables: keyboard, selection, pages by cursor; cards on a phone.

import { html, classes, useEffect, useRef, useState } from '../lib/ui.js';
import { useKeys } from '../lib/use.js';
import { t } from './common.text.js';

/** @template T @typedef {{key: string, label: string, cell: (row: T) => any, numeric?: boolean, wide?: boolean}} Column */

/** Holds the button that the key r presses: in a row for that row, elsewhere on the page for what is selected.
 * @param {{children?: any}} props */
export const Again = ({ children }) => html`<span class="again">${children}</span>`;

/** An [Again] of a page that is about one thing. @param {{children?: any}} props */
export function AgainHere({ children }) {
  useKeys([{ keys: 'r', label: t('again.here'), run: () => pressAgain(document.querySelector('main')) }], []);
  return html`<${Again}>${children}<//>`;
}

/** Presses the button of an [Again]. @param {Element|null|undefined} within */
function pressAgain(within) {
  const button = within?.querySelector('.again button');
  if (button instanceof HTMLElement) button.click();
  return button != null;
}

/** A table of rows. j and k move, and the focus with them; Enter opens, x selects, r presses what is in an [Again].
 * @template T
 * @param {{label: string, rows: T[], columns: Column<T>[], id: (row: T) => string, open?: (row: T) => string, none?: any,
 *   selected?: Set<string>, onSelect?: (selected: Set<string>) => void, again?: boolean, tone?: (row: T) => string|undefined}} props
 *   open: the link of a row; selected: ids, makes rows selectable; again: there is an [Again] */
export function Table({ label, rows, columns, id, open, none, selected, onSelect, again, tone }) {
  const [at, setAt] = useState(''); // the id of the row, which may move
  const body = useRef(/** @type {HTMLTableSectionElement|null} */ (null));
  const now = useRef({ at, place: -1, selected, again: false }); // keys come faster than the page is drawn
  now.current.selected = selected;
  const place = () => rows.findIndex((row) => id(row) === now.current.at);
  const move = (/** @type {number} */ by) => {
    if (rows.length === 0) return;
    const from = place() < 0 ? now.current.place : place();
    now.current.place = Math.max(0, Math.min(rows.length - 1, from + by));
    now.current.at = id(rows[now.current.place]);
    setAt(now.current.at);
    row()?.focus({ preventScroll: true });
  };
  const toggle = (/** @type {T} */ row) => {
    const next = new Set(now.current.selected);
    if (!next.delete(id(row))) next.add(id(row));
    now.current.selected = next;
    onSelect?.(next);
  };
  const here = () => rows[place()];
  const row = () => /** @type {HTMLElement|undefined} */ (body.current?.children[place()]);
  const repeat = () => {
    if (pressAgain(row()) || !onSelect) return;
    if (now.current.selected?.size) pressAgain(document.querySelector('main'));
    else if (here()) { now.current.again = true; toggle(here()); }
  };
  useEffect(() => {
    if (now.current.again && selected?.size) { now.current.again = false; pressAgain(document.querySelector('main')); }
  }, [selected]);
  useKeys([
    { keys: 'j', label: t('row.next'), run: () => move(1) },
    { keys: 'k', label: t('row.before'), run: () => move(-1) },
    ...(open ? [{ keys: 'Enter', label: t('row.open'), run: () => { if (here()) location.hash = open(here()).slice(1); } }] : []),
    ...(onSelect ? [{ keys: 'x', label: t('row.select'), run: () => { if (here()) toggle(here()); } }] : []),
    ...(again ? [{ keys: 'r', label: t('row.again'), run: repeat }] : []),
  ], [rows]);
  useEffect(() => { row()?.scrollIntoView({ block: 'nearest' }); }, [at]);
  if (rows.length === 0) return html`<div class="empty">${none ?? t('none')}</div>`;
  const all = rows.every((row) => selected?.has(id(row)));
  return html`<div class="scroll" tabindex=${open ? undefined : 0}><table aria-label=${label}>
    <thead><tr>${onSelect && html`<th class="pick"><input type="checkbox" aria-label=${t('select.all')} checked=${all}
        onChange=${() => onSelect(all ? new Set() : new Set(rows.map(id)))} /></th>`}
      ${columns.map((c) => html`<th key=${c.key} scope="col" class=${classes(c.numeric && 'numeric')}>${c.label}</th>`)}</tr></thead>
    <tbody ref=${body}>${rows.map((row) => html`<tr key=${id(row)} tabindex="-1" class=${classes(id(row) === at && 'at', tone?.(row))} aria-selected=${onSelect ? selected?.has(id(row)) : undefined}>
      ${onSelect && html`<td class="pick"><input type="checkbox" aria-label=${t('select')} checked=${selected?.has(id(row))} onChange=${() => toggle(row)} /></td>`}
      ${columns.map((c) => html`<td key=${c.key} data-label=${c.label} class=${classes(c.numeric && 'numeric', c.wide && 'wide')}>${c.cell(row)}</td>`)}</tr>`)}</tbody>
  </table></div>`;
}

/** The button for the next page of a list. @param {{cursor?: string, onMore: (cursor: string) => void, busy?: boolean}} props */
export const More = ({ cursor, onMore, busy }) => (cursor
  ? html`<p class="more"><button type="button" disabled=${busy} onClick=${() => onMore(cursor)}>${t('more')}</button></p>` : null);
