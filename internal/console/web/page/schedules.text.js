import { translator } from '../lib/text.js';

const en = {
  title: 'Schedules', about: 'Each tick enqueues one task, exactly once over all nodes and crashes.', none: 'No schedule yet.', back: 'All schedules', name: 'Name', rule: 'Rule', next: 'Next tick', last: 'Last tick', fired: 'Ticks', missed: 'Missed', skipped: 'Left out', state: 'State', on: 'on', paused: 'paused', type: 'Type',
  'managed.about': 'This schedule stands in the configuration file. Change it there.', 'managed.code': 'The code of an application keeps this schedule. Change it there; here it can be changed when no node of it runs any more.', zone: 'Time zone', misfire: 'Late ticks', overlap: 'While the last task runs', window: 'How old a late tick may be', every: 'every {time}', once: 'once, at {time}', waiting: 'Ticks that wait', task: 'What each tick enqueues', updated: 'Changed', version: 'Version',
  'misfire.skip': 'leave them out', 'misfire.fire_once': 'one task for all', 'misfire.fire_all': 'a task for each', 'overlap.allow': 'enqueue all the same', 'overlap.skip': 'leave the tick out', 'overlap.replace': 'cancel the last, enqueue', 'overlap.queue': 'wait for its end',
  pause: 'Pause', 'pause.about': 'No tick of {name} enqueues anything until it is resumed. What was enqueued goes on.', resume: 'Resume', 'resume.about': 'Ticks of {name} enqueue again. The ticks of its pause are left out.', trigger: 'Trigger now', 'trigger.about': 'One task of {name} is enqueued now. It counts as no tick, and is retried like any other.', triggered: 'Enqueued', remove: 'Delete', 'remove.about': 'The schedule {name} is gone. Tasks that it enqueued stay.', removed: 'Deleted',
  upcoming: 'Next ticks', 'upcoming.none': 'There is no further tick.', yours: 'In your zone', own: 'In its zone', history: 'Tasks of this schedule', 'history.none': 'No task of it is kept.', create: 'New schedule', edit: 'Edit', save: 'Save', saved: 'Saved', 'edit.about': 'The rule is checked before it holds. The next ticks are shown below when it is good.', kind: 'Kind', 'kind.cron': 'cron', 'kind.every': 'interval', 'kind.at': 'once',
  cron: 'Cron (minute hour day month weekday, or six with seconds first)', interval: 'Interval, such as 15m', at: 'Time, such as 2026-01-31T08:00:00Z', 'task.json': 'The task (JSON, as in POST /v1/tasks)', outcome: 'State', when: 'Enqueued', id: 'Task',
};

/** @type {typeof en} */
const zh = {
  title: '定时计划', about: '每个时刻恰好入队一个任务，跨节点与崩溃都不会重复或遗漏。', none: '还没有定时计划。', back: '全部计划', name: '名称', rule: '规则', next: '下次', last: '上次', fired: '触发次数', missed: '错过', skipped: '略过', state: '状态', on: '启用', paused: '已暂停', type: '类型',
  'managed.about': '此计划写在配置文件中，请在文件中修改。', 'managed.code': '此计划由应用代码维护，请在代码中修改；没有节点再声明它之后，才能在这里修改。', zone: '时区', misfire: '迟到的时刻', overlap: '上个任务仍在执行时', window: '迟到多久仍有效', every: '每 {time}', once: '一次，于 {time}', waiting: '等待中的时刻', task: '每次入队的内容', updated: '更新时间', version: '版本',
  'misfire.skip': '略过', 'misfire.fire_once': '合并为一个任务', 'misfire.fire_all': '每个时刻一个任务', 'overlap.allow': '照常入队', 'overlap.skip': '略过该时刻', 'overlap.replace': '取消上一个并入队', 'overlap.queue': '等其结束',
  pause: '暂停', 'pause.about': '恢复之前，{name} 不再入队任务。已入队的继续执行。', resume: '恢复', 'resume.about': '{name} 重新开始入队。暂停期间的时刻不再补发。', trigger: '立即触发', 'trigger.about': '现在为 {name} 入队一个任务。它不算时刻，重试方式与其他任务相同。', triggered: '已入队', remove: '删除', 'remove.about': '删除定时计划 {name}。它已入队的任务保留。', removed: '已删除',
  upcoming: '接下来的时刻', 'upcoming.none': '没有后续时刻。', yours: '您的时区', own: '计划的时区', history: '此计划的任务', 'history.none': '没有保留其任务。', create: '新建计划', edit: '编辑', save: '保存', saved: '已保存', 'edit.about': '规则生效前会先检查。正确时，下方显示接下来的时刻。', kind: '种类', 'kind.cron': 'cron', 'kind.every': '间隔', 'kind.at': '一次',
  cron: 'Cron（分 时 日 月 周，或以秒开头的六段）', interval: '间隔，例如 15m', at: '时间，例如 2026-01-31T08:00:00Z', 'task.json': '任务（JSON，同 POST /v1/tasks）', outcome: '状态', when: '入队时间', id: '任务',
};

export const t = translator(en, zh);
