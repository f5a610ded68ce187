// What the server says in English, in Chinese: found by its code, or made from its fields.
// What has no code stays as the server says it.

import { language, number } from '../lib/text.js';
import { duration, milliseconds } from '../lib/time.js';

/** @type {Record<string, string>} */
const chinese = {
  'warning.no_backoff': '首次等待为 0 且会多次重试：目标来不及恢复。', 'warning.no_jitter': '没有抖动：一起失败的客户端会在每次重试时一起回来；完全抖动可立即将其分散。', 'warning.weak_jitter': '抖动太弱：一次重试后仍保留过半的同步；完全抖动一次即可分散。',
  'warning.no_cap': '等待不断增长，没有上限。', 'warning.multiplier': '倍数不在 1.5 到 4 之间。', 'warning.count': '重试次数不在 3 到 10 之间。', 'warning.unlimited': '尝试永不停止，也没有总限时或截止时间。', 'warning.no_timeout': '单次尝试没有限时：一次卡住就会耗尽全部时间。',
  'warning.short_timeout': '单次限时不大于一次尝试通常所需的时间。', 'warning.total_past_deadline': '等待与尝试合计可能超过时限。', 'warning.attempts_past_deadline': '不计等待，仅尝试本身就可能超过时限。', 'warning.layers': '多层重试会相乘：请只在一层重试。',
  'warning.unstable': '在给定的利用率下，故障消除后重试仍会使目标无法恢复。', 'warning.retries_permanent': '重试了必然再次发生的失败。', 'warning.no_budget': '没有预算限制所有调用方的重试总量。', 'warning.attempt_time': '等待用尽了全部时限，没有给尝试本身留出时间。', 'warning.no_attempt_time': '等待用尽了全部时限，没有给尝试本身留出时间。',
  'storm.S1': '同步群体', 'storm.S2': '逐步降级', 'storm.S3': '快速失败的完全中断', 'storm.S4': '亚稳态过载', 'storm.S5': '稳定利用率', 'storm.S6': '多层重试', 'storm.S7': '大量小客户端', 'storm.S8': '恢复时的涌入', 'storm.S9': 'Retry-After 后的涌入', 'storm.S10': '集群中的熔断器',
  'storm.S11': '副作用', 'storm.S12': '截止时间', 'storm.S13': '预算耗尽时的外层循环', 'storm.S14': '有优先级的过载', 'storm.S15': '调用方中途挂断', 'storm.S16': '容量突变', 'storm.S17': '缓慢的依赖', 'storm.L1': '学到的恢复时间', 'storm.T1': '停机之后的任务',
  'kind.exponential': '指数', 'kind.fixed': '固定', 'kind.linear': '线性', 'kind.fibonacci': '斐波那契', 'kind.steps': '逐步',
  'jitter.full': '完全抖动', 'jitter.equal': '对半抖动', 'jitter.additive': '附加抖动', 'jitter.proportional': '比例抖动', 'jitter.decorrelated': '去相关抖动', 'jitter.bounded': '区间抖动', 'jitter.beta': 'Beta 抖动', 'jitter.none': '无抖动',
};

/** A text of the server by its code, in the language of the reader where we have it.
 * @param {'warning'|'storm'} kind @param {string} code @param {string} text as the server says it */
export const said = (kind, code, text) => (language.value === 'zh' ? chinese[`${kind}.${code}`] ?? text : text);

/** The schedule of a policy in one line.
 * @param {any} policy its keys @param {number|undefined} attempts none for unlimited @param {string|undefined} text as the server says it */
export function schedule(policy, attempts, text) {
  const backoff = policy?.backoff;
  if (language.value !== 'zh' || !(backoff?.kind || policy?.preset)) return text;
  return [policy.preset && `预设 ${policy.preset}`, ...waits(backoff ?? {}), attempts ? `重试 ${number(attempts - 1)} 次` : '重试不限次数'].filter(Boolean).join('，');
}

/** @param {any} backoff */
function waits({ kind, initial, multiplier, max, steps, jitter }) {
  const time = (/** @type {string} */ value) => duration(milliseconds(value));
  const named = typeof jitter === 'string' ? jitter : jitter?.kind;
  return [kind && [chinese[`kind.${kind}`] ?? kind, initial && time(initial), multiplier && `× ${number(multiplier)}`, steps && `${number(steps.length)} 步`].filter(Boolean).join(' '),
    max && `上限 ${time(max)}`, named && (chinese[`jitter.${named}`] ?? `${named} 抖动`)];
}
