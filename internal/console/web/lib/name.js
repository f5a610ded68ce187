// What people call a task, and what it calls.

/** @typedef {Pick<import('../../types/api.js').Schema<'Task'>, 'type'|'target'>} Named */

/** The type of a task; of one that has none of its own, its request without what may be secret.
 * @param {Named} task */
export function nameOf({ type, target }) {
  const url = type === 'http' && target?.url && URL.canParse(target.url) ? new URL(target.url) : null;
  return url ? `${target?.method || 'POST'} ${url.host}${url.pathname}` : type;
}

/** What limits protect when the task runs, as the server names it: a host with a port that is not
 * the scheme's own, a worker group, or a type. @param {Named} task */
export function targetOf({ type, target }) {
  if (target?.group) return `group:${target.group}`;
  const [, scheme, host] = target?.url?.match(/^(https?):\/\/(?:[^/?#]*@)?([^/?#]+)/i) ?? [];
  return host ? host.toLowerCase().replace(/https/i.test(scheme) ? /:443$/ : /:80$/, '').replace(/^\[(.*)\]$/, '$1') : type;
}
