// The pages, in the order of the menu.

/** @typedef {{place: string, title: any, key: string, all?: boolean, load: () => Promise<{default: any}>}} PageInfo */

/** place: first part of the path; key: after "g"; all: of what no queue has for itself. @type {PageInfo[]} */
export const pages = [
  { place: '', title: 'page.overview', key: 'o', load: () => import('./page/overview.js') },
  { place: 'tasks', title: 'page.tasks', key: 't', load: () => import('./page/tasks.js') },
  { place: 'dead', title: 'page.dead', key: 'd', load: () => import('./page/dead.js') },
  { place: 'queues', title: 'page.queues', key: 'q', load: () => import('./page/queues.js') },
  { place: 'targets', title: 'page.targets', key: 'r', all: true, load: () => import('./page/targets.js') },
  { place: 'workers', title: 'page.workers', key: 'w', load: () => import('./page/workers.js') },
  { place: 'policies', title: 'page.policies', key: 'p', load: () => import('./page/policies.js') },
  { place: 'simulator', title: 'page.simulator', key: 'm', load: () => import('./page/simulator.js') },
  { place: 'schedules', title: 'page.schedules', key: 's', all: true, load: () => import('./page/schedules.js') },
  { place: 'alerts', title: 'page.alerts', key: 'a', all: true, load: () => import('./page/alerts.js') },
  { place: 'operations', title: 'page.operations', key: 'b', load: () => import('./page/operations.js') },
  { place: 'task-groups', title: 'page.taskGroups', key: 'g', load: () => import('./page/task-groups.js') },
  { place: 'audit', title: 'page.audit', key: 'u', all: true, load: () => import('./page/audit.js') },
  { place: 'settings', title: 'page.settings', key: ',', load: () => import('./page/settings.js') },
];
