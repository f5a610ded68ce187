package main

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	snapshotLength = 90 * time.Second
	backlog        = 20_000 // tasks that are kept waiting
	refill         = 1000   // tasks per batch
)

// burnDownUnderSnapshot: dead rows cannot be removed while a transaction may
// still see them, so that tables used as queues slow down.
var burnDownUnderSnapshot = bench{
	id: "B9x", title: "throughput over time with 20 000 tasks always due; for the middle two thirds another session holds an old snapshot", slots: 10_000,
	store: postgres, peers: []string{riverName}, work: running, score: "held", long: true,
	run: func(ctx context.Context, s *session) error {
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
		ctx, cancel := context.WithTimeout(ctx, length)
		defer cancel()
		failures := make(chan error, 2)
		go func() { failures <- keepFull(ctx, worker, &done) }()
		go func() { failures <- holdSnapshot(ctx, at.url, from, to) }()
		seen, dead, err := throughput(ctx, at.meter, &done, to)
		if err = errors.Join(err, <-failures, <-failures); err != nil {
			return err
		}
		set := worker.settings()
		set["snapshot from"], set["snapshot to"], set["backlog"] = from.String(), to.String(), backlog
		before, held := mean(seen, from/3, from), mean(seen, to-(to-from)/3, to)
		s.series("over-time", seen, "tasks/s", set)
		s.record("before", before, "tasks/s", len(seen), "", set)
		s.record("held", held, "tasks/s", len(seen), "", set)
		s.record("held-share", held/before, "", len(seen), "", set)
		s.record("dead-rows", float64(dead), "rows", 1, "", set)
		return nil
	},
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

// holdSnapshot keeps a transaction open that has read, and reads no more.
func holdSnapshot(ctx context.Context, url string, from, to time.Duration) (err error) {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	began := time.Now()
	if !sleepUntil(ctx, began.Add(from)) {
		return nil
	}
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "SELECT count(*) FROM pg_class"); err != nil {
		return err
	}
	if !sleepUntil(ctx, began.Add(to)) {
		return nil
	}
	return tx.Rollback(context.WithoutCancel(ctx)) // the end of the bench may be near
}

// throughput counts every second until ctx ends, and looks at the dead rows
// shortly before a time.
func throughput(ctx context.Context, server meter, done *atomic.Int64, at time.Duration) (seen []point, dead int64, err error) {
	began, last, looked := time.Now(), done.Load(), false
	for i := 1; sleepUntil(ctx, began.Add(time.Duration(i)*time.Second)); i++ {
		now := done.Load()
		seen = append(seen, point{float64(i), float64(now - last)})
		last = now
		if elapsed := time.Duration(i) * time.Second; !looked && elapsed+2*time.Second >= at {
			looked = true
			left, err := server.left(ctx)
			if err != nil {
				return nil, 0, err
			}
			dead = left.dead
		}
	}
	return seen, dead, nil
}
