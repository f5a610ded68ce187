// Who we are to the server. The token lives as long as the tab, and nowhere in an address.

import { signal, computed } from './ui.js';
import { authenticate, get, Problem } from './api.js';

const place = 'outlast.token';

/** @typedef {{role: string, queues?: string[], permissions: string[], open?: boolean, token?: {prefix: string, name: string, expires_at?: string}|null,
 *   server: {version: string, release?: string, node: string, store: string, safety?: {mode: string, detail?: string}, time: string}}} Self */

/** What the server says of us; null before it did. */
export const self = signal(/** @type {Self|null} */ (null));

/** Why we cannot go on: a token is needed, or another one, or the server does not answer. */
export const obstacle = signal(/** @type {Problem|null} */ (null));

/** The token, "" without one. */
export const token = signal(read());

function read() {
  try { return sessionStorage.getItem(place) ?? ''; } catch { return ''; }
}

/** @param {string} text */
function keep(text) {
  token.value = text;
  try { if (text) sessionStorage.setItem(place, text); else sessionStorage.removeItem(place); } catch { /* lasts as long as the page */ }
}

authenticate(() => token.value, (problem) => { obstacle.value = problem; }); // who we were stays, and with it what is written on the page

/** A token that was made here, until it was looked at: with the first one the server wants
 * a token of this console too, so that it must outlast the page. */
export const made = signal('');

/** Asks the server who we are. Resolves to false when it refuses. */
export async function identify() {
  try {
    self.value = await get('/v1/self');
    obstacle.value = null;
    return true;
  } catch (e) {
    obstacle.value = e instanceof Problem ? e : new Problem(0, null);
    return false;
  }
}

/** Tries a token, and keeps it if it is good. @param {string} text */
export async function login(text) {
  const before = token.value;
  token.value = text;
  const good = await identify();
  if (good) keep(text); else token.value = before;
  return good;
}

/** Forgets the token. */
export function logout() {
  keep('');
  self.value = null;
  void identify();
}

/** Says whether the server would let us; it decides itself at each call.
 * @param {'view'|'enqueue'|'operate'|'administer'} permission */
export const may = (permission) => self.value?.permissions.includes(permission) ?? false;

/** Our queues, if we have not all. */
export const queues = computed(() => self.value?.queues ?? []);

/** Says whether we are let into a page: with a token for certain queues not into those that
 * are about all. @param {{all?: boolean}} page */
export const admits = (page) => !page.all || queues.value.length === 0;
