import { translator } from '../lib/text.js';

const en = {
  label: 'Waits before each retry', none: 'This policy has no retries.', nominal: 'planned', mean: 'mean', range: '▒ range of the jitter', retry: 'Retry {n}',
  first: 'The first {n} of {all} retries.', 'head.retry': 'Retry', 'head.min': 'at least', 'head.max': 'below', 'head.at': 'after the first attempt',
};

/** @type {typeof en} */
const zh = {
  label: '每次重试前的等待', none: '此策略不重试。', nominal: '计划', mean: '平均', range: '▒ 抖动范围', retry: '第 {n} 次重试',
  first: '共 {all} 次重试，显示前 {n} 次。', 'head.retry': '重试', 'head.min': '至少', 'head.max': '小于', 'head.at': '距首次尝试',
};

export const t = translator(en, zh);
