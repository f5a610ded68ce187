import { translator } from '../lib/text.js';

const en = {
  title: 'Dead letters', about: 'Tasks that were given up. Nothing of them is lost: repair the cause and send them back.', groups: 'By what went wrong', letters: 'All letters', none: 'No dead letter. Nothing was given up.', 'none.match': 'No dead letter matches.', partial: 'The search looks at so many letters per step; there may be more.', total: 'Dead letters', byReason: 'Why they died', byCategory: 'By category', byType: 'By type',
  count: 'Letters', why: 'What went wrong', type: 'Type', first: 'First', last: 'Last', trend: 'Last 24 hours', reason: 'Reason', category: 'Category', queue: 'Queue', key: 'Ordering key', fingerprint: 'Fingerprint', q: 'Id, key, type or error', since: 'Enqueued after', until: 'Enqueued before', example: 'An example', letter: 'Letter', died: 'Died', attempts: 'Attempts', back: 'All groups', error: 'Last error',
  redrive: 'Send back…', 'redrive.selected': { one: 'Send {n} back…', other: 'Send {n} back…' }, 'redrive.all': 'Send all of these back…', 'redrive.title': 'Send dead letters back', counting: 'Counting…', matched: { one: '{n} dead letter matches.', other: '{n} dead letters match.' }, sample: 'A sample', missing: { one: '{n} of the ids is no dead letter.', other: '{n} of the ids are no dead letters.' },
  rate: 'Letters per second', 'rate.about': 'Empty: as fast as it goes.', canary: 'First try with', 'canary.about': 'So many letters go first; the others follow when all of these have succeeded.', stop: 'Stop when this share fails again', 'stop.about': 'Per cent, of the last thousand. Empty: go on whatever happens.', keep: 'Go on counting attempts', 'keep.about': 'Otherwise they start again with attempt 1.', edit: 'Replace the payload', payload: 'New payload (JSON) of every letter',
  send: { one: 'Send {n} back', other: 'Send {n} back' }, sent: 'On their way', purge: 'Delete for good…', 'purge.title': 'Delete dead letters', 'purge.about': { one: '{n} dead letter is deleted for good, with its story. This cannot be undone.', other: '{n} dead letters are deleted for good, with their stories. This cannot be undone.' }, 'purge.word': 'delete', purged: 'Deleted', export: 'Download', exporting: { one: '{n} letter so far', other: '{n} letters so far' }, age: 'Age',
};

/** @type {typeof en} */
const zh = {
  title: '死信', about: '被放弃的任务。内容不会丢失：修复原因后即可重投。', groups: '按错误归类', letters: '全部死信', none: '没有死信，没有任务被放弃。', 'none.match': '没有匹配的死信。', partial: '搜索每步只查看一定数量的死信，后面可能还有。', total: '死信总数', byReason: '死亡原因', byCategory: '按类别', byType: '按类型',
  count: '数量', why: '错误', type: '类型', first: '首次', last: '最近', trend: '最近 24 小时', reason: '原因', category: '类别', queue: '队列', key: '顺序键', fingerprint: '指纹', q: 'ID、键、类型或错误', since: '入队不早于', until: '入队早于', example: '示例', letter: '死信', died: '死亡时间', attempts: '尝试', back: '全部分组', error: '最近错误',
  redrive: '重投…', 'redrive.selected': { one: '重投 {n} 封…', other: '重投 {n} 封…' }, 'redrive.all': '重投以下全部…', 'redrive.title': '重投死信', counting: '正在计数…', matched: { one: '匹配 {n} 封死信。', other: '匹配 {n} 封死信。' }, sample: '样本', missing: { one: '{n} 个 ID 不是死信。', other: '{n} 个 ID 不是死信。' },
  rate: '每秒封数', 'rate.about': '留空：尽快。', canary: '先试投', 'canary.about': '先投这么多；全部成功后再投其余。', stop: '再次失败达到此比例时停止', 'stop.about': '百分比，按最近一千封计算。留空：无论如何继续。', keep: '继续累计尝试次数', 'keep.about': '否则从第 1 次尝试重新开始。', edit: '替换载荷', payload: '每封死信的新载荷（JSON）',
  send: { one: '重投 {n} 封', other: '重投 {n} 封' }, sent: '正在重投', purge: '永久删除…', 'purge.title': '删除死信', 'purge.about': { one: '{n} 封死信及其历史将被永久删除，无法撤销。', other: '{n} 封死信及其历史将被永久删除，无法撤销。' }, 'purge.word': 'delete', purged: '已删除', export: '下载', exporting: { one: '已下载 {n} 封', other: '已下载 {n} 封' }, age: '存在时间',
};

export const t = translator(en, zh);
