import { translator } from '../lib/text.js';

const en = {
  back: 'All tasks', 'goes.first': 'First goes', why: 'Why is it not running?', next: 'Looked at again', unknownNext: 'Nobody can know when that changes.', attempts: 'Attempts', payload: 'Payload', result: 'Result', progress: 'Progress', plan: 'If it goes on failing',
  'plan.about': 'What its policy plans for the retries that are left; jitter moves each within its range.', facts: 'Facts', raw: 'The whole record', diff: 'Compare two attempts', audit: 'What was done to it', follow: 'What follows it', 'go.key': 'Tasks with the ordering key', 'go.letters': 'Dead letters with the ordering key',
  state: 'State', type: 'Type', queue: 'Queue', attempt: 'Attempt', of: '{n} of {max}', unlimited: '{n}, without limit', crashes: 'Crashes', priority: 'Priority', key: 'Ordering key', share: 'Share key', dedupe: 'Dedupe key', policy: 'Policy', inline: 'its own', version: 'version {n}',
  created: 'Enqueued', updated: 'Changed', finished: 'Ended', runAt: 'Not before', timeout: 'Limit of an attempt', deadline: 'Deadline', target: 'Target', trace: 'Trace', metadata: 'Metadata', claim: 'Claim', node: 'Node', worker: 'Worker', lease: 'Lease ends', reason: 'Died of',
  error: 'Last error', 'attempt.error': 'Error', retry: 'Retry now', 'retry.about': 'The next attempt starts as soon as its queue lets it. It counts like any other.', retried: 'Will run now', cancel: 'Cancel the task', 'cancel.about': 'It ends as canceled. A running attempt is told to stop.', canceled: 'Canceled', 'cancel.undo': 'Undo what its steps have done',
  undo: 'Undo its steps', 'undo.about': 'What undoes its steps is enqueued, that of the last step first.', undoing: 'Its steps are being undone',
  reschedule: 'Reschedule', 'reschedule.about': 'It waits until then; attempts so far stay counted.', delay: 'Wait from now, such as 10m', redrive: 'Redrive',
  number: 'No.', started: 'Started', took: 'Took', outcome: 'Outcome', category: 'Category', code: 'Code', wait: 'Wait after it', by: 'By', none: 'No attempt yet.', field: 'Field', first: 'First attempt', second: 'Second attempt', same: 'The two are equal but for their times.',
  'field.number': 'No.', 'field.claim': 'Claim', 'field.started_at': 'Started', 'field.ended_at': 'Ended', 'field.outcome': 'Outcome', 'field.category': 'Category', 'field.code': 'Code', 'field.error': 'Error', 'field.next_delay': 'Wait after it', 'field.policy': 'Policy', 'field.policy_version': 'Version of the policy', 'field.release': 'Release', 'field.effect': 'Effect', 'field.fingerprint': 'Fingerprint', 'field.node': 'Node', 'field.worker': 'Worker',
  'outcome.succeeded': 'succeeded', 'outcome.failed': 'failed', 'outcome.snoozed': 'put off', 'outcome.released': 'handed back', 'outcome.dead': 'dead', 'outcome.canceled': 'canceled', 'outcome.crashed': 'crashed', running: 'running',
  'waiting.due later': 'Its time has not come.', 'waiting.backoff': 'It failed, and waits before the next attempt.', 'waiting.paused': 'Its queue is paused.', 'waiting.behind key': 'Another task with the same ordering key goes first.',
  'waiting.key blocked': 'A dead letter with the same ordering key blocks it. Redrive or purge that letter, or release the key.', 'waiting.breaker open': 'The breaker of its target is open: the target has failed too often, and is left in peace.',
  'waiting.budget spent': 'The retry budget of its target is spent: too many calls were retries.', 'waiting.rate limited': 'Its target asked to be called less often.', 'waiting.concurrency': 'As many calls as are allowed at once are running.',
  'waiting.share limit': 'Other tasks of its share key run, or have used up its rate.', 'waiting.group backoff': 'Its worker group takes nothing now; the next try comes by itself.', 'waiting.no slot': 'All slots of the nodes are taken, or it is about to start.', 'waiting.no worker': 'No node and no worker can start tasks of its type.', 'waiting.unowned': 'Its lane has no owner at the moment; a node takes it within seconds.',
  'waiting.no key': 'The nodes lack the key that its payload is encrypted with.',
  'waiting.not authenticated': 'A policy or setting that it goes by is not authenticated by the encryption key.',
  fallback: 'Fallback', callback: 'Callback', compensation: 'Undoes its steps', taskGroup: 'Group of tasks', parent: 'Follows', dispatchFailures: 'Failed dispatches', encrypted: 'The payload is no JSON; it is shown in base64.', retries: 'Retries left', never: 'Its policy plans no more retries.',
};

/** @type {typeof en} */
const zh = {
  back: '全部任务', 'goes.first': '先执行', why: '为什么没有执行？', next: '下次检查', unknownNext: '无法预知何时改变。', attempts: '尝试', payload: '载荷', result: '结果', progress: '进度', plan: '如果继续失败',
  'plan.about': '策略为剩余重试所做的计划；抖动使每次重试在其范围内移动。', facts: '基本信息', raw: '完整记录', diff: '比较两次尝试', audit: '对它的操作', follow: '后续任务', 'go.key': '使用此顺序键的任务', 'go.letters': '使用此顺序键的死信',
  state: '状态', type: '类型', queue: '队列', attempt: '尝试', of: '第 {n} 次，共 {max} 次', unlimited: '第 {n} 次，不限次数', crashes: '崩溃次数', priority: '优先级', key: '顺序键', share: '共享键', dedupe: '去重键', policy: '策略', inline: '内联策略', version: '版本 {n}',
  created: '入队时间', updated: '更新时间', finished: '结束时间', runAt: '最早执行', timeout: '单次尝试限时', deadline: '截止时间', target: '目标', trace: '追踪', metadata: '元数据', claim: '认领号', node: '节点', worker: '工作进程', lease: '租约到期', reason: '死亡原因',
  error: '最近错误', 'attempt.error': '错误', retry: '立即重试', 'retry.about': '队列允许时立即开始下一次尝试，与其他尝试一样计数。', retried: '即将执行', cancel: '取消任务', 'cancel.about': '任务以“已取消”结束。正在执行的尝试会收到停止通知。', canceled: '已取消', 'cancel.undo': '撤销其步骤已做的事',
  undo: '撤销步骤', 'undo.about': '将撤销其步骤的任务入队，最后的步骤最先撤销。', undoing: '正在撤销其步骤',
  reschedule: '改期', 'reschedule.about': '任务等到那时再执行；已有的尝试仍然计数。', delay: '从现在起等待，例如 10m', redrive: '重投',
  number: '序号', started: '开始', took: '耗时', outcome: '结果', category: '类别', code: '代码', wait: '之后等待', by: '执行者', none: '还没有尝试。', field: '字段', first: '第一个尝试', second: '第二个尝试', same: '除时间外，两次完全相同。',
  'field.number': '序号', 'field.claim': '认领号', 'field.started_at': '开始', 'field.ended_at': '结束', 'field.outcome': '结果', 'field.category': '类别', 'field.code': '代码', 'field.error': '错误', 'field.next_delay': '之后等待', 'field.policy': '策略', 'field.policy_version': '策略版本', 'field.release': '发布版本', 'field.effect': '效果', 'field.fingerprint': '指纹', 'field.node': '节点', 'field.worker': '工作进程',
  'outcome.succeeded': '成功', 'outcome.failed': '失败', 'outcome.snoozed': '推迟', 'outcome.released': '交还', 'outcome.dead': '死信', 'outcome.canceled': '已取消', 'outcome.crashed': '崩溃', running: '执行中',
  'waiting.due later': '时间未到。', 'waiting.backoff': '上次失败，正在等待下一次尝试。', 'waiting.paused': '所在队列已暂停。', 'waiting.behind key': '同一顺序键的另一个任务在它之前。',
  'waiting.key blocked': '同一顺序键的死信阻塞了它。请重投或清除该死信，或释放该键。', 'waiting.breaker open': '目标的熔断器已断开：目标失败过多，暂不调用。',
  'waiting.budget spent': '目标的重试预算已用尽：重试占比过高。', 'waiting.rate limited': '目标要求降低调用频率。', 'waiting.concurrency': '同时进行的调用已达上限。',
  'waiting.share limit': '其共享键的并发或速率已达上限。', 'waiting.group backoff': '其工作组目前不接收任务；会自动再次尝试。', 'waiting.no slot': '节点的执行槽已满，或即将开始。', 'waiting.no worker': '没有节点或工作进程能执行此类型。', 'waiting.unowned': '其分片暂无所有者；数秒内会有节点接管。',
  'waiting.no key': '节点缺少解密其载荷的密钥。',
  'waiting.not authenticated': '它所依据的策略或设置未经加密密钥认证。',
  fallback: '后备任务', callback: '回调', compensation: '撤销其步骤', taskGroup: '任务组', parent: '源自', dispatchFailures: '派发失败次数', encrypted: '载荷不是 JSON，以 base64 显示。', retries: '剩余重试', never: '策略不再安排重试。',
};

export const t = translator(en, zh);
