// The gate of a server that wants a token, and a token that was made.

import { html, useState } from '../lib/ui.js';
import { login, made, obstacle, token } from '../lib/session.js';
import { language } from '../lib/text.js';
import { Copy, Note } from './basics.js';
import { Dialog } from './dialog.js';
import { t } from './common.text.js';

export function Login() {
  const [text, setText] = useState('');
  const [tried, setTried] = useState(token.value !== '');
  const [busy, setBusy] = useState(false);
  const enter = async (/** @type {Event} */ e) => {
    e.preventDefault();
    setBusy(true);
    const good = await login(text.trim());
    if (!good) { setBusy(false); setTried(true); }
  };
  return html`<main class="gate panel"><form onSubmit=${enter}>
    <h1>${t('login.title')}</h1><p class="about">${t('login.about')}</p>
    ${tried && obstacle.value && html`<${Note} tone="bad" title=${obstacle.value.status === 401 ? t('login.refused') : obstacle.value.message}>${obstacle.value.hint}<//>`}
    <label class="field">${t('login.token')}<input type="password" required autocomplete="off" autofocus value=${text} spellcheck=${false}
      onInput=${(/** @type {any} */ e) => setText(e.target.value)} /></label>
    <div class="actions"><button type="submit" class="primary" disabled=${busy}>${t('login.go')}</button>
      <button type="button" class="ghost" onClick=${() => { language.value = language.value === 'zh' ? 'en' : 'zh'; }}>${language.value === 'zh' ? 'English' : '中文'}</button></div>
    <p class="faint">${t('login.make')}: <code>outlast token create --role operator</code></p>
  </form></main>`;
}

/** The token that was made a moment ago, over whatever there is. */
export const Made = () => (made.value ? html`<${Dialog} title=${t('made.title')} onClose=${() => { made.value = ''; }}><p>${t('made.about')}</p>
  <div class="command"><code>${made.value}</code><${Copy} text=${made.value} /></div><//>` : null);
