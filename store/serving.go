package store

import (
	"slices"
	"strings"
)

// Push is the capability of making the HTTP requests of tasks with a target, whatever
// their type. No type can have this name.
const Push = "@http"

// Serves says of each queue that a node takes part in what it does there. Of an absent
// queue it starts nothing.
type Serves map[string]Serving

// Serving is what a node tells others of its part in a queue: what it can start there,
// and what else they must know to own lanes, share limits and lend tasks. The zero value
// is a node that takes part and can start nothing.
type Serving struct {
	// Types are the types that it can start.
	Types []string `json:"types,omitempty"`
	// Wants are types of which a worker waits for tasks in vain: others lend it some.
	Wants []string `json:"wants,omitempty"`
	// Reach is what it may call beyond public addresses, and for which hosts it has
	// secrets, "" for nothing; in words that the engine does not read.
	Reach string `json:"reach,omitempty"`

	// AnyType says that it can start every type, as a remote worker that names none does:
	// what Types says beside that makes no difference.
	AnyType bool `json:"any_type,omitempty"`
	// Requests says that it makes the HTTP requests of tasks with a target.
	Requests bool `json:"requests,omitempty"`
	// Leaving says that it stops and owns nothing more. Its part of the queue's limit
	// is not free before its attempts have ended.
	Leaving bool `json:"leaving,omitempty"`
	// Owner says that it owns lanes of the queue whatever embedded nodes do: it is a
	// server that was told to work on it.
	Owner bool `json:"owner,omitempty"`
	// Running says that tasks of the queue run on it. It says so only where the places
	// of the queue's limit go round.
	Running bool `json:"running,omitempty"`
	// Once says that it works what is due once, and ends.
	Once bool `json:"once,omitempty"`
}

// Can reports whether the node can start what needs a capability: a type, [Push], or
// [Push] with a reach as by [Ability].
func (s Serving) Can(capability string) bool {
	if capability == Push {
		return s.Requests
	}
	if reach, ok := ReachOf(capability); ok {
		return reach != "" && reach == s.Reach
	}
	return s.AnyType || slices.Contains(s.Types, capability)
}

// Capabilities lists what the node says that it can start, but for the types of one that
// can start any.
func (s Serving) Capabilities() []string {
	all := slices.Clone(s.Types)
	if s.Requests {
		all = append(all, Push)
	}
	if s.Reach != "" {
		all = append(all, Ability(s.Reach))
	}
	return all
}

// Ability is the capability of making requests with a reach. Rows are marked by it that
// are left to nodes with this reach.
func Ability(reach string) string { return Push + " " + reach }

// ReachOf is the reach of an ability; false for another capability.
func ReachOf(capability string) (reach string, ok bool) {
	return strings.CutPrefix(capability, Push+" ")
}
