// Package feed tells those who listen what happens on a node, as it happens: what
// becomes of tasks, which objects change, and how things stand.
//
// Nobody listens most of the time, and then it costs the engine one atomic read for
// each change. While somebody does, changes are gathered and given out four times a
// second as pages, which all listeners share: each reads them at its own pace, from
// wherever it has left off. Only the last minute is kept, and of that no more than
// 32 768 changes: memory does not grow with the number of listeners, nor with those
// that are slow. Who falls behind further, or comes back later, is told that it has
// missed something.
//
// Changes of tasks are those that this node has made or seen. Objects and numbers are
// read from the store, once for all listeners, and so are those of all nodes.
package feed
