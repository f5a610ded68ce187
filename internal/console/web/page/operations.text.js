import { translator } from '../lib/text.js';

const en = {
  title: 'Operations', about: 'Work on many tasks, such as canceling them or redriving dead letters. It goes on when this page is closed, and survives a restart.', none: 'No operation yet.', back: 'All operations', kind: 'Kind', state: 'State', progress: 'Progress', began: 'Began', ended: 'Ended', request: 'What was asked for', error: 'Why it stopped', waiting: 'Waits for',
  'kind.redrive': 'redrive dead letters', 'kind.cancel': 'cancel tasks', 'kind.retry': 'retry tasks', 'kind.reschedule': 'reschedule tasks', 'state.running': 'running', 'state.paused': 'paused', 'state.done': 'done', 'state.canceled': 'canceled', 'state.failed': 'failed',
  matched: 'Matched', sent: 'Redriven', changed: 'Changed', 'left.about': 'running, ended or gone', skipped: 'Left out', 'skipped.about': 'no dead letters any more', succeeded: 'Succeeded since', failing: 'Failed again', 'not.watched': 'not watched', 'not.watched.about': 'without a canary and a limit nobody counts; the list below tells', 'of.last': 'of the last {n} that were redriven', 'of.last.then': 'of the last {n} that were redriven, when it ended; the list below tells how it is now', of: '{n} of {all}',
  pause: 'Pause', 'pause.about': 'Nothing more is done until it is resumed. What was done stays done.', resume: 'Resume', 'resume.about': 'It goes on with what is left.', cancel: 'Cancel the operation', 'cancel.about': 'Nothing more is done. What was done stays done. This cannot be undone.', ok: 'Done',
  items: 'What became of each', 'items.none': 'Nothing yet.', place: 'No.', letter: 'Task', status: 'Now', type: 'Type', attempt: 'Attempts', 'status.waiting': 'not yet', 'status.pending': 'waits', 'status.running': 'running', 'status.succeeded': 'succeeded', 'status.dead': 'died again', 'status.canceled': 'canceled', 'status.resent': 'redriven since', 'status.gone': 'gone', 'status.skipped': 'left out', 'status.changed': 'changed', 'status.asked': 'asked to stop', 'status.left_running': 'left alone: it ran', 'status.left_ended': 'left alone: it had ended', 'status.not_found': 'not found', report: 'Report', last: 'Last error',
};

/** @type {typeof en} */
const zh = {
  title: '批量操作', about: '对大量任务的操作，例如取消任务或重投死信。关闭本页后继续进行，重启后仍会继续。', none: '还没有批量操作。', back: '全部操作', kind: '种类', state: '状态', progress: '进度', began: '开始', ended: '结束', request: '请求内容', error: '停止原因', waiting: '正在等待',
  'kind.redrive': '重投死信', 'kind.cancel': '取消任务', 'kind.retry': '重试任务', 'kind.reschedule': '任务改期', 'state.running': '进行中', 'state.paused': '已暂停', 'state.done': '已完成', 'state.canceled': '已取消', 'state.failed': '失败',
  matched: '匹配', sent: '已重投', changed: '已更改', 'left.about': '执行中、已结束或已不存在', skipped: '已跳过', 'skipped.about': '已不是死信', succeeded: '之后成功', failing: '再次失败', 'not.watched': '未观察', 'not.watched.about': '没有试投和上限时不计数；请看下方列表', 'of.last': '最近重投的 {n} 封中', 'of.last.then': '操作结束时，最近重投的 {n} 封中；当前情况见下方列表', of: '{n} / {all}',
  pause: '暂停', 'pause.about': '在恢复之前不再继续。已完成的不受影响。', resume: '恢复', 'resume.about': '继续处理剩余部分。', cancel: '取消此操作', 'cancel.about': '不再继续。已完成的不受影响。此操作无法撤销。', ok: '完成',
  items: '逐项结果', 'items.none': '暂无。', place: '序号', letter: '任务', status: '当前', type: '类型', attempt: '尝试', 'status.waiting': '尚未处理', 'status.pending': '等待中', 'status.running': '执行中', 'status.succeeded': '成功', 'status.dead': '再次死亡', 'status.canceled': '已取消', 'status.resent': '之后又被重投', 'status.gone': '已不存在', 'status.skipped': '已跳过', 'status.changed': '已更改', 'status.asked': '已要求停止', 'status.left_running': '未改动：执行中', 'status.left_ended': '未改动：已结束', 'status.not_found': '未找到', report: '报告', last: '最近错误',
};

export const t = translator(en, zh);
