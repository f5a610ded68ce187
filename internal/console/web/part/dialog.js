// Dialogs, and actions that are told before they are done.

import { html, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from '../lib/ui.js';
import { call } from '../lib/api.js';
import { newID } from '../lib/id.js';
import { stringify } from '../lib/json.js';
import { may } from '../lib/session.js';
import { Failure, Same, brief, curl, say } from './basics.js';
import { t } from './common.text.js';

/** What had the focus when a dialog opened. @type {WeakMap<Element, Element|null>} */
const openers = new WeakMap();

/** Gives the focus back, past dialogs that are gone. @param {Element|null|undefined} to */
function giveBack(to) {
  while (to && !to.isConnected) to = openers.get(to.closest('dialog') ?? to);
  if (to instanceof HTMLElement) to.focus();
}

/** A modal dialog; the browser keeps the focus inside and gives it back. Once something was
 * written in it, a press outside does not close it, and Escape only the second time.
 * @param {{title: string, onClose: () => void, children?: any, wide?: boolean, light?: boolean}} props light: nothing that is written in it is worth asking */
export function Dialog({ title, onClose, children, wide, light }) {
  const dialog = useRef(/** @type {HTMLDialogElement|null} */ (null));
  const id = useId();
  const pressed = useRef(false); // on the ground around it: a selection that only ends there closes nothing
  const written = useRef(false);
  const [asked, setAsked] = useState(false);
  useLayoutEffect(() => { // the next key or press is the dialog's
    const own = /** @type {HTMLDialogElement} */ (dialog.current);
    openers.set(own, document.activeElement);
    own.showModal();
    return () => {
      own.remove(); // behind a modal dialog nothing takes the focus
      giveBack(openers.get(own));
    };
  }, []);
  const escape = (/** @type {KeyboardEvent} */ e) => { // not at "cancel", which a browser lets be stopped only once
    if (e.key !== 'Escape' || e.isComposing || !written.current || asked) return;
    e.preventDefault();
    setAsked(true);
  };
  const press = (/** @type {Event} */ e) => {
    if (!pressed.current || e.target !== dialog.current) return;
    if (written.current) setAsked(true); else dialog.current?.close();
  };
  return html`<dialog ref=${dialog} class=${wide ? 'wide' : ''} aria-labelledby=${id} onClose=${onClose} onKeyDown=${escape}
    onInput=${() => { written.current = !light; setAsked(false); }} onPointerDown=${(/** @type {Event} */ e) => { pressed.current = e.target === dialog.current; }} onClick=${press}>
    <div class="sheet"><header><h2 id=${id}>${title}</h2>
      <button type="button" class="ghost" aria-label=${t('close')} onClick=${() => dialog.current?.close()}>✕</button></header>
      ${asked && html`<p class="asked text-warn" role="alert">${t('close.sure')}</p>`}${children}</div></dialog>`;
}

/** The name of what is made; one that is taken is told.
 * @param {{label: string, value: string, taken: boolean, onName: (name: string) => void}} props */
export const NewName = ({ label, value, taken, onName }) => html`<label class="field"><span>${label}</span><input required value=${value} spellcheck=${false} aria-invalid=${taken}
  onInput=${(/** @type {any} */ e) => onName(e.target.value.trim())} />${taken && html`<span class="text-bad" role="alert">${t('taken')}</span>`}</label>`;

/** @typedef {{method: string, path: string, body?: any, query?: Record<string, any>}} Call */

/** A button for an action. It opens a dialog that says what will be done, with the command and
 * the curl that do the same, and does it on confirmation. It is not offered to those whom the
 * server would refuse.
 * @param {{label: string, title?: string, about?: any, needs?: 'operate'|'administer'|'enqueue', danger?: boolean, small?: boolean,
 *   request: Call | (() => Call), cli?: string | (() => string), word?: string, done?: string, dismiss?: string, wide?: boolean, onDone?: (answer: any) => void, children?: any, disabled?: boolean, opened?: boolean, unready?: boolean, once?: boolean}} props
 *   opened: the dialog is open from the start;
 *   dismiss: the button that leaves all as it is, where "Cancel" could mean the action; once: the API takes an id for what is made, and answers a repeat with the first; word: what must be typed first; unready: the fields say nothing that could be sent; children: fields that change the request, or what makes them of the [Problem] of the last try */
export function Action(props) {
  const { label, needs = 'operate', danger, small, disabled, opened = false } = props;
  const [open, setOpen] = useState(opened);
  if (!may(needs)) return null;
  return html`<button type="button" disabled=${disabled} class=${[danger && 'danger', small && 'small'].filter(Boolean).join(' ')} onClick=${() => setOpen(true)}>${label}</button>
    ${open && html`<${Confirm} ...${props} onClose=${() => setOpen(false)} />`}`;
}

/** The dialog of an [Action], for actions that begin elsewhere.
 * @param {any} props as of [Action], and onClose */
export function Confirm({ label, title = label, about, danger, request, cli, word, done, dismiss = t('cancel'), wide, onDone, onClose, unready, once, children }) {
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  const [busy, setBusy] = useState(false);
  const [typed, setTyped] = useState('');
  const there = useRef(true);
  useEffect(() => () => { there.current = false; }, []);
  /** @type {Call} */
  const what = typeof request === 'function' ? request() : request;
  const path = what.path + (what.query ? '?' + new URLSearchParams(what.query) : '');
  const id = useMemo(newID, [path, stringify(what.body ?? null)]);
  const body = once ? { id, ...what.body } : what.body ?? (what.method === 'POST' ? {} : undefined);
  const act = async (/** @type {Event} */ e) => {
    e.preventDefault();
    setBusy(true);
    setProblem(null);
    try {
      const answer = await call(what.method, what.path, { body, query: what.query });
      say(done ?? t('done'), 'good');
      if (there.current) onClose();
      onDone?.(answer);
    } catch (error) {
      if (!there.current) say(`${title}: ${brief(/** @type {any} */ (error))}`, 'bad'); // it was closed meanwhile
      setProblem(error);
      setBusy(false);
    }
  };
  return html`<${Dialog} title=${title} wide=${wide} onClose=${onClose}><form onSubmit=${act}>
    ${about && html`<div class="prose">${about}</div>`}${typeof children === 'function' ? children(problem) : children}
    ${word && html`<label class="field">${t('type', { word })}<input value=${typed} autocomplete="off" onInput=${(/** @type {any} */ e) => setTyped(e.target.value)} /></label>`}
    ${problem && html`<${Failure} problem=${problem} />`}
    <${Same} cli=${typeof cli === 'function' ? cli() : cli} curl=${curl(what.method, path, what.body === undefined ? undefined : stringify(what.body))} />
    <div class="actions"><button type="submit" class=${danger ? 'danger' : 'primary'} disabled=${busy || unready || (word && typed !== word)}>${label}</button>
      <button type="button" onClick=${onClose}>${dismiss}</button></div>
  </form><//>`;
}
