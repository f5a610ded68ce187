package main

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

const (
	steadyRate   = 2000 // tasks per second
	steadyBatch  = 20   // that are enqueued together
	steadyLength = 10 * time.Minute
	steadyWait   = time.Second // of the retries
	windows      = 120         // points of its charts
)

// steadyLoad: what grows while a system does the same for a long time.
var steadyLoad = bench{
	id: "B9", title: "2000 tasks/s for ten minutes, 30 % fail once: start latency, dead rows and size over time", slots: idleSlots,
	store: postgres, peers: []string{riverName}, work: lasting, score: "start-p99", long: true,
	run: func(ctx context.Context, s *session) error {
		at, err := s.place(ctx)
		if err != nil {
			return err
		}
		length := s.length(steadyLength)
		n := int(length.Seconds()*steadyRate) / steadyBatch * steadyBatch
		load := &steadyTasks{}
		worker, err := s.system.open(ctx, at, nodeOptions{
			slots: s.bench.slots, tasks: n, retries: true, wait: steadyWait, tuned: s.tuning(), handle: load.handle,
		})
		if err != nil {
			return err
		}
		stop := sync.OnceValue(func() error { return worker.stop(ctx) })
		defer func() { _ = stop() }()
		if err := worker.start(ctx); err != nil {
			return err
		}
		took, seen, err := s.watch(ctx, at, worker, load, n, length)
		if err != nil {
			return err
		}
		succeeded, err := worker.succeeded(ctx)
		if err == nil && succeeded != n {
			err = errors.New("history does not show the successes of all tasks")
		}
		if err = errors.Join(err, stop()); err != nil {
			return err
		}
		if err := took.stopped(ctx); err != nil {
			return err
		}
		set := worker.settings()
		set["rate"], set["batch"], set["fail once"], set["length"] = steadyRate, steadyBatch, "30 %", length.String()
		s.quantiles("start-", &load.all, "", set)
		s.record("done-after-end", (took.wall - length).Seconds(), "s", n, "", set)
		s.rate("steady-", took, n, "", set)
		s.series("start-p99-over-time", seen.p99, "ms", set)
		s.series("dead-rows-over-time", seen.dead, "rows", set)
		s.series("size-over-time", seen.size, "MB", set)
		s.record("start-p99-growth", growth(seen.p99), "", windows, "<= 1.5", set)
		s.record("dead-rows-max", top(seen.dead), "rows", windows, "", set)
		return nil
	},
}

// length is how long a bench over time lasts.
func (s *session) length(own time.Duration) time.Duration {
	if s.config.length > 0 {
		return s.config.length
	}
	return own
}

// steadyTasks are the tasks of a load: three of ten fail once.
type steadyTasks struct {
	all    samples
	window atomic.Pointer[samples]
}

func (l *steadyTasks) handle(_ context.Context, attempt int, payload []byte) error {
	began := time.Now()
	sent, i, err := readStamp(payload)
	if err != nil {
		return err
	}
	if attempt > 1 {
		return nil
	}
	l.all.add(began.Sub(sent))
	if window := l.window.Load(); window != nil {
		window.add(began.Sub(sent))
	}
	if i%10 < 3 {
		return errOnce
	}
	return nil
}

// overTime is what was seen in each window.
type overTime struct{ p99, dead, size []point }

// watch puts the load on the worker and looks at it until its last task has ended.
func (s *session) watch(ctx context.Context, at place, worker node, load *steadyTasks, n int, length time.Duration) (took stretch, seen overTime, err error) {
	stop, err := clock(ctx, at.meter)
	if err != nil {
		return took, seen, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	looked := make(chan error, 1)
	go func() { looked <- seen.look(ctx, at, load, length) }()
	err = s.profiled(func() error { return putSteadily(ctx, worker, n) })
	err = errors.Join(err, <-looked)
	if err != nil {
		return took, seen, err
	}
	if err := worker.drained(ctx); err != nil {
		return took, seen, err
	}
	took, err = stop()
	return took, seen, err
}

// putSteadily enqueues n tasks in small batches.
func putSteadily(ctx context.Context, worker node, n int) error {
	return steadily(ctx, steadyRate/steadyBatch, n/steadyBatch, func(i int) error {
		jobs := make([]job, steadyBatch)
		for j := range jobs {
			jobs[j].payload = stamped(i*steadyBatch + j)
		}
		return worker.enqueueMany(ctx, jobs)
	})
}

// look reads what the server keeps at the end of each window.
func (o *overTime) look(ctx context.Context, at place, load *steadyTasks, length time.Duration) error {
	began := time.Now()
	for i := range windows {
		window := &samples{}
		load.window.Store(window)
		end := began.Add(length * time.Duration(i+1) / windows)
		if !sleepUntil(ctx, end) {
			return nil
		}
		seconds := end.Sub(began).Seconds()
		if window.count() > 0 {
			o.p99 = append(o.p99, point{seconds, window.quantile(0.99)})
		}
		if at.meter == nil {
			continue
		}
		left, err := at.meter.left(ctx)
		if err != nil {
			return err
		}
		o.dead = append(o.dead, point{seconds, float64(left.dead)})
		o.size = append(o.size, point{seconds, float64(left.bytes) / (1 << 20)})
	}
	return nil
}
