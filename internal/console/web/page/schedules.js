// Schedules: when they fire next, what they enqueued, and their rules.

import { html, useEffect, useState } from '../lib/ui.js';
import { at, call, callText } from '../lib/api.js';
import { Raw, members, mistake, pretty, visible } from '../lib/json.js';
import { go, href, path } from '../lib/route.js';
import { may } from '../lib/session.js';
import { number } from '../lib/text.js';
import { absolute, duration, knownZone, milliseconds, wall, zone } from '../lib/time.js';
import { useGet } from '../lib/use.js';
import { Fact, Facts, Failure, Id, Note, State, When, quoted } from '../part/basics.js';
import { Action, Confirm, NewName } from '../part/dialog.js';
import { Head, Loaded, Panel } from '../part/panel.js';
import { Payload } from '../part/payload.js';
import { standing } from '../part/rows.js';
import { Table } from '../part/table.js';
import { t } from './schedules.text.js';

/** @typedef {import('../../types/api.js').Schema<'Schedule'>} Schedule */
/** @typedef {import('../../types/api.js').Schema<'Task'>} Task */

export default function Schedules() {
  const name = path.value[1];
  return name ? html`<${One} name=${name} key=${name} />` : html`<${All} />`;
}

/** The rule in words. @param {Schedule} s */
const rule = (s) => (s.cron ? html`<code>${s.cron}</code> <span class="faint">${s.zone || 'UTC'}</span>` : s.every ? t('every', { time: duration(milliseconds(s.every)) }) : t('once', { time: absolute(s.at ?? '') }));

function All() {
  const schedules = useGet('/v1/schedules', undefined, { on: ['schedule'], every: 10_000 });
  const [creating, setCreating] = useState(false);
  return html`<${Head} title=${t('title')} actions=${may('administer') && html`<button type="button" onClick=${() => setCreating(true)}>${t('create')}</button>`}>${t('about')}<//>
  ${creating && html`<${Edit} others=${schedules.data?.schedules ?? []} onClose=${() => setCreating(false)} onDone=${schedules.reload} />`}
  <div class="panel"><${Loaded} fetched=${schedules}>${(/** @type {{schedules: Schedule[]|null}} */ data) => html`
    <${Table} label=${t('title')} rows=${data.schedules ?? []} none=${t('none')} id=${(/** @type {Schedule} */ s) => s.name} open=${(/** @type {Schedule} */ s) => href(['schedules', s.name])} columns=${[
      { key: 'name', label: t('name'), cell: (/** @type {Schedule} */ s) => html`<a href=${href(['schedules', s.name])}><bdi>${visible(s.name)}</bdi></a>` },
      { key: 'state', label: t('state'), cell: (/** @type {Schedule} */ s) => html`<${State} state=${s.paused ? 'paused' : 'on'} />` },
      { key: 'rule', label: t('rule'), cell: rule },
      { key: 'type', label: t('type'), cell: (/** @type {Schedule} */ s) => html`<bdi>${visible(s.task.type || 'http')}</bdi>` },
      { key: 'next', label: t('next'), cell: (/** @type {Schedule} */ s) => html`<strong><${When} at=${s.next} /></strong>` },
      { key: 'last', label: t('last'), cell: (/** @type {Schedule} */ s) => (s.last_task ? html`<a href=${href(['tasks', s.last_task])}><${When} at=${s.last} /></a>` : html`<${When} at=${s.last} />`) },
      { key: 'fired', label: t('fired'), numeric: true, cell: (/** @type {Schedule} */ s) => number(s.fired ?? 0) },
      { key: 'missed', label: `${t('missed')} / ${t('skipped')}`, numeric: true, cell: (/** @type {Schedule} */ s) => `${number(s.missed ?? 0)} / ${number(s.skipped ?? 0)}` },
    ]} />`}<//></div>`;
}

/** Reads a schedule and keeps its text, for the task's payload.
 * @param {string} place @param {any} query @param {AbortSignal} signal */
async function readSchedule(place, query, signal) {
  const text = await callText('GET', place, { query, signal });
  return { schedule: JSON.parse(text), task: members(text, ['task']).task?.text ?? '{}' };
}

/** @param {{name: string}} props */
function One({ name }) {
  const fetched = useGet(at`/v1/schedules/${name}`, undefined, { on: ['schedule'], every: 5000, read: readSchedule });
  const [editing, setEditing] = useState(false);
  const verb = (/** @type {'pause'|'resume'|'trigger'} */ v, /** @type {any} */ onDone, /** @type {string} */ done) => html`<${Action} label=${t(v)} once=${v === 'trigger'} about=${t(`${v}.about`, { name })} done=${done} onDone=${onDone}
    request=${{ method: 'POST', path: at`/v1/schedules/${name}/` + v }} cli=${`outlast schedule ${v} ${quoted(name)}`} />`;
  return html`<p><a href=${href('schedules')}>← ${t('back')}</a></p><${Loaded} fetched=${fetched} name=${name}>${(/** @type {{schedule: Schedule, task: string}} */ { schedule: s, task }) => html`
    <${Head} title=${html`<bdi>${visible(s.name)}</bdi> <${State} state=${s.paused ? 'paused' : 'on'} />`} actions=${html`
      ${verb('trigger', (/** @type {Task} */ made) => go(['tasks', made.id]), t('triggered'))}${s.paused ? verb('resume', fetched.reload, t('on')) : verb('pause', fetched.reload, t('paused'))}
      ${s.managed !== 'file' && may('administer') && html`<button type="button" onClick=${() => setEditing(true)}>${t('edit')}</button><${Action} label=${t('remove')} danger needs="administer" about=${t('remove.about', { name })} done=${t('removed')}
        onDone=${() => go('schedules')} request=${{ method: 'DELETE', path: at`/v1/schedules/${name}` }} />`}`} />
    ${s.managed && html`<${Note}>${t(s.managed === 'code' ? 'managed.code' : 'managed.about')}<//>`}${editing && html`<${Edit} schedule=${s} task=${task} onClose=${() => setEditing(false)} onDone=${fetched.reload} />`}
    <div class="grid"><${Panel} title=${t('rule')}><${Facts}>
      <${Fact} label=${t('rule')}>${rule(s)}<//><${Fact} label=${t('next')}><strong><${When} at=${s.next} full /></strong><//>
      <${Fact} label=${t('misfire')}>${t.named('misfire.', s.misfire || 'fire_once')} ${s.window && html`<span class="faint">${duration(milliseconds(s.window))}</span>`}<//><${Fact} label=${t('overlap')}>${t.named('overlap.', s.overlap || 'allow')}<//>
      <${Fact} label=${t('fired')}>${number(s.fired ?? 0)}<//><${Fact} label=${t('missed')}>${number(s.missed ?? 0)}<//><${Fact} label=${t('skipped')}>${number(s.skipped ?? 0)}<//><${Fact} label=${t('waiting')}>${number(s.waiting ?? 0)}<//>
      <${Fact} label=${t('updated')}><${When} at=${s.updated_at} /><//><${Fact} label=${t('version')}>${number(s.version)}<//><//><//>
    <${Upcoming} schedule=${s} /></div>
    <${Panel} title=${t('task')}><${Payload} text=${task} name=${`${name}.json`} label=${t('task')} /><//><${History} schedule=${s} />`}<//>`;
}

/** The next ticks, in one's own zone and in the schedule's. @param {{schedule: Schedule}} props */
function Upcoming({ schedule: s }) {
  const ticks = useGet(at`/v1/schedules/${s.name}/next`, { n: 10 }, { on: ['schedule'], every: 30_000 });
  return html`<${Panel} title=${t('upcoming')}><${Loaded} fetched=${ticks}>${(/** @type {{next: string[]|null}} */ data) => html`<${Ticks} ticks=${data.next ?? []} own=${s.zone} />`}<//><//>`;
}

/** @param {{ticks: string[], own?: string}} props */
const Ticks = ({ ticks, own }) => html`<${Table} label=${t('upcoming')} rows=${ticks} none=${t('upcoming.none')} id=${(/** @type {string} */ tick) => tick} columns=${[
  { key: 'when', label: t('next'), cell: (/** @type {string} */ tick) => html`<${When} at=${tick} />` },
  { key: 'yours', label: t('yours'), cell: (/** @type {string} */ tick) => absolute(tick) },
  ...(own && own !== zone.value && knownZone(own) ? [{ key: 'own', label: t('own'), cell: (/** @type {string} */ tick) => inZone(tick, own) }] : []),
]} />`;

/** @param {string} time @param {string} timeZone */
const inZone = (time, timeZone) => `${wall(time, timeZone)} ${timeZone}`;

/** @param {{schedule: Schedule}} props */
function History({ schedule: s }) {
  const tasks = useGet('/v1/tasks', { type: s.task.type || 'http', metadata: `outlast.schedule:${s.name}`, limit: 20 }, { on: ['tasks'], every: 15_000 });
  return html`<${Panel} title=${t('history')}><${Loaded} fetched=${tasks}>${(/** @type {{tasks: Task[]|null}} */ data) => html`<${Table} label=${t('history')} rows=${data.tasks ?? []} none=${t('history.none')} id=${(/** @type {Task} */ task) => task.id}
    open=${(/** @type {Task} */ task) => href(['tasks', task.id])} columns=${[
      { key: 'id', label: t('id'), cell: (/** @type {Task} */ task) => html`<${Id} id=${task.id} href=${href(['tasks', task.id])} />` },
      { key: 'state', label: t('outcome'), cell: (/** @type {Task} */ task) => html`<${State} state=${standing(task)} />` },
      { key: 'when', label: t('when'), cell: (/** @type {Task} */ task) => html`<${When} at=${task.created_at} />` },
    ]} />`}<//><//>`;
}

/** The form of a rule, with its next ticks before it is saved.
 * @param {{schedule?: Schedule, others?: Schedule[], task?: string, onClose: () => void, onDone: () => void}} props */
function Edit({ schedule, others = [], task = '{\n  "type": "report.build"\n}', onClose, onDone }) {
  const [form, setForm] = useState({
    name: schedule?.name ?? '', kind: schedule?.every ? 'every' : schedule?.at ? 'at' : 'cron', cron: schedule?.cron ?? '0 3 * * *', zone: schedule?.zone ?? 'UTC', every: schedule?.every ?? '15m', at: schedule?.at ?? '', start: schedule?.start ?? '',
    misfire: schedule?.misfire || 'fire_once', overlap: schedule?.overlap || 'allow', window: schedule?.window ?? '', task: pretty(task),
  });
  const set = (/** @type {keyof typeof form} */ name) => (/** @type {any} */ e) => setForm({ ...form, [name]: e.target.value });
  const wrong = mistake(form.task), taken = !schedule && others.some((s) => s.name === form.name);
  const body = { ...(form.kind === 'cron' ? { cron: form.cron, zone: form.zone || undefined } : form.kind === 'every' ? { every: form.every, start: form.start || undefined } : { at: form.at }), misfire: form.misfire, overlap: form.overlap,
    window: form.misfire === 'fire_all' && form.window ? form.window : undefined, task: wrong ? {} : new Raw(form.task) };
  const preview = usePreview(wrong ? null : body);
  const input = (/** @type {'cron'|'zone'|'every'|'at'|'window'} */ name, /** @type {string} */ label) => html`<label class="field"><span>${label}</span><input required value=${form[name]} spellcheck=${false} onInput=${set(name)} /></label>`;
  const pick = (/** @type {'kind'|'misfire'|'overlap'} */ name, /** @type {string} */ label, /** @type {string[]} */ values) => html`<label class="field"><span>${label}</span><select value=${form[name]} onChange=${set(name)}>
    ${values.map((value) => html`<option value=${value}>${t(/** @type {any} */ (`${name}.${value}`))}</option>`)}</select></label>`;
  return html`<${Confirm} title=${schedule ? `${t('edit')}: ${schedule.name}` : t('create')} label=${t('save')} about=${t('edit.about')} done=${t('saved')} onClose=${onClose} onDone=${onDone} unready=${wrong !== '' || taken}
    request=${{ method: 'PUT', path: at`/v1/schedules/${form.name}`, body }}>
    ${!schedule && html`<${NewName} label=${t('name')} value=${form.name} taken=${taken} onName=${(/** @type {string} */ name) => setForm({ ...form, name })} />`}${pick('kind', t('kind'), ['cron', 'every', 'at'])}
    ${form.kind === 'cron' ? html`${input('cron', t('cron'))}${input('zone', t('zone'))}` : form.kind === 'every' ? input('every', t('interval')) : input('at', t('at'))}
    ${pick('misfire', t('misfire'), ['fire_once', 'skip', 'fire_all'])}${form.misfire === 'fire_all' && input('window', t('window'))}${pick('overlap', t('overlap'), ['allow', 'skip', 'replace', 'queue'])}
    <label class="field"><span>${t('task.json')}</span><textarea rows="8" spellcheck=${false} aria-invalid=${wrong !== ''} value=${form.task} onInput=${set('task')} />${wrong && html`<span class="text-bad" role="alert">${wrong}</span>`}</label>
    ${preview.problem ? html`<${Failure} problem=${preview.problem} />` : preview.ticks && html`<h3>${t('upcoming')}</h3><${Ticks} ticks=${preview.ticks} own=${form.kind === 'cron' ? form.zone : undefined} />`}<//>`;
}

/** The next ticks of a rule that is being written. @param {any} body null: it cannot be asked for
 * @returns {{ticks?: string[], problem?: any}} */
function usePreview(body) {
  const [preview, setPreview] = useState(/** @type {{ticks?: string[], problem?: any}} */ ({}));
  const key = JSON.stringify(body && { ...body, task: body.task.text ?? '' });
  useEffect(() => {
    if (!body) return undefined;
    const stop = new AbortController();
    const timer = setTimeout(() => call('POST', '/v1/schedules/next', { body, query: { n: 5 }, signal: stop.signal })
      .then((answer) => setPreview({ ticks: answer.next ?? [] }), (problem) => { if (!stop.signal.aborted) setPreview({ problem }); }), 400);
    return () => { clearTimeout(timer); stop.abort(); };
  }, [key]);
  return body ? preview : {};
}
