import { translator } from '../lib/text.js';

const en = {
  title: 'Workers and nodes', about: 'Nodes keep the queues and start tasks. Remote workers ask them for tasks; worker groups take tasks that nodes send them.', nodes: 'Nodes', groups: 'Worker groups', back: 'All nodes', node: 'Node', state: 'State', running: 'Running', lanes: 'Lanes', version: 'Version', release: 'Release', started: 'Started', queues: 'Queues', kind: 'Kind',
  'kind.embedded': 'in an application', 'kind.server': 'server', self: 'this one', address: 'Address', types: 'Can start', 'types.all': 'every type', 'types.http': 'HTTP requests', allow: 'May call, beside public addresses', signs: 'Signs requests to', silent: 'Silent for', leaving: 'leaving', 'state.alive': 'alive', 'state.left': 'left', 'state.dead': 'dead', none: 'No node.',
  'groups.none': 'No worker group. A group begins when a member registers (PUT /v1/groups/…).', group: 'Group', members: 'Members', 'members.living': '{living} of {all} alive', capacity: 'At once', flight: 'Sent by this node', load: 'In hand', seen: 'Last heard', url: 'Address', next: 'Next try', failures: 'Dispatches that nobody took', living: 'alive', gone: 'silent',
  'group.busy': 'all hands full', 'group.unreachable': 'does not answer', 'group.empty': 'no living member', 'group.silent': 'no living member', 'group.held': 'left alone', 'group.ready': 'takes tasks', lane: 'Lane', queue: 'Queue', known: 'Tasks in memory', epoch: 'Epoch', stale: 'The store does not answer; this is as of {time}.', 'lanes.none': 'It owns no lane.',
  remote: 'Remote workers', 'remote.none': 'No remote worker. One is listed from its first poll on (POST /v1/workers/poll).', name: 'Name', polled: 'Last poll', polls: 'waits for tasks', asks: 'Asks for', 'types.rest': 'every type but HTTP requests', some: 'some', lease: 'first lease ends', 'lease.unknown': 'end of a lease not known', more: 'and {count} more',
  stranded: 'What nobody can run', 'stranded.about': 'These tasks are due, and no living node and no remote worker can run them. They wait until one can.', 'stranded.more': 'and {count} more types', type: 'Type', 'types.any': 'all types', waiting: 'Waiting', due: 'Due', help: 'What helps', 'help.queue': 'No living node works on this queue. Start a server, or the application that serves it.', 'help.requests': 'No living node makes HTTP requests for this queue. Start a server that works on it.', 'help.type': 'Start a program or remote worker that handles this type in this queue. If nobody is to run the tasks any more, cancel them.',
};

/** @type {typeof en} */
const zh = {
  title: '工作进程与节点', about: '节点保管队列并启动任务。远程工作进程向节点领取任务；工作组接收节点发送的任务。', nodes: '节点', groups: '工作组', back: '全部节点', node: '节点', state: '状态', running: '执行中', lanes: '分片', version: '版本', release: '发布版本', started: '启动时间', queues: '队列', kind: '种类',
  'kind.embedded': '嵌入应用', 'kind.server': '服务器', self: '当前节点', address: '地址', types: '可启动', 'types.all': '所有类型', 'types.http': 'HTTP 请求', allow: '除公网地址外可调用', signs: '为请求签名', silent: '静默时长', leaving: '正在离开', 'state.alive': '在线', 'state.left': '已离开', 'state.dead': '失联', none: '没有节点。',
  'groups.none': '没有工作组。成员注册（PUT /v1/groups/…）后即出现。', group: '工作组', members: '成员', 'members.living': '{all} 个中 {living} 个在线', capacity: '并发上限', flight: '本节点已发送', load: '手头任务', seen: '最近心跳', url: '地址', next: '下次尝试', failures: '无人接收的派发', living: '在线', gone: '静默',
  'group.busy': '全部满载', 'group.unreachable': '没有响应', 'group.empty': '没有在线成员', 'group.silent': '没有在线成员', 'group.held': '暂停派发', 'group.ready': '接收任务', lane: '分片', queue: '队列', known: '内存中的任务', epoch: '世代', stale: '存储没有响应；以下为 {time} 的情况。', 'lanes.none': '不拥有任何分片。',
  remote: '远程工作进程', 'remote.none': '没有远程工作进程。首次领取任务（POST /v1/workers/poll）后即列出。', name: '名称', polled: '上次领取', polls: '正在等待任务', asks: '可执行', 'types.rest': '除 HTTP 请求外的所有类型', some: '若干', lease: '最早的租约到期', 'lease.unknown': '租约到期时间未知', more: '另有 {count} 个',
  stranded: '无人可执行的任务', 'stranded.about': '这些任务已到期，但没有在线节点或远程工作进程能够执行。在此之前它们会一直等待。', 'stranded.more': '另有 {count} 种类型', type: '类型', 'types.any': '所有类型', waiting: '等待中', due: '到期时间', help: '解决办法', 'help.queue': '没有在线节点处理此队列。请启动服务器，或负责该队列的应用。', 'help.requests': '没有在线节点为此队列发出 HTTP 请求。请启动处理该队列的服务器。', 'help.type': '请启动一个能在此队列执行该类型的程序或远程工作进程。如果这些任务不再需要执行，请取消它们。',
};

export const t = translator(en, zh);
