package stats

import (
	"context"
	"log/slog"
	"maps"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/internal/buckets"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

const (
	fine        = 10 * time.Second // between two points of this node's memory
	fineKept    = time.Hour
	coarse      = time.Minute
	seriesKept  = 48 * time.Hour
	mostWaiting = 8 * time.Second // before a minute is written, so that nodes do not write at once
)

// SeriesConfig is what a series is made of.
type SeriesConfig struct {
	Backend store.Config
	Logger  *slog.Logger
	// Backlog measures what waits, once a minute, by queue.
	Backlog func(ctx context.Context) map[string]Backlog
}

// Backlog is what waits in a queue.
type Backlog struct {
	// Due counts the tasks in this node's memory that are due.
	Due int
	// Pending and OldestDue are of the whole queue; nil if this node did not ask.
	Pending   *int
	OldestDue *time.Duration
}

// Event is the end of an attempt, of a task, or of both.
type Event struct {
	Queue   string
	Attempt bool // whether an attempt has ended; what follows is of it
	Failed  bool
	Retry   bool // not the first of the task
	Run     time.Duration
	Wait    time.Duration // from when it was due to its start
	State   task.State    // that the task has ended in; any other counts nothing
}

// Series counts what happens over time: in memory every ten seconds for an hour, and
// in the database every minute for two days, added up over all nodes.
type Series struct {
	SeriesConfig
	queues *buckets.Names[string, counting]

	reading sync.Mutex // held by whoever collects or reads what follows
	since   time.Time  // the beginning of what is not collected yet
	points  []point    // the last hour, the oldest first
	current map[string]*tally
	ledger  *ledger[*span]

	loops background.Loops
}

// point is what happened from one moment on, for up to ten seconds.
type point struct {
	at     time.Time
	queues map[string]*tally
}

// counting is what happens in one queue.
type counting struct {
	succeeded, dead, canceled, attempts, failed, retries atomic.Uint32
	run, wait                                            counters
}

// NewSeries makes a series.
func NewSeries(config SeriesConfig) *Series {
	return &Series{
		SeriesConfig: config, queues: buckets.NewNames[string, counting](mostQueues, otherQueue),
		current: map[string]*tally{}, ledger: newLedger(config.Backend, KindSeries, readSpan),
	}
}

// Add counts an event.
func (s *Series) Add(e *Event) {
	c := s.queues.Of(e.Queue)
	if e.Attempt {
		c.attempts.Add(1)
		if e.Failed {
			c.failed.Add(1)
		}
		if e.Retry {
			c.retries.Add(1)
		}
		c.run.add(e.Run)
		c.wait.add(e.Wait)
	}
	switch e.State {
	case task.Succeeded:
		c.succeeded.Add(1)
	case task.Dead:
		c.dead.Add(1)
	case task.Canceled:
		c.canceled.Add(1)
	}
}

// take empties the counters, nil if nothing was counted.
func (c *counting) take() *tally {
	t := &tally{
		Succeeded: int(c.succeeded.Swap(0)), Dead: int(c.dead.Swap(0)), Canceled: int(c.canceled.Swap(0)),
		Attempts: int(c.attempts.Swap(0)), Failed: int(c.failed.Swap(0)), Retries: int(c.retries.Swap(0)),
		Run: times{}, Wait: times{},
	}
	c.run.take(t.Run)
	c.wait.take(t.Wait)
	if t.Attempts == 0 && t.Succeeded == 0 && t.Dead == 0 && t.Canceled == 0 && len(t.Run) == 0 && len(t.Wait) == 0 {
		return nil
	}
	return t
}

// Start begins to keep the series, at the pace of ctx. Call it once.
func (s *Series) Start(ctx context.Context) {
	s.since = time.Now()
	s.loops.Start(ctx, s.keep)
}

// Stop keeps what was counted last. Call it when no attempt runs any more.
func (s *Series) Stop(ctx context.Context) {
	if !s.loops.Started() || s.loops.Stop(ctx) != nil {
		return
	}
	s.reading.Lock()
	defer s.reading.Unlock()
	s.collect(time.Now())
	s.close(nil)
	s.failed(ctx, s.ledger.finish(ctx))
}

// keep collects at every tenth second of the clock.
func (s *Series) keep(ctx context.Context) {
	tidied := time.Time{}
	for {
		now := time.Now()
		if !background.Idle(ctx, now.Truncate(fine).Add(fine).Sub(now)) {
			return
		}
		if now = time.Now(); !s.tick(ctx, now) {
			continue
		}
		if !background.Sleep(ctx, rand.N(mostWaiting)) {
			return
		}
		s.flush(ctx)
		if now.Sub(tidied) >= time.Hour {
			tidied = now
			s.failed(ctx, s.tidy(ctx, now))
		}
	}
}

// tick collects, and reports whether a minute is over.
func (s *Series) tick(ctx context.Context, now time.Time) bool {
	s.reading.Lock()
	s.collect(now)
	over := len(s.current) > 0 || len(s.points) > 0
	over = over && !s.minuteOf().Equal(now.Truncate(coarse))
	s.reading.Unlock()
	if !over {
		return false
	}
	var waits map[string]Backlog
	if s.Backlog != nil {
		asking, cancel := context.WithTimeout(ctx, flushTime)
		waits = s.Backlog(asking) // without a lock: it asks the store
		cancel()
	}
	s.reading.Lock()
	defer s.reading.Unlock()
	s.close(waits)
	return true
}

// minuteOf is the minute of the last point.
func (s *Series) minuteOf() time.Time { return s.points[len(s.points)-1].at.Truncate(coarse) }

// collect makes a point of what was counted until now.
func (s *Series) collect(now time.Time) {
	p := point{at: s.since.Truncate(fine), queues: map[string]*tally{}}
	if last := now.Truncate(fine).Add(-fine); p.at.Before(last) {
		p.at = last // the process was suspended
	}
	for name, c := range s.queues.All() {
		if t := c.take(); t != nil {
			p.queues[name] = t
			if s.current[name] == nil {
				s.current[name] = &tally{}
			}
			s.current[name].happened(t)
		}
	}
	s.since = now
	first := 0
	for first < len(s.points) && now.Sub(s.points[first].at) > fineKept+fine {
		first++
	}
	s.points = append(s.points[first:], p)
}

// close ends the minute of the last point. What could not be written for so long that
// nobody would keep it is given up.
func (s *Series) close(waits map[string]Backlog) {
	for name, waiting := range waits {
		if s.current[name] == nil {
			s.current[name] = &tally{}
		}
		t := s.current[name]
		t.Due, t.Pending = waiting.Due, waiting.Pending
		if waiting.OldestDue != nil {
			ms := waiting.OldestDue.Milliseconds()
			t.OldestDue = &ms
		}
	}
	at := s.minuteOf()
	s.ledger.add(at.Truncate(windowOf).UTC().Format(windowName), &span{Minutes: map[int64]*minute{at.Unix(): {Nodes: 1, Queues: s.current}}})
	s.current = map[string]*tally{}
	oldest := at.Add(-seriesKept - windowOf).UTC().Format(windowName)
	maps.DeleteFunc(s.ledger.pending, func(name string, _ *span) bool { return name < oldest })
}

// flush brings the database up to date. What it cannot write waits for the next.
func (s *Series) flush(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, flushTime)
	defer cancel()
	s.reading.Lock()
	defer s.reading.Unlock()
	s.write(ctx)
}

func (s *Series) write(ctx context.Context) { s.failed(ctx, s.ledger.write(ctx)) }

func (s *Series) failed(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		s.Logger.Warn("stats.failed", "error", err)
	}
}

// tidy deletes windows that are too old.
func (s *Series) tidy(ctx context.Context, now time.Time) error {
	objects, err := s.SeriesConfig.Backend.Objects(ctx, KindSeries)
	if err != nil {
		return err
	}
	oldest := now.Add(-seriesKept - windowOf).UTC().Format(windowName)
	for i := range objects {
		if objects[i].Name >= oldest {
			continue
		}
		if _, err := s.SeriesConfig.Backend.Change(ctx, store.Change{Delete: objects[i : i+1], Quiet: true}); err != nil && !isConflict(err) && !isNotFound(err) {
			return err
		}
	}
	return nil
}
