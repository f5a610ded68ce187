package main

import (
	"context"
	"fmt"
	"time"

	"github.com/outlast-dev/outlast/internal/sim"
)

// stormSimulator: how fast the simulator goes through its scenarios, on one core,
// with the real policies and guards inside.
var stormSimulator = bench{
	id: "B15", title: "storm simulator: events per second over its scenarios", storeless: true,
	run: func(ctx context.Context, s *session) error {
		return s.profiled(func() error { return s.storms(ctx) })
	},
}

// storms plays every scenario once, each repetition with a seed of its own. With
// --n it stops after so many events.
func (s *session) storms(ctx context.Context) error {
	seed := uint64(s.run + 1)
	var events int64
	var seconds float64
	for _, scenario := range sim.Scenarios() {
		if err := ctx.Err(); err != nil {
			return err
		}
		began := time.Now()
		report := scenario.Run(seed, nil)
		wall := time.Since(began).Seconds()
		if !report.Passed {
			fmt.Fprintf(s.say, "%s: %s does not pass with seed %d\n", s.bench.id, scenario.ID, seed)
		}
		events, seconds = events+report.Events, seconds+wall
		s.record(scenario.ID, float64(report.Events)/wall, "events/s", int(report.Events), "", settings{"scenario": scenario.Name})
		if s.config.n > 0 && events >= int64(s.config.n) {
			break
		}
	}
	s.record("all", float64(events)/seconds, "events/s", int(events), ">= 2000000", nil)
	return nil
}
