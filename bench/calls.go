package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"time"
)

// contender is one library's way to make a call, at the best settings found:
// everything that can be reused is made once, in prepare.
type contender struct {
	system   string
	settings string
	// prepare returns what makes n calls and reports the first that did not end
	// as it should. It is called from several goroutines at once when cores is
	// all of them.
	prepare func() (calls func(n int) error, err error)
}

// scene is the same call made by several libraries. Its targets are ours.
type scene struct {
	name       string
	parallel   bool // from all cores at once
	contenders []contender
	nanos      string // target of the time, "" for none
	allocs     string
}

const (
	// rounds are how often a repetition goes through the contenders. They take
	// turns, so that a disturbance of the machine meets all of them.
	rounds = 15
	// roundTime is how long a contender's turn takes, less than a time slice of
	// the scheduler, so that many turns are not disturbed at all.
	roundTime = 3 * time.Millisecond
)

// runner is a contender that is ready.
type runner struct {
	contender
	calls func(n int) error
	n     int
}

// compare measures scenes, all rounds of one before the next.
func (s *session) compare(ctx context.Context, scenes []scene) error {
	return s.profiled(func() error {
		for _, sc := range scenes {
			if err := s.compareScene(ctx, sc); err != nil {
				return fmt.Errorf("%s: %w", sc.name, err)
			}
		}
		return nil
	})
}

func (s *session) compareScene(ctx context.Context, sc scene) error {
	cores := 1
	if sc.parallel {
		cores = runtime.NumCPU()
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
	var runners []runner
	for _, c := range sc.contenders {
		r, err := ready(c, s.config.n)
		if err != nil {
			return fmt.Errorf("%s: %w", c.system, err)
		}
		runners = append(runners, r)
	}
	for range rounds {
		for _, r := range runners {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := s.turn(sc, r, cores); err != nil {
				return fmt.Errorf("%s: %w", r.system, err)
			}
		}
	}
	return nil
}

// ready prepares a contender and finds how many calls make a turn.
func ready(c contender, n int) (runner, error) {
	calls, err := c.prepare()
	if err != nil {
		return runner{}, err
	}
	r := runner{contender: c, calls: calls, n: cmp.Or(n, 1)}
	for {
		began := time.Now()
		if err := calls(r.n); err != nil {
			return runner{}, err
		}
		if n > 0 || time.Since(began) >= roundTime/2 {
			return r, nil
		}
		r.n *= 2
	}
}

// turn measures one contender once. The time of a call is that which one core
// sees: with several cores they make n calls each.
func (s *session) turn(sc scene, r runner, cores int) error {
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	took, err := together(cores, func() error { return r.calls(r.n) })
	if err != nil {
		return err
	}
	runtime.ReadMemStats(&after)
	set := settings{"cores": cores, "rounds": rounds, "with": r.settings}
	nanos, allocs := sc.nanos, sc.allocs
	if r.system != outlastName {
		nanos, allocs = "", ""
	}
	s.recordOf(r.system, sc.name, float64(took.Nanoseconds())/float64(r.n), "ns", r.n, nanos, set)
	// As testing.AllocsPerRun does it: what the runtime allocates now and then
	// is a fraction of an allocation.
	perCall := math.Floor(float64(after.Mallocs-before.Mallocs) / float64(r.n*cores))
	s.recordOf(r.system, sc.name+"/allocs", perCall, "allocs", r.n, allocs, set)
	return nil
}

// together runs fn on so many goroutines at once and says how long the slowest
// took.
func together(cores int, fn func() error) (time.Duration, error) {
	if cores == 1 {
		began := time.Now()
		err := fn()
		return time.Since(began), err
	}
	var ended sync.WaitGroup
	errs := make([]error, cores)
	start := make(chan struct{})
	for i := range cores {
		ended.Go(func() {
			<-start
			errs[i] = fn()
		})
	}
	began := time.Now()
	close(start)
	ended.Wait()
	return time.Since(began), errors.Join(errs...)
}
