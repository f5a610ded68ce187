package keeper

import (
	"context"
	"log/slog"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/store"
)

// Node is what a keeper needs of the engine beside it.
type Node interface {
	Wake(lanes ...uint16)
	Topology() *store.Topology
	Node() string
	Queue(name string) (store.Queue, bool)
}

// Config is what a keeper is made of.
type Config struct {
	Backend store.Backend
	Node    Node
	Logger  *slog.Logger
	// Backlog is from how many dead letters on their number is told; 1 when 0.
	Backlog int
	// Functions are channels that exist in this process only, by name.
	Functions map[string]alert.Channel
	// Read reads the body of a channel's object. An error joins [retry.FieldError] values.
	Read func(body []byte) (alerts.Settings, error)
	// Open makes the channel of a name and such a body; the body of the log is nil.
	Open func(name string, body []byte) (alert.Channel, error)
	// Serve is told which channels this node can send to, whenever that
	// changes.
	Serve func(channels []string)
	// Told is called after each try to deliver: the channel, and "sent",
	// "failed", "digested" or "silenced". Nil for nobody.
	Told func(channel, result string)
	// Groups measures the worker groups; nil where there are none.
	Groups func() []alerts.GroupSample
	// Console is the address at which people reach the console, for links; "" for none.
	Console string
	// Keys counts the tasks that do not open on this node, by the encryption key
	// that it lacks; nil where nothing is encrypted.
	Keys func() map[string]int
	// Changes measures the attempts before and after the changes of the last day;
	// nil where nobody counts them.
	Changes func(ctx context.Context) ([]alerts.ChangeSample, error)
}
