// A JSON text, shown and given without loss.

import { html, useState } from '../lib/ui.js';
import { pretty, visible } from '../lib/json.js';
import { bytes } from '../lib/text.js';
import { Copy } from './basics.js';
import { t } from './common.text.js';

const shown = 32 << 10; // characters before one asks for all

/** @param {{text?: string, name: string, label: string}} props text as the server sent it; name of the file */
export function Payload({ text, name, label }) {
  const [whole, setWhole] = useState(false);
  if (text === undefined || text === '') return html`<p class="faint">${t('payload.none')}</p>`;
  const lines = pretty(text);
  const size = new Blob([text]).size;
  const save = () => {
    const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(new Blob([text], { type: 'application/json' })), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  return html`<div class="payload"><div class="aside"><span class="faint">${bytes(size)}</span> <${Copy} text=${text} />
      <button type="button" class="small" onClick=${save}>${t('download')}</button></div>
    <pre tabindex="0" role="region" aria-label=${label}><code>${visible(whole ? lines : lines.slice(0, shown))}</code></pre>
    ${lines.length > shown && !whole && html`<button type="button" onClick=${() => setWhole(true)}>${t('payload.whole', { size: bytes(size) })}</button>`}</div>`;
}
