// Searches the sections of all pages, without a server: the index is one file.
const form = document.querySelector('header form');
const field = form.querySelector('input');
const list = form.querySelector('ol');
let rows;

const load = () => {
  rows ??= fetch(form.dataset.root + 'search.json').then((answer) => answer.json()).then((all) => all.map((row) => (
    { ...row, title: row.t.toLowerCase(), heading: row.h.toLowerCase(), text: row.x.toLowerCase() })));
  return rows;
};

/** How well a section answers: each word has to be there, in headings best. */
const score = (row, words) => {
  let sum = row.l === document.documentElement.lang ? 2 : 0;
  for (const word of words) {
    const found = (row.heading.includes(word) ? 12 : 0) + (row.title.includes(word) ? (row.h ? 4 : 14) : 0) + (row.text.includes(word) ? 1 : 0);
    if (!found) return 0;
    sum += found;
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
/** The words of a question. Chinese has no spaces between them. */
const wordsOf = (text) => text.toLowerCase().split(/\s+/).filter(Boolean).flatMap((word) => (
  /\p{sc=Han}/u.test(word) && Intl.Segmenter
    ? [...new Intl.Segmenter('zh', { granularity: 'word' }).segment(word)].filter((part) => part.isWordLike).map((part) => part.segment)
    : [word]));

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
  show(found.sort((a, b) => b.points - a.points).slice(0, 12), words[0]);
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
