// Package faulty wraps a store and injects faults by rule and seed: calls
// that fail before they do anything, calls that are done but whose answer is
// lost, and slow calls. The same seed and the same calls of each method give
// the same faults, whatever other methods are called between them.
package faulty

import (
	"context"
	"errors"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/store"
)

// ErrInjected is the default error of a fault. It says nothing about the
// outcome, as the contract allows.
var ErrInjected = errors.New("faulty: injected")

// Kind is what a fault does to a call.
type Kind string

// The kinds.
const (
	Fail  Kind = "fail"  // an error before anything is done
	Lose  Kind = "lose"  // the call is done, yet an error is returned
	Delay Kind = "delay" // the call is done late; an ended context fails it first
)

// Rule says which calls get a fault.
type Rule struct {
	Kind        Kind
	Methods     []string      // names as in the interfaces; every method but Close and Watch when empty
	Probability float64       // of each call, 0 to 1; unused if Nth is set
	Nth         int           // only the n-th call of each method, from 1
	Limit       int           // faults of this rule in all, 0 for no limit
	Wait        time.Duration // of a delay; the wait is between half of it and all of it
	Err         error         // ErrInjected when nil
}

// Injection is one method and one kind.
type Injection struct {
	Method string
	Kind   Kind
}

// Faults controls a wrapped store and counts what was injected. It is safe
// for concurrent use.
type Faults struct {
	seed  uint64
	rules []Rule

	mu       sync.Mutex
	off      bool
	calls    map[string]int
	injected map[Injection]int
	used     []int // per rule
	streams  map[stream]*rand.Rand
}

// stream names the random numbers of one rule for one method.
type stream struct {
	rule   int
	method string
}

// Wrap returns the backend with faults. It implements [store.Waker] exactly if
// the backend does, [store.Notifier] with it if the backend has that and works in
// transactions of the caller, as PostgreSQL does, and [store.TxEnqueuer] with [store.TxSettler] exactly if
// the backend does both.
func Wrap(backend store.Backend, seed uint64, rules ...Rule) (store.Backend, *Faults) {
	faults := &Faults{
		seed: seed, rules: slices.Clone(rules), calls: map[string]int{}, injected: map[Injection]int{},
		used: make([]int, len(rules)), streams: map[stream]*rand.Rand{},
	}
	wrapped := &wrapper{backend, faults}
	tx, canTx := backend.(txStore)
	waker, canWake := backend.(store.Waker)
	notifier, canNotify := backend.(store.Notifier)
	switch {
	case canTx && canWake && canNotify:
		return struct {
			*wrapper
			txWrapper
			store.Waker
			notifyWrapper
		}{wrapped, txWrapper{tx, faults}, waker, notifyWrapper{notifier, faults}}, faults
	case canTx && canWake:
		return struct {
			*wrapper
			txWrapper
			store.Waker
		}{wrapped, txWrapper{tx, faults}, waker}, faults
	case canTx:
		return struct {
			*wrapper
			txWrapper
		}{wrapped, txWrapper{tx, faults}}, faults
	case canWake:
		return struct {
			*wrapper
			store.Waker
		}{wrapped, waker}, faults
	}
	return wrapped, faults
}

// Heal stops all faults until [Faults.Resume].
func (f *Faults) Heal() { f.set(true) }

// Resume lets faults happen again.
func (f *Faults) Resume() { f.set(false) }

func (f *Faults) set(off bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.off = off
}

// Injected returns how often each method got each kind of fault.
func (f *Faults) Injected() map[Injection]int {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := make(map[Injection]int, len(f.injected))
	for injection, n := range f.injected {
		out[injection] = n
	}
	return out
}

// Total returns how many faults were injected.
func (f *Faults) Total() int {
	total := 0
	for _, n := range f.Injected() {
		total += n
	}
	return total
}

// Calls returns how often a method was called, with or without a fault.
func (f *Faults) Calls(method string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls[method]
}

// verdict is what happens to one call.
type verdict struct {
	wait       time.Duration
	fail, lose error
}

// decide counts a call and says what happens to it.
func (f *Faults) decide(method string) verdict {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls[method]++
	var v verdict
	for i, rule := range f.rules {
		if len(rule.Methods) > 0 && !slices.Contains(rule.Methods, method) {
			continue
		}
		// Both numbers are drawn for every call, so that the faults of one
		// call do not depend on those of another.
		random := f.stream(i, method)
		chance, share := random.Float64(), random.Float64()
		hit := chance < rule.Probability
		if rule.Nth > 0 {
			hit = f.calls[method] == rule.Nth
		}
		if !hit || f.off || rule.Limit > 0 && f.used[i] >= rule.Limit {
			continue
		}
		f.used[i]++
		f.injected[Injection{method, rule.Kind}]++
		err := rule.Err
		if err == nil {
			err = ErrInjected
		}
		switch rule.Kind {
		case Fail:
			v.fail = err
		case Lose:
			v.lose = err
		case Delay:
			v.wait += time.Duration(float64(rule.Wait) * (1 + share) / 2)
		}
	}
	return v
}

func (f *Faults) stream(rule int, method string) *rand.Rand {
	at := stream{rule, method}
	if f.streams[at] == nil {
		name := fnv.New64a()
		_, _ = name.Write([]byte(method))
		f.streams[at] = rand.New(rand.NewPCG(f.seed+uint64(rule), name.Sum64()))
	}
	return f.streams[at]
}

// call does one call with its faults.
func call[T any](ctx context.Context, f *Faults, method string, do func() (T, error)) (T, error) {
	var none T
	v := f.decide(method)
	if v.wait > 0 {
		timer := time.NewTimer(v.wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return none, ctx.Err()
		}
	}
	if v.fail != nil {
		return none, v.fail
	}
	out, err := do()
	if err == nil && v.lose != nil {
		return none, v.lose
	}
	return out, err
}

// run is call for methods that return an error only.
func run(ctx context.Context, f *Faults, method string, do func() error) error {
	_, err := call(ctx, f, method, func() (struct{}, error) { return struct{}{}, do() })
	return err
}
