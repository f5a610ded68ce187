import { translator } from '../lib/text.js';

const en = {
  about: 'Tasks that were recorded run again in virtual time: each as its policy of now would have it, and all under other policies. Nothing is sent to anybody.', operators: 'Replaying tasks takes seconds of a processor; it is for operators and admins.',
  type: 'Type', queue: 'Queue', target: 'Target', all: 'all', since: 'Created in the last', 'since.1h': 'hour', 'since.6h': '6 hours', 'since.24h': 'day', 'since.72h': '3 days', 'since.168h': 'week', tasks: 'At most, newest first',
  policies: 'Policies to try (up to {n})', draft: 'A policy that is not saved', 'draft.of': 'Draft of {name}', 'draft.about': 'As JSON; empty for none', edit: 'Go on editing {name}', play: 'Replay', stop: 'Stop', playing: 'Reading and playing… at most 10 seconds', none: 'Choose tasks and policies, and replay.',
  nothing: 'No task that was created from {since} to {until} has been tried.', results: 'What would have happened', seed: 'seed {n}', read: 'Tasks created from {from} to {until}: {tasks}, with {attempts} attempts; targets: {targets}.', 'read.others': { one: '1 task that ran under another policy is left out.', other: '{n} tasks that ran under other policies are left out.' }, of: 'Ran under the policy', 'read.untried': { one: '1 task without an attempt is left out.', other: '{n} tasks without an attempt are left out.' }, 'read.stopped': 'Older tasks, created before {at}, were not read.',
  run: 'Policy', 'kind.recorded': 'as recorded', 'kind.current': 'policies of now', 'kind.tried': 'tried', attempts: 'Attempts', failed: 'Failed attempts', succeeded: 'Tasks that succeeded', died: 'Tasks that died', 'died.by': 'died: {why}', open: '{n} open', canceled: '{n} canceled', wait: 'Wait p50 / p99', success: 'To success p50 / p99', guessed: 'No evidence',
  'by.attempts': 'attempts spent', 'by.permanent': 'permanent', 'by.no_time': 'no time left', 'by.rejected': 'rejected', 'by.unsafe': 'not safe to repeat', load: 'Attempts per second that targets are offered', good: 'Tasks per second that succeed', limits: 'What this cannot know',
  'limit.model': 'What a target would have answered at another time. An attempt is taken to end like the recorded one to the same target that is nearest in time, within 10 minutes.', 'limit.load': 'What more or less load would have done to a target: a policy that would have kept it down is not punished here. The storms show that.',
  'limit.guessed': { one: '1 attempt comes at a time of which nothing is recorded; it is taken to succeed.', other: 'Up to {n} attempts of a policy come at a time of which nothing is recorded; they are taken to succeed.' }, 'limit.left_out': 'Only the newest {n} tasks were read: those created before {at} are left out.',
  'limit.open': { one: '1 task had not ended when it was read: as recorded it neither succeeded nor died, in a replay it ends.', other: '{n} tasks had not ended when they were read: as recorded they neither succeeded nor died, in a replay they end.' },
  'limit.now': 'Under which policies the tasks ran: those of now may be others. A policy that is tried is played for all tasks, also for those that bring one of their own.', 'limit.schedule': 'What queues, ordering keys, priorities and limits of concurrency do: tasks come when their first attempt came.',
  'limit.kept': 'What is kept no longer: ended tasks and their attempts are deleted after a time. Tasks that were created before the time asked for are not here, even if they were tried in it.',
};

/** @type {typeof en} */
const zh = {
  about: '在虚拟时间里重放已记录的任务：一次按各自当前的策略，再按其他策略。不会向任何目标发送请求。', operators: '重放会占用数秒处理器时间，仅供操作员与管理员使用。',
  type: '类型', queue: '队列', target: '目标', all: '全部', since: '创建时间在最近', 'since.1h': '1 小时', 'since.6h': '6 小时', 'since.24h': '1 天', 'since.72h': '3 天', 'since.168h': '1 周', tasks: '最多任务数（最新优先）',
  policies: '要试的策略（最多 {n} 个）', draft: '未保存的策略', 'draft.of': '{name} 的草稿', 'draft.about': 'JSON 格式；留空则不用', edit: '继续编辑 {name}', play: '重放', stop: '停止', playing: '正在读取并重放…最多 10 秒', none: '选择任务和策略，然后重放。',
  nothing: '{since} 至 {until} 之间创建的任务都还没有被尝试过。', results: '结果会怎样', seed: '种子 {n}', read: '创建于 {from} 至 {until} 的任务：{tasks} 个，{attempts} 次尝试，{targets} 个目标。', 'read.others': { one: '已略去按其他策略运行的 1 个任务。', other: '已略去按其他策略运行的 {n} 个任务。' }, of: '按此策略运行', 'read.untried': { one: '另有 1 个任务没有尝试，未计入。', other: '另有 {n} 个任务没有尝试，未计入。' }, 'read.stopped': '{at} 之前创建的更早任务没有读取。',
  run: '策略', 'kind.recorded': '实际记录', 'kind.current': '当前策略', 'kind.tried': '试验', attempts: '尝试', failed: '失败的尝试', succeeded: '成功的任务', died: '死亡的任务', 'died.by': '死亡：{why}', open: '{n} 个未结束', canceled: '{n} 个已取消', wait: '等待 p50 / p99', success: '到成功 p50 / p99', guessed: '无依据',
  'by.attempts': '尝试用尽', 'by.permanent': '永久失败', 'by.no_time': '时间不足', 'by.rejected': '被拒绝', 'by.unsafe': '不可安全重复', load: '每秒发往目标的尝试', good: '每秒成功的任务', limits: '重放无法知道的事',
  'limit.model': '目标在其他时刻会如何回答。这里假定：尝试的结果与同一目标 10 分钟内时间最近的已记录尝试相同。', 'limit.load': '负载增减对目标的影响：会压垮目标的策略在这里不会受罚。“风暴”能展示这一点。',
  'limit.guessed': { one: '有 1 次尝试落在没有记录的时刻，视为成功。', other: '某策略最多有 {n} 次尝试落在没有记录的时刻，视为成功。' }, 'limit.left_out': '只读取了最新的 {n} 个任务，{at} 之前创建的未计入。',
  'limit.open': { one: '有 1 个任务读取时尚未结束：实际记录里既未成功也未死亡，重放时会结束。', other: '有 {n} 个任务读取时尚未结束：实际记录里既未成功也未死亡，重放时会结束。' },
  'limit.now': '任务当时运行在哪些策略之下：当前策略可能已不同。试验的策略用于所有任务，包括自带策略的任务。', 'limit.schedule': '队列、顺序键、优先级和并发上限的作用：任务按其首次尝试的时间到来。',
  'limit.kept': '已被清理的内容：结束的任务及其尝试只保留一段时间。在所选时间之前创建的任务不在其中，即使当时有过尝试。',
};

export const t = translator(en, zh);
