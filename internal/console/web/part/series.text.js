import { translator } from '../lib/text.js';

const en = {
  title: 'Over time', span: 'Time shown', '15m': '15 min', '1h': '1 h', '6h': '6 h', '24h': '24 h',
  'source.all': 'All nodes, by the minute', 'source.all.more': 'As they are kept for two days. A minute shows some ten seconds after it has ended.', 'source.one': 'Of the node that answers alone', 'source.one.more': 'Until a minute is over that all nodes have told of.',
  throughput: 'Tasks and failed attempts per second', succeeded: 'succeeded', died: 'dead', failed: 'failed',
  retry: 'Retries and duration of attempts', rate: 'retries', p50: 'p50', p99: 'p99',
  delay: 'Start delay of attempts', backlog: 'Tasks that are due, and the oldest', due: 'due', age: 'oldest',
};

/** @type {typeof en} */
const zh = {
  title: '趋势', span: '时段', '15m': '15 分钟', '1h': '1 小时', '6h': '6 小时', '24h': '24 小时',
  'source.all': '所有节点，按分钟统计', 'source.all.more': '保留两天。每分钟结束约十秒后显示。', 'source.one': '仅来自应答的节点', 'source.one.more': '直到所有节点上报了完整的一分钟。',
  throughput: '每秒任务与失败的尝试', succeeded: '成功', died: '死信', failed: '失败',
  retry: '重试占比与尝试耗时', rate: '重试占比', p50: 'p50', p99: 'p99',
  delay: '尝试的启动延迟', backlog: '到期任务数与最久等待', due: '到期', age: '最久',
};

export const t = translator(en, zh);
