// Hooks of the pages: data that keeps up to date, and keys.

import { useEffect, useLayoutEffect, useRef, useState } from './ui.js';
import { answers, get, Problem } from './api.js';
import { live, on } from './live.js';
import { obstacle } from './session.js';

/** @template T @typedef {{data: T|undefined, error: Problem|undefined, loading: boolean, reload: () => void}} Fetched */

/** The answer of a GET. It is asked for again when what it depends on changes: at messages
 * of the kinds in "on" ("tasks", of all nodes, or the kind of a "changed" message, such as "queue"), at
 * most once a second; every few seconds while there is no stream; and in any case after
 * "every" ms, if given. What was there stays while the next is loaded. A null path asks
 * for nothing.
 * @template [T=any]
 * @param {string|null} path @param {Record<string, any>} [query]
 * @param {{on?: string[], every?: number, read?: (path: string, query: any, signal: AbortSignal) => Promise<T>}} [options]
 * @returns {Fetched<T>} */
export function useGet(path, query, { on: kinds = [], every, read = get } = {}) {
  const [state, setState] = useState(/** @type {{key: string, data?: T, error?: Problem, loading: boolean}} */ ({ key: '', loading: true }));
  const [turn, setTurn] = useState(0);
  const key = path === null ? '' : path + JSON.stringify(query ?? {});
  const asked = useRef({ at: 0, busy: false, wanted: false });
  const again = useRef(() => {});

  useEffect(() => {
    if (path === null) { setState({ key, loading: false }); return; }
    const stop = new AbortController();
    const own = { at: Date.now(), busy: true, wanted: false };
    asked.current = own;
    setState((s) => (s.key === key ? { ...s, loading: true } : { key, loading: true }));
    read(path, query, stop.signal).then(
      (data) => { if (!stop.signal.aborted) setState({ key, data, loading: false }); },
      (error) => { if (!stop.signal.aborted) setState((s) => ({ key, data: s.key === key ? s.data : undefined, error: error instanceof Problem ? error : new Problem(0, { detail: String(error) }), loading: false })); },
    ).finally(() => {
      own.busy = false;
      if (own.wanted && !stop.signal.aborted) again.current();
    });
    return () => stop.abort();
  }, [key, turn]);

  const failed = state.error?.status; // while the server was away, or wanted another token: it is asked for again
  const back = failed === 0 ? answers.value : failed === 401 && obstacle.value === null;
  useEffect(() => { if (back) setTurn((n) => n + 1); }, [back]);

  const mode = live.value;
  useEffect(() => {
    if (mode === 'paused' || path === null) return;
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    let soon;
    const ask = () => {
      soon = undefined;
      if (asked.current.wanted && !asked.current.busy) setTurn((n) => n + 1);
    };
    again.current = () => {
      asked.current.wanted = true; // after the call that is under way, and after a step to another pace
      if (!asked.current.busy) soon ??= setTimeout(ask, Math.max(0, asked.current.at + 1000 - Date.now()));
    };
    if (asked.current.wanted) again.current();
    const hear = () => again.current();
    const ends = [
      on('resync', hear),
      on('changed', (c) => { if (kinds.includes(c.kind)) hear(); }),
      ...(kinds.includes('tasks') ? [on('tasks', hear), on('elsewhere', hear)] : []),
    ];
    const pace = mode === 'polling' && (kinds.length || every) ? Math.min(every ?? 3000, 3000) : every;
    const timer = pace ? setInterval(hear, pace) : undefined;
    return () => {
      again.current = () => {};
      clearTimeout(soon);
      clearInterval(timer);
      ends.forEach((end) => end());
    };
  }, [key, mode, kinds.join(), every]);

  const fresh = state.key === key;
  return { data: fresh ? state.data : undefined, error: fresh ? state.error : undefined, loading: !fresh || state.loading, reload: () => setTurn((n) => n + 1) };
}

/** The answer to a question that is asked at a button. Only the answer to the question of now
 * is there; when the question changes, a call for the one before is aborted.
 * @template [T=any] @param {string} question */
export function useAnswer(question) {
  const [told, tell] = useState(/** @type {{question: string, busy: boolean, answer?: T, problem?: any}} */ ({ question: '', busy: false }));
  const running = useRef(/** @type {{question: string, stop: AbortController}|null} */ (null));
  const end = () => {
    if (!running.current) return;
    running.current.stop.abort();
    running.current = null;
    tell((s) => ({ ...s, busy: false }));
  };
  useLayoutEffect(() => { if (running.current?.question !== question) end(); });
  useEffect(() => end, []);
  const ask = async (/** @type {(signal: AbortSignal) => Promise<T>} */ read, now = question) => {
    end();
    const own = running.current = { question: now, stop: new AbortController() };
    tell((s) => ({ question: now, busy: true, answer: s.question === now ? s.answer : undefined }));
    const said = await read(own.stop.signal).then((answer) => ({ answer }), (problem) => ({ problem }));
    if (running.current !== own) return;
    running.current = null;
    tell((s) => ({ ...s, ...said, busy: false }));
  };
  const { busy, answer, problem } = told.question === question ? told : { busy: false };
  return { busy, answer, problem, ask, end };
}

/** The width of an element in pixels, so that a picture's text keeps its size.
 * @param {{current: Element|null}} element @param {number} initial */
export function useWidth(element, initial) {
  const [width, setWidth] = useState(initial);
  useEffect(() => {
    if (!element.current) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.max(240, Math.round(entry.contentRect.width))));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element.current]);
  return width;
}

/** @typedef {{keys: string, label: string, run: () => void}} Shortcut */

/** Shortcuts that hold now, for the dispatcher and the help. @type {Set<Shortcut>} */
export const shortcuts = new Set();

/** Makes shortcuts hold while the component is there. Keys are as in "g t", "j", "/" or
 * "Mod+k" (Ctrl, and Command on a Mac).
 * @param {Shortcut[]} list @param {any[]} inputs */
export function useKeys(list, inputs) {
  useLayoutEffect(() => { // a key may follow what is seen at once
    list.forEach((s) => shortcuts.add(s));
    return () => list.forEach((s) => shortcuts.delete(s));
  }, inputs);
}

let begun = '', begunAt = 0;

addEventListener('keydown', (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  const typing = target.closest?.('input:not([type="checkbox"]), textarea, select, [contenteditable]') !== null;
  const mod = event.ctrlKey || event.metaKey;
  const pressed = event.key === 'Enter' && target.closest?.('a, button, summary') !== null; // it has a meaning of its own there
  if (event.altKey || event.isComposing || pressed || (typing && !mod) || (document.querySelector('dialog[open]') && !mod)) return;
  const key = (mod ? 'Mod+' : '') + event.key;
  const two = Date.now() - begunAt < 1500 ? `${begun} ${key}` : '';
  begun = '';
  const all = [...shortcuts].reverse(); // the innermost last came, and goes first
  const hit = (two && all.find((s) => s.keys === two)) || all.find((s) => s.keys === key);
  if (hit) { event.preventDefault(); hit.run(); return; }
  if (!mod && all.some((s) => s.keys.startsWith(key + ' '))) { begun = key; begunAt = Date.now(); }
});
