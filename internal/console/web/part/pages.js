// A list page by page: the first page keeps up to date, and what was asked for beyond it
// stays below.

import { useEffect, useState } from '../lib/ui.js';
import { get } from '../lib/api.js';
import { useGet } from '../lib/use.js';

/** Puts the newest first page above what is known. Rows that left the list leave; rows that
 * newer ones pushed off the first page stay. Without a row in common nobody knows what lies
 * between: null.
 * @template T
 * @param {T[]} page @param {T[]} known newest first @param {(row: T) => string} id
 * @returns {T[]|null} */
function joined(page, known, id) {
  const fresh = new Set(page.map(id));
  const last = known.findLastIndex((row) => fresh.has(id(row)));
  return last < 0 ? null : [...page, ...known.slice(last + 1)];
}

/** What came beyond the first page. @template T @typedef {{rows: T[], cursor: string, under: boolean}} Rest
 *   under: the first page had rows */

/** How many pages are asked for while all are empty. */
const mostEmpty = 10;

/** The rows of a list, a page more at each call of more.
 * @template T
 * @param {string} path @param {Record<string, any>} filter @param {string} name of the rows in the answer
 * @param {{on: string[], every: number, limit?: number, id?: (row: T) => string, read?: (path: string, query: any, signal?: AbortSignal) => Promise<any>}} options as of useGet; limit: rows of a page */
export function usePages(path, filter, name, { limit = 50, id = (/** @type {any} */ row) => row.id, read = get, ...options }) {
  const query = { ...filter, limit };
  /** The first page that has rows: one may be empty and still have others behind it.
   * @param {string} _path @param {any} _query @param {AbortSignal} signal @returns {Promise<any>} */
  const readOn = async (_path, _query, signal) => {
    let page = await read(path, query, signal);
    for (let n = 1; n < mostEmpty && page.next_cursor && !page[name]?.length; n++) page = await read(path, { ...query, cursor: page.next_cursor }, signal);
    return page;
  };
  const first = useGet(path, query, { ...options, read: readOn });
  const [rest, setRest] = useState(/** @type {Rest<T>|null} */ (null));
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState(/** @type {any} */ (null));
  /** @type {T[]} */
  const page = first.data?.[name] ?? [];
  const all = first.data !== undefined && !first.data.next_cursor;
  const long = !rest || all ? null : page.length || rest.under ? joined(page, rest.rows, id) : rest.rows;
  const rows = long ?? page;
  const apart = rest !== null && !long;
  useEffect(() => { if (apart) setRest(null); }, [apart]);
  const more = async (/** @type {string} */ cursor) => {
    setBusy(true);
    setProblem(null);
    try {
      const next = await read(path, { ...query, cursor });
      const had = new Set(rows.map(id));
      setRest({ rows: [...rows, ...(next[name] ?? []).filter((/** @type {T} */ row) => !had.has(id(row)))], cursor: next.next_cursor ?? '', under: page.length > 0 });
    } catch (error) { setProblem(error); }
    setBusy(false);
  };
  return { first, rows, busy, problem, more, cursor: long ? rest?.cursor : first.data?.next_cursor };
}
