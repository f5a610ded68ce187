// Package cache keeps the successes of calls for a time, by key, and makes one call
// where several callers want the same at once.
//
//	rates, err := cache.New[string](cache.Config[float64]{For: time.Minute})
//	…
//	rate, err := rates.Value(ctx, "EUR", func(ctx context.Context) (float64, error) {
//		return retry.Value(ctx, policy, func(ctx context.Context) (float64, error) { return ask(ctx, "EUR") })
//	})
//
// It stands around the call of [retry.Value] or any other: what is found needs no
// attempt, no token and no permit.
//
// Stability: stable. Names and their meaning stay within a major version.
package cache

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/retry/internal/clock"
)

const (
	// DefaultMost is how many values a cache keeps that does not say otherwise.
	DefaultMost = 1000

	most = 10_000_000
)

// Config says what is kept and for how long.
type Config[V any] struct {
	// Most is how many values are kept, 1 to 10 000 000. Default 1000. When there are
	// more, the one that was asked for least recently gives way.
	Most int
	// For is how long a value is fresh, above 0. It has no default, and must be 0 with
	// Lasts.
	For time.Duration
	// Lasts, when not nil, says it of each value instead: a token knows when it
	// expires. One that lasts 0 or less is returned and not kept.
	Lasts func(V) time.Duration
}

// Cache keeps values by key. It is bounded, holds no goroutine and no timer, and is
// safe for concurrent use; a method takes a short lock. Make one with [New].
type Cache[K comparable, V any] struct {
	config Config[V]

	mu      sync.Mutex
	kept    map[K]*entry[K, V]
	used    entry[K, V] // the ring of those kept: next is the one used last, previous the first to go
	flights map[K]*flight[V]
	counts  State
}

// entry is a value that is kept.
type entry[K comparable, V any] struct {
	key            K
	value          V
	at, until      time.Time
	previous, next *entry[K, V]
}

// flight is a call under way.
type flight[V any] struct {
	done  chan struct{}
	value V // these are readable once done is closed
	err   error
	void  bool // it has ended without an outcome for others
}

// New makes an empty cache. Refused values are joined [retry.FieldError] values on
// "most" and "for".
func New[K comparable, V any](config Config[V]) (*Cache[K, V], error) {
	config.Most = cmp.Or(config.Most, DefaultMost)
	var refused []error
	if config.Most < 1 || config.Most > most {
		refused = append(refused, &retry.FieldError{Field: "most", Message: strconv.Itoa(config.Most) + " is outside 1 to " + strconv.Itoa(most)})
	}
	switch lasts := config.Lasts != nil; {
	case lasts && config.For != 0:
		refused = append(refused, &retry.FieldError{Field: "for", Message: "excludes lasts"})
	case !lasts && config.For <= 0:
		refused = append(refused, &retry.FieldError{Field: "for", Message: config.For.String() + " is not above 0s"})
	}
	if len(refused) > 0 {
		return nil, errors.Join(refused...)
	}
	c := &Cache[K, V]{config: config, kept: make(map[K]*entry[K, V]), flights: make(map[K]*flight[V])}
	c.used.previous, c.used.next = &c.used, &c.used
	return c, nil
}

// Value returns the fresh value of the key. When there is none, it calls fn in the
// caller's goroutine with the caller's context, and keeps what fn returns if the error
// is nil: errors are never kept.
//
// While fn runs, others who want the same key wait for it and get what it returns, an
// error too. A waiting caller whose context ends returns with the cause of that; the
// call goes on for the others. When the context of the caller that makes the call ends
// and fn therefore fails, that failure is its own: the next of those who wait makes the
// call anew, with its own function and context. So it is when fn panics or ends the
// goroutine, which passes through. Fn must not ask for the same key.
//
// A caller whose context has ended already gets nothing, not even what is kept. A key that
// is not equal to itself, such as one with a NaN in it, is called for and not kept.
func (c *Cache[K, V]) Value(ctx context.Context, key K, fn func(ctx context.Context) (V, error)) (V, error) {
	if key != key { //nolint:gocritic // not a number: no map finds it again, nor can it be forgotten
		return fn(ctx)
	}
	for joined := false; ; joined = true {
		if ctx.Err() != nil {
			var none V
			return none, context.Cause(ctx)
		}
		value, f, own := c.look(key, joined)
		switch {
		case f == nil:
			return value, nil
		case own:
			return c.call(ctx, key, f, fn)
		}
		select {
		case <-f.done:
			if !f.void {
				return f.value, f.err
			}
		case <-ctx.Done():
		}
	}
}

// look finds a fresh value, else the call that is under way for it, else one that the
// caller is to make. Joined callers have been counted.
func (c *Cache[K, V]) look(key K, joined bool) (value V, f *flight[V], own bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.kept[key]; e != nil && clock.Now().Before(e.until) {
		c.unlink(e)
		c.link(e)
		c.counts.Hits++
		return e.value, nil, false
	}
	if f = c.flights[key]; f != nil {
		if !joined {
			c.counts.Joined++
		}
		return value, f, false
	}
	c.counts.Misses++
	f = &flight[V]{done: make(chan struct{}), void: true}
	c.flights[key] = f
	return value, f, true
}

// call makes a call for all who wait for it.
func (c *Cache[K, V]) call(ctx context.Context, key K, f *flight[V], fn func(ctx context.Context) (V, error)) (V, error) {
	var lasts time.Duration
	defer func() { c.land(key, f, lasts) }() // also when fn does not return
	value, err := fn(ctx)
	if err == nil {
		if lasts = c.config.For; c.config.Lasts != nil {
			lasts = c.config.Lasts(value)
		}
	}
	f.value, f.err, f.void = value, err, err != nil && over(ctx)
	return value, err
}

// over reports whether a context has ended, or ends in a moment: what keeps to its
// deadline by a timer of its own, such as a connection, may fail before it.
func over(ctx context.Context) bool {
	deadline, limited := ctx.Deadline()
	return ctx.Err() != nil || limited && !clock.Now().Before(deadline)
}

// land ends a call, and keeps its value unless the key has been forgotten meanwhile.
func (c *Cache[K, V]) land(key K, f *flight[V], lasts time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.flights[key] == f {
		delete(c.flights, key)
		if lasts > 0 {
			now := clock.Now()
			c.keep(&entry[K, V]{key: key, value: f.value, at: now, until: now.Add(lasts)})
		}
	}
	close(f.done)
}

// keep puts an entry in the place of an older one, or of the one used least recently.
func (c *Cache[K, V]) keep(e *entry[K, V]) {
	if old := c.kept[e.key]; old != nil {
		c.drop(old)
	} else if len(c.kept) >= c.config.Most {
		c.drop(c.used.previous)
		c.counts.Evicted++
	}
	c.kept[e.key] = e
	c.link(e)
}

func (c *Cache[K, V]) drop(e *entry[K, V]) {
	delete(c.kept, e.key)
	c.unlink(e)
}

func (c *Cache[K, V]) unlink(e *entry[K, V]) {
	e.previous.next, e.next.previous = e.next, e.previous
}

func (c *Cache[K, V]) link(e *entry[K, V]) {
	e.previous, e.next = &c.used, c.used.next
	e.previous.next, e.next.previous = e, e
}

// Kept returns what is kept of the key, fresh or not, and when it was found: the answer
// of a [retry.Fallback] that would rather be old than none. It does not count as use.
func (c *Cache[K, V]) Kept(key K) (value V, at time.Time, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.kept[key]
	if e == nil {
		return value, at, false
	}
	return e.value, e.at, true
}

// Forget drops what is kept of the key. A call for it that is under way still returns
// to those who wait for it, but what it finds is not kept, and later callers make
// another one.
func (c *Cache[K, V]) Forget(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.flights, key)
	if e := c.kept[key]; e != nil {
		c.drop(e)
	}
}

// State counts what has happened since the cache was made.
type State struct {
	Entries int   // kept now, fresh or not
	Hits    int64 // callers who found a fresh value
	Joined  int64 // callers who waited for the call of another one
	Misses  int64 // calls
	Evicted int64 // values that gave way to others
}

// State returns the counts as they stand.
func (c *Cache[K, V]) State() State {
	c.mu.Lock()
	defer c.mu.Unlock()
	state := c.counts
	state.Entries = len(c.kept)
	return state
}
