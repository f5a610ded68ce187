import { translator } from '../lib/text.js';

const en = { label: { one: '{n} attempt, to scale', other: '{n} attempts, to scale' }, attempt: 'Attempt {n}:', next: 'next', 'axis.end': '{span} from its enqueueing to its end', 'axis.now': '{span} from its enqueueing to now', 'axis.next': '{span} from its enqueueing to the next attempt' };

/** @type {typeof en} */
const zh = { label: { one: '{n} 次尝试（按比例）', other: '{n} 次尝试（按比例）' }, attempt: '第 {n} 次尝试：', next: '下一次', 'axis.end': '从入队到结束共 {span}', 'axis.now': '从入队到现在共 {span}', 'axis.next': '从入队到下一次尝试共 {span}' };

export const t = translator(en, zh);
