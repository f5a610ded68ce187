package prom

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// A second client with the same option is refused, and the gauges stay those of the first,
// also while somebody reads them. Once the first has stopped, another may have them.
func TestOneOptionIsOneClients(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	option := Register(registry)
	open := func(slots int) *outlast.Client {
		c, err := outlast.Open(t.Context(), memory.New(), option, outlast.WithSlots(slots))
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	first, second, third := open(7), open(9), open(11)
	if err := first.Start(t.Context()); err != nil {
		t.Fatal(err)
	}

	var scrapes sync.WaitGroup
	over := make(chan struct{})
	scrapes.Go(func() {
		for {
			select {
			case <-over:
				return
			default:
				slotsOf(t, registry)
			}
		}
	})
	err := second.Start(t.Context())
	if refused, ok := errors.AsType[*task.Error](err); !ok || refused.Code != task.CodeConflict {
		t.Errorf("the second has started: %v", err)
	}
	if err := second.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if slots := slotsOf(t, registry); slots != 7 {
		t.Errorf("the gauges tell of %v slots", slots)
	}

	if err := first.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if err := third.Start(t.Context()); err != nil {
		t.Error(err)
	}
	if slots := slotsOf(t, registry); slots != 11 {
		t.Errorf("the gauges tell of %v slots", slots)
	}
	close(over)
	scrapes.Wait()
	if err := third.Stop(context.WithoutCancel(t.Context())); err != nil {
		t.Error(err)
	}
}

// slotsOf is the gauge outlast_slots, 0 where it is not registered.
func slotsOf(t *testing.T, registry *prometheus.Registry) (slots float64) {
	families, err := registry.Gather()
	if err != nil {
		t.Error(err)
	}
	for _, family := range families {
		if family.GetName() == "outlast_slots" {
			slots = family.GetMetric()[0].GetGauge().GetValue()
		}
	}
	return slots
}
