// Package policy keeps named retry policies: how they are written and checked,
// the expressions in their rules, and the set of them that holds on a node.
//
// Importing it makes [retry.Spec.Policy] accept expressions (CEL) in rules.
package policy
