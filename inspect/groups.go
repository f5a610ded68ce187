package inspect

import (
	"slices"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// Group is a worker group as people see it.
type Group struct {
	Name    string
	Members []MemberView // by id
	Dispatch
}

// The states of a group.
const (
	GroupReady  = "ready"  // a member lives, and no dispatch has failed since one was taken
	GroupHeld   = "held"   // no member took the last task: the group is left alone until the next try
	GroupSilent = "silent" // no member lives
)

// State says in one word whether the group takes tasks.
func (v *Group) State() string {
	living := slices.ContainsFunc(v.Members, func(m MemberView) bool { return m.Living })
	switch {
	case !living:
		return GroupSilent
	case v.Failures > 0:
		return GroupHeld
	}
	return GroupReady
}

// MemberView is a member as people see it.
type MemberView struct {
	Member
	Living bool
	Seen   time.Time // its last beat, as this node heard of it
	Flying int       // tasks of this node that are under way there
}

// Dispatch is how the dispatches of a group fare on this node. It is zero while they
// succeed.
type Dispatch struct {
	Failures int // in a row
	Kind     DispatchKind
	Message  string
	Next     time.Time // the next try
}

// Member is a member of a worker group, as its endpoint tells of itself. It is the body of
// an object of kind "member", whose name is the group's, a slash and the member's id.
type Member struct {
	Group    string         `json:"-"`
	ID       string         `json:"-"`
	URL      string         `json:"url"`      // paths of tasks are added to its own
	Capacity int            `json:"capacity"` // tasks at once
	Load     float64        `json:"load"`     // tasks that it has in hand, whoever gave them
	TTL      retry.Duration `json:"ttl"`      // how long it lives without another beat
}

// DispatchKind says why a task found no member.
type DispatchKind string

// The kinds.
const (
	DispatchBusy        DispatchKind = "busy"        // all members are at capacity, or answer 503
	DispatchUnreachable DispatchKind = "unreachable" // no connection to any
	DispatchEmpty       DispatchKind = "empty"       // no member lives
)
