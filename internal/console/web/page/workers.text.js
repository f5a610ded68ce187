import { translator } from '../lib/text.js';

const en = {
  title: 'Workers and nodes', about: 'Nodes keep the queues and start tasks. Worker groups take tasks that nodes send them.', nodes: 'Nodes', groups: 'Worker groups', back: 'All nodes', node: 'Node', state: 'State', running: 'Running', lanes: 'Lanes', version: 'Version', release: 'Release', started: 'Started', queues: 'Queues', kind: 'Kind',
  'kind.embedded': 'in an application', 'kind.server': 'server', self: 'this one', address: 'Address', types: 'Can start', 'types.all': 'every type', 'types.http': 'HTTP requests', allow: 'May call, beside public addresses', signs: 'Signs requests to', silent: 'Silent for', leaving: 'leaving', 'state.alive': 'alive', 'state.left': 'left', 'state.dead': 'dead', none: 'No node.',
  'groups.none': 'No worker group. A group begins when a member registers (PUT /v1/groups/…).', members: 'Members', member: 'Member', capacity: 'At once', flight: 'Sent by this node', load: 'In hand', seen: 'Last heard', url: 'Address', next: 'Next try', failures: 'Dispatches that nobody took', living: 'alive', gone: 'silent',
  'group.busy': 'all hands full', 'group.unreachable': 'does not answer', 'group.empty': 'no living member', 'group.silent': 'no living member', 'group.held': 'left alone', 'group.ready': 'takes tasks', lane: 'Lane', queue: 'Queue', known: 'Tasks in memory', epoch: 'Epoch', stale: 'The store does not answer; this is as of {time}.', 'lanes.none': 'It owns no lane.',
};

/** @type {typeof en} */
const zh = {
  title: '工作进程与节点', about: '节点保管队列并启动任务。工作组接收节点发送的任务。', nodes: '节点', groups: '工作组', back: '全部节点', node: '节点', state: '状态', running: '执行中', lanes: '分片', version: '版本', release: '发布版本', started: '启动时间', queues: '队列', kind: '种类',
  'kind.embedded': '嵌入应用', 'kind.server': '服务器', self: '当前节点', address: '地址', types: '可启动', 'types.all': '所有类型', 'types.http': 'HTTP 请求', allow: '除公网地址外可调用', signs: '为请求签名', silent: '静默时长', leaving: '正在离开', 'state.alive': '在线', 'state.left': '已离开', 'state.dead': '失联', none: '没有节点。',
  'groups.none': '没有工作组。成员注册（PUT /v1/groups/…）后即出现。', members: '成员', member: '成员', capacity: '并发上限', flight: '本节点已发送', load: '手头任务', seen: '最近心跳', url: '地址', next: '下次尝试', failures: '无人接收的派发', living: '在线', gone: '静默',
  'group.busy': '全部满载', 'group.unreachable': '没有响应', 'group.empty': '没有在线成员', 'group.silent': '没有在线成员', 'group.held': '暂停派发', 'group.ready': '接收任务', lane: '分片', queue: '队列', known: '内存中的任务', epoch: '世代', stale: '存储没有响应；以下为 {time} 的情况。', 'lanes.none': '不拥有任何分片。',
};

export const t = translator(en, zh);
