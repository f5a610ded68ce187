package main

import (
	"context"
	"fmt"
	"time"
)

var (
	waitingOnServer = bench{
		id: "B8", title: "fresh work while 0, 1 M and 10 M tasks wait for tomorrow; memory; restart", n: 100_000, slots: 10_000,
		store: postgres, peers: []string{riverName}, work: running, long: true,
		setup: fillWaiting(1_000_000, 10_000_000), run: besideWaiting(500, "<= 10"),
	}
	waitingInFile = bench{
		id: "B8s", title: "the same as B8 in a file, with 1 M", n: 100_000, slots: 10_000, store: inFile,
		setup: fillWaiting(1_000_000), run: besideWaiting(300, "<= 5"),
	}
)

// shared are places that live through all repetitions, so that they grow alike.
type shared []crowd

// crowd is a place with tasks that are not due.
type crowd struct {
	place
	waiting int
}

func (c crowd) String() string {
	switch {
	case c.waiting >= 1_000_000 && c.waiting%1_000_000 == 0:
		return fmt.Sprintf("%dM", c.waiting/1_000_000)
	case c.waiting >= 1000 && c.waiting%1000 == 0:
		return fmt.Sprintf("%dk", c.waiting/1000)
	}
	return fmt.Sprint(c.waiting)
}

func fillWaiting(own ...int) func(ctx context.Context, s *session) error {
	return func(ctx context.Context, s *session) error {
		counts := own
		if len(s.config.waiting) > 0 {
			counts = s.config.waiting
		}
		var crowds shared
		for _, waiting := range append([]int{0}, counts...) {
			at, err := s.place(ctx)
			if err != nil {
				return err
			}
			began := time.Now()
			if err := s.prefill(ctx, at, waiting, job{payload: noop, delay: 24 * time.Hour}); err != nil {
				return err
			}
			fmt.Fprintf(s.say, "%s: %d tasks of %s wait after %s\n", s.bench.id, waiting, s.system.name(), time.Since(began).Round(time.Millisecond))
			crowds = append(crowds, crowd{at, waiting})
		}
		s.shared[s.system.name()] = crowds
		return nil
	}
}

// besideWaiting: what tasks that are not due cost those that are, in memory (in
// MB), and at a restart after kill -9 (in seconds).
func besideWaiting(memory int, killed string) func(ctx context.Context, s *session) error {
	return func(ctx context.Context, s *session) error {
		crowds := s.shared[s.system.name()]
		if err := s.freshWork(ctx, crowds); err != nil {
			return err
		}
		largest := crowds[len(crowds)-1]
		if !largest.shared() {
			return nil // a child cannot see it
		}
		if err := s.occupied(ctx, largest, fmt.Sprintf("<= %d", memory)); err != nil {
			return err
		}
		return s.restarted(ctx, largest, killed)
	}
}

// freshWork measures all places, in another order in every run.
func (s *session) freshWork(ctx context.Context, crowds shared) error {
	rates, p99s := make([]float64, len(crowds)), make([]float64, len(crowds))
	var set settings
	n := s.tasks()
	for i := range crowds {
		i = (i + s.run) % len(crowds)
		at := crowds[i]
		if err := s.prefill(ctx, at.place, n, job{payload: noop}); err != nil {
			return err
		}
		took, own, err := s.burn(ctx, at.place, n, nodeOptions{slots: s.bench.slots, handle: succeed})
		if err != nil {
			return err
		}
		set, rates[i] = own, perSecond(n, took.wall)
		s.record("burn-"+at.String(), rates[i], "tasks/s", n, "", set)
		of, _, err := s.latency(ctx, at.place, fromHere)
		if err != nil {
			return err
		}
		p99s[i] = of.quantile(0.99)
		s.record("start-p99-"+at.String(), p99s[i], "ms", of.count(), "", set)
	}
	for i, at := range crowds[1:] {
		s.record("burn-ratio-"+at.String(), rates[i+1]/rates[0], "", n, ">= 0.9", set)
		s.record("start-p99-ratio-"+at.String(), p99s[i+1]/p99s[0], "", s.config.seconds*idleRate, "", set)
	}
	return nil
}

// occupied measures the memory of a fresh process that has opened the store
// with the waiting tasks, as the operating system counts it.
func (s *session) occupied(ctx context.Context, at crowd, target string) error {
	p, err := s.spawn(ctx, childFlags{kind: "node", store: at.url, tuned: s.tuning()})
	if err != nil {
		return err
	}
	if _, err := p.expect(ctx, "ran", time.Minute); err != nil {
		return err
	}
	sleepUntil(ctx, time.Now().Add(time.Duration(min(3, s.config.seconds))*time.Second)) // what is to be loaded is loaded
	now, err := p.ask(ctx, "memory", 10*time.Second)
	if err != nil {
		return err
	}
	set := settings{"waiting": at.waiting, "slots": 1000}
	s.record("rss", now.Resident, "MB", 1, target, set)
	s.record("rss-peak", now.Peak, "MB", 1, "", set)
	return p.finish(ctx)
}

// restarted stops and then kills a node under load. It measures the time from the
// start of the next process until it is ready, and until a new task has run there.
func (s *session) restarted(ctx context.Context, at crowd, killed string) error {
	const rate = 500
	flags := childFlags{kind: "node", store: at.url, tuned: s.tuning(), rate: rate}
	p, err := s.loaded(ctx, flags)
	if err != nil {
		return err
	}
	set := settings{"waiting": at.waiting, "load before": fmt.Sprintf("%d/s", rate)}
	for _, end := range []struct {
		name, target string
		by           func(*process) error
	}{
		{"stop", "<= 5", func(p *process) error { return p.finish(ctx) }},
		{"kill", killed, (*process).kill},
	} {
		if err := end.by(p); err != nil {
			return err
		}
		if p, err = s.spawn(ctx, flags); err != nil {
			return err
		}
		if _, err := p.expect(ctx, "ready", time.Minute); err != nil {
			return err
		}
		s.record("after-"+end.name+"-ready", time.Since(p.began).Seconds(), "s", 1, end.target, set)
		if _, err := p.expect(ctx, "ran", time.Minute); err != nil {
			return err
		}
		s.record("after-"+end.name+"-first-task", time.Since(p.began).Seconds(), "s", 1, end.target, set)
	}
	return p.finish(ctx)
}

// loaded starts a node and waits until it works.
func (s *session) loaded(ctx context.Context, flags childFlags) (*process, error) {
	p, err := s.spawn(ctx, flags)
	if err != nil {
		return nil, err
	}
	if _, err := p.expect(ctx, "ran", time.Minute); err != nil {
		return nil, err
	}
	sleepUntil(ctx, time.Now().Add(time.Duration(min(2, s.config.seconds))*time.Second))
	return p, nil
}
