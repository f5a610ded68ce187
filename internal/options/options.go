// Package options is what a client is made of beside its store.
package options

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/internal/dead"
	"github.com/outlast-dev/outlast/internal/drafts"
	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/enqueue"
	"github.com/outlast-dev/outlast/internal/expr"
	"github.com/outlast-dev/outlast/internal/handlers"
	"github.com/outlast-dev/outlast/internal/observe"
	"github.com/outlast-dev/outlast/internal/tracing"
	"github.com/outlast-dev/outlast/store/sealed"
	"github.com/outlast-dev/outlast/task"
)

// Before is asked before an attempt runs: an error or a panic is how the attempt ends, and it
// does not run.
type Before func(ctx context.Context, run *engine.Run) error

// usualPushMost is how long a request may take that calls a target.
const usualPushMost = time.Hour

// Options are those of one client.
type Options struct {
	Queues         []string
	Server         bool // works on all queues unless some are named, and is no embedded node
	EnqueueOnly    bool
	Logger         *slog.Logger
	ErrorTexts     bool // the messages of errors are logged too
	Allow          []netip.Prefix
	Release        string
	Address        string
	Console        string // where people reach it
	Secrets        map[string][]byte
	Observers      []func(client any) observe.Observer // made once the client is there
	AroundHandlers []handlers.Middleware
	AroundEnqueues []enqueue.Middleware
	Tuning         Tuning
	Dead           dead.Config
	PushTimeout    time.Duration
	PushMost       time.Duration
	AlertFuncs     map[string]alert.Channel
	OwnChannels    func(name string) []*alert.ChannelSpec // of the configuration of this process, nil for none
	Tracer         *tracing.Tracer
	Keys           sealed.Keys

	// What follows is set by tests only.

	Pace     *background.Pace  // of the loops, nil for that of programs
	Before   Before            // asked before each handler and each HTTP request of a task; nil for nothing
	Outbound http.RoundTripper // makes all HTTP requests in place of the network; nil for that
}

// Check completes the options and collects what is wrong with them.
func (o *Options) Check() error {
	var c accept.Complaints
	for _, name := range o.Queues {
		c.Name("queues", name)
	}
	c.Release("release", o.Release)
	if problem := accept.URLProblem(o.Console); problem != "" {
		c.Add("public_url", problem, "write it as https://outlast.example.com")
	}
	o.Tuning.check(&c)
	if o.Server && !expr.Linked() {
		c.Add("server", "a server makes requests whose answers are judged by conditions, and this program reads none",
			`link their language into it: import _ "github.com/outlast-dev/outlast/cel"`)
	}
	if !o.Server && len(o.Queues) == 0 {
		o.Queues = []string{task.DefaultQueue}
	}
	o.Queues = slices.Compact(slices.Sorted(slices.Values(o.Queues)))
	o.PushMost = cmp.Or(o.PushMost, usualPushMost)
	if o.PushMost < drafts.MinTimeout || o.PushMost > drafts.MaxTimeout {
		c.Add("push.max_timeout", o.PushMost.String()+" is outside 1ms to 24h", "leave it out for 1h")
	}
	o.Logger = cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	for _, field := range o.Dead.Check() {
		c.Add("dead."+field.Path, field.Message, "")
	}
	return c.Err("the options are not usable")
}
