// The search, which needs no server: its index is one file, of the sections of all pages. And
// what makes a page easy to use.
const form = document.querySelector('header form');
const field = form.querySelector('input');
const list = form.querySelector('ol');
let rows;

const load = () => {
  rows ??= fetch(form.dataset.root + 'search.json').then((answer) => answer.json()).then((all) => all.map((row) => (
    { ...row, title: row.t.toLowerCase(), heading: row.h.toLowerCase(), text: row.x.toLowerCase() })));
  return rows;
};

/** The words of a question, each as its parts. Chinese has no spaces: its parts are pairs of letters, 死信重投 is 死信, 信重, 重投. */
const wordsOf = (text) => (text.toLowerCase().match(/\p{sc=Han}+|[^\s\p{sc=Han}]+/gu) ?? []).map((word) => (
  /\p{sc=Han}{3}/u.test(word) ? [...word].slice(1).map((letter, n) => [...word][n] + letter) : [word]));

/** How well a section answers: each word has to be there, in headings best. Of Chinese each letter has to be there in a pair. */
const score = (row, words) => {
  let sum = row.l === document.documentElement.lang ? 2 : 0;
  for (const parts of words) {
    const found = parts.map((part) => (
      (row.heading.includes(part) ? 12 : 0) + (row.title.includes(part) ? (row.h ? 4 : 14) : 0) + (row.text.includes(part) ? 1 : 0)));
    if (!found.every((points, n) => points || (found[n - 1] && found[n + 1]))) return 0;
    sum += found.reduce((a, b) => a + b) / parts.length;
  }
  return sum;
};

const around = (row, word) => {
  const at = Math.max(0, row.text.indexOf(word) - 50);
  return (at > 0 ? '…' : '') + row.x.slice(at, at + 140) + '…';
};

const element = (name, text) => Object.assign(document.createElement(name), { textContent: text });

const show = (found, word) => {
  list.replaceChildren(...found.map(({ row }) => {
    const link = Object.assign(document.createElement('a'), { href: form.dataset.root + row.u, hreflang: row.l });
    link.append(element('b', row.t), row.h ? ' › ' + row.h : '', element('small', around(row, word)));
    const item = document.createElement('li');
    item.append(link);
    return item;
  }));
  if (found.length === 0) list.replaceChildren(element('p', form.dataset.none));
  list.hidden = false;
};

field.addEventListener('focus', load);
field.addEventListener('input', async () => {
  const asked = field.value;
  const words = wordsOf(asked);
  const all = await load();
  if (words.length === 0) {
    list.hidden = true;
    return;
  }
  if (field.value !== asked) return; // typed on meanwhile
  const found = all.map((row) => ({ row, points: score(row, words) })).filter(({ points }) => points > 0);
  show(found.sort((a, b) => b.points - a.points).slice(0, 12), words[0][0]);
});
form.addEventListener('submit', (event) => {
  event.preventDefault();
  list.querySelector('a')?.click();
});
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') list.hidden = true;
  if (event.key === '/' && document.activeElement !== field) {
    event.preventDefault();
    field.focus();
  }
});
document.addEventListener('click', (event) => { if (!form.contains(event.target)) list.hidden = true; });
form.hidden = false;

// A long list of pages shows the one that is open.
const here = document.querySelector('.pages [aria-current]');
if (here) here.closest('.pages').scrollTop = here.offsetTop - innerHeight / 2;

// What scrolls sideways can be reached by keys.
const reach = () => {
  for (const block of document.querySelectorAll('main pre, main table, main p:has(> img:only-child)')) {
    if (block.scrollWidth > block.clientWidth) block.tabIndex = 0;
    else block.removeAttribute('tabindex');
  }
};
reach();
addEventListener('resize', reach);
