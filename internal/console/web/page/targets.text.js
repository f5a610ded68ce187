import { translator } from '../lib/text.js';

const en = {
  title: 'Targets', about: 'What tasks call: hosts, worker groups, and types of tasks that run in a program. Each has a breaker, a retry budget and limits, so that retries do not hurt it.', back: 'All targets', none: 'Nothing was called yet.',
  name: 'Name', breaker: 'Breaker', flight: 'Running', waiting: 'Waiting for it', budget: 'Budget', failures: 'Failures', until: 'Asked again', limit: 'At once', unlimited: 'no limit', cause: 'Why',
  since: 'Since', opened: 'Outage since', trips: 'Probes that failed', forced: 'An operator blocked it. It stays blocked until it is allowed or reset.',
  held: 'It has asked to be left alone until {time}.', 'waiting.breaker': 'for the breaker', 'waiting.budget': 'for the budget', 'waiting.concurrency': 'for a free place', 'waiting.rate': 'for its pace', success: 'Succeeded lately', retries: 'Retries in 10 s', first: 'First attempts in 10 s', denied: 'Retries that waited',
  tokens: 'Retries it allows now', 'budget.free': 'free', 'budget.binds': 'limits retries', 'budget.spent': 'exhausted', admitted: 'Let through', nodes: 'As each node sees it', node: 'Node', history: 'What the breaker did', 'history.none': 'It has not changed since it was first called.', at: 'When', to: 'To', reason: 'Reason',
  block: 'Block', 'block.about': 'All calls of {name} stop until it is allowed or reset, also across restarts. Its tasks wait and spend no attempts; attempts under way go on.', blocked: 'Blocked', allow: 'Allow', 'allow.about': 'Calls of {name} begin again, slowly at first. Failures can open its breaker again.', allowed: 'Allowed',
  reset: 'Reset', 'reset.about': 'What was learned of {name} is forgotten: breaker, budget, limits and the pace it asked for.', reset_done: 'Reset', tasks: 'Tasks that wait for it', order: 'Last order', 'order.open': 'blocked', 'order.close': 'allowed', 'order.reset': 'reset',
};

/** @type {typeof en} */
const zh = {
  title: '目标', about: '任务所调用的对象：主机、工作组，以及在程序内执行的任务类型。每个目标都有熔断器、重试预算与限制，避免重试伤害它。', back: '全部目标', none: '还没有任何调用。',
  name: '名称', breaker: '熔断器', flight: '执行中', waiting: '等待它的任务', budget: '预算', failures: '失败', until: '再次探测', limit: '并发上限', unlimited: '不限', cause: '原因',
  since: '自', opened: '故障开始', trips: '失败的探测', forced: '由操作员阻止：直到放行或重置为止。',
  held: '它要求在 {time} 之前不要调用。', 'waiting.breaker': '等待熔断器', 'waiting.budget': '等待预算', 'waiting.concurrency': '等待空位', 'waiting.rate': '等待其限速', success: '近期成功率', retries: '10 秒内重试', first: '10 秒内首次尝试', denied: '被推迟的重试',
  tokens: '当前允许的重试', 'budget.free': '充足', 'budget.binds': '限制重试', 'budget.spent': '已耗尽', admitted: '放行比例', nodes: '各节点所见', node: '节点', history: '熔断器的变化', 'history.none': '自首次调用以来没有变化。', at: '时间', to: '变为', reason: '原因',
  block: '阻止调用', 'block.about': '停止对 {name} 的所有调用，直到放行或重置，重启后依然有效。其任务等待且不消耗尝试；正在进行的尝试会继续。', blocked: '已阻止', allow: '放行', 'allow.about': '重新开始调用 {name}，起初较慢。失败仍可能断开其熔断器。', allowed: '已放行',
  reset: '重置', 'reset.about': '忘记对 {name} 的全部认识：熔断器、预算、限制以及它要求的速率。', reset_done: '已重置', tasks: '等待它的任务', order: '最近的指令', 'order.open': '阻止', 'order.close': '放行', 'order.reset': '重置',
};

export const t = translator(en, zh);
