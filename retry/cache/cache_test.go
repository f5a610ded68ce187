package cache_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/retry/cache"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errAsked = errors.New("no answer")

func made[V any](t *testing.T, c cache.Config[V]) *cache.Cache[string, V] {
	t.Helper()
	made, err := cache.New[string](c)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// answers is a function that answers with the number of its calls, after a time.
type answers struct {
	mu    sync.Mutex
	calls int
}

func (a *answers) after(d time.Duration, err error) func(context.Context) (int, error) {
	return func(context.Context) (int, error) {
		a.mu.Lock()
		a.calls++
		n := a.calls
		a.mu.Unlock()
		time.Sleep(d)
		return n, err
	}
}

func TestValue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := made(t, cache.Config[int]{For: time.Minute})
		var asked answers
		ask := func(key string, err error, want int, failure error) {
			t.Helper()
			if got, err := c.Value(t.Context(), key, asked.after(0, err)); got != want || !errors.Is(err, failure) || (err == nil) != (failure == nil) {
				t.Errorf("%d, %v, not %d, %v", got, err, want, failure)
			}
		}
		ask("a", errAsked, 1, errAsked)
		ask("a", errAsked, 2, errAsked) // errors are not kept
		ask("a", nil, 3, nil)
		ask("a", errAsked, 3, nil)
		ask("b", nil, 4, nil) // keys are apart
		time.Sleep(time.Minute - 1)
		ask("a", nil, 3, nil)
		time.Sleep(time.Nanosecond)
		ask("a", errAsked, 5, errAsked) // a value that is not fresh is not used
		ask("a", nil, 6, nil)           // and use does not make it fresh
		if got, want := c.State(), (cache.State{Entries: 2, Hits: 2, Misses: 6}); got != want {
			t.Errorf("%+v, not %+v", got, want)
		}
	})
}

// A value says how long it lasts.
func TestLasts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := made(t, cache.Config[int]{Lasts: func(n int) time.Duration { return time.Duration(n-1) * time.Second }})
		var asked answers
		for _, want := range []int{1, 2, 2, 3} { // the first does not last at all
			if got, err := c.Value(t.Context(), "a", asked.after(0, nil)); got != want || err != nil {
				t.Errorf("%d, %v, not %d", got, err, want)
			}
			time.Sleep(600 * time.Millisecond)
		}
		if got := c.State().Entries; got != 1 {
			t.Errorf("%d are kept", got)
		}
	})
}

// The value that was asked for least recently gives way, and no other.
func TestMost(t *testing.T) {
	c := made(t, cache.Config[int]{For: time.Hour, Most: 2})
	var asked answers
	for i, step := range []struct {
		key  string
		want int
	}{{"a", 1}, {"b", 2}, {"a", 1}, {"c", 3}, {"a", 1}, {"b", 4}, {"c", 5}, {"b", 4}} {
		if got, _ := c.Value(t.Context(), step.key, asked.after(0, nil)); got != step.want {
			t.Errorf("step %d, %s: %d, not %d", i, step.key, got, step.want)
		}
	}
	if got := c.State(); got.Entries != 2 || got.Evicted != 3 {
		t.Errorf("%+v", got)
	}
}

func TestKeptAndForget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := made(t, cache.Config[int]{For: time.Second})
		var asked answers
		if _, _, ok := c.Kept("a"); ok {
			t.Error("something is kept")
		}
		found := time.Now()
		_, _ = c.Value(t.Context(), "a", asked.after(0, nil))
		time.Sleep(time.Hour)
		_, _ = c.Value(t.Context(), "a", asked.after(0, errAsked))
		if got, at, ok := c.Kept("a"); got != 1 || !at.Equal(found) || !ok {
			t.Errorf("%d, %v, %t", got, at, ok)
		}
		c.Forget("a")
		c.Forget("b")
		if _, _, ok := c.Kept("a"); ok || c.State().Entries != 0 {
			t.Error("something is kept")
		}
	})
}

// Of those who want the same at once one makes the call, and all get what it returns.
func TestOneCall(t *testing.T) {
	for _, failure := range []error{nil, errAsked} {
		synctest.Test(t, func(t *testing.T) {
			c := made(t, cache.Config[int]{For: time.Minute})
			var asked answers
			start := time.Now()
			var all sync.WaitGroup
			for range 50 {
				all.Go(func() {
					if got, err := c.Value(t.Context(), "a", asked.after(time.Second, failure)); got != 1 || !errors.Is(err, failure) || (err == nil) != (failure == nil) {
						t.Errorf("%d, %v", got, err)
					}
				})
			}
			all.Wait()
			if got := c.State(); time.Since(start) != time.Second || got.Misses != 1 || got.Joined != 49 {
				t.Errorf("%+v after %v", got, time.Since(start))
			}
			if got, err := c.Value(t.Context(), "a", asked.after(0, nil)); (got == 1) != (failure == nil) || err != nil {
				t.Errorf("then %d, %v", got, err)
			}
		})
	}
}

// A caller who waits goes when its context ends. The call goes on for the others.
func TestWaitingCallerGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := made(t, cache.Config[int]{For: time.Minute})
		var asked answers
		errGone := errors.New("gone")
		ctx, cancel := context.WithCancelCause(t.Context())
		start := time.Now()
		var all sync.WaitGroup
		all.Go(func() {
			if got, err := c.Value(t.Context(), "a", asked.after(3*time.Second, nil)); got != 1 || err != nil {
				t.Errorf("who calls: %d, %v", got, err)
			}
		})
		synctest.Wait()
		all.Go(func() {
			if got, err := c.Value(ctx, "a", asked.after(0, nil)); got != 0 || !errors.Is(err, errGone) || time.Since(start) != time.Second {
				t.Errorf("who goes: %d, %v after %v", got, err, time.Since(start))
			}
		})
		all.Go(func() {
			if got, err := c.Value(t.Context(), "a", asked.after(0, nil)); got != 1 || err != nil {
				t.Errorf("who stays: %d, %v", got, err)
			}
		})
		time.Sleep(time.Second)
		cancel(errGone)
		all.Wait()
		if _, err := c.Value(ctx, "a", asked.after(0, nil)); !errors.Is(err, errGone) {
			t.Errorf("an ended context: %v", err)
		}
	})
}

// When the caller that makes the call goes, or its function does not return, the next
// one makes it anew, once.
func TestCallerGoes(t *testing.T) {
	untilEnd := func(ctx context.Context) (int, error) { <-ctx.Done(); return -1, fmt.Errorf("x: %w", ctx.Err()) }
	panics := func(context.Context) (int, error) { time.Sleep(time.Second); panic("at the disco") }
	exits := func(context.Context) (int, error) { time.Sleep(time.Second); runtime.Goexit(); return 0, nil }
	for name, fn := range map[string]func(context.Context) (int, error){"canceled": untilEnd, "panic": panics, "goexit": exits} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := made(t, cache.Config[int]{For: time.Minute})
				var asked answers
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				var all sync.WaitGroup
				all.Add(1)
				go func() {
					defer all.Done()
					defer func() { _ = recover() }()
					if got, err := c.Value(ctx, "a", fn); got != -1 || !errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("who goes: %d, %v", got, err)
					}
				}()
				synctest.Wait()
				start := time.Now()
				for range 10 {
					all.Go(func() {
						if got, err := c.Value(t.Context(), "a", asked.after(time.Second, nil)); got != 1 || err != nil || time.Since(start) != 2*time.Second {
							t.Errorf("who stays: %d, %v after %v", got, err, time.Since(start))
						}
					})
				}
				all.Wait()
				if got := c.State(); got.Misses != 2 || got.Joined != 10 || got.Entries != 1 {
					t.Errorf("%+v", got)
				}
			})
		})
	}
}

// A real failure of a caller whose context is alive is for all, although it looks like
// the end of a context.
func TestForeignEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := made(t, cache.Config[int]{For: time.Minute})
		var asked answers
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				if got, err := c.Value(t.Context(), "a", asked.after(time.Second, context.Canceled)); got != 1 || !errors.Is(err, context.Canceled) {
					t.Errorf("%d, %v", got, err)
				}
			})
		}
		all.Wait()
	})
}

// What is forgotten while a call is under way is not kept by it.
func TestForgetDuringCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := made(t, cache.Config[int]{For: time.Hour})
		var asked answers
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				if got, err := c.Value(t.Context(), "a", asked.after(2*time.Second, nil)); got != 1 || err != nil {
					t.Errorf("before: %d, %v", got, err)
				}
			})
		}
		time.Sleep(time.Second)
		c.Forget("a")
		if got, err := c.Value(t.Context(), "a", asked.after(3*time.Second, nil)); got != 2 || err != nil {
			t.Errorf("after: %d, %v", got, err)
		}
		all.Wait()
		if got, _, ok := c.Kept("a"); got != 2 || !ok {
			t.Errorf("%d is kept, %t", got, ok)
		}
	})
}

func TestNewRefused(t *testing.T) {
	lasts := func(int) time.Duration { return 1 }
	for _, c := range []struct {
		config cache.Config[int]
		fields string
	}{
		{cache.Config[int]{For: 1}, "[]"},
		{cache.Config[int]{For: 1, Most: 10_000_000}, "[]"},
		{cache.Config[int]{Lasts: lasts, Most: 1}, "[]"},
		{cache.Config[int]{}, "[for]"},
		{cache.Config[int]{For: -1}, "[for]"},
		{cache.Config[int]{For: 1, Lasts: lasts}, "[for]"},
		{cache.Config[int]{For: 1, Most: 10_000_001}, "[most]"},
		{cache.Config[int]{Most: -1}, "[most for]"},
	} {
		_, err := cache.New[string](c.config)
		var fields []string
		for _, f := range retry.FieldErrors(err) {
			fields = append(fields, f.Field)
		}
		if got := fmt.Sprint(fields); got != c.fields || (err == nil) != (c.fields == "[]") {
			t.Errorf("%+v: %v", c.config, err)
		}
	}
}

// The cache and a plain model of it agree.
func TestModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 4).Draw(t, "most")
		c, err := cache.New[int](cache.Config[int]{For: time.Hour, Most: most})
		if err != nil {
			t.Fatal(err)
		}
		var recent []int // keys, the one used last at the end
		model := make(map[int]int)
		use := func(key int) {
			kept := recent[:0:0]
			for _, k := range recent {
				if k != key {
					kept = append(kept, k)
				}
			}
			recent = kept
		}
		for n := range rapid.IntRange(1, 60).Draw(t, "steps") {
			key := rapid.IntRange(0, 5).Draw(t, "key")
			if rapid.IntRange(0, 5).Draw(t, "forget") == 0 {
				c.Forget(key)
				delete(model, key)
				use(key)
				continue
			}
			want, hit := model[key]
			if !hit {
				want = n
			}
			got, err := c.Value(context.Background(), key, func(context.Context) (int, error) { return n, nil })
			if got != want || err != nil {
				t.Fatalf("%d, %v, not %d", got, err, want)
			}
			use(key)
			recent, model[key] = append(recent, key), want
			if len(recent) > most {
				delete(model, recent[0])
				recent = recent[1:]
			}
			if state := c.State(); state.Entries != len(model) {
				t.Fatalf("%d are kept, not %d", state.Entries, len(model))
			}
		}
	})
}

// Under many callers each has a value of its key, and one call at a time is made for a
// key.
func TestConcurrent(t *testing.T) {
	c, err := cache.New[int](cache.Config[int]{For: time.Nanosecond, Most: 3})
	if err != nil {
		t.Fatal(err)
	}
	var under [5]sync.Mutex
	var all sync.WaitGroup
	for n := range 16 {
		all.Go(func() {
			for i := range 500 {
				key := (n + i) % len(under)
				got, err := c.Value(t.Context(), key, func(context.Context) (int, error) {
					if !under[key].TryLock() {
						t.Error("two calls for one key at once")
						return 0, nil
					}
					defer under[key].Unlock()
					runtime.Gosched()
					return key, nil
				})
				if got != key || err != nil {
					t.Errorf("%d, %v, not %d", got, err, key)
				}
			}
		})
	}
	all.Wait()
}

// What is found allocates nothing.
func TestHitAllocatesNothing(t *testing.T) {
	c := made(t, cache.Config[int]{For: time.Hour})
	fn := func(context.Context) (int, error) { return 1, nil }
	ctx := t.Context()
	_, _ = c.Value(ctx, "a", fn)
	if n := testing.AllocsPerRun(100, func() { _, _ = c.Value(ctx, "a", fn) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// dueNow is a context at its deadline, whose timer has not been heard yet.
type dueNow struct{ context.Context }

func (dueNow) Deadline() (time.Time, bool) { return time.Now(), true }

// TestDeadlineBeforeContext: who has run out of time fails for itself, even if what it
// called has noticed that before its context did.
func TestDeadlineBeforeContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := made(t, cache.Config[int]{For: time.Minute})
		var asked answers
		go c.Value(dueNow{t.Context()}, "a", asked.after(time.Second, errAsked)) //nolint:errcheck // its own
		synctest.Wait()
		if got, err := c.Value(t.Context(), "a", asked.after(0, nil)); got != 2 || err != nil {
			t.Errorf("%d, %v", got, err)
		}
	})
}

// TestNotANumber: a key that no map finds again leaves nothing behind.
func TestNotANumber(t *testing.T) {
	c, err := cache.New[float64](cache.Config[int]{For: time.Minute, Most: 2})
	if err != nil {
		t.Fatal(err)
	}
	var asked answers
	for want := 1; want <= 3; want++ {
		if got, err := c.Value(t.Context(), math.NaN(), asked.after(0, nil)); got != want || err != nil {
			t.Errorf("%d, %v, not %d", got, err, want)
		}
	}
	if s := c.State(); s != (cache.State{}) {
		t.Errorf("%+v", s)
	}
}
