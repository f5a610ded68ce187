package alert

import (
	"time"

	"github.com/outlast-dev/outlast/task"
)

// EventFilter selects messages. What is empty selects all; * stands for any text.
type EventFilter struct {
	Rule    string
	Subject string
	Channel string
	State   string    // pending, sent, silenced, collected, failed or canceled; "" selects all but collected
	Since   time.Time // messages that were made then or later
}

// Collected is the state of a message that another tells, because the channel could not
// take it when it came: that one is sent.
const Collected = "collected"

// EventView is one message to one channel: the delivery log.
type EventView struct {
	*Message
	Task     task.ID
	Channel  string
	State    string // one of those of [EventFilter.State]
	Silence  string // the id of what has silenced it
	Attempts int
	Error    string // of the last failed attempt
	Instead  string // the channel that it is the fallback of
	NextAt   time.Time
	EndedAt  time.Time
	Ack      *Ack // nil until somebody has acknowledged it
}

// Ack is that somebody has seen an alert and takes care of it.
type Ack struct {
	Rule    string    `json:"rule"`
	Subject string    `json:"subject"`
	By      string    `json:"by"` // the actor, as in the audit log
	At      time.Time `json:"at"`
	// From and To bound the times of the messages that it is about: those of the
	// aggregate up to now, or the one message that was acknowledged.
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

// Firing is an aggregate whose condition holds, and that was told of.
type Firing struct {
	Rule    string
	Subject string
	Since   time.Time // when it began to hold
	Size    int       // the number that was told, or the smallest since; 0 where there is none
	Acked   bool      // somebody takes care of it
}
