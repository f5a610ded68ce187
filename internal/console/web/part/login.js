// Signing in, at first and again, and a token that was made.

import { html, useState } from '../lib/ui.js';
import { login, made, obstacle, token } from '../lib/session.js';
import { language } from '../lib/text.js';
import { Copy, Note } from './basics.js';
import { Dialog } from './dialog.js';
import { t } from './common.text.js';

/** Asks for a token: at first, or over the page when ours has ended. */
function Form() {
  const [text, setText] = useState('');
  const [tried, setTried] = useState(token.value !== '');
  const [busy, setBusy] = useState(false);
  const enter = async (/** @type {Event} */ e) => {
    e.preventDefault();
    setBusy(true);
    const good = await login(text.trim());
    if (!good) { setBusy(false); setTried(true); }
  };
  return html`<form onSubmit=${enter}><p class="about">${t('login.about')}</p>
    ${tried && obstacle.value && html`<${Note} tone="bad" title=${t('login.refused')}>${obstacle.value.hint}<//>`}
    <label class="field">${t('login.token')}<input type="password" required autocomplete="off" autofocus value=${text} spellcheck=${false}
      onInput=${(/** @type {any} */ e) => setText(e.target.value)} /></label>
    <p class="faint">${t('login.make')}: <code>outlast token create --role operator</code></p>
    <div class="actions"><button type="submit" class="primary" disabled=${busy}>${t('login.go')}</button>
      <button type="button" class="ghost" onClick=${() => { language.value = language.value === 'zh' ? 'en' : 'zh'; }}>${language.value === 'zh' ? 'English' : '中文'}</button></div></form>`;
}

/** The gate of a server that wants a token. */
export const Login = () => html`<main class="gate panel"><h1>${t('login.title')}</h1><${Form} /></main>`;

/** The same over the page, when the token has ended or the server wants one now. Who closes it
 * keeps the page to read and copy; the next call that is refused opens it again. */
export function Again() {
  const [shut, setShut] = useState(/** @type {any} */ (null));
  return obstacle.value !== shut && html`<${Dialog} title=${t('login.title')} onClose=${() => setShut(obstacle.value)}><p>${t('login.again')}</p><${Form} /><//>`;
}

/** The token that was made a moment ago, over whatever there is. */
export const Made = () => (made.value ? html`<${Dialog} title=${t('made.title')} onClose=${() => { made.value = ''; }}><p>${t('made.about')}</p>
  <div class="command"><code>${made.value}</code><${Copy} text=${made.value} /></div><//>` : null);
