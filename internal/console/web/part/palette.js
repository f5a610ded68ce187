// The palette (Ctrl-K) and the list of shortcuts (?).

import { html, useEffect, useState } from '../lib/ui.js';
import { go, href } from '../lib/route.js';
import { theme } from '../lib/store.js';
import { language } from '../lib/text.js';
import { shortcuts } from '../lib/use.js';
import { admits } from '../lib/session.js';
import { pages } from '../pages.js';
import { Dialog } from './dialog.js';
import { t } from './common.text.js';

/** An id of a task. */
const id = /^[0-9a-f]{8}-[0-9a-f-]{27}$/i;

/** @param {{onClose: () => void}} props */
export function Palette({ onClose }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const wanted = text.trim().toLowerCase();
  const items = [
    ...(id.test(wanted) ? [{ label: `${t('page.tasks')}: ${wanted}`, run: () => go(['tasks', wanted]) }] : []),
    ...pages.filter(admits).map((p) => ({ label: t(p.title), run: () => go(p.place) })),
    { label: `${t('theme')}: ${t('theme.dark')}`, run: () => { theme.value = 'dark'; } },
    { label: `${t('theme')}: ${t('theme.light')}`, run: () => { theme.value = 'light'; } },
    { label: `${t('theme')}: ${t('theme.system')}`, run: () => { theme.value = 'system'; } },
    { label: `${t('language')}: ${language.value === 'zh' ? 'English' : '中文'}`, run: () => { language.value = language.value === 'zh' ? 'en' : 'zh'; } },
  ].filter((item) => item.label.toLowerCase().includes(wanted));
  if (wanted && !id.test(wanted)) items.push({ label: `${t('search')}: ${text}`, run: () => go('tasks', { q: text.trim() }) });
  useEffect(() => { document.getElementById(`palette-${at}`)?.scrollIntoView({ block: 'nearest' }); }, [at]);
  const pick = (/** @type {number} */ i) => { onClose(); items[i]?.run(); };
  const key = (/** @type {KeyboardEvent} */ e) => {
    if (e.isComposing) return; // the keys are the input method's
    if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
      e.preventDefault();
      setAt((at + (e.key === 'ArrowDown' ? 1 : items.length - 1)) % items.length);
    } else if (e.key === 'Enter') { e.preventDefault(); pick(at); }
  };
  return html`<${Dialog} title=${t('palette')} light onClose=${onClose}><div class="palette">
    <input role="combobox" aria-expanded="true" aria-controls="palette-list" aria-activedescendant=${`palette-${at}`} aria-label=${t('palette')} autofocus value=${text}
      onInput=${(/** @type {any} */ e) => { setText(e.target.value); setAt(0); }} onKeyDown=${key} />
    <ul id="palette-list" role="listbox" aria-label=${t('palette')}>${items.map((item, i) => html`<li key=${item.label} id=${`palette-${i}`} role="option" aria-selected=${i === at}
      onClick=${() => pick(i)} onPointerMove=${() => setAt(i)}>${item.label}</li>`)}</ul>
  </div><//>`;
}

/** @param {{onClose: () => void}} props */
export function Help({ onClose }) {
  const [list] = useState(() => [...new Map([...shortcuts].map((s) => [s.keys, s])).values()]);
  return html`<${Dialog} title=${t('help')} onClose=${onClose}><table class="plain"><tbody>${list.map((s) => html`<tr>
    <th scope="row">${s.keys.replace('Mod', 'Ctrl').split(' ').map((k) => html`<kbd>${k}</kbd> `)}</th><td>${s.label}</td></tr>`)}</tbody></table>
    <p><a href=${href('settings')} onClick=${onClose}>${t('page.settings')}</a></p><//>`;
}
