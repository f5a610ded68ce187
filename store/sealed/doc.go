// Package sealed encrypts what tasks carry before a store sees it, and opens it
// again for those who read. [Wrap] stands between the engine and a store of any
// kind, so that no way into the database or out of it goes round it.
//
// Sealed are payloads, the headers of requests, the payloads and headers of
// fallbacks and callbacks, results, the texts of errors, and the requests of
// long operations (an edited payload is one), and alerts that are held back. Not sealed is what the database
// must sort, compare or look up: ids, queues, types, keys, dedupe keys, targets
// and URLs, metadata, policies, the category, class and code of errors and
// their fingerprints, which need the key to be made, and configuration, which includes the task of a schedule.
//
// The cipher is AES-256-GCM. Each task has a key of its own, derived from the
// named key by HMAC-SHA-256 of the task's id, and each part of it a nonce that
// is the HMAC of what it is and what it says. So nothing hangs on random
// numbers, no bound on the number of tasks of a key has to be counted, a repeated
// enqueue has the same bytes, and whoever reads the database learns of two
// parts that they are equal only if both are the same part of the same task.
// The idea of such nonces is that of RFC 5297. What is bound to the sealed text,
// and is checked when it is opened: the name of the key, which part it is, the
// id of the task and, of what goes somewhere, where to: queue, type, policy, URL and
// method, of follow-up tasks too. A sealed text that was moved to another task, part or
// target, or changed, does not open.
//
// A task that this process cannot open is never handed out and never dies of
// that. It goes back to its queue with the error class "undecryptable" as its
// last error, and is tried again after half a minute, then after twice as
// long each time, up to ten minutes.
//
// Stability: what package inspect takes and returns is stable; the rest serves this module
// and may change in a minor version.
package sealed
