// Package duepass works what is due once, for applications that bring their own timer.
package duepass

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/store"
)

// Due says what is to be worked; [outlast.Due] says what its fields mean.
type Due struct {
	Queues []string
	Types  []string
	Since  time.Time
	Limit  int
}

const (
	usualDue = 1000
	mostDue  = 1_000_000
)

// Check completes what is asked for, and says what is wrong with it. Own are the queues that
// the node works on, none for all, and queueOf complains of one that is not there.
func (d *Due) Check(own []string, queueOf func(wrong *accept.Complaints, path, name string)) error {
	var wrong accept.Complaints
	for i, name := range d.Queues {
		if path := at("queues", i); wrong.Name(path, name) {
			queueOf(&wrong, path, name)
		}
	}
	for i, name := range d.Types {
		wrong.Name(at("types", i), name)
	}
	if d.Since.After(time.Now()) {
		wrong.Add("since", "lies in the future", "nothing that is due then is due now; leave it out for no bound")
	}
	if d.Limit < 0 || d.Limit > mostDue {
		wrong.Add("limit", "is outside 1 to 1000000", "0 means 1000")
	}
	if d.Limit == 0 {
		d.Limit = usualDue
	}
	if len(d.Queues) == 0 {
		d.Queues = own
	}
	return wrong.Err("what is due cannot be worked so")
}

func at(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// Registry is what a node can run.
type Registry interface {
	engine.Registry
	// Serving is what it tells others of each queue that it serves.
	Serving() store.Serving
	// Starts reports whether this process has what starts the capability.
	Starts(capability string) bool
}

// Config is what passes are made of.
type Config struct {
	Backend  store.Backend
	Engine   *engine.Engine       // of the node, which may run or not
	Make     func() engine.Config // of an engine like it, under an id of its own
	Registry Registry
}

// Passes are the calls that work what is due on a node, one at a time.
type Passes struct {
	config  Config
	running sync.Mutex
	current atomic.Pointer[pass]
}

// Configure says what passes are made of, before the first.
func (p *Passes) Configure(config Config) { p.config = config }

// Begin reports whether there was no pass, and none begins before End.
func (p *Passes) Begin() bool { return p.running.TryLock() }

// End lets the next pass begin.
func (p *Passes) End() { p.running.Unlock() }

// Observer tells a pass that is under way how attempts end.
func (p *Passes) Observer() engine.Observer {
	return engine.Observer{Settled: func(_ context.Context, o engine.Outcome) {
		if one := p.current.Load(); one != nil {
			one.settled(&o)
		}
	}}
}

// Run is one pass, between Begin and End. A node that works by itself is only waited for.
func (p *Passes) Run(ctx context.Context, due Due, own bool) (engine.DueCounts, error) {
	one := &pass{Due: due, Passes: p, until: store.NewClock(p.config.Backend).Now(ctx)}
	p.current.Store(one)
	defer p.current.Store(nil)
	var err error
	if own {
		err = one.follow(ctx)
		one.counts.Started = one.ended()
	} else {
		err = one.work(ctx)
	}
	return one.result(ctx, err)
}
