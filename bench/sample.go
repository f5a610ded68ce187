package main

import (
	"slices"
	"sync"
	"time"
)

// samples collects durations from many goroutines.
type samples struct {
	mu  sync.Mutex
	all []time.Duration
}

func (s *samples) add(d time.Duration) {
	s.mu.Lock()
	s.all = append(s.all, d)
	s.mu.Unlock()
}

func (s *samples) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.all)
}

// negative counts the durations below zero.
func (s *samples) negative() (count int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.all {
		if d < 0 {
			count++
		}
	}
	return count
}

// quantile is the nearest-rank quantile in milliseconds, 0 without samples.
func (s *samples) quantile(q float64) float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.all) == 0 {
		return 0
	}
	slices.Sort(s.all)
	rank := min(int(q*float64(len(s.all))), len(s.all)-1)
	return millis(s.all[rank])
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// quantiles records p50, p99 and the largest.
func (s *session) quantiles(prefix string, of *samples, p99 string, set settings) {
	s.record(prefix+"p50", of.quantile(0.5), "ms", of.count(), "", set)
	s.record(prefix+"p99", of.quantile(0.99), "ms", of.count(), p99, set)
	s.record(prefix+"max", of.quantile(1), "ms", of.count(), "", set)
}
