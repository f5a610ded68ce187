import { translator } from '../lib/text.js';

const en = {
  title: 'Share keys', about: 'Starts go round the share keys: one that waits with many tasks delays no other. As {node} knows it, of its own lanes.',
  key: 'Share key', none: 'tasks without one', running: 'Running', ready: 'Ready', more: '{n}, and more on disk', held: 'Held by', limit: 'a limit of the key', of: '{n} of {total}',
};

/** @type {typeof en} */
const zh = {
  title: '共享键', about: '任务在共享键之间轮流启动：一个键积压再多也不拖慢别的键。以下是 {node} 对自己分片的了解。',
  key: '共享键', none: '没有共享键的任务', running: '执行中', ready: '就绪', more: '{n}，磁盘上还有', held: '受阻于', limit: '该键的上限', of: '{total} 个中的 {n} 个',
};

export const t = translator(en, zh);
