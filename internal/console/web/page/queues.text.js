import { translator } from '../lib/text.js';

const en = {
  title: 'Queues', about: 'A queue holds tasks until a node or a worker takes them. A paused queue takes tasks and starts none.',
  recent: 'Delays and pace are of the last five minutes, over all nodes. A delay is from when an attempt is due to its start.',
  oldest: 'Oldest due', 'oldest.more': 'waits longest now', p50: 'Delay p50', p99: 'Delay p99', delay: 'Delay p99', 'delay.more': 'p50 {p50}, in 5 min', pace: 'Attempts/s', 'pace.more': 'in 5 min',
  newest: 'Newest tasks', 'newest.all': 'All tasks', 'lanes.of': { one: '{n} lane', other: '{n} lanes' }, 'lanes.nodes': { one: '{n} node', other: '{n} nodes' },
  name: 'Name', state: 'State', pending: 'Pending', running: 'Running', dead: 'Dead', policy: 'Policy', limit: 'At once', lanes: 'Lanes', weight: 'Weight',
  unlimited: 'no limit', atLeast: '≥ {n}', none: 'No queue yet. The first task makes the queue that it names.',
  pause: 'Pause', resume: 'Resume', 'pause.about': 'Nothing more is started from {name}; what runs goes on. Tasks are still accepted.',
  'resume.about': 'Tasks of {name} that are due are started again.', paused: 'Paused', resumed: 'Resumed',
  settings: 'Settings', maxPending: 'Most pending', 'maxPending.about': 'Beyond it, enqueues are refused with 429. 0: no limit.', unknownType: 'Tasks that nothing can start',
  'unknown.park': 'wait', 'unknown.dead': 'become dead letters', 'lanes.about': '1 to 256; can only be raised.', 'limit.about': 'Running tasks over all nodes. 0: no limit.',
  shareLimit: 'At once, of each share key', 'shareLimit.about': 'Running tasks of each share key over all nodes. 0: no limit.', shareRate: 'Starts of each share key', 'shareRate.about': 'Such as 50/s, 100/m or 1000/h; empty: no limit.',
  'weight.about': 'Share of a node’s slots against other queues.', 'policy.default': 'the default', back: 'All queues',
  change: 'Change settings', changed: 'Changed', 'change.about': 'The settings hold on all nodes within seconds.',
  owner: 'Owner', lane: 'Lane', 'lanes.title': 'Lanes', 'lanes.explain': 'Slices of the queue. Each is owned by one node, which orders and starts its tasks.', epoch: 'Epoch', free: 'free', updated: 'Changed',
};

/** @type {typeof en} */
const zh = {
  title: '队列', about: '队列保存任务，直到节点或工作进程取走。暂停的队列继续接收任务，但不再启动。',
  recent: '延迟与速率取自最近五分钟，覆盖所有节点。延迟是从尝试到期到启动的时间。',
  oldest: '最久到期', 'oldest.more': '当前最长等待', p50: '延迟 p50', p99: '延迟 p99', delay: '延迟 p99', 'delay.more': 'p50 {p50}，最近 5 分钟', pace: '尝试/秒', 'pace.more': '最近 5 分钟',
  newest: '最新任务', 'newest.all': '全部任务', 'lanes.of': { one: '{n} 个分片', other: '{n} 个分片' }, 'lanes.nodes': { one: '{n} 个节点', other: '{n} 个节点' },
  name: '名称', state: '状态', pending: '等待中', running: '执行中', dead: '死信', policy: '策略', limit: '并发上限', lanes: '分片', weight: '权重',
  unlimited: '不限', atLeast: '≥ {n}', none: '还没有队列。第一个任务会创建它所指定的队列。',
  pause: '暂停', resume: '恢复', 'pause.about': '不再从 {name} 启动新任务；正在执行的任务会继续。仍然接收新任务。',
  'resume.about': '{name} 中到期的任务会再次启动。', paused: '已暂停', resumed: '已恢复',
  settings: '设置', maxPending: '等待上限', 'maxPending.about': '超过后入队请求会以 429 拒绝。0 表示不限。', unknownType: '没有处理者的任务',
  'unknown.park': '继续等待', 'unknown.dead': '成为死信', 'lanes.about': '1 到 256；只能增加。', 'limit.about': '所有节点上同时执行的任务数。0 表示不限。',
  shareLimit: '每个共享键的并发上限', 'shareLimit.about': '所有节点上每个共享键同时执行的任务数。0 表示不限。', shareRate: '每个共享键的启动速率', 'shareRate.about': '如 50/s、100/m 或 1000/h；留空表示不限。',
  'weight.about': '与其他队列相比，占用节点执行槽的份额。', 'policy.default': '默认策略', back: '全部队列',
  change: '修改设置', changed: '已修改', 'change.about': '设置会在数秒内对所有节点生效。',
  owner: '所有者', lane: '分片', 'lanes.title': '分片', 'lanes.explain': '队列的切片。每个分片归一个节点所有，由它排序并启动其中的任务。', epoch: '世代', free: '空闲', updated: '修改时间',
};

export const t = translator(en, zh);
