// The shell: who we are, where we are, and the page of that place.

import { html, render, classes, useEffect, useErrorBoundary, useRef, useState } from './lib/ui.js';
import { Problem, answers } from './lib/api.js';
import { path, href, go, query } from './lib/route.js';
import { admits, identify, made, obstacle, queues, self, token, logout } from './lib/session.js';
import { live, keepUp, counts, renewed } from './lib/live.js';
import { language, short } from './lib/text.js';
import { useKeys } from './lib/use.js';
import { Failure, Note, Notes } from './part/basics.js';
import { Head } from './part/panel.js';
import { Again, Login, Made } from './part/login.js';
import { Palette, Help } from './part/palette.js';
import { pages } from './pages.js';
import { t } from './part/common.text.js';

function App() {
  useEffect(() => { void identify(); }, []);
  return html`<${Gate} /><${Made} /><${Notes} />`;
}

/** The page, or what stands before it. With other rights it begins anew. */
function Gate() {
  const me = self.value, wanted = obstacle.value?.status === 401;
  if (me) return html`<${Frame} key=${JSON.stringify([me.role, me.queues])} />${wanted && !made.value && html`<${Again} />`}`;
  if (wanted) return html`<${Login} />`;
  if (obstacle.value) return html`<div class="gate"><${Failure} problem=${obstacle.value} onRetry=${identify} /></div>`;
  return html`<p class="gate faint">${t('loading')}</p>`;
}

function Frame() {
  const [menu, setMenu] = useState(false);
  const [over, setOver] = useState(/** @type {''|'palette'|'help'} */ (''));
  const search = useRef(/** @type {HTMLInputElement|null} */ (null));
  const main = useRef(/** @type {HTMLElement|null} */ (null));
  useKeys([
    { keys: '/', label: t('search'), run: () => search.current?.focus() },
    { keys: '?', label: t('help'), run: () => setOver('help') },
    { keys: 'Mod+k', label: t('palette'), run: () => setOver('palette') },
    ...pages.filter(admits).map((p) => ({ keys: `g ${p.key}`, label: t(p.title), run: () => go(p.place) })),
  ], [language.value]);
  const place = path.value[0] ?? '', sought = place === 'tasks' ? query.value.get('q') ?? '' : '';
  useEffect(() => { setMenu(false); }, [path.value.join('/')]);
  const before = useRef('');
  useEffect(() => { // what is typed meanwhile stays
    if (search.current?.value.trim() === before.current) search.current.value = sought;
    before.current = sought;
  }, [sought]);
  const find = (/** @type {any} */ e) => {
    e.preventDefault();
    go('tasks', { q: search.current?.value.trim() });
    if (place !== 'tasks') search.current?.blur(); // the heading of the list is next
  };
  return html`<a class="skip" href="#main" onClick=${(/** @type {Event} */ e) => { e.preventDefault(); main.current?.focus(); }}>${t('skip')}</a>
  <div class="frame">
    <header class="top">
      <button type="button" class="menu ghost" aria-expanded=${menu} aria-controls="side" aria-label=${t('menu')} onClick=${() => setMenu(!menu)}>☰</button>
      <a class="brand" href=${href('')}><img src="console/icon.svg" alt="" />Outlast</a>
      <form role="search" onSubmit=${find}><input ref=${search} type="search" placeholder=${t('search') + '  /'} aria-label=${t('search')} autocomplete="off" /></form>
      <div class="right"><${Liveness} />
        <button type="button" class="small" aria-label=${t('palette')} onClick=${() => setOver('palette')}><kbd class="keys">Ctrl K</kbd><span class="touch" aria-hidden="true">⋯</span></button>
        <button type="button" class="small" aria-label=${t('help')} onClick=${() => setOver('help')}>?</button></div>
    </header>
    <nav id="side" class=${classes('side', menu && 'open')} aria-label=${t('menu')}>
      ${pages.filter(admits).map((p) => html`<a key=${p.place} href=${href(p.place)} aria-current=${p.place === place ? 'page' : undefined}>${t(p.title)}
        ${p.place === 'dead' && counts.value?.dead > 0 && html`<span class="count">${short(counts.value.dead)}</span>`}</a>`)}
      <a href="docs/" target="_blank">${t('docs')}</a>
      ${token.value && html`<p><button type="button" class="small" onClick=${logout}>${t('logout')}</button></p>`}
    </nav>
    <main class="main" id="main" ref=${main} tabindex="-1">${!answers.value && html`<${Failure} problem=${new Problem(0, null)} onRetry=${identify} />`}
      ${renewed.value && html`<${Note} tone="warn" title=${t('renewed')}><button type="button" onClick=${reload}>${t('refresh')}</button><//>`}<${Page} key=${place} place=${place} /></main>
  </div>
  ${over === 'palette' && html`<${Palette} onClose=${() => setOver('')} />`}
  ${over === 'help' && html`<${Help} onClose=${() => setOver('')} />`}`;
}

/** Begins anew with what the server has now: a module that could not be loaded stays so until then. */
const reload = () => location.reload();

/** How up to date the page is, and the switch for it. */
function Liveness() {
  const text = t(live.value);
  return html`<button type="button" class="small" aria-pressed=${keepUp.value === 'on'} title=${t(keepUp.value === 'on' ? 'live.pause' : 'live.resume')}
    onClick=${() => { keepUp.value = keepUp.value === 'on' ? 'off' : 'on'; }}><span class=${`dot ${live.value}`} aria-hidden="true" /> ${text}</button>`;
}

/** The page of a place, loaded when it is first looked at. @param {{place: string}} props */
function Page({ place }) {
  const page = pages.find((p) => p.place === place);
  const [module, setModule] = useState(/** @type {any} */ (null));
  const [failed, setFailed] = useState(/** @type {any} */ (null));
  const [broken, mend] = useErrorBoundary();
  useEffect(() => {
    if (page && admits(page)) page.load().then((m) => setModule(() => m.default), setFailed);
  }, [place]);
  useEffect(() => { document.title = (page ? t(page.title) + ' · ' : '') + 'Outlast'; });
  const error = failed ?? broken;
  if (!page) return html`<${Head} title=${t('notFound')} />`;
  if (!admits(page)) return html`<${Head} title=${t(page.title)} /><${Note} title=${t('onlyQueues', { queues: queues.value.join(', ') })} />`;
  if (error) return html`<${Note} tone="bad" title=${t('problem')}><p><code>${String(error?.message ?? error)}</code></p><button type="button" onClick=${failed ? reload : mend}>${t(failed ? 'refresh' : 'retry')}</button><//>`;
  return module ? html`<${module} />` : html`<p class="faint loading">${t('loading')}</p>`;
}

render(html`<${App} />`, /** @type {HTMLElement} */ (document.getElementById('app')));
