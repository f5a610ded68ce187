package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	pushRate  = 1000 // tasks per second when latency is measured
	pushSlots = 64   // requests at once, and so connections
)

// httpPush: tasks are HTTP requests to a receiver in another process of this
// host, which shares the cores.
var httpPush = bench{
	id: "B13", title: "HTTP push to a local receiver process: burn-down, and enqueue to arrival at 1000/s", n: 60_000, slots: pushSlots, store: inFile,
	run: func(ctx context.Context, s *session) error {
		receiver, err := s.spawn(ctx, childFlags{kind: "receive"})
		if err != nil {
			return err
		}
		ready, err := receiver.expect(ctx, "ready", 10*time.Second)
		if err != nil {
			return err
		}
		url := "http://" + ready.Address + "/"
		if err := s.pushBurn(ctx, receiver, url); err != nil {
			return err
		}
		if err := s.pushSteadily(ctx, receiver, url); err != nil {
			return err
		}
		return receiver.finish(ctx)
	},
}

func (s *session) pushBurn(ctx context.Context, receiver *process, url string) error {
	at, err := s.place(ctx)
	if err != nil {
		return err
	}
	n := s.tasks()
	if err := s.prefill(ctx, at, n, job{payload: noop, url: url}); err != nil {
		return err
	}
	took, set, err := s.burn(ctx, at, n, nodeOptions{slots: s.slotCount(), privateTargets: true})
	if err != nil {
		return err
	}
	seen, err := receiver.ask(ctx, "report", 10*time.Second)
	if err != nil {
		return err
	}
	if seen.Count != n {
		return fmt.Errorf("the receiver saw %d requests for %d tasks", seen.Count, n)
	}
	set["connections opened"] = seen.Opened
	s.rate("", took, n, ">= 8000", set)
	return nil
}

func (s *session) pushSteadily(ctx context.Context, receiver *process, url string) (err error) {
	at, err := s.place(ctx)
	if err != nil {
		return err
	}
	worker, err := s.system.open(ctx, at, nodeOptions{slots: s.slotCount(), privateTargets: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, worker.stop(ctx)) }()
	if err := worker.start(ctx); err != nil {
		return err
	}
	send := func(n int) (event, error) {
		err := steadily(ctx, pushRate, n, func(i int) error { return worker.enqueue(ctx, job{payload: stamped(i), url: url}) })
		if err != nil {
			return event{}, err
		}
		for deadline := time.Now().Add(30 * time.Second); ; {
			seen, err := receiver.ask(ctx, "count", 10*time.Second)
			if err != nil {
				return event{}, err
			}
			if seen.Count >= n {
				return receiver.ask(ctx, "report", 10*time.Second)
			}
			if time.Now().After(deadline) {
				return event{}, fmt.Errorf("the receiver saw %d requests for %d tasks", seen.Count, n)
			}
			sleepUntil(ctx, time.Now().Add(100*time.Millisecond))
		}
	}
	if _, err := send(warmUp * pushRate); err != nil {
		return err
	}
	n := s.config.seconds * pushRate
	seen, err := send(n)
	if err != nil {
		return err
	}
	set := worker.settings()
	set["rate"] = pushRate
	s.record("start-p50", seen.P50, "ms", n, "", set)
	s.record("start-p99", seen.P99, "ms", n, "<= 20", set)
	s.record("start-max", seen.Max, "ms", n, "", set)
	return nil
}
