package prove

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores/kind"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/store"
)

// Before the first fault there is work without any, for so long.
const (
	leastCalm = time.Second
	calmFirst = 5 * time.Second // in a run of a minute
)

// trial is one run on a scratch store.
type trial struct {
	*cli.Env
	*history
	options  *options
	store    string // URL
	nodes    []*node
	receiver *receiver
	names    map[string]string // of nodes, by the addresses that their processes have had
	accepted float64           // tasks a second, in batches
	worked   float64
	whole    bool // the history is complete, and can be judged
}

// run starts the fleet, works, hurts it, and reads back what has become of everything.
func (t *trial) run(ctx context.Context, server func() (network, address string)) (err error) {
	if t.receiver, err = startReceiver(ctx, t.history); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.receiver.stop()) }()
	defer t.end()
	if err := t.startAll(ctx, server); err != nil {
		return err
	}
	t.began = time.Now()
	load := newLoad(t.history, t.nodes, t.receiver.url, t.options.Seed)
	handing, giveUp := context.WithCancel(ctx)
	defer giveUp()
	enough, handed := make(chan struct{}), make(chan struct{})
	go func() { defer close(handed); load.run(handing, t.options.Rate, enough) }()
	err = t.hurt(ctx)
	close(enough)
	if err == nil {
		t.note("the faults are over, what is left is worked")
		err = t.drain(ctx, handed)
	}
	giveUp()
	<-handed
	if err != nil || ctx.Err() != nil {
		return errors.Join(err, context.Cause(ctx))
	}
	t.note("more tasks, as fast as it goes")
	if t.accepted, t.worked, err = load.hurry(ctx, hurried*t.options.Rate); err != nil {
		return err
	}
	if err = t.drain(ctx, handed); err == nil {
		err = t.read(ctx)
	}
	t.whole = err == nil
	return err
}

// note tells people how things stand.
func (t *trial) note(format string, args ...any) {
	accepted, calls := t.counts()
	t.Say("%6.1fs  %-45s %6d accepted %6d calls", time.Since(t.began).Seconds(), fmt.Sprintf(format, args...), accepted, calls)
}

func (t *trial) startAll(ctx context.Context, server func() (network, address string)) error {
	network, address := server()
	for i := range t.options.Nodes {
		n := &node{name: fmt.Sprintf("node %d", i+1), store: t.store}
		if address != "" {
			var err error
			if n.net, err = newProxy(ctx, network, address); err != nil {
				return err
			}
			n.store = kind.With(t.store, kind.Via, n.net.listener.Addr().String())
		}
		t.nodes = append(t.nodes, n)
		if err := n.start(ctx); err != nil {
			return err
		}
	}
	return t.meet(ctx)
}

// end kills what has not ended.
func (t *trial) end() {
	var ends sync.WaitGroup
	for _, n := range t.nodes {
		ends.Go(func() {
			if p := n.process(); p != nil {
				p.kill()
			}
			if n.net != nil {
				n.net.close()
			}
		})
	}
	ends.Wait()
}

// hurt makes faults one after the other: each kind once, and then until the time is over.
func (t *trial) hurt(ctx context.Context) error {
	plan := newPlanner(t.options.Seed, len(t.nodes), t.nodes[0].net != nil)
	lasted(ctx, min(calmFirst, max(leastCalm, t.options.For/12)))
	spacing := min(recovery, t.options.For/8) // a short run hurts before all has recovered
	for end := t.began.Add(t.options.For); ctx.Err() == nil; {
		musts := len(plan.first)
		f := plan.next()
		if musts == 0 && time.Now().Add(f.lasts).After(end) {
			break
		}
		n := t.nodes[f.node]
		t.note("%s: %s", n.name, says[f.kind])
		trouble, err := n.suffer(ctx, f)
		t.troubles = append(t.troubles, trouble)
		if err == nil {
			err = t.meet(ctx)
		}
		if err != nil {
			return err
		}
		t.note("%s is back", n.name)
		lasted(ctx, max(min(f.gap, spacing), time.Until(trouble.from.Add(spacing))))
	}
	return context.Cause(ctx)
}

// meet learns under which ids the processes are in the store.
func (t *trial) meet(ctx context.Context) error {
	for _, n := range t.nodes {
		address, err := url.Parse(n.process().url)
		if err != nil {
			return err
		}
		t.names[address.Host] = n.name
	}
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	for try := 0; ; try++ {
		one, cancel := context.WithTimeout(ctx, tryFor)
		found, err := t.nodes[try%len(t.nodes)].process().api.Nodes(one, 500)
		cancel()
		if err == nil {
			for _, seen := range found.Nodes {
				if _, known := t.history.nodes[seen.ID]; !known {
					t.history.nodes[seen.ID] = t.names[seen.Address]
				}
			}
			return nil
		}
		if !lasted(ctx, between) {
			return err
		}
	}
}

// drain waits until what was handed in has ended, and for as long keeps the nodes alive.
func (t *trial) drain(ctx context.Context, handed <-chan struct{}) (err error) {
	t.await(ctx, 5*look, func() bool {
		if err = t.revive(ctx); err != nil {
			return true
		}
		select {
		case <-handed:
			return t.settled(ctx)
		default:
			return false
		}
	})
	return err
}

// revive starts the nodes anew that have ended by themselves.
func (t *trial) revive(ctx context.Context) error {
	for _, n := range t.nodes {
		problem, err := n.revive(ctx)
		if problem != "" {
			t.unsound = append(t.unsound, n.name+": "+problem)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// settled reports whether everything has ended.
func (t *trial) settled(ctx context.Context) bool {
	for _, state := range []string{"pending", "running"} {
		found, err := t.nodes[0].process().api.Tasks(ctx, client.Filter{State: state}, 1, "")
		if err != nil || len(found.Tasks) > 0 {
			return false
		}
	}
	return true
}

// read stops the fleet, and reads from the database itself what has become of everything.
func (t *trial) read(ctx context.Context) error {
	if err := errors.Join(t.revive(ctx), t.meet(ctx)); err != nil {
		return err
	}
	for _, n := range t.nodes {
		if problem := n.process().stop(); problem != "" {
			t.unsound = append(t.unsound, n.name+": "+problem)
		}
	}
	open, err := stores.Durable(t.store)
	if err != nil {
		return err
	}
	backend, err := open.Open(ctx, t.store, true)
	if err != nil {
		return err
	}
	defer backend.Close() //nolint:errcheck // only read
	unsound, err := backend.Check(ctx)
	if err != nil {
		return err
	}
	for _, problem := range unsound {
		t.unsound = append(t.unsound, "the store: "+problem)
	}
	page := store.Page{Limit: 500}
	for {
		tasks, next, err := backend.Find(ctx, store.Filter{}, page)
		if err != nil {
			return err
		}
		for _, one := range tasks {
			if one.Queue == alerts.Queue { // a message about dead letters, by the program itself
				continue
			}
			var what payload
			if err := json.Unmarshal(one.Payload, &what); err != nil {
				return fmt.Errorf("task %s has a payload that nobody handed in: %w", one.ID, err)
			}
			attempts, err := backend.Attempts(ctx, one.ID)
			if err != nil {
				return err
			}
			t.rows[what.N] = append(t.rows[what.N], row{one, attempts})
		}
		if page.Cursor = next; next == "" {
			return nil
		}
	}
}
