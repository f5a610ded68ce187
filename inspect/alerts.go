package inspect

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Alerts shows messages to channels and what is wrong with their delivery.
type Alerts struct {
	AlertEvents
	Rules    AlertRules
	Channels AlertChannels
	Silences AlertSilences
}

// AlertRules shows the rules of alerts and changes them.
type AlertRules interface {
	// List returns all rules by name, the built-in ones included.
	List(ctx context.Context) ([]alert.RuleView, error)
	// Get returns one rule; code "not_found".
	Get(ctx context.Context, name string) (*alert.RuleView, error)
	// Put creates a rule or replaces one, also a built-in one. It holds
	// everywhere within about a second. Code "invalid" with fields; "managed_by_file"
	// for a rule that the configuration file owns.
	Put(ctx context.Context, rule alert.Rule) (*alert.RuleView, error)
	// Delete deletes a rule; one that replaced a built-in rule gives way to
	// that again. Code "not_found" for others, "managed_by_file" for one that the
	// configuration file owns.
	Delete(ctx context.Context, name string) error
}

// AlertChannels shows the channels of alerts, changes and tries them.
type AlertChannels interface {
	// List returns all channels by name.
	List(ctx context.Context) ([]alert.ChannelView, error)
	// Get returns one channel; code "not_found".
	Get(ctx context.Context, name string) (*alert.ChannelView, error)
	// Put creates a channel or replaces one. Code "invalid" with fields;
	// "managed_by_file" for one that the configuration file owns. Its
	// secrets are in variables OUTLAST_SECRET_… of the servers; what these hold goes to the
	// hosts in the variable of that name with _HOSTS behind it.
	Put(ctx context.Context, spec alert.ChannelSpec) (*alert.ChannelView, error)
	// Delete deletes a channel; code "conflict" while a rule or another
	// channel names it, "managed_by_file" for one that the configuration file owns.
	Delete(ctx context.Context, name string) error
	// Test sends a message to a channel, from this node and at once. The
	// error says why it was not delivered.
	Test(ctx context.Context, name string) error
	// Probe tries a channel from this node without a message to people: it
	// connects to who takes the messages, shakes hands where TLS is spoken, logs in to a
	// mail server, and leaves. It does not find out whether a robot or webhook takes the
	// key in its URL, nor whether there is such a mailbox. Code "conflict" for a Go
	// function, which can only be tried by a message.
	Probe(ctx context.Context, name string) error
}

// AlertSilences shows what keeps messages from their channels, and adds and ends it.
type AlertSilences interface {
	// List returns all silences, those that end last first; ended ones for 30
	// days.
	List(ctx context.Context) ([]alert.Silence, error)
	// Add keeps messages that match the patterns from their channels, from From
	// on (now when zero) until Until, at most 30 days. They stay in [AlertEvents.Events].
	// It holds everywhere within about a second. ID, By and EndedBy are not the caller's.
	// Codes "invalid" with fields, "conflict" beyond 100 that have not ended.
	Add(ctx context.Context, silence alert.Silence) (*alert.Silence, error)
	// End ends a silence now; one that has ended stays as it is. Code
	// "not_found".
	End(ctx context.Context, id string) (*alert.Silence, error)
	// Preview says what a silence of these patterns would have kept back of the
	// messages of the last day. Nothing is changed. Code "invalid" with fields.
	Preview(ctx context.Context, silence alert.Silence) (*alert.SilencePreview, error)
}

// AlertEvents shows messages to channels and what is wrong with their delivery.
type AlertEvents interface {
	// Events returns a page of the messages to channels that a filter selects, the
	// newest first, and the cursor of the next page. A page may have fewer messages than
	// asked for, also none, where there are many others between them. Messages are kept as
	// long as ended tasks are. Code "invalid" with fields.
	Events(ctx context.Context, filter alert.EventFilter, page store.Page) ([]alert.EventView, string, error)
	// Ack notes that the caller takes care of what a message tells of, whichever
	// channel it went to; id is that of the task that delivers it. While an aggregate
	// goes on firing, it is not told again for the rule and subject; that it is over
	// is. An acknowledged message stays as it is. Code "not_found" for what is no
	// message.
	Ack(ctx context.Context, id task.ID) (*alert.EventView, error)
	// PausedSince is since when alerts are not delivered because the queue that they
	// travel in is paused: the zero time while it is not. They wait, and none is lost.
	PausedSince(ctx context.Context) (since time.Time, err error)
	// Problems are the channels that do not deliver and the rules that do not
	// hold, as far as this node knows, and how many events no alert could be raised
	// for. Empty when all is well.
	Problems() (problems []string)
	// Critical are the aggregates of critical rules that fire and are not over, by
	// rule and subject.
	Critical(ctx context.Context) ([]alert.Firing, error)
}
