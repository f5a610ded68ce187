import { translator } from '../lib/text.js';

const en = {
  title: 'Tasks', about: 'Newest first. Dead letters have a page of their own, where they are grouped by what went wrong.', state: 'State', type: 'Type', queue: 'Queue', key: 'Ordering key', category: 'Category', q: 'Id, key, type or error', metadata: 'Metadata', target: 'Target',
  since: 'Enqueued after', until: 'Enqueued before', 'failed.since': 'Failed after', 'failed.until': 'Failed before', 'failed.at': 'Failed', 'failed.about': 'What failed in the last hour and has not succeeded since: the newest 1000. Give a time of failure to see more.', 'metadata.about': 'name:value', id: 'Task', name: 'Name', all: 'all', attempt: 'Attempt', error: 'Last error', next: 'Next / ended', created: 'Enqueued', none: 'No task matches.', 'none.all': 'No task yet. Enqueue the first one.',
  enqueue: 'Enqueue a task', 'enqueue.about': 'When the answer comes, the task is on disk.', url: 'URL to call', 'url.about': 'Empty for tasks that a worker or a Go function runs.', payload: 'Payload (JSON)', delay: 'Wait first, such as 10m', policy: 'Policy', dedupe: 'Dedupe key', enqueued: 'Enqueued', 'type.about': 'http when a URL is given',
  partial: 'The search looks at so many tasks per step; there may be more.', of: '{n}/{max}',
  waits: 'Waits for', 'waits.due later': 'its time', 'waits.backoff': 'the time of its retry', 'waits.paused': 'a paused queue', 'waits.behind key': 'an earlier task of its key', 'waits.key blocked': 'a dead letter of its key', 'waits.breaker open': 'an open breaker', 'waits.budget spent': 'a spent retry budget', 'waits.rate limited': 'a target that asked for less', 'waits.concurrency': 'a limit of calls at once', 'waits.share limit': 'a limit of its share key', 'waits.group backoff': 'its worker group', 'waits.no slot': 'a free slot', 'waits.no worker': 'somebody who can run it', 'waits.no key': 'the key of its payload', 'waits.not authenticated': 'an authenticated policy or setting', 'waits.unowned': 'a node for its lane',
};

/** @type {typeof en} */
const zh = {
  title: '任务', about: '最新的在前。死信有单独的页面，按错误归类。', state: '状态', type: '类型', queue: '队列', key: '顺序键', category: '类别', q: 'ID、键、类型或错误', metadata: '元数据', target: '目标',
  since: '入队不早于', until: '入队早于', 'failed.since': '失败不早于', 'failed.until': '失败早于', 'failed.at': '失败时间', 'failed.about': '最近一小时内失败且此后没有成功的任务，最多 1000 个。给出失败时间可查看更多。', 'metadata.about': '名称:值', id: '任务', name: '名称', all: '全部', attempt: '尝试', error: '最近错误', next: '下次 / 结束', created: '入队时间', none: '没有匹配的任务。', 'none.all': '还没有任务。请入队第一个任务。',
  enqueue: '任务入队', 'enqueue.about': '收到答复时，任务已写入磁盘。', url: '要调用的 URL', 'url.about': '由工作进程或 Go 函数执行的任务请留空。', payload: '载荷（JSON）', delay: '先等待，例如 10m', policy: '策略', dedupe: '去重键', enqueued: '已入队', 'type.about': '给出 URL 时默认为 http',
  partial: '搜索每步只查看一定数量的任务，后面可能还有。', of: '{n}/{max}',
  waits: '等待什么', 'waits.due later': '时间到来', 'waits.backoff': '重试时间到来', 'waits.paused': '队列恢复', 'waits.behind key': '同一顺序键的前一任务', 'waits.key blocked': '同一顺序键的死信', 'waits.breaker open': '熔断器闭合', 'waits.budget spent': '重试预算', 'waits.rate limited': '目标限速', 'waits.concurrency': '并发上限', 'waits.share limit': '共享键的上限', 'waits.group backoff': '工作组', 'waits.no slot': '空闲执行槽', 'waits.no worker': '能执行它的进程', 'waits.no key': '载荷的密钥', 'waits.not authenticated': '策略或设置的认证', 'waits.unowned': '接管分片的节点',
};

export const t = translator(en, zh);
