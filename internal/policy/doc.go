// Package policy keeps named retry policies: how they are written and checked,
// and the set of them that holds on a node.
package policy
