import { translator } from '../lib/text.js';

const en = {
  title: 'Settings', yours: 'Yours', 'yours.about': 'Kept in this browser.', theme: 'Colours', language: 'Language', zone: 'Time zone', 'zone.utc': 'UTC', 'zone.local': 'Of this computer',
  'zone.other': 'Another…', 'zone.name': 'Name of the zone, such as Asia/Shanghai', 'zone.unknown': 'This browser does not know the zone.', system: 'As the system', light: 'Light', dark: 'Dark',
  session: 'Session', role: 'Role', queues: 'Queues', 'queues.all': 'all', token: 'Token', expires: 'Ends', never: 'never', open: 'None is needed: the server listens on this machine only.', logout: 'Sign out',
  server: 'Server', version: 'Version', node: 'Node', store: 'Store', release: 'Release', safety: 'Data safety', licences: 'Licences',
  tokens: 'Tokens', 'tokens.about': 'A token lets a program or a person in. Only its hash is kept.', name: 'Name', state: 'State', created: 'Made', create: 'New token', 'create.about': 'The token is shown once, and cannot be read again.',
  'create.ttl': 'Good for, such as 720h; empty: forever', 'create.queues': 'Queues, separated by commas; empty: all', revoke: 'Revoke', 'revoke.about': 'Who bears {name} is refused from now on. This cannot be undone.', revoked: 'Revoked',
  none: 'No token. Requests are answered without one until the first is made; from then on every request needs one, this console too.',
  'role.none': 'may do everything', 'role.viewer': 'viewer: look at everything', 'role.operator': 'operator: also retry, pause, redrive', 'role.admin': 'admin: also configuration and tokens', 'role.enqueuer': 'enqueuer: enqueue only', 'role.worker': 'worker: take and settle tasks',
};

/** @type {typeof en} */
const zh = {
  title: '设置', yours: '个人设置', 'yours.about': '保存在此浏览器中。', theme: '配色', language: '语言', zone: '时区', 'zone.utc': 'UTC', 'zone.local': '本机时区',
  'zone.other': '其他…', 'zone.name': '时区名称，例如 Asia/Shanghai', 'zone.unknown': '此浏览器不认识该时区。', system: '跟随系统', light: '浅色', dark: '深色',
  session: '会话', role: '角色', queues: '队列', 'queues.all': '全部', token: '令牌', expires: '到期', never: '永不', open: '无需令牌：服务器只在本机监听。', logout: '退出登录',
  server: '服务器', version: '版本', node: '节点', store: '存储', release: '发布版本', safety: '数据安全', licences: '许可证',
  tokens: '令牌', 'tokens.about': '令牌允许程序或人员访问。服务器只保存其哈希。', name: '名称', state: '状态', created: '创建时间', create: '新建令牌', 'create.about': '令牌只显示一次，之后无法再次读取。',
  'create.ttl': '有效期，例如 720h；留空表示永久', 'create.queues': '队列，以逗号分隔；留空表示全部', revoke: '吊销', 'revoke.about': '持有 {name} 的一方从现在起将被拒绝。此操作无法撤销。', revoked: '已吊销',
  none: '没有令牌。创建第一个令牌之前，请求无需令牌；此后每个请求都需要令牌，包括本控制台。',
  'role.none': '可执行一切操作', 'role.viewer': 'viewer：查看一切', 'role.operator': 'operator：还可重试、暂停、重投', 'role.admin': 'admin：还可修改配置与令牌', 'role.enqueuer': 'enqueuer：仅入队', 'role.worker': 'worker：领取并完成任务',
};

export const t = translator(en, zh);
