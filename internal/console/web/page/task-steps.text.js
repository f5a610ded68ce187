import { translator } from '../lib/text.js';

const en = {
  steps: 'Steps', about: 'What is done is kept, and not done again by a later attempt.', name: 'Step', occurrence: 'time {n}', ended: 'Ended', took: 'Took', attempt: 'Attempt', result: 'Result', undo: 'Undone by', payload: 'Payload of the compensation',
  undone: 'undone', until: 'sleeps until', awaits: 'waits for the signal until', signal: 'signal', timeout: 'no signal came', send: 'Send signal “{name}”', 'send.about': 'The task waits for it, and goes on at once. The first signal of a name stands.', 'send.payload': 'Payload, JSON or nothing', sent: 'Sent.', unreadable: 'It cannot be read here:', undoing: 'Tasks that undo them', all: { one: 'Show the step', other: 'Show all {n} steps' },
};

/** @type {typeof en} */
const zh = {
  steps: '步骤', about: '做过的步骤会保留，后来的尝试不再重做。', name: '步骤', occurrence: '第 {n} 次', ended: '结束', took: '耗时', attempt: '尝试', result: '结果', undo: '撤销任务', payload: '撤销任务的载荷',
  undone: '已撤销', until: '睡眠至', awaits: '等待信号至', signal: '信号', timeout: '未收到信号', send: '发送信号“{name}”', 'send.about': '任务正在等待它，随后立即继续。同名信号以第一个为准。', 'send.payload': '载荷，JSON 或留空', sent: '已发送。', unreadable: '此处无法读取：', undoing: '执行撤销的任务', all: { one: '显示该步骤', other: '显示全部 {n} 个步骤' },
};

export const t = translator(en, zh);
