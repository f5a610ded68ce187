package main

import (
	"context"
	"fmt"
	"time"
)

// waitingForTomorrow: what a million tasks that are not due cost those that
// are, in memory, and at a restart.
var waitingForTomorrow = bench{
	id: "B8s", title: "fresh work with and without 1 000 000 tasks waiting for tomorrow; memory; restart after kill -9", n: 100_000, slots: 10_000,
	setup: func(ctx context.Context, s *session) (err error) {
		// Both stores live through all repetitions, so that they grow alike.
		if s.shared.empty, err = s.place(); err != nil {
			return err
		}
		if s.shared.full, err = s.place(); err != nil {
			return err
		}
		began := time.Now()
		if err := s.prefill(ctx, s.shared.full, s.config.waiting, job{payload: noop, delay: 24 * time.Hour}); err != nil {
			return err
		}
		fmt.Fprintf(s.say, "%s: %d tasks wait after %s\n", s.bench.id, s.config.waiting, time.Since(began).Round(time.Millisecond))
		return nil
	},
	run: func(ctx context.Context, s *session) error {
		if err := s.freshWork(ctx); err != nil {
			return err
		}
		if !s.shared.full.onDisk() {
			return nil // a child cannot see it
		}
		if err := s.occupied(ctx); err != nil {
			return err
		}
		return s.restarted(ctx)
	},
}

// freshWork measures both stores, the empty one first in every other run.
func (s *session) freshWork(ctx context.Context) error {
	order := []bool{false, true}
	if s.run%2 == 1 {
		order = []bool{true, false}
	}
	rate, p99 := map[bool]float64{}, map[bool]float64{}
	var set settings
	for _, full := range order {
		at, name := s.shared.empty, "without-"
		if full {
			at, name = s.shared.full, "with-"
		}
		n := s.tasks()
		if err := s.prefill(ctx, at, n, job{payload: noop}); err != nil {
			return err
		}
		took, own, err := s.burn(ctx, at, n, nodeOptions{slots: s.slotCount(), handle: succeed})
		if err != nil {
			return err
		}
		set = own
		set["waiting"] = s.config.waiting
		rate[full] = perSecond(n, took.wall)
		s.record(name+"burn", rate[full], "tasks/s", n, "", set)
		of, _, err := s.latency(ctx, at, fromHere)
		if err != nil {
			return err
		}
		p99[full] = of.quantile(0.99)
		s.record(name+"start-p99", p99[full], "ms", of.count(), "", set)
	}
	s.record("burn-ratio", rate[true]/rate[false], "", s.tasks(), ">= 0.9", set)
	s.record("start-p99-ratio", p99[true]/p99[false], "", s.config.seconds*idleRate, "", set)
	return nil
}

// occupied measures the memory of a fresh process that has opened the store
// with the waiting tasks, as the operating system counts it.
func (s *session) occupied(ctx context.Context) error {
	p, err := s.spawn(ctx, childFlags{kind: "node", store: s.shared.full.url})
	if err != nil {
		return err
	}
	if _, err := p.expect(ctx, "ran", time.Minute); err != nil {
		return err
	}
	sleepUntil(ctx, time.Now().Add(3*time.Second)) // what is to be loaded is loaded
	now, err := p.ask(ctx, "memory", 10*time.Second)
	if err != nil {
		return err
	}
	set := settings{"waiting": s.config.waiting, "slots": 1000}
	s.record("rss", now.Resident, "MB", 1, "< 300", set)
	s.record("rss-peak", now.Peak, "MB", 1, "", set)
	return p.finish(ctx)
}

// restarted kills a node under load and measures the time from the start of
// the next process until it is ready, and until a new task has run there.
func (s *session) restarted(ctx context.Context) error {
	const rate = 500
	flags := childFlags{kind: "node", store: s.shared.full.url, rate: rate}
	first, err := s.spawn(ctx, flags)
	if err != nil {
		return err
	}
	if _, err := first.expect(ctx, "ran", time.Minute); err != nil {
		return err
	}
	sleepUntil(ctx, time.Now().Add(2*time.Second))
	if err := first.kill(); err != nil {
		return err
	}
	second, err := s.spawn(ctx, flags)
	if err != nil {
		return err
	}
	set := settings{"waiting": s.config.waiting, "load before kill -9": fmt.Sprintf("%d/s", rate)}
	if _, err := second.expect(ctx, "ready", time.Minute); err != nil {
		return err
	}
	s.record("restart-ready", time.Since(second.began).Seconds(), "s", 1, "<= 5", set)
	if _, err := second.expect(ctx, "ran", time.Minute); err != nil {
		return err
	}
	s.record("restart-first-task", time.Since(second.began).Seconds(), "s", 1, "<= 5", set)
	return second.finish(ctx)
}
