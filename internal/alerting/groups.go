package alerting

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/group"
	"github.com/outlast-dev/outlast/store"
)

// Groups measures worker groups for alerts. One goroutine uses it.
type Groups struct {
	node    func() *engine.Engine
	groups  func() *group.Groups
	failing map[string]time.Time // since when dispatches fail, as this node has seen it
}

// NewGroups makes what measures the groups of a node. Both are asked for when it looks: they
// are made later.
func NewGroups(node func() *engine.Engine, groups func() *group.Groups) *Groups {
	return &Groups{node, groups, map[string]time.Time{}}
}

// Samples are the groups that are configured or have members, and those that
// tasks wait for.
func (w *Groups) Samples() []alerts.GroupSample {
	now, all := time.Now(), map[string]*alerts.GroupSample{}
	of := func(name string) *alerts.GroupSample {
		if all[name] == nil {
			all[name] = &alerts.GroupSample{Name: name}
		}
		return all[name]
	}
	troubled := map[string]bool{}
	for _, view := range w.groups().List() {
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
	samples := make([]alerts.GroupSample, 0, len(all))
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
func (w *Groups) targets(each func(*store.Target)) {
	own := w.node().Troubled()
	for i := range own {
		each(&own[i])
	}
	nodes := w.node().Topology().Nodes
	for n := range nodes {
		if nodes[n].State != store.NodeAlive || nodes[n].ID == w.node().Node() {
			continue
		}
		for i := range nodes[n].Targets {
			each(&nodes[n].Targets[i])
		}
	}
}
