package outlast_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/faulty"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// awaits registers a handler that does a step, and then waits half a minute for an approval.
func (d *diary) awaits(k *kit) {
	k.runs(1, func(ctx context.Context) error {
		if _, err := outlast.Step(ctx, "ask", d.does("ask")); err != nil {
			return err
		}
		got, err := outlast.Await[order](ctx, "approval", 30*time.Second)
		switch {
		case errors.Is(err, outlast.ErrAwaitTimeout):
			d.add("nobody")
		case err == nil:
			d.add("approved %s", got.ID)
		}
		return err
	})
}

func (k *kit) signal(id outlast.ID, payload any) {
	k.Helper()
	if err := k.client.Signal(k.ctx, id, "approval", payload); err != nil {
		k.Error(err)
	}
}

// outcomes fails the test unless the attempts of a task ended so.
func (k *kit) outcomes(id outlast.ID, want string) {
	k.Helper()
	attempts, err := k.store.Attempts(k.ctx, id)
	var got []string
	for i := range attempts {
		got = append(got, string(attempts[i].Outcome))
	}
	if err != nil || strings.Join(got, " ") != want {
		k.Errorf("the attempts ended as %v, %v, want %s", got, err, want)
	}
}

// A task that waits has no slot, and runs as soon as the signal comes; what came before is not
// done again. A repeat of the signal is no error, another payload is, also after the end.
func TestAwait(t *testing.T) {
	virtually(t, func(k *kit) {
		var did diary
		did.awaits(k)
		k.start()
		made := k.enqueue(outlast.Draft{Type: "job"})
		k.after(20 * time.Second)
		if view := k.get(made.ID); view.State != task.Pending || view.RunAt.Sub(view.Steps[1].Until) != 0 || view.Steps[1].Type != task.StepAwait {
			k.Errorf("it does not wait: %+v, %+v", view.Task, view.Steps)
		}
		other := k.open(k.store.Handle()) // which has not started
		if err := other.Signal(k.ctx, made.ID, "approval", order{ID: "A-1"}); err != nil {
			k.Fatal(err)
		}
		k.after(10 * time.Millisecond)
		did.want(k, "ask", "approved A-1")
		k.signal(made.ID, order{ID: "A-1"})
		wantCode(k.T, k.client.Signal(k.ctx, made.ID, "approval", order{ID: "A-2"}), task.CodeConflict)
		if e := wantCode(k.T, k.client.Signal(k.ctx, made.ID, "other", nil), task.CodeConflict); e.State != task.Succeeded {
			k.Errorf("got %+v", e)
		}
		k.outcomes(made.ID, "snoozed succeeded")
	})
}

// A signal that comes before the task begins, or while it runs, is returned at once.
func TestAwaitSignaledBefore(t *testing.T) {
	virtually(t, func(k *kit) {
		var did diary
		k.runs(1, func(ctx context.Context) error {
			info, _ := outlast.Info(ctx)
			_, err := outlast.Step(ctx, "ask", func(ctx context.Context) (int, error) {
				return 0, outlast.ClientOf(ctx).Signal(ctx, info.ID, "approval", "ada")
			})
			if err != nil {
				return err
			}
			who, err := outlast.Await[string](ctx, "approval", time.Hour)
			early, also := outlast.Await[int](ctx, "early", time.Hour)
			did.add("by %s after %d", who, early)
			return errors.Join(err, also)
		})
		made := k.enqueue(outlast.Draft{Type: "job"})
		if err := k.client.Signal(k.ctx, made.ID, "early", 7); err != nil {
			k.Fatal(err)
		}
		k.start()
		k.after(time.Second)
		did.want(k, "by ada after 7")
		k.outcomes(made.ID, "succeeded")
	})
}

// within calls something while the engine settles, before the store hears of it.
type within struct {
	*memory.Store
	once sync.Once
	do   func(id outlast.ID)
}

func (w *within) Settle(ctx context.Context, s []store.Settlement) ([]store.Settled, error) {
	if len(s[0].Awaits) > 0 {
		w.once.Do(func() { w.do(s[0].Task.ID) })
	}
	return w.Store.Settle(ctx, s)
}

// A signal that comes between the look of Await and the settlement is not lost.
func TestAwaitSignaledBetween(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &within{Store: memory.New()}
		k := &kit{T: t, ctx: t.Context(), store: w.Store.Handle()}
		k.client = k.open(w)
		w.do = func(id outlast.ID) { k.signal(id, order{ID: "A-1"}) }
		var did diary
		did.awaits(k)
		k.start()
		made := k.enqueue(outlast.Draft{Type: "job"})
		k.after(time.Second)
		did.want(k, "ask", "approved A-1")
		k.outcomes(made.ID, "snoozed succeeded")
	})
}

// Without a signal the wait ends with an error at its time, for good: a signal that comes later
// is told so. A task that died of it and is redriven waits anew.
func TestAwaitTimeout(t *testing.T) {
	virtually(t, func(k *kit) {
		var did diary
		did.awaits(k)
		k.start()
		made := k.enqueue(outlast.Draft{Type: "job"})
		k.after(29 * time.Second)
		did.want(k, "ask")
		k.after(2 * time.Second)
		did.want(k, "ask", "nobody")
		view := k.get(made.ID)
		if view.State != task.Dead || view.LastError.Code != "timeout" || view.LastError.Category != "permanent" {
			k.Errorf("it is %s with %+v", view.State, view.LastError)
		}
		wantCode(k.T, k.client.Signal(k.ctx, made.ID, "approval", nil), task.CodeConflict)
		if _, err := k.client.Inspector().Letters.Redrive(k.ctx, inspect.RedriveRequest{IDs: []task.ID{made.ID}}); err != nil {
			k.Fatal(err)
		}
		k.after(10 * time.Second)
		did.want(k, "ask", "nobody")
		k.signal(made.ID, order{ID: "A-3"})
		k.after(time.Second)
		did.want(k, "ask", "nobody", "approved A-3")
	})
}

// Of a signal and the end of the wait at the same moment one decides, and both hear of it.
func TestAwaitTimeoutRace(t *testing.T) {
	virtually(t, func(k *kit) {
		var did diary
		k.runs(1, func(ctx context.Context) error {
			got, err := outlast.Await[string](ctx, "approval", 10*time.Second)
			info, _ := outlast.Info(ctx)
			switch {
			case errors.Is(err, outlast.ErrAwaitTimeout):
				did.add("%s nobody", info.ID)
				return nil
			case err == nil:
				did.add("%s %s", info.ID, got)
			}
			return err
		})
		k.start()
		want := map[string]bool{}
		var mu sync.Mutex
		for i := range 40 {
			made := k.enqueue(outlast.Draft{Type: "job"})
			go func() {
				time.Sleep(10*time.Second + time.Duration(i-20)*50*time.Microsecond) // sleep: in virtual time
				err := k.client.Signal(k.ctx, made.ID, "approval", "ada")
				mu.Lock()
				defer mu.Unlock()
				want[fmt.Sprintf("%s %s", made.ID, map[bool]string{true: "ada", false: "nobody"}[err == nil])] = true
			}()
		}
		k.after(time.Minute)
		if len(did.lines) != 40 {
			k.Errorf("%d tasks have ended", len(did.lines))
		}
		for _, line := range did.lines {
			if !want[line] {
				k.Errorf("%q is not what the signal was told", line)
			}
		}
	})
}

// Waits for several names side by side: any signal lets the task go on, and each name has the
// time of its own wait. Two waits for one name get the same signal.
func TestAwaitSideBySide(t *testing.T) {
	virtually(t, func(k *kit) {
		var did diary
		k.runs(1, func(ctx context.Context) error {
			var busy sync.WaitGroup
			errs := make([]error, 2)
			for i, name := range []string{"left", "right"} {
				busy.Go(func() { _, errs[i] = outlast.Await[string](ctx, name, time.Duration(i+1)*20*time.Second) })
			}
			busy.Wait()
			did.add("%s: %v, %v", time.Now().Format("05"), errors.Is(errs[0], outlast.ErrAwaitTimeout), errs[1] == nil)
			if errs[1] != nil {
				return errs[1]
			}
			again, err := outlast.Await[string](ctx, "right", time.Second)
			did.add("again %s", again)
			return err
		})
		k.start()
		made := k.enqueue(outlast.Draft{Type: "job"})
		k.after(25 * time.Second)
		if err := k.client.Signal(k.ctx, made.ID, "right", "yes"); err != nil {
			k.Fatal(err)
		}
		k.after(time.Second)
		did.want(k, "00: false, false", "20: true, false", "25: true, true", "again yes")
	})
}

// What can never be waited for is an error at once, and a payload of another type names both.
func TestAwaitMisuse(t *testing.T) {
	virtually(t, func(k *kit) {
		_, err := outlast.Await[string](k.ctx, "approval", time.Hour)
		wantCode(k.T, err, task.CodeConflict)
		var seen []error
		k.runs(1, func(ctx context.Context) error {
			for _, timeout := range []time.Duration{0, -1, 11 * 365 * 24 * time.Hour} {
				_, err := outlast.Await[string](ctx, "approval", timeout)
				seen = append(seen, err)
			}
			_, err := outlast.Await[string](ctx, "", time.Hour)
			_, wrong := outlast.Await[order](ctx, "approval", time.Hour)
			seen = append(seen, err, wrong)
			return nil
		})
		made := k.enqueue(outlast.Draft{Type: "job"})
		for _, bad := range []struct {
			name    string
			payload any
			code    task.Code
		}{{"", nil, task.CodeInvalid}, {strings.Repeat("x", 129), nil, task.CodeInvalid}, {"approval", []byte("{"), task.CodeInvalid},
			{"approval", func() {}, task.CodeInvalid}, {"approval", strings.Repeat("x", task.MaxResult), task.CodeTooLarge}} {
			wantCode(k.T, k.client.Signal(k.ctx, made.ID, bad.name, bad.payload), bad.code)
		}
		k.signal(made.ID, "ada")
		k.start()
		k.after(time.Second)
		for _, err := range seen {
			wantCode(k.T, err, task.CodeInvalid)
		}
		if text := seen[4].Error(); !strings.Contains(text, `"approval" is no outlast_test.order`) || !strings.Contains(text, "string") {
			k.Errorf("it does not name both: %s", text)
		}
	})
}

// A cancel of a task that waits works as ever.
func TestAwaitCanceled(t *testing.T) {
	virtually(t, func(k *kit) {
		var did diary
		did.awaits(k)
		k.start()
		made := k.enqueue(outlast.Draft{Type: "job"})
		k.after(10 * time.Second)
		if _, err := k.client.Inspector().Tasks.Cancel(k.ctx, made.ID); err != nil {
			k.Fatal(err)
		}
		wantCode(k.T, k.client.Signal(k.ctx, made.ID, "approval", nil), task.CodeConflict)
		k.after(time.Minute)
		did.want(k, "ask")
	})
}

func (m *mortal) Signal(ctx context.Context, step task.Step, audit ...store.Audit) (store.Signaled, error) {
	return dying(m, func() (store.Signaled, error) { return m.Store.Signal(ctx, step, audit...) })
}

// TestAwaitKilledEverywhere kills the first process at each call of the store around a wait,
// with a signal and without one; what it was told stands for the one that goes on.
func TestAwaitKilledEverywhere(t *testing.T) {
	const most = 10 // calls, more than one wait needs
	for at := 1; at <= most; at++ {
		for _, how := range []string{"before", "after", "timeout before", "timeout after"} {
			t.Run(fmt.Sprintf("call %d %s", at, how), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					awaitKilledAt(t, at, strings.HasSuffix(how, "after"), strings.HasPrefix(how, "timeout"))
				})
			})
		}
	}
}

func awaitKilledAt(t *testing.T, at int, after, timeout bool) {
	first := &mortal{Store: memory.New(memory.WithExactDeath()), at: at, after: after, died: make(chan struct{})}
	k := &kit{T: t, ctx: t.Context(), store: first.Store.Handle()}
	var mu sync.Mutex
	told := map[string]bool{}
	handle := func(c *outlast.Client) {
		outlast.Handle(c, "job", func(ctx context.Context, _ none) error {
			got, err := outlast.Await[string](ctx, "approval", 20*time.Second)
			mu.Lock()
			defer mu.Unlock()
			if errors.Is(err, outlast.ErrAwaitTimeout) {
				got, err = "nobody", nil
			}
			if err == nil {
				told[got] = true
			}
			return err
		})
	}
	victim, err := outlast.Open(k.ctx, first)
	if err != nil {
		t.Fatal(err)
	}
	handle(victim)
	if err := victim.Start(k.ctx); err != nil {
		t.Fatal(err)
	}
	k.client = k.open(k.store)
	handle(k.client)
	made := k.enqueue(outlast.Draft{Type: "job"})
	want := "nobody"
	if !timeout {
		want = "ada"
		k.after(10 * time.Second)
		k.signal(made.ID, want)
	}
	select {
	case <-first.died:
	case <-time.After(time.Minute): // it has made fewer calls
	}
	k.start()
	k.after(time.Minute)
	ended, cancel := context.WithCancel(k.ctx)
	cancel()
	_ = victim.Stop(ended) // what is left of its goroutines
	mu.Lock()
	defer mu.Unlock()
	if view := k.get(made.ID); view.State != task.Succeeded || len(told) != 1 || !told[want] {
		t.Errorf("the task is %s, and was told %v, want %s", view.State, told, want)
	}
}

// Answers that are lost, and a store that is away for a while, lose no signal and no timeout.
func TestAwaitThroughAFaultyStore(t *testing.T) {
	for _, kind := range []faulty.Kind{faulty.Lose, faulty.Fail} {
		t.Run(string(kind), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				inner := memory.New()
				shaky, faults := faulty.Wrap(inner, 1, faulty.Rule{Kind: kind, Methods: []string{"Signal", "Settle", "StepsOf"}, Probability: 0.7})
				k := &kit{T: t, ctx: t.Context(), store: inner}
				k.client = k.open(shaky)
				var did diary
				did.awaits(k)
				k.start()
				late, made := k.enqueue(outlast.Draft{Type: "job"}), k.enqueue(outlast.Draft{Type: "job"})
				k.after(10 * time.Second)
				for k.client.Signal(k.ctx, made.ID, "approval", order{ID: "A-1"}) != nil {
					k.after(time.Millisecond)
				}
				k.after(2 * time.Minute)
				did.want(k, "ask", "ask", "approved A-1", "nobody")
				if row, err := inner.Get(k.ctx, late.ID); err != nil || row.State != task.Dead {
					k.Errorf("the one that waits in vain is %+v, %v", row, err)
				}
				if faults.Injected()[faulty.Injection{Method: "Signal", Kind: kind}] == 0 {
					k.Error("Signal had no fault")
				}
			})
		})
	}
}
