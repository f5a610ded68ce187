import { translator } from '../lib/text.js';

const en = { label: { one: '{n} attempt, to scale', other: '{n} attempts, to scale' }, attempt: 'Attempt {n}:', next: 'next' };

/** @type {typeof en} */
const zh = { label: { one: '{n} 次尝试（按比例）', other: '{n} 次尝试（按比例）' }, attempt: '第 {n} 次尝试：', next: '下一次' };

export const t = translator(en, zh);
