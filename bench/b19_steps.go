package main

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast"
)

var (
	stepsOnServer = bench{
		id: "B19", title: "burn-down of n pre-inserted tasks of three steps, beside tasks without in turns", n: 50_000, slots: 10_000,
		store: postgres, work: running, run: threeSteps,
	}
	stepsInFile = bench{
		id: "B19s", title: "the same as B19 in a file", n: 50_000, slots: 10_000, store: inFile, work: running, run: threeSteps,
	}
)

// stepNames are the steps of each task, one after the other: each is on disk before the
// next begins.
var stepNames = []string{"reserve", "charge", "ship"}

// threeSteps measures what is left of the rate when each task does three steps, and how
// many steps share a commit.
func threeSteps(ctx context.Context, s *session) error {
	n, rates := s.tasks(), map[bool]float64{}
	var stepped stretch
	var set settings
	var commits, rows atomic.Int64
	for i := range 2 {
		with, o := (i+s.run)%2 == 0, nodeOptions{slots: s.slotCount(), handle: succeed}
		if with {
			o.handle = inSteps
			o.committed = func(kind string, n int, _ time.Duration) {
				if kind == "step" {
					commits.Add(1)
					rows.Add(int64(n))
				}
			}
		}
		at, err := s.place(ctx)
		if err != nil {
			return err
		}
		if err := s.prefill(ctx, at, n, job{payload: noop}); err != nil {
			return err
		}
		took, used, err := s.burn(ctx, at, n, o)
		if err != nil {
			return err
		}
		if rates[with] = perSecond(n, took.wall); with {
			stepped, set = took, used
		}
	}
	s.rate("", stepped, n, s.bench.target, set)
	s.record("without", rates[false], "tasks/s", n, "", set)
	s.record("share", rates[true]/rates[false], "× without", n, "", set)
	s.record("steps", perSecond(int(rows.Load()), stepped.wall), "steps/s", n, "", set)
	s.record("commits-of-steps", 1000*float64(commits.Load())/float64(rows.Load()), "commits/1000 steps", n, "", set)
	return nil
}

// inSteps does nothing in three steps.
func inSteps(ctx context.Context, _ int, _ []byte) error {
	for _, name := range stepNames {
		if _, err := outlast.Step(ctx, name, func(context.Context) (string, error) { return name, nil }); err != nil {
			return err
		}
	}
	return nil
}
