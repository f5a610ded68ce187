// What if: recorded tasks again under other policies, beside how they really went.

import { html, useEffect } from '../lib/ui.js';
import { call } from '../lib/api.js';
import { Raw, mistake, stringify, visible } from '../lib/json.js';
import { href, query, setQuery } from '../lib/route.js';
import { may, queues } from '../lib/session.js';
import { number, percent, short } from '../lib/text.js';
import { absolute, duration, milliseconds, serverNow } from '../lib/time.js';
import { useAnswer, useGet } from '../lib/use.js';
import { Failure, Note, Same, curl, quoted } from '../part/basics.js';
import { Lines } from '../part/chart.js';
import { Panel } from '../part/panel.js';
import { Table } from '../part/table.js';
import { t } from './whatif.text.js';

/** @typedef {import('../../types/api.js').Schema<'WhatIfReport'>} Report */
/** @typedef {import('../../types/api.js').Schema<'WhatIfRun'>} Run */

const times = /** @type {const} */ (['1h', '6h', '24h', '72h', '168h']);
const amounts = [500, 2000, 10_000];
const fields = /** @type {const} */ (['of', 'type', 'queue', 'target']);
const mostTried = 4;
const path = '/v1/sim/whatif';

/** What is asked, as the address says it. */
function asked() {
  const of = (/** @type {string} */ name) => query.value.get(name) ?? '';
  return {
    of: of('of'), type: of('type'), queue: of('queue'), target: of('target'), draft: of('draft'), name: of('name'),
    since: times.find((time) => time === of('since')) ?? '24h', tasks: amounts.find((n) => String(n) === of('tasks')) ?? amounts[1],
    policies: of('policies').split(',').filter(Boolean),
  };
}

/** The call's body. @param {ReturnType<typeof asked>} a */
function bodyOf({ of, type, queue, target, since, tasks, policies, draft, name }) {
  const given = Object.fromEntries(Object.entries({ of, type, queue, target }).filter(([, value]) => value));
  return {
    ...given, tasks, since: new Date(serverNow() - milliseconds(since)).toISOString(),
    policies: [...(draft ? [{ name: name ? t('draft.of', { name }) : t('draft'), policy: new Raw(draft) }] : []), ...policies.map((preset) => ({ preset }))].slice(0, mostTried),
  };
}

/** The same as a command. @param {ReturnType<typeof asked>} a */
const command = ({ of, type, queue, target, since, tasks, policies, draft }) => ['outlast sim whatif', ...Object.entries({ of, type, queue, target }).map(([name, value]) => (value ? `--${name} ${quoted(value)}` : '')),
  `--since ${since} --tasks ${tasks}`, draft ? '--policy draft.json' : '', ...policies.map((name) => `--policy ${quoted(name)}`)].filter(Boolean).join(' ');

export function WhatIf() {
  const question = asked();
  const { answer: report, problem, busy, ask, end } = useAnswer(JSON.stringify(question));
  const wrong = question.draft ? mistake(question.draft) : '';
  const play = () => {
    const now = asked(); // Enter in a field changes the address and plays in one
    return ask((signal) => call('POST', path, { body: bodyOf(now), signal }), JSON.stringify(now));
  };
  useEffect(() => { if (question.draft && !wrong && may('operate')) void play(); }, []); // it came with the question
  if (!may('operate')) return html`<${Note}>${t('operators')}<//>`;
  const begin = (/** @type {Event} */ e) => { e.preventDefault(); void play(); };
  return html`<div class="panel"><form onSubmit=${begin}><p class="faint">${t('about')}</p>
    <${Which} question=${question} />
    <${Tried} question=${question} wrong=${wrong} />
    <div class="actions"><button type="submit" class="primary" disabled=${busy || wrong !== ''}>${t('play')}</button>
      ${busy && html`<button type="button" onClick=${end}>${t('stop')}</button><span role="status">${t('playing')}</span>`}
      ${question.draft && question.name && may('administer') && !wrong && html`<a class="button" href=${href(['policies', question.name, 'edit'], { draft: question.draft })}>${t('edit', { name: question.name })}</a>`}</div>
    <${Same} cli=${command(question)} curl=${curl('POST', path, wrong ? '{}' : stringify(bodyOf(question)))} /></form></div>
  ${problem && html`<${Failure} problem=${problem} onRetry=${play} />`}
  ${report ? html`<div aria-busy=${busy}><${Shown} report=${report} /></div>` : !problem && html`<div class="empty">${busy ? t('playing') : t('none')}</div>`}`;
}

/** Which tasks. @param {{question: ReturnType<typeof asked>}} props */
function Which({ question }) {
  const set = (/** @type {string} */ name) => (/** @type {any} */ e) => setQuery({ [name]: e.target.value.trim() }, true);
  return html`<div class="grid three">
    ${fields.map((name) => html`<label class="field" key=${name}><span>${t(name)}</span><input value=${question[name]} spellcheck=${false} placeholder=${name === 'queue' && queues.value.length ? queues.value.join(', ') : t('all')} onChange=${set(name)} /></label>`)}
    <label class="field"><span>${t('since')}</span><select value=${question.since} onChange=${set('since')}>${times.map((time) => html`<option value=${time}>${t(`since.${time}`)}</option>`)}</select></label>
    <label class="field"><span>${t('tasks')}</span><select value=${String(question.tasks)} onChange=${set('tasks')}>${amounts.map((n) => html`<option value=${String(n)}>${number(n)}</option>`)}</select></label></div>`;
}

/** Under which policies. @param {{question: ReturnType<typeof asked>, wrong: string}} props */
function Tried({ question, wrong }) {
  const { policies, draft, name } = question;
  const known = useGet('/v1/policies');
  const names = [...(known.data?.policies ?? [])].map((/** @type {any} */ p) => p.name);
  const room = mostTried - (draft ? 1 : 0);
  const toggle = (/** @type {string} */ one) => setQuery({ policies: (policies.includes(one) ? policies.filter((n) => n !== one) : [...policies, one].slice(-room)).join(',') }, true);
  return html`${known.error && html`<${Failure} problem=${known.error} onRetry=${known.reload} />`}<fieldset class="field"><legend>${t('policies', { n: mostTried })}</legend><div class="choices">${names.map((/** @type {string} */ one) => html`<label class="check" key=${one}>
      <input type="checkbox" checked=${policies.includes(one)} onChange=${() => toggle(one)} /><bdi>${visible(one)}</bdi></label>`)}</div></fieldset>
    <details open=${draft !== ''}><summary>${name ? t('draft.of', { name }) : t('draft')}</summary>
      <label class="field"><span>${t('draft.about')}</span><textarea rows="6" spellcheck=${false} aria-invalid=${wrong !== ''} value=${draft} onChange=${(/** @type {any} */ e) => setQuery({ draft: e.target.value.trim() }, true)} /></label>
      ${wrong && html`<p class="text-bad" role="alert">${wrong}</p>`}</details>`;
}

/** What a run is called. @param {Run} run */
const called = (run) => (run.kind === 'tried' ? visible(run.name) : t(`kind.${run.kind}`));

/** @param {{report: Report}} props */
function Shown({ report }) {
  const { read } = report;
  const runs = report.runs ?? [];
  const others = read.others ? ` ${t('read.others', { n: read.others })}` : '';
  if (!read.tasks) return html`<div class="empty">${t('nothing', { since: absolute(read.since), until: absolute(read.until) })}${others}</div>`;
  return html`<${Panel} title=${t('results')} aside=${html`<span class="faint">${t('seed', { n: String(report.seed) })}</span>`}>
      <p>${t('read', { tasks: number(read.tasks), attempts: number(read.attempts), targets: number(read.targets), from: absolute(read.stopped ? read.oldest ?? read.since : read.since), until: absolute(read.until) })}${others} ${read.untried > 0 && t('read.untried', { n: read.untried })}
        ${read.stopped && html`<strong>${t('read.stopped', { at: absolute(read.oldest ?? read.since) })}</strong>`}</p>
      <${Runs} runs=${runs} /><//>
    <div class="grid"><${Over} report=${report} title=${t('load')} of=${(/** @type {Run} */ run) => run.series.attempts} />
      <${Over} report=${report} title=${t('good')} of=${(/** @type {Run} */ run) => run.series.succeeded} /></div>
    <${Panel} title=${t('limits')}><ul>${(report.limits ?? []).map((limit) => html`<li key=${limit.code}>${said(limit, report)}</li>`)}</ul><//>`;
}

/** A limit in the reader's language. @param {{code: string, text: string}} limit @param {Report} report */
function said({ code, text }, report) {
  const most = (/** @type {'guessed'|'open'} */ what) => Math.max(...(report.runs ?? []).map((run) => run[what]));
  switch (code) {
    case 'model': case 'load': case 'now': case 'schedule': case 'kept': return t(`limit.${code}`);
    case 'guessed': case 'open': return t(`limit.${code}`, { n: most(code) });
    case 'left_out': return t('limit.left_out', { n: report.read.tasks + report.read.untried, at: absolute(report.read.oldest ?? report.read.since) });
    default: return html`<bdi>${visible(text)}</bdi>`;
  }
}

/** @param {{runs: Run[]}} props */
function Runs({ runs }) {
  const current = runs.find((run) => run.kind === 'current');
  const by = (/** @type {number} */ n, /** @type {number|undefined} */ before, /** @type {Run} */ run) => run.kind === 'tried' && before !== undefined && before > 0 && n !== before
    && html` <span class="faint">${n > before ? '+' : '−'}${percent(Math.abs(n / before - 1))}</span>`;
  const spans = (/** @type {{p50: string, p99: string}} */ s) => html`${duration(milliseconds(s.p50))} <span class="faint">/</span> ${duration(milliseconds(s.p99))}`;
  return html`<${Table} label=${t('results')} rows=${runs} id=${(/** @type {Run} */ run) => run.kind + run.name} columns=${[
    { key: 'name', label: t('run'), wide: true, cell: (/** @type {Run} */ run) => html`<bdi>${called(run)}</bdi>${whys(run) && html`<div class="faint">${whys(run)}</div>`}` },
    { key: 'attempts', label: t('attempts'), numeric: true, cell: (/** @type {Run} */ run) => html`${number(run.attempts)}${by(run.attempts, current?.attempts, run)}` },
    { key: 'failed', label: t('failed'), numeric: true, cell: (/** @type {Run} */ run) => html`${number(run.failed)}${by(run.failed, current?.failed, run)}` },
    { key: 'good', label: t('succeeded'), numeric: true, cell: (/** @type {Run} */ run) => number(run.succeeded) },
    { key: 'died', label: t('died'), numeric: true, cell: (/** @type {Run} */ run) => number(run.died) },
    { key: 'wait', label: t('wait'), numeric: true, cell: (/** @type {Run} */ run) => (run.retries ? spans(run.wait) : '—') },
    { key: 'success', label: t('success'), numeric: true, cell: (/** @type {Run} */ run) => (run.succeeded ? spans(run.success) : '—') },
    { key: 'guessed', label: t('guessed'), numeric: true, cell: (/** @type {Run} */ run) => (run.kind === 'recorded' ? '—' : number(run.guessed)) }]} />`;
}

/** Why tasks died, where a replay knows it; and those that neither died nor succeeded.
 * @param {Run} run */
function whys(run) {
  if (run.kind === 'recorded') return [run.open && t('open', { n: run.open }), run.canceled && t('canceled', { n: run.canceled })].filter(Boolean).join(', ');
  const all = Object.entries(run.died_by ?? {}).map(([why, n]) => `${t.named('by.', why)} ${number(n)}`);
  return all.length ? t('died.by', { why: all.join(', ') }) : '';
}

/** Something of each run over time. @param {{report: Report, title: string, of: (run: Run) => number[]|null}} props */
function Over({ report, title, of }) {
  const begin = Date.parse(report.begin), step = milliseconds(report.step);
  const runs = report.runs ?? [];
  const steps = Math.max(...runs.map((run) => of(run)?.length ?? 0));
  const series = runs.map((run, i) => {
    const values = of(run) ?? [];
    return { name: called(run), tone: String(i + 1), dashed: run.kind === 'recorded', points: /** @type {[number, number][]} */ (Array.from({ length: steps }, (_, n) => [begin + n * step, values[n] ?? 0])) };
  });
  return html`<section class="panel"><${Lines} label=${title} series=${series} format=${(/** @type {number} */ v) => short(v)} rows=${steps} /></section>`;
}
