// Ids of what is made here, so that a call that is sent again makes nothing twice.

import { serverNow } from './time.js';

/** A UUID of version 7 (RFC 9562, 5.7). */
export function newID() {
  const random = crypto.getRandomValues(new Uint8Array(10));
  random[0] = (random[0] & 0x0f) | 0x70;
  random[2] = (random[2] & 0x3f) | 0x80;
  const hex = serverNow().toString(16).padStart(12, '0') + Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
