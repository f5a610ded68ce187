import { translator } from '../lib/text.js';

const en = {
  title: 'Overview', well: 'All is well', 'well.only': 'The server is well; what is shown is of your queues only', wait: { one: 'The server is well; {n} dead letter to redrive', other: 'The server is well; {n} dead letters to redrive' }, unwell: { one: '{n} problem', other: '{n} problems' }, checks: 'Checks', look: 'Look', safety: 'Data safety', nodes: { one: '{n} node', other: '{n} nodes' },
  due: 'Due now', 'due.more': 'oldest for {age}', 'due.none': 'nothing waits for its turn', running: 'Running', 'running.more': 'of {n} slots', pending: 'Pending', 'pending.more': 'due, or waiting for their time', waiting: 'Waiting for their time', 'waiting.more': 'retries and later starts', dead: 'Dead letters', 'dead.more': 'gave up; can be redriven', success: 'Attempts that succeed', 'success.more': 'in the time shown',
  since: 'began', waits: { one: '{n} task waits', other: '{n} tasks wait' }, down: { one: '{n} target in trouble: its tasks wait', other: '{n} targets in trouble: their tasks wait' }, target: 'Target', 'waiting.for': 'Waiting', flight: 'Running', cause: 'Why',
  failing: 'What fails', 'failing.none': 'No dead letters: nothing was given up.', 'failing.about': 'Dead letters by cause. When the cause is repaired, redrive them: each starts again with attempt 1.', count: 'Letters', why: 'What went wrong', type: 'Type', last: 'Last', redrive: 'Redrive', all: 'All dead letters',
  next: 'Tried again next', 'next.none': 'No failed task waits for another attempt.', 'next.about': 'These failed and will be tried again by themselves.', 'next.unseen': 'More tasks wait than were looked at: some may come sooner.', when: 'Next attempt', attempt: 'Attempts', task: 'Task', troubled: 'Targets in trouble', 'troubled.none': 'No breaker is open, and no target is held back.', 'troubled.more': { one: '{n} more', other: '{n} more' }, until: 'asked again', breaker: 'Breaker',
  tail: 'As it happens', 'tail.none': 'Nothing has happened since this page was opened.', 'tail.left': { one: '{n} more', other: '{n} more' }, 'tail.pause': 'Hold', 'tail.go': 'Go on', 'what.enqueued': 'enqueued', 'what.started': 'started', 'what.failed': 'failed', 'what.succeeded': 'succeeded', 'what.dead': 'dead', 'what.canceled': 'canceled', 'what.snoozed': 'put off', 'what.released': 'handed back', 'what.crashed': 'crashed', 'what.retry': 'will retry',
  empty: 'Nothing has been enqueued yet. Try:', ago: 'at {time}',
};

/** @type {typeof en} */
const zh = {
  title: '总览', well: '一切正常', 'well.only': '服务器正常；此处仅显示您的队列', wait: { one: '服务器正常；{n} 封死信等待重投', other: '服务器正常；{n} 封死信等待重投' }, unwell: { one: '{n} 个问题', other: '{n} 个问题' }, checks: '检查项', look: '查看', safety: '数据安全', nodes: { one: '{n} 个节点', other: '{n} 个节点' },
  due: '现在到期', 'due.more': '最久已等 {age}', 'due.none': '没有任务在排队', running: '执行中', 'running.more': '共 {n} 个执行槽', pending: '待处理', 'pending.more': '已到期或等待时间到来', waiting: '等待时间到来', 'waiting.more': '重试与延后启动', dead: '死信', 'dead.more': '已放弃，可重投', success: '尝试成功率', 'success.more': '所选时段内',
  since: '开始于', waits: { one: '{n} 个任务在等待', other: '{n} 个任务在等待' }, down: { one: '{n} 个目标有问题，其任务在等待', other: '{n} 个目标有问题，其任务在等待' }, target: '目标', 'waiting.for': '等待', flight: '执行中', cause: '原因',
  failing: '什么在失败', 'failing.none': '没有死信：没有任务被放弃。', 'failing.about': '死信，按错误归类。修复原因后即可重投：每封死信从第 1 次尝试重新开始。', count: '数量', why: '错误', type: '类型', last: '最近', redrive: '重投', all: '全部死信',
  next: '接下来的重试', 'next.none': '没有失败的任务在等待下一次尝试。', 'next.about': '这些任务失败过，会自动再次尝试。', 'next.unseen': '等待的任务过多，未能全部查看：可能有更早的重试。', when: '下一次尝试', attempt: '尝试次数', task: '任务', troubled: '有问题的目标', 'troubled.none': '没有断开的熔断器，也没有暂缓的目标。', 'troubled.more': { one: '另有 {n} 个', other: '另有 {n} 个' }, until: '再次探测', breaker: '熔断器',
  tail: '实时动态', 'tail.none': '打开本页以来没有新动态。', 'tail.left': { one: '另有 {n} 条', other: '另有 {n} 条' }, 'tail.pause': '暂停', 'tail.go': '继续', 'what.enqueued': '入队', 'what.started': '开始', 'what.failed': '失败', 'what.succeeded': '成功', 'what.dead': '死信', 'what.canceled': '已取消', 'what.snoozed': '推迟', 'what.released': '交还', 'what.crashed': '崩溃', 'what.retry': '将重试',
  empty: '还没有任务。可以试试：', ago: '{time}',
};

export const t = translator(en, zh);
