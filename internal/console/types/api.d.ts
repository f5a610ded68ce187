// The shapes of the API's answers, from its own document; see tools/api.mjs.
import type { components } from './openapi';

/** A shape of the API by its name in the document. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];
