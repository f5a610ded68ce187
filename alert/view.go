package alert

import (
	"time"

	"github.com/outlast-dev/outlast/task"
)

// RuleView is a rule with where it comes from.
type RuleView struct {
	Rule
	Builtin   bool   // it holds without configuration
	Replaces  bool   // a built-in rule of its name, which holds again when it is deleted
	Managed   string // "file" when the configuration file owns it
	Actor     string
	Version   int64 // 0 of a built-in one
	UpdatedAt time.Time
	Problem   string // why it does not hold on this node, "" if it does
}

// EventView is one message to one channel: the delivery log.
type EventView struct {
	*Message
	Task     task.ID
	Channel  string
	State    string // one of [EventStates]
	Silence  string // the id of what has silenced it
	Attempts int
	Error    string // of the last failed attempt
	Instead  string // the channel that it is the fallback of
	NextAt   time.Time
	EndedAt  time.Time
	Ack      *Ack // nil until somebody has acknowledged it
}
