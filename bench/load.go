package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// prefillBatch is the size of the batches in which tasks are pre-inserted.
const prefillBatch = 2000

// prefill puts n tasks into a place by a node that runs nothing, and closes
// it, so that what follows finds nothing in memory.
func (s *session) prefill(ctx context.Context, at place, n int, j job) (err error) {
	filler, err := s.system.open(ctx, at, nodeOptions{enqueueOnly: true, tuned: s.tuning()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, filler.stop(ctx)) }()
	if err := filler.start(ctx); err != nil {
		return err
	}
	jobs := make([]job, prefillBatch)
	for i := range jobs {
		jobs[i] = j
	}
	for left := n; left > 0; left -= prefillBatch {
		if err := filler.enqueueMany(ctx, jobs[:min(left, prefillBatch)]); err != nil {
			return err
		}
	}
	return nil
}

// drainLimit is how long a burn-down may take.
const drainLimit = 5 * time.Minute

// burn opens a node on a place that holds n due tasks, and returns how long
// it takes from its start until the end of the last task is on disk.
func (s *session) burn(ctx context.Context, at place, n int, o nodeOptions) (took stretch, set settings, err error) {
	before, err := s.countSucceeded(ctx, at)
	if err != nil {
		return took, nil, err
	}
	o.tasks, o.tuned = n, s.tuning()
	if at.meter != nil {
		if err := at.meter.settle(ctx); err != nil {
			return took, nil, err
		}
	}
	worker, err := s.system.open(ctx, at, o)
	if err != nil {
		return took, nil, err
	}
	stop := sync.OnceValue(func() error { return worker.stop(ctx) })
	defer func() { err = errors.Join(err, stop()) }()
	err = s.profiled(func() error {
		stop, err := clock(ctx, at.meter)
		if err != nil {
			return err
		}
		if err := worker.start(ctx); err != nil {
			return err
		}
		if err := worker.drained(ctx); err != nil {
			return err
		}
		took, err = stop()
		return err
	})
	if err != nil {
		return took, nil, err
	}
	after, err := worker.succeeded(ctx)
	if err == nil && after-before != n {
		err = fmt.Errorf("history shows %d successes of %d", after-before, n)
	}
	if err == nil {
		err = stop()
	}
	if err == nil {
		err = took.stopped(ctx)
	}
	return took, worker.settings(), err
}

// countSucceeded asks a node of its own.
func (s *session) countSucceeded(ctx context.Context, at place) (count int, err error) {
	looker, err := s.system.open(ctx, at, nodeOptions{enqueueOnly: true, tuned: s.tuning()})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, looker.stop(ctx)) }()
	return looker.succeeded(ctx)
}

// wait waits for done, but not for ever.
func wait(ctx context.Context, done <-chan struct{}, limit time.Duration) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return nil
	case <-timer.C:
		return fmt.Errorf("nothing after %s", limit)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// until asks at an interval, but not for ever.
func until(ctx context.Context, every time.Duration, reached func() (bool, error)) error {
	for deadline := time.Now().Add(drainLimit); ; {
		if done, err := reached(); done || err != nil {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("not within %s", drainLimit)
		}
		if !sleepUntil(ctx, time.Now().Add(every)) {
			return ctx.Err()
		}
	}
}

// share runs do n times from several goroutines and returns the first error.
func share(goroutines, n int, do func(goroutine int) error) error {
	var left atomic.Int64
	left.Store(int64(n))
	var wg sync.WaitGroup
	failures := make([]error, goroutines)
	for i := range goroutines {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				if failures[i] = do(i); failures[i] != nil {
					left.Store(0)
					return
				}
			}
		})
	}
	wg.Wait()
	return errors.Join(failures...)
}

// perSecond is a rate.
func perSecond(n int, took time.Duration) float64 { return float64(n) / took.Seconds() }

// steadily calls do n times at a rate, each call in a goroutine of its own and
// at its due time, however long the others take.
func steadily(ctx context.Context, rate, n int, do func(i int) error) error {
	var wg sync.WaitGroup
	var failed atomic.Pointer[error]
	began := time.Now()
	for i := range n {
		due := began.Add(time.Duration(i) * time.Second / time.Duration(rate))
		if !sleepUntil(ctx, due) || failed.Load() != nil {
			break
		}
		wg.Go(func() {
			if err := do(i); err != nil {
				failed.CompareAndSwap(nil, &err)
			}
		})
	}
	wg.Wait()
	if err := failed.Load(); err != nil {
		return *err
	}
	return ctx.Err()
}

func sleepUntil(ctx context.Context, at time.Time) bool {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// stamped is a payload that says when its task was handed in and which one it
// is. Wall clock time, since processes of one host compare it.
func stamped(i int) []byte {
	text := append([]byte(`{"at":`), strconv.FormatInt(time.Now().UnixNano(), 10)...)
	return append(strconv.AppendInt(append(text, `,"i":`...), int64(i), 10), '}')
}

// readStamp is the reverse of stamped, without the cost of a JSON decoder. Stores
// may have written the JSON anew.
func readStamp(payload []byte) (at time.Time, i int, err error) {
	nanos, err := numberAt(payload, `"at":`)
	if err != nil {
		return time.Time{}, 0, err
	}
	number, err := numberAt(payload, `"i":`)
	return time.Unix(0, nanos), int(number), err
}

func numberAt(payload []byte, name string) (int64, error) {
	_, rest, _ := bytes.Cut(payload, []byte(name))
	rest = bytes.TrimLeft(rest, " ")
	if end := bytes.IndexAny(rest, ",} "); end >= 0 {
		rest = rest[:end]
	}
	number, err := strconv.ParseInt(string(rest), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("payload %q: %w", payload, err)
	}
	return number, nil
}
