import { translator } from '../lib/text.js';

const en = {
  title: 'Groups of tasks', about: 'The callback of a group is enqueued once, when it is closed and all its members have ended.', none: 'There is no group of tasks.', group: 'Group of tasks', label: 'Label', state: 'State', members: 'Members', succeeded: 'Succeeded', dead: 'Dead', canceled: 'Canceled', live: 'Live', created: 'Made', closedAt: 'Closed', done: 'Done', callback: 'Callback', queue: 'Queue of the callback', id: 'Id',
  'state.open': 'open', 'state.closed': 'closed', 'state.done': 'done', close: 'Close the group', 'close.about': 'It takes no more members. When those that came have ended, the callback is enqueued.', closed: 'Closed',
};

/** @type {typeof en} */
const zh = {
  title: '任务组', about: '组关闭且所有成员都结束后，回调入队一次。', none: '没有任务组。', group: '任务组', label: '标签', state: '状态', members: '成员', succeeded: '成功', dead: '死信', canceled: '已取消', live: '未结束', created: '创建', closedAt: '关闭', done: '完成', callback: '回调', queue: '回调所在队列', id: 'ID',
  'state.open': '开放', 'state.closed': '已关闭', 'state.done': '完成', close: '关闭该组', 'close.about': '不再接收成员。已有成员全部结束后，回调入队。', closed: '已关闭',
};

export const t = translator(en, zh);
