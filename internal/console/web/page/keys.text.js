import { translator } from '../lib/text.js';

const en = {
  title: 'Blocked ordering keys', all: 'All queues', about: 'A dead letter blocks its ordering key: the tasks behind it wait until the letter is redriven or deleted, or the key is released.', none: 'No ordering key is blocked.', 'none.waited': 'No task waits behind a dead letter.', 'with.idle': 'Also keys that nobody waits for',
  key: 'Ordering key', queue: 'Queue', letter: 'Dead letter', waiting: 'Wait behind it', since: 'Blocked', mode: 'Backlog', 'mode.block': 'counts as backlog', 'mode.park': 'parked: no backlog', atLeast: '> {n}', go: 'Tasks that wait', redrive: 'Redrive…',
  release: 'Release the key…', 'release.title': 'Release an ordering key', 'release.about': 'The tasks behind the dead letter go on without it. The letter stays among the dead letters.', 'release.n': { one: '{n} task waits behind the dead letter of {key}, and would go on.', other: '{n} tasks wait behind the dead letter of {key}, and would go on in their order.' },
  'release.least': 'More than {n} tasks wait behind the dead letter of {key}, and would go on in their order.', 'release.none': 'No task waits behind the dead letter of {key}. Those that come later would start at once.', sample: 'The newest of them', released: 'Released',
};

/** @type {typeof en} */
const zh = {
  title: '被阻塞的顺序键', all: '全部队列', about: '死信会阻塞其顺序键：排在后面的任务一直等待，直到死信被重投或删除，或该键被释放。', none: '没有被阻塞的顺序键。', 'none.waited': '没有任务排在死信后面。', 'with.idle': '包括没有任务等待的键',
  key: '顺序键', queue: '队列', letter: '死信', waiting: '排在后面', since: '阻塞开始', mode: '积压', 'mode.block': '计入积压', 'mode.park': '已搁置，不计入积压', atLeast: '> {n}', go: '等待的任务', redrive: '重投…',
  release: '释放此键…', 'release.title': '释放顺序键', 'release.about': '排在死信后面的任务不再等它，继续执行。死信仍保留。', 'release.n': { one: '{n} 个任务排在 {key} 的死信后面，将会启动。', other: '{n} 个任务排在 {key} 的死信后面，将按顺序启动。' },
  'release.least': '超过 {n} 个任务排在 {key} 的死信后面，将按顺序启动。', 'release.none': '没有任务排在 {key} 的死信后面。之后到来的任务将直接启动。', sample: '其中最新的', released: '已释放',
};

export const t = translator(en, zh);
