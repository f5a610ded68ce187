import { translator } from '../lib/text.js';

const en = {
  'state.closed': 'closed: calls pass', 'state.open': 'open: nothing is sent', 'state.half_open': 'half open: a few calls try', 'state.ramping': 'ramping: calls rise slowly',
  'state.none': 'no guards: only an operator holds it', 'state.held': 'held back: it asked to be left alone', 'state.exhausted': 'budget spent: retries wait', 'state.refilled': 'budget refilled: retries go on',
  'cause.failure_rate': 'too many calls failed', 'cause.slow_rate': 'too many calls were slow', 'cause.consecutive': 'too many calls failed in a row', 'cause.probe_failed': 'a probe failed', 'cause.probe_expired': 'a probe did not end in time',
  'cause.probed': 'its probes succeeded', 'cause.ramped': 'all calls pass again', 'cause.time': 'it was time for a probe', 'cause.forced': 'ordered by an operator', 'cause.unforced': 'the order of an operator ended', 'cause.adopted': 'as another node has seen it',
  'cause.settings': 'its settings changed', 'cause.reset': 'reset by an operator', 'cause.retries wait for tokens': 'too many retries: the next ones wait', 'cause.held': 'it asked to be left alone for a while',
};

/** @type {typeof en} */
const zh = {
  'state.closed': '闭合：正常调用', 'state.open': '断开：不发送', 'state.half_open': '半开：少量试探', 'state.ramping': '爬升：缓慢恢复',
  'state.none': '无防护：只有操作员能停止它', 'state.held': '暂缓：它要求暂时不要调用', 'state.exhausted': '预算耗尽：重试等待', 'state.refilled': '预算恢复：重试继续',
  'cause.failure_rate': '失败的调用过多', 'cause.slow_rate': '缓慢的调用过多', 'cause.consecutive': '连续失败过多', 'cause.probe_failed': '试探失败', 'cause.probe_expired': '试探未按时结束',
  'cause.probed': '试探成功', 'cause.ramped': '已恢复全部调用', 'cause.time': '到了试探的时间', 'cause.forced': '由操作员下令', 'cause.unforced': '操作员的命令已解除', 'cause.adopted': '采用其他节点的判断',
  'cause.settings': '设置已更改', 'cause.reset': '由操作员重置', 'cause.retries wait for tokens': '重试过多：后续重试等待', 'cause.held': '它要求暂时不要调用',
};

export const t = translator(en, zh);
