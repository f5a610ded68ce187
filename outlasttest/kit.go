package outlasttest

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/internal/options"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
)

const (
	// calm is for how long after each commit the loops of a client go as they do in programs:
	// longer than the step at which alerts are measured, so that each loop sees what has changed.
	calm = alerts.Step + time.Second
	// rare is the time between two looks of a loop while nothing commits.
	rare = time.Hour
	// forever is longer than any test.
	forever = 10 * 365 * 24 * time.Hour
)

// Channel is the alert channel that tells [Kit.Alerts]. Name it in rules, or in
// [outlast.AlertTo].
const Channel = "outlasttest"

// Kit is a client on a store in memory that is made for tests. Register the handlers with its
// Client, then call [Kit.Start]. All of it is stopped when the test ends.
type Kit struct {
	// Client works on the queue "default", unless the options say otherwise, and keeps what
	// has ended for ten years.
	Client *outlast.Client
	// Store is the client's store, empty at first. Clients share it by [Kit.Another]: to one
	// that is opened on it without the kit the others seem dead, since they look rarely.
	Store *memory.Store

	t       testing.TB
	virtual bool
	pace    *background.Pace // nil where time is real
	faults  faults
	targets targets

	mu   sync.Mutex
	told []*alert.Message
}

// Run runs a test in virtual time, with a client that has not started. It opens a bubble of
// [testing/synctest], unless it is called within one: time stands still while anything runs,
// and jumps to the next moment at which something is to happen when all waits. [time.Sleep] is
// how a test lets time pass, or [Kit.After]. Goroutines of the body must have ended when it
// returns. The options come after those of
// the kit, which keeps what has ended for ten years.
func Run(t *testing.T, body func(t *testing.T, k *Kit), opts ...outlast.Option) {
	t.Helper()
	if inBubble() {
		body(t, Open(t, opts...))
		return
	}
	synctest.Test(t, func(t *testing.T) { body(t, Open(t, opts...)) })
}

// Open makes a kit in a bubble of [testing/synctest] that the test has opened, or outside of
// one, where time is real.
func Open(t testing.TB, opts ...outlast.Option) *Kit {
	t.Helper()
	k := &Kit{Store: memory.New(), t: t, virtual: inBubble(), targets: targets{t: t}}
	if k.virtual {
		k.pace = background.NewPace(calm, rare)
		k.watch()
	}
	k.Client = k.open(k.Store, opts)
	return k
}

// Another opens one more client on the kit's store, as another process would have: with
// handlers of its own, and the faults, targets and alerts of the kit. It has not started, and
// is stopped when the test ends.
func (k *Kit) Another(opts ...outlast.Option) *outlast.Client {
	k.t.Helper()
	return k.open(k.Store.Handle(), opts)
}

func (k *Kit) open(s *memory.Store, opts []outlast.Option) *outlast.Client {
	k.t.Helper()
	ctx := context.WithoutCancel(k.t.Context())
	opts = slices.Concat([]outlast.Option{
		outlast.WithDeadRetention(forever), outlast.WithDoneRetention(forever), outlast.WithAuditRetention(forever),
		outlast.WithAlertFunc(Channel, k.tell),
	}, opts, []outlast.Option{k.options})
	client, err := outlast.Open(ctx, s, opts...)
	if err != nil {
		k.t.Fatal(err)
	}
	k.t.Cleanup(func() {
		if err := client.Stop(ctx); err != nil {
			k.t.Errorf("stopping the client: %v", err)
		}
	})
	return client
}

// options are those that no program has.
func (k *Kit) options(o *options.Options) {
	o.Before, o.Outbound = k.faults.before, &k.targets
	if o.Pace = k.pace; k.virtual {
		o.Tuning.Horizon = forever // nobody looks further ahead later
	}
}

// watch lets the loops look as often as in programs when something has been committed.
func (k *Kit) watch() {
	ctx, stop := context.WithCancel(context.WithoutCancel(k.t.Context()))
	watcher := k.Store.Handle()
	var watching sync.WaitGroup
	watching.Go(func() {
		if err := watcher.Watch(ctx, func([]store.ChangedLane) { k.pace.Touch() }); err != nil && ctx.Err() == nil {
			k.t.Errorf("watching the store: %v", err)
		}
	})
	k.t.Cleanup(func() {
		stop()
		watching.Wait()
	})
}

// inBubble reports whether the caller is in a bubble.
func inBubble() (in bool) {
	defer func() { in = recover() == nil }()
	synctest.Wait() // it panics outside of one
	return true
}

// Start starts the client. Mistakes made while registering handlers end the test.
func (k *Kit) Start() {
	k.t.Helper()
	if err := k.Client.Start(context.WithoutCancel(k.t.Context())); err != nil {
		k.t.Fatal(err)
	}
}

// Enqueue accepts tasks, and returns them as accepted.
func (k *Kit) Enqueue(drafts ...outlast.Draft) []*outlast.Task {
	k.t.Helper()
	receipts, err := k.Client.EnqueueMany(k.t.Context(), drafts, true)
	if err != nil {
		k.t.Fatal(err)
	}
	tasks := make([]*outlast.Task, len(receipts))
	for i := range receipts {
		tasks[i] = receipts[i].Task
	}
	return tasks
}

// After lets virtual time pass, and returns once all that it brought about has been done.
func (k *Kit) After(d time.Duration) {
	k.t.Helper()
	if !k.virtual {
		k.t.Fatal("outlasttest: time is real here, nothing makes it pass: use Run, or call Open within synctest.Test")
	}
	time.Sleep(d) // sleep: virtual
	synctest.Wait()
}
