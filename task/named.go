package task

import "strings"

// namedTarget begins the names of targets that handlers have named. No host, worker
// group or type has it, so one can tell from a target alone what a task calls.
const namedTarget = "@"

// NamedTarget is the target of tasks whose handler has named what it calls.
func NamedTarget(name string) string { return namedTarget + name }

// IsNamed reports whether a target is one that a handler has named.
func IsNamed(target string) bool { return strings.HasPrefix(target, namedTarget) }
