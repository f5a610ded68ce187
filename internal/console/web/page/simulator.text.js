import { translator } from '../lib/text.js';

const en = {
  title: 'Simulator', about: 'Storms of retries in virtual time, with the code that runs here, and how attempts really went.', storms: 'Storms', compare: 'Policies side by side', whatif: 'What if', history: 'What really happened', scenario: 'Scenario', play: 'Play', playing: 'Playing… at most 5 seconds', policy: 'With', ours: 'our own clients', policies: 'Policies to compare (up to 4)',
  verdicts: 'Acceptance numbers', verdict: 'Number', bound: 'Bound', measured: 'Measured', ok: 'kept', missed: 'missed', variants: 'What each kind of client did', variant: 'Client', control: 'control: must fail', offered: 'Calls', attempts: 'Attempts', amplification: 'Attempts per call', success: 'Succeeded', p99: 'p99', recovery: 'Recovery', never: 'never', load: 'Attempts per second that reach the server', good: 'Calls per second that end well', inFlight: 'Attempts under way at the server', seconds: '{n} s',
  none: 'Choose a storm and play it.', by: 'Compare by', release: 'release', version: 'policy version', type: 'Type', attempt: 'Attempt', before: 'Before', after: 'Now', count: 'Attempts', failed: 'Failed', growth: 'Change of p99', wait: 'Wait before it, p99', 'history.none': 'No attempt has been counted yet.', 'history.about': 'Attempts by their number, counted by every node each 30 s; the newest release or version beside the one before.', operators: 'Playing a storm takes a second of a processor; it is for operators and admins.', 'last.attempt': '{n} and later',
};

/** @type {typeof en} */
const zh = {
  title: '模拟器', about: '用实际运行的代码在虚拟时间里演练重试风暴，并查看真实的尝试情况。', storms: '风暴', compare: '策略对比', whatif: '假如', history: '真实情况', scenario: '场景', play: '开始', playing: '正在演练…最多 5 秒', policy: '使用', ours: '内置客户端', policies: '要对比的策略（最多 4 个）',
  verdicts: '验收指标', verdict: '指标', bound: '界限', measured: '实测', ok: '达到', missed: '未达到', variants: '各类客户端的表现', variant: '客户端', control: '对照：应当失败', offered: '调用', attempts: '尝试', amplification: '每次调用的尝试数', success: '成功率', p99: 'p99', recovery: '恢复', never: '从未', load: '每秒到达服务器的尝试', good: '每秒成功的调用', inFlight: '服务器上进行中的尝试', seconds: '{n} 秒',
  none: '选择一个风暴并开始。', by: '比较依据', release: '发布版本', version: '策略版本', type: '类型', attempt: '尝试', before: '之前', after: '现在', count: '尝试数', failed: '失败', growth: 'p99 变化', wait: '之前的等待 p99', 'history.none': '还没有统计到尝试。', 'history.about': '按尝试序号统计，各节点每 30 秒计入一次；最新的发布或版本与前一个并列。', operators: '演练会占用约一秒处理器时间，仅供操作员与管理员使用。', 'last.attempt': '第 {n} 次及以后',
};

export const t = translator(en, zh);
