// JSON without loss. A payload is kept as the text that the server sent: numbers beyond
// 2^53, the order and the doubles of keys stay as they were.

/** A piece of JSON text that is written as it is. */
export class Raw {
  /** @param {string} text */
  constructor(text) { this.text = text; }
}

/** JSON.stringify with [Raw] inside. @param {any} value @returns {string} */
export function stringify(value) {
  if (value instanceof Raw) return value.text;
  if (Array.isArray(value)) return '[' + value.map((v) => stringify(v ?? null)).join(',') + ']';
  if (value && typeof value === 'object') {
    return '{' + Object.entries(value).filter(([, v]) => v !== undefined)
      .map(([k, v]) => JSON.stringify(k) + ':' + stringify(v)).join(',') + '}';
  }
  return JSON.stringify(value);
}

/** The parts of a JSON text: strings, numbers and words, and punctuation; without space. */
const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** The parts of the outermost object or list of a JSON text: their keys ("" in a list) and
 * texts, in their order. @param {string} text @returns {[key: string, text: string][]} */
export function split(text) {
  /** @type {[string, string][]} */
  const parts = [];
  let depth = 0, from = -1, key = '', list = false;
  for (const match of text.matchAll(token)) {
    const [part] = match, opens = part === '{' || part === '[', closes = part === '}' || part === ']';
    if (depth === 1 && from >= 0 && (part === ',' || closes)) {
      const body = text.slice(from, match.index).trim();
      if (body) parts.push([key, body]);
      from = list && !closes ? match.index + 1 : -1;
    } else if (depth === 1 && from < 0 && part === ':') from = match.index + 1;
    else if (depth === 1 && from < 0 && part[0] === '"') key = JSON.parse(part);
    if (opens && depth++ === 0) { list = part === '['; from = list ? match.index + 1 : -1; }
    if (closes) depth--;
  }
  return parts;
}

/** The texts of some members of the outermost object of a text; of doubles the first.
 * @param {string} text @param {readonly string[]} names @returns {Record<string, Raw>} */
export function members(text, names) {
  /** @type {Record<string, Raw>} */
  const found = {};
  for (const [key, part] of split(text)) if (names.includes(key)) found[key] ??= new Raw(part);
  return found;
}

/** The text of an object with a member set, at its place or at the end, or, undefined, taken
 * away; the others stay as they are. @param {string} text @param {string} name @param {any} value */
export function withMember(text, name, value) {
  const parts = split(text), put = value === undefined ? undefined : stringify(value);
  const next = parts.some(([key]) => key === name) ? parts.map(([key, part]) => [key, key === name ? put : part]) : [...parts, [name, put]];
  return pretty('{' + next.filter(([, part]) => part !== undefined).map(([key, part]) => JSON.stringify(key) + ':' + part).join(',') + '}');
}

/** Sets a JSON text on lines; no number, string or key changes. Text that is no JSON comes
 * back as it is.
 * @param {string} text */
export function pretty(text) {
  const parts = text.match(token);
  if (!parts || !valid(text)) return text;
  let depth = 0;
  const line = () => '\n' + '  '.repeat(depth);
  return parts.map((part, i) => {
    const before = parts[i - 1], after = parts[i + 1];
    if (part === '{' || part === '[') { depth++; return part + (after === '}' || after === ']' ? '' : line()); }
    if (part === '}' || part === ']') { depth--; return (before === '{' || before === '[' ? '' : line()) + part; }
    return part === ',' ? part + line() : part === ':' ? ': ' : part;
  }).join('');
}

/** Says whether a text is JSON. @param {string} text */
export function valid(text) {
  try { JSON.parse(text); return true; } catch { return false; }
}

/** The error of a text that should be JSON, or "". @param {string} text */
export function mistake(text) {
  try { JSON.parse(text); return ''; } catch (e) { return e instanceof Error ? e.message : String(e); }
}

/** Control and bidirectional characters made visible, so that a text cannot disguise
 * itself; line ends and tabs stay. @param {string} text */
export const visible = (text) => text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
  (c) => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));
