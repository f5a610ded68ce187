// Texts of the shell and the parts, and what the server names everywhere.

import { translator } from '../lib/text.js';

const en = {
  skip: 'Skip to content', menu: 'Menu', docs: 'Documentation ↗', search: 'Search tasks', palette: 'Go to or do…', help: 'Keyboard shortcuts', close: 'Close', 'close.sure': 'What you wrote here would be lost. Escape once more closes the dialog.', cancel: 'Cancel', 'keep.it': 'Keep it', 'keep.them': 'Keep them',
  loading: 'Loading…', retry: 'Try again', none: 'Nothing here', more: 'Show more', unreachable: 'The server does not answer.',
  problem: 'That did not work', hint: 'What helps', renewed: 'The server has another version than this page.', refresh: 'Load the page anew', uncopied: 'This browser does not let the page copy. Select the text and copy it.', done: 'Done',
  live: 'Live', polling: 'Asking every 3 s', paused: 'Not updating', 'live.pause': 'Stop updating', 'live.resume': 'Keep up to date',
  theme: 'Colours', 'theme.system': 'As the system', 'theme.light': 'Light', 'theme.dark': 'Dark', language: 'Language',
  logout: 'Sign out',
  'page.overview': 'Overview', 'page.tasks': 'Tasks', 'page.dead': 'Dead letters', 'page.queues': 'Queues', 'page.targets': 'Targets', 'page.workers': 'Workers and nodes',
  'page.policies': 'Policies', 'page.schedules': 'Schedules', 'page.alerts': 'Alerts', 'page.operations': 'Operations', 'page.taskGroups': 'Groups of tasks', 'page.audit': 'Audit', 'page.settings': 'Settings',
  'page.simulator': 'Simulator', notFound: 'There is no such page.', onlyQueues: 'Your token is for certain queues ({queues}). What this page shows belongs to no single queue.', 'login.title': 'Sign in', 'login.about': 'This server wants a token. It is kept in this tab only, until the tab is closed.',
  'login.token': 'Token', 'login.go': 'Sign in', 'login.refused': 'The server does not take this token.', 'login.again': 'The token has ended, or the server wants one now. What is written on the page stays.', 'login.make': 'How to make one', 'made.title': 'The new token', 'made.about': 'Copy it now. It is not shown again.',
  same: 'The same by command line', copy: 'Copy', copied: 'Copied', expand: 'Show', collapse: 'Hide',
  'table.numbers': 'The numbers', 'row.next': 'Next row', 'row.before': 'Previous row', 'row.open': 'Open the row', 'row.select': 'Select the row', 'row.again': 'Retry or send back what is selected, or the row', 'again.here': 'Retry or send back the task', selected: { one: '{n} selected', other: '{n} selected' }, 'select.all': 'Select all on this page', select: 'Select', unselect: 'Clear the selection',
  download: 'Download', 'payload.whole': 'Show all ({size})', 'payload.none': 'No payload', nothing: '—',
  filter: 'Filter', 'filter.clear': 'Clear', 'filter.more': 'More filters', 'filter.any': 'any', taken: 'There is one of this name already. Edit that one, or choose another name.', type: 'Type "{word}" to confirm',
  'state.pending': 'pending', 'state.running': 'running', 'state.succeeded': 'succeeded', 'state.dead': 'dead', 'state.canceled': 'canceled',
  'state.retrying': 'waiting to retry', 'state.scheduled': 'scheduled', 'state.paused': 'paused', 'state.expired': 'expired', 'state.failed': 'failed', 'state.finished': 'finished',
  'state.open': 'open', 'state.closed': 'closed', 'state.half_open': 'half open', 'state.ok': 'ok', 'state.on': 'on', 'state.off': 'off',
  'state.firing': 'firing', 'state.recovered': 'recovered', 'state.acknowledged': 'acknowledged', 'state.silenced': 'silenced', 'state.live': 'live', 'state.revoked': 'revoked', 'state.up': 'up', 'state.down': 'down',
  'category.permanent': 'permanent', 'category.canceled': 'canceled', 'category.deadline': 'deadline', 'category.unsent': 'unsent', 'category.conflict': 'conflict', 'category.network': 'network',
  'category.timeout': 'timeout', 'category.throttled': 'throttled', 'category.unavailable': 'unavailable', 'category.local': 'local', 'category.bug': 'bug', 'category.unknown': 'unknown',
  'reason.exhausted': 'all attempts failed', 'reason.permanent': 'permanent failure', 'reason.expired': 'out of time', 'reason.crash_loop': 'crashed again and again', 'reason.no_handler': 'nothing can start it', 'reason.rejected': 'given up by its handler',
  'held.breaker open': 'held: breaker', 'held.paused': 'held: queue paused', 'held.budget spent': 'held: retry budget', 'held.rate limited': 'held: pace of the target', 'held.concurrency': 'held: no free place', 'held.share limit': 'held: share key', 'held.behind key': 'held: ordering key', 'held.key blocked': 'held: ordering key', 'held.no worker': 'held: no worker', 'held.no key': 'held: no key', 'held.not authenticated': 'held: not authenticated', 'held.group backoff': 'held: worker group', 'held.no slot': 'waits for a slot', 'held.unowned': 'waits for a node',
};

/** @type {typeof en} */
const zh = {
  skip: '跳到正文', menu: '菜单', docs: '文档 ↗', search: '搜索任务', palette: '前往或执行…', help: '键盘快捷键', close: '关闭', 'close.sure': '您在此填写的内容将会丢失。再按一次 Escape 关闭对话框。', cancel: '取消', 'keep.it': '不取消', 'keep.them': '不取消',
  loading: '加载中…', retry: '重试', none: '暂无内容', more: '显示更多', unreachable: '服务器没有响应。',
  problem: '操作未成功', hint: '建议', renewed: '服务器的版本与本页面不同。', refresh: '重新加载页面', uncopied: '浏览器不允许本页复制，请选中文本后手动复制。', done: '完成',
  live: '实时', polling: '每 3 秒刷新', paused: '已停止刷新', 'live.pause': '停止刷新', 'live.resume': '保持刷新',
  theme: '配色', 'theme.system': '跟随系统', 'theme.light': '浅色', 'theme.dark': '深色', language: '语言',
  logout: '退出登录',
  'page.overview': '总览', 'page.tasks': '任务', 'page.dead': '死信', 'page.queues': '队列', 'page.targets': '目标', 'page.workers': '工作进程与节点',
  'page.policies': '策略', 'page.schedules': '定时计划', 'page.alerts': '告警', 'page.operations': '批量操作', 'page.taskGroups': '任务组', 'page.audit': '审计', 'page.settings': '设置',
  'page.simulator': '模拟器', notFound: '没有这个页面。', onlyQueues: '您的令牌仅限部分队列（{queues}）。本页内容不属于任何单个队列。', 'login.title': '登录', 'login.about': '此服务器需要令牌。令牌只保存在当前标签页中，关闭后即清除。',
  'login.token': '令牌', 'login.go': '登录', 'login.refused': '服务器不接受此令牌。', 'login.again': '令牌已失效，或服务器现在需要令牌。页面上已填写的内容会保留。', 'login.make': '如何创建令牌', 'made.title': '新令牌', 'made.about': '请立即复制，之后不再显示。',
  same: '等价的命令行', copy: '复制', copied: '已复制', expand: '展开', collapse: '收起',
  'table.numbers': '数据表', 'row.next': '下一行', 'row.before': '上一行', 'row.open': '打开该行', 'row.select': '选择该行', 'row.again': '重试或重投所选项或该行', 'again.here': '重试或重投该任务', selected: { one: '已选 {n} 项', other: '已选 {n} 项' }, 'select.all': '选择本页全部', select: '选择', unselect: '清除选择',
  download: '下载', 'payload.whole': '显示全部（{size}）', 'payload.none': '没有载荷', nothing: '—',
  filter: '筛选', 'filter.clear': '清除', 'filter.more': '更多筛选', 'filter.any': '不限', taken: '已有同名项。请编辑该项，或换一个名称。', type: '输入 “{word}” 以确认',
  'state.pending': '等待中', 'state.running': '执行中', 'state.succeeded': '成功', 'state.dead': '死信', 'state.canceled': '已取消',
  'state.retrying': '等待重试', 'state.scheduled': '已排期', 'state.paused': '已暂停', 'state.expired': '已过期', 'state.failed': '失败', 'state.finished': '已完成',
  'state.open': '断开', 'state.closed': '闭合', 'state.half_open': '半开', 'state.ok': '正常', 'state.on': '开', 'state.off': '关',
  'state.firing': '告警中', 'state.recovered': '已恢复', 'state.acknowledged': '已确认', 'state.silenced': '已静默', 'state.live': '有效', 'state.revoked': '已吊销', 'state.up': '在线', 'state.down': '离线',
  'category.permanent': '永久失败', 'category.canceled': '已取消', 'category.deadline': '超过期限', 'category.unsent': '未发出', 'category.conflict': '冲突', 'category.network': '网络',
  'category.timeout': '超时', 'category.throttled': '被限流', 'category.unavailable': '不可用', 'category.local': '本地', 'category.bug': '程序错误', 'category.unknown': '未知',
  'reason.exhausted': '尝试全部失败', 'reason.permanent': '永久失败', 'reason.expired': '超过期限', 'reason.crash_loop': '反复崩溃', 'reason.no_handler': '无人能执行', 'reason.rejected': '被处理程序放弃',
  'held.breaker open': '受阻：熔断器', 'held.paused': '受阻：队列已暂停', 'held.budget spent': '受阻：重试预算', 'held.rate limited': '受阻：目标限速', 'held.concurrency': '受阻：并发已满', 'held.share limit': '受阻：共享键', 'held.behind key': '受阻：顺序键', 'held.key blocked': '受阻：顺序键', 'held.no worker': '受阻：没有工作进程', 'held.no key': '受阻：缺少密钥', 'held.not authenticated': '受阻：配置未认证', 'held.group backoff': '受阻：工作组', 'held.no slot': '等待执行槽', 'held.unowned': '等待节点',
};

export const t = translator(en, zh);
