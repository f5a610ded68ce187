package postgres_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Tables are not distributed under nodes that use them. One that was killed,
// which nobody buried, is no obstacle.
func TestDistributionWaitsForNodesToEnd(t *testing.T) {
	g := newGround(t, open(t, database(t)), 1)
	const within = 300 * time.Millisecond
	if err := g.s.Unused(t.Context(), within); err != nil {
		t.Errorf("a node that does not beat: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for ctx.Err() == nil {
			_, _ = g.s.Beat(ctx, "n1", store.Report{})
		}
	}()
	err := g.s.Unused(t.Context(), within)
	for tries := 1; err == nil && tries < 20; tries++ { // a slow machine may not get to a beat between two looks
		err = g.s.Unused(t.Context(), within)
	}
	if !errors.Is(err, &task.Error{Code: task.CodeUnavailable}) {
		t.Errorf("a node that beats: %v", err)
	}
	cancel()
	<-stopped
	g.ok(g.s.Leave(t.Context(), "n1"))
	began := time.Now()
	if err := g.s.Unused(t.Context(), time.Hour); err != nil || time.Since(began) > time.Minute {
		t.Errorf("all nodes have left: %v after %s", err, time.Since(began))
	}
}
