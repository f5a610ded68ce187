package main

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/store"
)

var (
	alertsOnServer = bench{
		id: "B1a", title: "B1 without alert rules, with the built-in ones, and with 24 more: what alerts cost the task path", n: 200_000, slots: 10_000,
		store: postgres, run: burnAlerts,
	}
	alertsInFile = bench{
		id: "B7a", title: "the same as B1a in a file", n: 300_000, slots: 10_000, store: inFile, run: burnAlerts,
	}
)

// burnAlerts burns the same tasks down with each set of rules. Which one begins goes
// round with the repetitions: each has every place equally often in three of them.
func burnAlerts(ctx context.Context, s *session) error {
	sets := []struct {
		name  string
		rules []alert.Rule
	}{{"none", without()}, {"built-in", nil}, {"many", many()}}
	for i := range sets {
		set := sets[(i+s.run)%len(sets)]
		at, err := s.place(ctx)
		if err != nil {
			return err
		}
		n := s.tasks()
		if err := s.prefill(ctx, at, n, job{payload: noop}); err != nil {
			return err
		}
		took, settings, err := s.burn(ctx, at, n, nodeOptions{handle: succeed, slots: s.slotCount(), rules: set.rules})
		if err != nil {
			return err
		}
		settings["rules"] = set.name
		s.rate(set.name+"-", took, n, "", settings)
	}
	return nil
}

// without turns the built-in rules off.
func without() []alert.Rule {
	rules := alerts.Builtin(1)
	for i := range rules {
		rules[i].Disabled = true
	}
	return rules
}

// many are rules of every kind that attempts and their ends are asked.
func many() (rules []alert.Rule) {
	for n := range 4 {
		for on, when := range map[alert.On]string{
			alert.OnDead:     `category == "timeout" && attempt > %d`,
			alert.OnRetry:    `attempt > %d && message.contains("deadline")`,
			alert.OnTarget:   `failure_share > 0.5 && attempts > %d`,
			alert.OnType:     `p99 > duration("2s") && attempts > %d`,
			alert.OnCategory: `failures > 1000%d`,
			alert.OnQueue:    `oldest_due > duration("1h") && backlog > %d`,
		} {
			rules = append(rules, alert.Rule{Name: fmt.Sprintf("%s.%d", on, n), On: on, When: fmt.Sprintf(when, n)})
		}
	}
	return rules
}

// putRules makes rules hold in a store.
func putRules(ctx context.Context, backend store.Config, rules []alert.Rule) error {
	for part := range slices.Chunk(rules, 10) {
		var change store.Change
		for i := range part {
			body, err := json.Marshal(part[i])
			if err != nil {
				return err
			}
			change.Put = append(change.Put, store.Object{Kind: alerts.KindRule, Name: part[i].Name, Body: body})
		}
		if _, err := backend.Change(ctx, change); err != nil {
			return err
		}
	}
	return nil
}
