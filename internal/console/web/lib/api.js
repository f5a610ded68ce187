// Calls of the HTTP API, relative to the page, so that any path before it works.

import { stringify } from './json.js';
import { serverTime } from './time.js';
import { signal } from './ui.js';

/** An answer of the API that is no success (RFC 9457), or none at all: status 0. */
export class Problem extends Error {
  /** @param {number} status @param {any} body */
  constructor(status, body) {
    super(body?.detail || body?.title || (status ? `HTTP ${status}` : 'no answer'));
    this.status = status;
    /** @type {string} */ this.code = body?.code ?? (status ? '' : 'unreachable');
    /** @type {string} */ this.hint = body?.hint ?? '';
    /** @type {{path: string, message: string}[]} */ this.errors = body?.errors ?? [];
  }
}

/** @type {() => string} */
let token = () => '';
/** @type {(problem: Problem) => void} */
let refused = () => {};

/** Says where the token comes from, and who hears that one is needed (401).
 * @param {() => string} from @param {(problem: Problem) => void} heard */
export function authenticate(from, heard) { token = from; refused = heard; }

/** @param {string} path @param {Record<string, any>} [query] */
export function url(path, query) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    for (const one of [value].flat()) if (one !== undefined && one !== null && one !== '') parameters.append(name, String(one));
  }
  const text = parameters.toString();
  return path.replace(/^\//, '') + (text && '?' + text);
}

/** Builds a path: at`/v1/tasks/${id}` encodes what is put in.
 * @param {TemplateStringsArray} strings @param {...string} values */
export const at = (strings, ...values) => String.raw({ raw: strings }, ...values.map((v) => encodeURIComponent(v)));

/** @typedef {{query?: Record<string, any>, body?: any, signal?: AbortSignal, headers?: Record<string, string>}} Options */

/** One call; resolves to the response, or throws a [Problem].
 * @param {string} method @param {string} path @param {Options} [options] */
export async function request(method, path, { query, body, signal, headers = {} } = {}) {
  const sent = token();
  let response;
  try {
    response = await fetch(url(path, query), {
      method, signal, cache: 'no-store', credentials: 'omit', redirect: 'error',
      headers: { ...(sent ? { Authorization: 'Bearer ' + sent } : {}), ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
      body: body === undefined ? undefined : stringify(body),
    });
  } catch (e) {
    if (signal?.aborted) throw e;
    throw new Problem(0, null);
  }
  const date = response.headers.get('Date');
  if (date) serverTime(date, 1000);
  if (response.ok) return response;
  const problem = new Problem(response.status, await response.json().catch(() => null));
  if (response.status === 401 && sent === token()) refused(problem); // of a token that was changed since, nobody hears
  throw problem;
}

/** Says whether the server answered when it was asked last. The stream does not count: a
 * proxy may forbid it alone. */
export const answers = signal(true);

const patience = 60_000; // ms for the whole answer of a GET; a network that is gone may never say so

/** The text of an answer; throws a [Problem], unless it was aborted.
 * @param {string} method @param {string} path @param {Options} [options] */
export async function callText(method, path, { signal, ...options } = {}) {
  const ends = [signal, method === 'GET' ? AbortSignal.timeout(patience) : undefined].filter((end) => end !== undefined);
  try {
    const text = await (await request(method, path, { ...options, signal: AbortSignal.any(ends) })).text();
    answers.value = true;
    return text;
  } catch (error) {
    if (signal?.aborted) throw error;
    const problem = error instanceof Problem ? error : new Problem(0, null);
    answers.value = problem.status > 0;
    throw problem;
  }
}

/** The JSON of an answer. What is none comes from something between here and the server.
 * @param {string} method @param {string} path @param {Options} [options] @returns {Promise<any>} */
export async function call(method, path, options) {
  const text = await callText(method, path, options);
  try { return JSON.parse(text || 'null'); } catch { throw new Problem(0, null); }
}

/** @param {string} path @param {Record<string, any>} [query] @param {AbortSignal} [signal] */
export const get = (path, query, signal) => call('GET', path, { query, signal });
/** @param {string} path @param {any} [body] @param {Record<string, any>} [query] */
export const post = (path, body, query) => call('POST', path, { body: body ?? {}, query });
/** @param {string} path @param {any} body @param {Record<string, any>} [query] */
export const put = (path, body, query) => call('PUT', path, { body, query });
/** @param {string} path @param {Record<string, any>} [query] */
export const remove = (path, query) => call('DELETE', path, { query });
