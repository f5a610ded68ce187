import { translator } from '../lib/text.js';

const en = {
  cancel: 'Cancel {n}…', retry: 'Retry {n} now…', reschedule: 'Reschedule {n}…', 'cancel.all': 'Cancel all of these…', 'retry.all': 'Retry all of these now…', 'reschedule.all': 'Reschedule all of these…',
  'cancel.title': 'Cancel tasks', 'retry.title': 'Retry tasks now', 'reschedule.title': 'Reschedule tasks', 'cancel.go': 'Cancel {n}', 'retry.go': 'Retry {n} now', 'reschedule.go': 'Reschedule {n}',
  'cancel.about': 'Waiting tasks end at once; running ones are asked to stop. This cannot be undone.', 'retry.about': 'Waiting tasks run at once, whatever time they wait for.', 'reschedule.about': 'Waiting tasks run next at the time below.',
  matched: { one: '{n} task matches.', other: '{n} tasks match.' }, 'matched.least': { one: 'At least {n} task matches.', other: 'At least {n} tasks match.' }, left: { one: 'One of those chosen runs or has ended, and is left alone.', other: '{n} of those chosen run or have ended, and are left alone.' },
  counting: 'Counting…', begun: 'Begun', sample: 'A sample', delay: 'Next run, counted from now', 'delay.about': 'Such as 10m or 2h.', reason: 'Reason', 'reason.about': 'For the audit log. May be empty.',
};

/** @type {typeof en} */
const zh = {
  cancel: '取消 {n} 个…', retry: '立即重试 {n} 个…', reschedule: '改期 {n} 个…', 'cancel.all': '全部取消…', 'retry.all': '全部立即重试…', 'reschedule.all': '全部改期…',
  'cancel.title': '取消任务', 'retry.title': '立即重试任务', 'reschedule.title': '任务改期', 'cancel.go': '取消 {n} 个', 'retry.go': '立即重试 {n} 个', 'reschedule.go': '改期 {n} 个',
  'cancel.about': '等待中的任务立即结束，执行中的任务会被要求停止。此操作无法撤销。', 'retry.about': '等待中的任务立即执行，不再等到原定时间。', 'reschedule.about': '等待中的任务改在下面的时间执行。',
  matched: { one: '有 {n} 个任务匹配。', other: '有 {n} 个任务匹配。' }, 'matched.least': { one: '至少有 {n} 个任务匹配。', other: '至少有 {n} 个任务匹配。' }, left: { one: '所选任务中有 {n} 个正在执行或已结束，不作改动。', other: '所选任务中有 {n} 个正在执行或已结束，不作改动。' },
  counting: '正在计数…', begun: '已开始', sample: '样本', delay: '下次执行，从现在算起', 'delay.about': '例如 10m 或 2h。', reason: '原因', 'reason.about': '写入审计日志，可留空。',
};

export const t = translator(en, zh);
