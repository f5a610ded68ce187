package outlast

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/store"
)

// groupWatch measures worker groups for alerts. One goroutine uses it.
type groupWatch struct {
	client  *Client
	failing map[string]time.Time // since when dispatches fail, as this node has seen it
}

func newGroupWatch(c *Client) *groupWatch { return &groupWatch{c, map[string]time.Time{}} }

// samples are the groups that are configured or have members, and those that
// tasks wait for.
func (w *groupWatch) samples() []alert.GroupSample {
	now, all := time.Now(), map[string]*alert.GroupSample{}
	of := func(name string) *alert.GroupSample {
		if all[name] == nil {
			all[name] = &alert.GroupSample{Name: name}
		}
		return all[name]
	}
	troubled := map[string]bool{}
	for _, view := range w.client.groups.List() {
		sample := of(view.Name)
		for _, member := range view.Members {
			if member.Living {
				sample.Living++
			}
		}
		troubled[view.Name] = view.Failures > 0
	}
	w.targets(func(target *store.Target) {
		name, ok := strings.CutPrefix(target.Name, accept.GroupTarget)
		if !ok {
			return
		}
		waiting := &target.Waiting
		of(name).Waiting += waiting.Breaker + waiting.Budget + waiting.Rate + waiting.Concurrency
		if target.Held.Failures > 0 {
			of(name).Waiting += target.InFlight // among them the one that tries
		}
		troubled[name] = troubled[name] || target.HeldUntil.After(now)
	})
	samples := make([]alert.GroupSample, 0, len(all))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		sample := all[name]
		if !troubled[name] {
			delete(w.failing, name)
		} else {
			if w.failing[name].IsZero() {
				w.failing[name] = now
			}
			sample.Failing = now.Sub(w.failing[name])
		}
		samples = append(samples, *sample)
	}
	return samples
}

// targets calls each with what every living node tells of its troubled targets.
func (w *groupWatch) targets(each func(*store.Target)) {
	own := w.client.engine.Troubled()
	for i := range own {
		each(&own[i])
	}
	nodes := w.client.engine.Topology().Nodes
	for n := range nodes {
		if nodes[n].State != store.NodeAlive || nodes[n].ID == w.client.engine.Node() {
			continue
		}
		for i := range nodes[n].Targets {
			each(&nodes[n].Targets[i])
		}
	}
}
