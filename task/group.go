package task

import "time"

// MaxGroup is how many members a group of tasks can have.
const MaxGroup = 100_000

// MaxLabel bounds the label of a group of tasks, in bytes.
const MaxLabel = 200

// Group is a group of tasks, its members, with one callback: a task that is enqueued once
// when the group is closed and all members have ended. Members name it in Spec.Group.
type Group struct {
	ID       ID
	Label    string // for people
	State    GroupState
	Callback Follow // without a Payload of its own it gets a [GroupEnded]

	CreatedAt time.Time
	ClosedAt  time.Time // zero while it is open
	DoneAt    time.Time // zero until the callback was enqueued

	CallbackTask ID // the callback, of a group that is done
	Counts       GroupCounts
}

// Complete reports whether nothing is missing but the callback: no member can come any
// more, and all have ended.
func (g *Group) Complete() bool { return g.State == GroupClosed && g.Counts.Live() == 0 }

// GroupState is how far a group of tasks has come.
type GroupState string

// The states, each of which follows the one before.
const (
	GroupOpen   GroupState = "open"   // takes members
	GroupClosed GroupState = "closed" // takes none, and waits for those that live
	GroupDone   GroupState = "done"   // all have ended, and the callback was enqueued
)

// GroupCounts are the members of a group of tasks by outcome.
type GroupCounts struct {
	Members   int `json:"members"` // all of them
	Succeeded int `json:"succeeded"`
	Dead      int `json:"dead"`
	Canceled  int `json:"canceled"`
}

// Live is how many members have not ended.
func (c GroupCounts) Live() int { return c.Members - c.Succeeded - c.Dead - c.Canceled }

// Add counts members that came, or with an ended state members that ended so; n may be
// negative.
func (c *GroupCounts) Add(state State, n int) {
	switch state {
	case Succeeded:
		c.Succeeded += n
	case Dead:
		c.Dead += n
	case Canceled:
		c.Canceled += n
	default:
		c.Members += n
	}
}

// Plus is the sum of two counts.
func (c GroupCounts) Plus(more GroupCounts) GroupCounts {
	return GroupCounts{c.Members + more.Members, c.Succeeded + more.Succeeded, c.Dead + more.Dead, c.Canceled + more.Canceled}
}

// GroupEnded is the payload of the callback of a group of tasks that brings none of its
// own: what became of the members.
type GroupEnded struct {
	Group ID     `json:"group"`
	Label string `json:"label,omitempty"`
	GroupCounts
	CreatedAt time.Time `json:"created_at"`
	ClosedAt  time.Time `json:"closed_at"`
}
