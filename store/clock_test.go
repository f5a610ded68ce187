package store_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/store"
)

// probed is a store on a server whose clock differs.
type probed struct {
	store.Backend
	probe  store.Probe
	err    error
	probes int
}

func (p *probed) Probe(context.Context) (store.Probe, error) {
	p.probes++
	return p.probe, p.err
}

func TestClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &probed{probe: store.Probe{Ahead: time.Hour, Took: time.Millisecond}, err: errors.New("down")}
		clock := store.NewClock(server)
		ahead := func() time.Duration { return time.Until(clock.Now(t.Context())) }
		if got := ahead(); got != 0 {
			t.Errorf("nothing is known, and it is ahead by %v", got)
		}
		server.err = nil
		if got := ahead(); got != time.Hour {
			t.Errorf("ahead by %v", got)
		}
		server.probe = store.Probe{Ahead: -5 * time.Millisecond, Took: 10 * time.Millisecond}
		if got := ahead(); got != time.Hour || server.probes != 2 {
			t.Errorf("ahead by %v after %d probes", got, server.probes)
		}
		time.Sleep(time.Minute)
		if got := ahead(); got != 0 {
			t.Errorf("no more than the way may take, and ahead by %v", got)
		}
	})
	if got := time.Since(store.NewClock(struct{ store.Backend }{}).Now(t.Context())); got.Abs() > time.Minute {
		t.Errorf("without a server it differs by %v", got)
	}
}
