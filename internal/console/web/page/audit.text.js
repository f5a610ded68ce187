import { translator } from '../lib/text.js';

const en = {
  title: 'Audit', about: 'Who did what to what, with what was before and what is after. Rows are kept as long as the configuration says.', none: 'Nobody has done anything yet.', 'none.match': 'No row matches.', when: 'When', who: 'Who', what: 'What', subject: 'To what', request: 'Request', before: 'Before', after: 'After', change: 'What changed', actor: 'Who', action: 'What, such as policy.put', since: 'After', until: 'Before', same: 'No field changed.', field: 'Field',
  denied: 'The audit log is for operators and admins.',
};

/** @type {typeof en} */
const zh = {
  title: '审计', about: '谁对什么做了什么，以及操作前后的内容。记录保留时长由配置决定。', none: '还没有任何操作。', 'none.match': '没有匹配的记录。', when: '时间', who: '操作者', what: '操作', subject: '对象', request: '请求', before: '之前', after: '之后', change: '变化', actor: '操作者', action: '操作，例如 policy.put', since: '不早于', until: '早于', same: '没有字段变化。', field: '字段',
  denied: '审计日志仅供操作员与管理员查看。',
};

export const t = translator(en, zh);
