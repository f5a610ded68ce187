package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

const (
	crashNodes = 3
	crashRate  = 50              // tasks per second
	crashTask  = 2 * time.Second // how long each runs
	crashWarm  = 6 * time.Second
)

// nodeKilled: three processes share the work, one of them is killed.
var nodeKilled = bench{
	id: "B10", title: "kill -9 of one of three nodes at 50 tasks/s of 2 s each: time until its tasks run again, attempts spent", slots: idleSlots,
	store: postgres, peers: []string{riverName, asynqName}, long: true, score: "again-max",
	run: func(ctx context.Context, s *session) (err error) {
		at, err := s.place(ctx)
		if err != nil {
			return err
		}
		filler, err := s.system.open(ctx, at, nodeOptions{enqueueOnly: true, tuned: s.tuning()})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, filler.stop(context.WithoutCancel(ctx))) }()
		if err := filler.start(ctx); err != nil {
			return err
		}
		starts := &startLog{tasks: make(map[int][]started), ends: make(map[int]bool)}
		var nodes [crashNodes]*process
		var told [crashNodes]chan struct{} // closed when all that a node has said is in the log
		for i := range nodes {
			if nodes[i], err = s.spawn(ctx, childFlags{kind: "run", store: at.url, tuned: s.tuning()}); err != nil {
				return err
			}
			if _, err := nodes[i].expect(ctx, "ready", time.Minute); err != nil {
				return err
			}
			nodes[i].followed, told[i] = true, make(chan struct{})
			go func() {
				defer close(told[i])
				starts.follow(i, nodes[i])
			}()
		}
		loading, stop := context.WithCancel(ctx)
		loaded := make(chan error, 1)
		go func() {
			loaded <- steadily(loading, cmp.Or(s.bench.rate, crashRate), 1<<30, func(i int) error { return filler.enqueue(ctx, job{payload: stamped(i)}) })
		}()
		defer func() { stop(); <-loaded }()
		sleepUntil(ctx, time.Now().Add(crashWarm))
		victim := s.run % crashNodes
		if err := nodes[victim].kill(); err != nil {
			return err
		}
		killed := time.Now()
		<-told[victim]
		return s.awaitAgain(ctx, starts, victim, killed)
	},
}

// beatingUntilKilled is for tasks that may take any time: only heartbeats tell Temporal of
// the kill then. Outlast does not ask how long they take.
var beatingUntilKilled = func() bench {
	b := besideTemporal(nodeKilled)
	b.id, b.title, b.work = "B10h", "the same as B10t with heartbeats instead of a limit of 4 s", beating
	return b
}()

// again is how long to wait for tasks of a killed node. Asynq promises two to
// three minutes.
const again = 4 * time.Minute

func (s *session) awaitAgain(ctx context.Context, starts *startLog, victim int, killed time.Time) error {
	lost := starts.lost(victim)
	if len(lost) == 0 {
		return errors.New("nothing ran on the killed node")
	}
	var waits samples
	spent := 0
	for deadline := killed.Add(again); len(lost) > 0; {
		if time.Now().After(deadline) {
			return fmt.Errorf("%d tasks of the killed node did not run again within %s", len(lost), again)
		}
		if !sleepUntil(ctx, time.Now().Add(20*time.Millisecond)) {
			return ctx.Err()
		}
		for i, before := range lost {
			if next, found := starts.after(i, victim); found {
				waits.add(next.at.Sub(killed))
				spent = max(spent, next.attempt-before.attempt)
				delete(lost, i)
			}
		}
	}
	set := settings{"nodes": crashNodes, "rate": cmp.Or(s.bench.rate, crashRate), "task": crashTask.String()}
	if s.system.name() == riverName {
		set["RescueStuckJobsAfter"] = (2*crashTask + time.Second).String() + ", by default 1h1m"
	}
	n := waits.count()
	s.record("again-p50", waits.quantile(0.5)/1000, "s", n, "", set)
	s.record("again-max", waits.quantile(1)/1000, "s", n, "<= 10", set)
	s.record("attempts-spent", float64(spent), "attempts", n, "== 0", set)
	return nil
}

// startLog is where each task began, as the nodes tell.
type startLog struct {
	mu    sync.Mutex
	tasks map[int][]started
	ends  map[int]bool
}

type started struct {
	node, attempt int
	at            time.Time
}

func (l *startLog) follow(node int, p *process) {
	for e := range p.events {
		l.mu.Lock()
		switch e.Kind {
		case "began":
			l.tasks[e.Task] = append(l.tasks[e.Task], started{node, e.Attempt, time.Unix(0, e.Nanos)})
		case "ended":
			l.ends[e.Task] = true
		}
		l.mu.Unlock()
	}
}

// lost are the tasks that began on a node and did not end.
func (l *startLog) lost(node int) map[int]started {
	l.mu.Lock()
	defer l.mu.Unlock()
	lost := make(map[int]started)
	for i, starts := range l.tasks {
		if last := starts[len(starts)-1]; last.node == node && !l.ends[i] {
			lost[i] = last
		}
	}
	return lost
}

// after finds where a task began after it had on a node.
func (l *startLog) after(i, node int) (started, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	last := l.tasks[i][len(l.tasks[i])-1]
	return last, last.node != node
}
