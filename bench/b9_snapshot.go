package main

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

const (
	snapshotLength = 90 * time.Second
	backlog        = 20_000 // tasks that are kept waiting
	refill         = 1000   // tasks per batch
)

// Dead rows cannot be removed while somebody may still see them, so that tables used
// as queues slow down.
var (
	burnDownUnderSnapshot = bench{
		id: "B9x", title: "throughput over time with 20 000 tasks always due; for the middle two thirds another session holds an old snapshot", slots: 10_000,
		store: postgres, peers: []string{riverName}, work: running, score: "held", target: ">= 0.9", long: true,
		run: underSnapshot,
	}
	burnDownUnderReader = bench{
		id: "B9xs", title: "the same as B9x in a file, with a reader that goes on for long", slots: 10_000, store: inFile, work: running, target: ">= 0.8", long: true,
		run: underSnapshot,
	}
)

// underSnapshot measures how much of the rate is left while somebody looks at the place
// as it was, and what that makes of the log and of the data.
func underSnapshot(ctx context.Context, s *session) error {
	at, err := s.place(ctx)
	if err != nil {
		return err
	}
	length := s.length(snapshotLength)
	from, to := length/6, length*5/6
	var done atomic.Int64
	worker, err := s.system.open(ctx, at, nodeOptions{slots: s.slotCount(), tuned: s.tuning(), handle: func(context.Context, int, []byte) error {
		done.Add(1)
		return nil
	}})
	if err != nil {
		return err
	}
	defer func() { _ = worker.stop(context.WithoutCancel(ctx)) }()
	if err := worker.start(ctx); err != nil {
		return err
	}
	within, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	var grown growing
	failures := make(chan error, 2)
	go func() { failures <- keepFull(within, worker, &done) }()
	go func() { failures <- grown.watch(within, at, &done, from, to) }()
	seen := throughput(within, &done)
	if err := errors.Join(<-failures, <-failures); err != nil {
		return err
	}
	set := worker.settings()
	set["snapshot from"], set["snapshot to"], set["backlog"] = from.String(), to.String(), backlog
	before, held := mean(seen, from/3, from), mean(seen, to-(to-from)/3, to)
	s.series("over-time", seen, "tasks/s", set)
	s.record("before", before, "tasks/s", len(seen), "", set)
	s.record("held", held, "tasks/s", len(seen), "", set)
	s.record("held-share", shareOf(held, before), "", len(seen), s.bench.target, set)
	return s.recordGrowth(ctx, at, grown, set)
}

// shareOf is a part of something, 0 of nothing: a slow machine may have done nothing yet.
func shareOf(part, of float64) float64 {
	if of == 0 {
		return 0
	}
	return part / of
}

// growing is what happened to a place while a snapshot was held.
type growing struct {
	log, data, dead int64 // bytes, bytes, rows
	logAtEnd        int64
	tasks           int64
}

// watch holds a snapshot between two times, and tells what has grown until its end.
func (g *growing) watch(ctx context.Context, at place, done *atomic.Int64, from, to time.Duration) (err error) {
	began := time.Now()
	if !sleepUntil(ctx, began.Add(from)) {
		return nil
	}
	whole := context.WithoutCancel(ctx) // what has begun ends: on a slow machine the end of the bench is near
	release, err := at.hold(whole)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release(whole)) }()
	before, err := at.extent(whole)
	if err != nil {
		return err
	}
	ran := done.Load()
	sleepUntil(ctx, began.Add(to))
	after, err := at.extent(whole)
	g.tasks = done.Load() - ran
	g.log, g.data, g.dead, g.logAtEnd = after.log-before.log, after.data-before.data, after.dead, after.log
	return err
}

// recordGrowth tells growth by task, since who does more writes more. Of a file it also
// tells how long its log has become, and what of it is there at the end.
func (s *session) recordGrowth(ctx context.Context, at place, g growing, set settings) error {
	n := int(g.tasks)
	s.record("held-log", shareOf(float64(g.log), float64(n)), "bytes/task", n, "", set)
	s.record("held-data", shareOf(float64(g.data), float64(n)), "bytes/task", n, "", set)
	if at.meter != nil {
		s.record("dead-rows", float64(g.dead), "rows", 1, "", set)
		return nil
	}
	end, err := at.extent(ctx)
	if err != nil {
		return err
	}
	s.record("log-longest", float64(g.logAtEnd)/(1<<20), "MB", 1, "", set)
	s.record("log-at-end", float64(end.log)/(1<<20), "MB", 1, "", set)
	return nil
}

// keepFull enqueues whenever fewer than the backlog wait.
func keepFull(ctx context.Context, worker node, done *atomic.Int64) error {
	jobs := make([]job, refill)
	for i := range jobs {
		jobs[i].payload = noop
	}
	for enqueued := int64(0); ctx.Err() == nil; {
		if enqueued-done.Load() > backlog {
			sleepUntil(ctx, time.Now().Add(time.Millisecond))
			continue
		}
		if err := worker.enqueueMany(ctx, jobs); err != nil && ctx.Err() == nil {
			return err
		}
		enqueued += refill
	}
	return nil
}

// throughput counts every second until ctx ends.
func throughput(ctx context.Context, done *atomic.Int64) (seen []point) {
	began, last := time.Now(), done.Load()
	for i := 1; sleepUntil(ctx, began.Add(time.Duration(i)*time.Second)); i++ {
		now := done.Load()
		seen = append(seen, point{float64(i), float64(now - last)})
		last = now
	}
	return seen
}
