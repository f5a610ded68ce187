// What every page is made of: markup, state and effects.

import { h, Fragment, render } from '../vendor/preact.js';
import htm from '../vendor/htm.js';

export { useCallback, useEffect, useErrorBoundary, useId, useLayoutEffect, useMemo, useRef, useState } from '../vendor/hooks.js';
export { signal, computed, effect, batch, useSignal, useComputed, useSignalEffect } from '../vendor/signals.js';
export { Fragment, render };

/** @typedef {import('preact').ComponentChildren} Children */
/** @typedef {import('preact').VNode<any>} Node */

/** Markup as a template. Text in it is always text: nothing is ever parsed as HTML.
 * @type {(strings: TemplateStringsArray, ...values: any[]) => any} */
export const html = htm.bind(/** @type {any} */ (h));

/** Joins the names of those classes that hold.
 * @param {...(string|false|null|undefined)} names */
export const classes = (...names) => names.filter(Boolean).join(' ');
