// Two values side by side, field by field.

import { html } from '../lib/ui.js';
import { split, stringify } from '../lib/json.js';
import { Foreign } from './basics.js';

/** The fields of a JSON text by their paths; numbers as they are written. @param {string} text @param {string} [path] @returns {[string, string][]} */
function fields(text, path = '') {
  if (text === 'null') return [];
  if (text[0] !== '{' && text[0] !== '[') return [[path, text[0] === '"' ? JSON.parse(text) : text]];
  const parts = split(text), plain = parts.every(([, part]) => part[0] !== '{' && part[0] !== '[');
  if (text[0] === '[' && plain) return [[path, parts.map(([, part]) => fields(part)[0]?.[1] ?? '').join(', ')]];
  return parts.flatMap(([key, part], i) => fields(part, [path, text[0] === '[' ? String(i) : key].filter(Boolean).join('.')));
}

/** A table of the fields that differ. The values are as JSON.parse made them, or [Raw]. @param {{before: any, after: any, head: [string, string, string], same: string}} props */
export function Change({ before, after, head, same }) {
  const a = new Map(fields(stringify(before ?? null))), b = new Map(fields(stringify(after ?? null)));
  const names = [...new Set([...a.keys(), ...b.keys()])].filter((name) => a.get(name) !== b.get(name));
  if (names.length === 0) return html`<p class="faint">${same}</p>`;
  return html`<div class="scroll"><table class="plain" aria-label=${head.join(', ')}><thead><tr>${head.map((h) => html`<th scope="col">${h}</th>`)}</tr></thead>
    <tbody>${names.map((name) => html`<tr key=${name}><th scope="row"><code>${name}</code></th><td><${Foreign} text=${a.get(name)} limit=${200} /></td><td><${Foreign} text=${b.get(name)} limit=${200} /></td></tr>`)}</tbody></table></div>`;
}
