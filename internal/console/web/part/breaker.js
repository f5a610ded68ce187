// How a target stands, and why, in words.

import { html } from '../lib/ui.js';
import { number } from '../lib/text.js';
import { Foreign, State } from './basics.js';
import { t } from './breaker.text.js';

/** @typedef {import('../../types/api.js').Schema<'TargetState'>} Target */
/** @typedef {Pick<Target, 'breaker'|'held_until'|'unguarded'>} Standing */

/** A breaker that lets calls pass says nothing of a target that wants none.
 * @param {Partial<Standing>} target */
const held = ({ breaker, held_until: until }) => Boolean(until) && (breaker?.state ?? 'closed') === 'closed';

/** How states look for which there is no look of their own. @type {Record<string, string>} */
const looks = { ramping: 'half_open', held: 'paused', none: 'closed', exhausted: 'paused', refilled: 'closed' };

/** The state of a breaker or a budget. @param {{state: string, long?: boolean}} props */
export function Standing({ state, long }) {
  const text = t.named('state.', state);
  return html`<${State} state=${looks[state] ?? state} label=${long ? text : text.split(/[:：]/)[0]} />`;
}

/** @param {{target: Partial<Standing>, long?: boolean}} props */
export const TargetState = ({ target, long }) => (held(target) ? html`<${Standing} state="held" long=${long} />`
  : target.unguarded && !target.breaker?.forced ? html`<${Standing} state="none" long=${long} />`
  : target.breaker ? html`<${Standing} state=${target.breaker.state} long=${long} />` : '—');

/** Why a breaker changed. @param {{text?: string}} props */
export const Cause = ({ text }) => html`<${Foreign} text=${text && t.named('cause.', text)} />`;

/** Why a target is as it is. @param {{target: Partial<Standing>}} props */
export const TargetCause = ({ target }) => html`<${Cause} text=${held(target) ? 'held' : target.breaker?.cause} />`;

/** How many due tasks it holds. @param {Pick<Target, 'waiting'>} target */
export const waits = (target) => Object.values(target.waiting ?? {}).reduce((a, b) => a + Number(b), 0);

/** How many attempts run, of how many that may. @param {Pick<Target, 'in_flight'|'limit'>} target */
export const flight = (target) => number(target.in_flight ?? 0) + (target.limit ? `/${number(target.limit)}` : '');

/** When it is asked again. @param {Partial<Standing>} target */
export const asked = (target) => target.breaker?.until ?? target.held_until;

/** The name of a state. @param {string} state */
export const standing = (state) => t.named('state.', state);
